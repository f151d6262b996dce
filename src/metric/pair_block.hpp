// The texts of some segments, each once: encoded together, prepared for every metric that reads them, then
// dropped.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/run_context.hpp"
#include "embed/token_source.hpp"
#include "metric/pair_metric.hpp"

namespace markeval::metric {

/// A metric of the run with what its source means for it.
struct PairTask {
  const PairMetric* metric = nullptr;
  std::vector<std::size_t> layers;       ///< of the model
  std::vector<std::size_t> layer_index;  ///< where they are among the layers of the run
  const embed::IdfTable* reference_idf = nullptr;
  std::span<const embed::IdfTable> candidate_idf;  ///< per system, where candidates have tables of their own

  const embed::IdfTable* table(std::size_t role) const {
    return role == 0 || candidate_idf.empty() ? reference_idf : &candidate_idf[role - 1];
  }
};

struct TextCounts {
  std::size_t cut = 0;      ///< texts longer than the model takes
  std::size_t unknown = 0;  ///< tokens the vocabulary lacks
};

class PairBlock {
 public:
  explicit PairBlock(std::span<const PairTask> tasks) : tasks_(tasks) {}

  /// A text in a role: 0 a reference, 1 the first system's candidate, 2 the second's, ... The number of that
  /// use; the same text in the same role has one. The text must outlive the block.
  std::size_t add(std::string_view text, std::size_t role);
  std::size_t texts() const { return texts_.size(); }

  /// Encodes every text once with `layers` and prepares it for every task, in every role where that makes a
  /// difference.
  void prepare(embed::TokenSource& source, std::span<const std::size_t> layers, const RunContext& context);

  const PreparedText& prepared(std::size_t task, std::size_t use) const;
  const embed::TokenText& tokens(std::size_t use) const { return encoded_[uses_[use].text]; }
  TextCounts counts() const;
  void clear();

 private:
  struct Use {
    std::size_t text = 0;
    std::size_t role = 0;
    std::size_t next = 0;  ///< the text's next use, 0 for none: use 0 is always a first one
  };
  /// Visits the uses of a text for which a task prepares it: the first, or all where roles differ in weights.
  template <class Visit>
  void for_roles(const PairTask& task, std::size_t text, Visit&& visit) const;

  std::span<const PairTask> tasks_;
  std::vector<std::string_view> texts_;
  std::vector<std::size_t> first_use_;  ///< per text
  std::vector<Use> uses_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
  std::vector<embed::TokenText> encoded_;
  std::vector<PreparedText> prepared_;  ///< per use and task
};

}  // namespace markeval::metric
