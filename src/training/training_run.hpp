// What every training does, whatever learns: it locks the folder, reads the tables (training_tables.hpp),
// encodes each distinct text once, and goes on from a checkpoint where it is asked to.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "embed/text_encoder.hpp"
#include "request/train_request.hpp"
#include "score/listener.hpp"
#include "score/runtime.hpp"
#include "trained/folder_lock.hpp"
#include "trained/training_files.hpp"
#include "training/training_tables.hpp"

namespace markeval::training {

class TrainingRun {
 public:
  /// Throws what train() throws for tables, folder and model.
  TrainingRun(const TrainRequest& request, const score::Caller& caller);

  const RunContext& context() const { return context_; }
  /// Whose vectors are learned from: those of the encoder, or of files.
  embed::VectorSource& source();
  trained::EncoderIdentity identity();
  const compute::Products& products() const { return caller_.runtime.device.products(); }
  const trained::TrainingData& data() const { return tables_->data(); }
  const std::vector<trained::DataFile>& train_files() const { return tables_->train_files(); }
  const std::vector<trained::DataFile>& valid_files() const { return tables_->valid_files(); }
  bool held_out() const { return tables_->held_out(); }
  /// "ref ref, hyp hyp, gold human"
  const std::string& columns() const { return tables_->columns(); }

  /// The state of the checkpoint, where the request says resume and there is one; otherwise `start()`, which
  /// is written as the first checkpoint: from then on the folder is taken.
  trained::TrainingState begin(const std::string& plan, const trained::ParameterLayout& layout,
                               const std::function<trained::TrainingState()>& start);
  /// All texts of data(), in order, block by block, with the states of the first `layers` layers (the
  /// embedding layer counted). `words(text)` then says how many a text has: pairs with a
  /// text that has none are left out.
  void encode(std::size_t layers, const std::function<void(const embed::EncodedTexts&)>& add,
              const std::function<std::size_t(std::size_t)>& words);
  std::vector<std::string> take_warnings() { return listener_.take_warnings(); }
  /// Removes the checkpoint.
  TrainReport finish(const trained::TrainingState& state, std::string signature);

 private:
  void check_folder() const;
  std::string file(const char* name) const;

  const TrainRequest& request_;
  const score::Caller& caller_;
  score::Listener listener_;
  RunContext context_;
  std::optional<trained::FolderLock> lock_;
  std::optional<TrainingTables> tables_;
  std::unique_ptr<cache::VectorCache> cache_;
  std::optional<embed::TextEncoder> encoder_;
};

/// `--arch match`; the request was checked.
TrainReport train_match(const TrainRequest& request, TrainingRun& run);
/// Throws Error(usage) for metrics that cannot be parts of a blend.
void check_blend_parts(const TrainRequest& request);
/// `--arch blend`; the request was checked.
TrainReport train_blend(const TrainRequest& request, const score::Caller& caller, TrainingRun& run);

}  // namespace markeval::training
