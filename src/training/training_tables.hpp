// The tables a training learns from and is validated with: pairs of texts and their human scores, or, in
// place of texts, vectors of tokens that lie beside a table.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/run_context.hpp"
#include "embed/token_vector_source.hpp"
#include "request/train_request.hpp"
#include "text/score_columns.hpp"
#include "trained/training_data.hpp"
#include "trained/training_files.hpp"

namespace markeval::training {

class TrainingTables {
 public:
  /// Reads all tables of the request, which must outlive it, as must `context`. Throws what train() throws
  /// for tables.
  TrainingTables(const TrainRequest& request, const RunContext& context);

  const trained::TrainingData& data() const { return data_; }
  /// The validation pairs are a tenth of those of the tables to learn from.
  bool held_out() const { return held_out_; }
  /// What to encode, by number of text.
  std::vector<std::string_view> texts() const;
  /// Where a text stands first: "judged.tsv: row 7".
  std::string origin(std::size_t text) const;
  /// The vectors of the texts, where the request says so.
  embed::TokenVectorSource& token_vectors() { return tokens_; }
  const std::vector<trained::DataFile>& train_files() const { return train_; }
  const std::vector<trained::DataFile>& valid_files() const { return valid_; }
  /// "ref ref, hyp hyp, gold human"
  const std::string& columns() const { return columns_; }

  /// Leaves out pairs with a text of no words, of which `words(text)` says the number. Throws
  /// Error(invalid_input) where nothing is left to learn from or to validate with.
  void leave_out_empty(const std::function<std::size_t(std::size_t)>& words);

 private:
  struct TableRow {
    std::string file;
    std::size_t row = 0;  ///< from 1, without the header
  };
  /// What tables add to: the data to learn from, or to validate with.
  struct TableGoal {
    std::vector<trained::ScoredPair>& pairs;
    std::vector<trained::DataFile>& files;
    bool grouped;  ///< the request names a column of groups for it
  };
  void read_table(const std::string& path, const TableGoal& goal);
  void add_texts(const std::string& path, std::span<const text::Column> columns, const TableGoal& goal);
  void add_token_vectors(const std::string& path, std::span<const text::Column> columns,
                         const TableGoal& goal);
  /// Calls `add_row(row, gold, group)` for every row somebody scored.
  void for_scored_rows(const std::string& path, std::span<const text::Column> columns, bool grouped,
                       const std::function<void(std::size_t, double, std::size_t)>& add_row);
  const text::Corpus& read_token_vectors(const std::string& path, const std::string& column, std::size_t rows,
                                         std::vector<trained::DataFile>& files);
  std::size_t add_text(std::string_view text, const TableRow& origin);
  std::size_t group_number(const std::string& name);
  void refuse_shared_pairs() const;
  /// Moves about a tenth of the training pairs to the validation pairs, all pairs of a reference together.
  void hold_out();
  void drop_empty(std::vector<trained::ScoredPair>& pairs, const char* what,
                  const std::function<std::size_t(std::size_t)>& words) const;

  const TrainRequest& request_;
  const RunContext& context_;
  trained::TrainingData data_;
  std::vector<TableRow> origins_;  ///< where each of the distinct texts first stands
  embed::TokenVectorSource tokens_;
  std::deque<text::Corpus> token_texts_;           ///< texts of tokens_, which finds them by address
  std::vector<std::string_view> tokens_of_texts_;  ///< by number of text
  std::vector<std::string> groups_;
  std::vector<trained::DataFile> train_, valid_;
  std::string columns_;
  bool held_out_ = false;
};

}  // namespace markeval::training
