// The models of a run: each is loaded when somebody first needs it and kept for the next one, be it a metric
// on token vectors, on sentences or on words. A folder that was exchanged meanwhile is loaded anew.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "compute/device.hpp"
#include "embed/text_encoder.hpp"
#include "models/model_folder.hpp"

namespace markeval::embed {

/// One state of a model folder. Vectors, cache keys and signatures that belong together come from one of these.
using ModelState = std::shared_ptr<const models::ModelFolder>;

class EncoderStore {
 public:
  /// `device` must outlive it.
  explicit EncoderStore(compute::Device& device) : device_(device) {}

  compute::Device& device() const { return device_; }
  /// The model that lies in the folder now: the state opened before while nothing has changed, else a new one.
  /// Throws as ModelFolder does. Not to be called by two threads at once, and neither is get().
  ModelState open(const std::string& folder);
  /// The encoder of exactly that state, also when another one lies in the folder by now. Throws what loading it
  /// throws.
  std::shared_ptr<TextEncoder> get(const ModelState& model, compute::Precision precision);

 private:
  compute::Device& device_;
  std::map<std::string, ModelState> models_;  ///< by folder
  struct Loaded {
    ModelState model;
    std::shared_ptr<TextEncoder> encoder;
  };
  std::map<std::pair<std::string, compute::Precision>, Loaded> encoders_;
};

}  // namespace markeval::embed
