// The models of a run: each is loaded when somebody first needs it and kept for the next one, be it a metric
// on token vectors, on sentences or on words.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "compute/device.hpp"
#include "embed/text_encoder.hpp"

namespace markeval::embed {

class EncoderStore {
 public:
  /// `device` must outlive it.
  explicit EncoderStore(compute::Device& device) : device_(device) {}

  compute::Device& device() const { return device_; }
  /// Throws what loading it throws. Not to be called by two threads at once.
  TextEncoder& get(const std::string& folder, compute::Precision precision);

 private:
  compute::Device& device_;
  std::map<std::pair<std::string, compute::Precision>, std::unique_ptr<TextEncoder>> encoders_;
};

}  // namespace markeval::embed
