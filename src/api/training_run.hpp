// What every training does, whatever learns: it locks the folder, reads the tables, encodes each distinct
// text once or reads the vectors it is given, and goes on from a checkpoint where it is asked to.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/evaluator_state.hpp"
#include "api/listener.hpp"
#include "api/training.hpp"
#include "embed/text_encoder.hpp"
#include "embed/token_vector_source.hpp"
#include "text/score_columns.hpp"
#include "trained/folder_lock.hpp"
#include "trained/training_data.hpp"
#include "trained/training_files.hpp"

namespace markeval {

class TrainingRun {
 public:
  /// Throws what train() throws for tables, folder and model.
  TrainingRun(const TrainRequest& request, const Settings& settings, Observer* observer,
              const std::atomic<bool>* cancel);

  const RunContext& context() const { return context_; }
  /// Whose vectors are learned from: those of the encoder, or of files.
  embed::VectorSource& source();
  trained::EncoderIdentity identity();
  const compute::Products& products() const { return state_.device->products(); }
  const trained::TrainingData& data() const { return data_; }
  const std::vector<trained::DataFile>& train_files() const { return train_; }
  const std::vector<trained::DataFile>& valid_files() const { return valid_; }
  /// "ref ref, hyp hyp, gold human"
  const std::string& columns() const { return columns_; }

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
  struct TablePlace {
    std::string file;
    std::size_t row = 0;  ///< from 1, without the header
  };
  void read_table(const std::string& path, bool is_validation);
  void add_texts(const std::string& path, std::span<const text::Column> columns, bool is_validation);
  void add_token_vectors(const std::string& path, std::span<const text::Column> columns, bool is_validation);
  /// Calls `add_row(row, gold, group)` for every row somebody scored.
  void for_scored_rows(const std::string& path, std::span<const text::Column> columns, bool is_validation,
                       const std::function<void(std::size_t, double, std::size_t)>& add_row);
  const text::Corpus& read_token_vectors(const std::string& path, const std::string& column, std::size_t rows,
                                         std::vector<trained::DataFile>& files);
  std::size_t add_text(std::string_view text, const TablePlace& place);
  std::size_t group_number(const std::string& name);
  void check_folder() const;
  void refuse_shared_pairs() const;
  void drop_empty(std::vector<trained::ScoredPair>& pairs, const char* what,
                  const std::function<std::size_t(std::size_t)>& words) const;
  std::string file(const char* name) const;

  const TrainRequest& request_;
  Evaluator::State state_;
  Listener listener_;
  RunContext context_;
  std::optional<trained::FolderLock> lock_;
  trained::TrainingData data_;
  std::vector<TablePlace> places_;  ///< where each of the distinct texts first stands
  embed::TokenVectorSource tokens_;
  std::deque<text::Corpus> token_texts_;           ///< of tokens_, which knows a text by where it lies
  std::vector<std::string_view> tokens_of_texts_;  ///< by number of text
  std::vector<std::string> groups_;
  std::vector<trained::DataFile> train_, valid_;
  std::string columns_;
  std::unique_ptr<cache::VectorCache> cache_;
  std::optional<embed::TextEncoder> encoder_;
};

/// `--arch match`; the request was checked.
TrainReport train_match(const TrainRequest& request, TrainingRun& run);
/// Throws Error(usage) for metrics that cannot be parts of a blend.
void check_blend_parts(const TrainRequest& request);
/// `--arch blend`; the request was checked.
TrainReport train_blend(const TrainRequest& request, const Settings& settings, TrainingRun& run,
                        Observer* observer, const std::atomic<bool>* cancel);

}  // namespace markeval
