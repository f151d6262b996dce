#include "metric/pair_block.hpp"

namespace markeval::metric {

std::size_t PairBlock::add(std::string_view text, std::size_t role) {
  const auto [entry, added] = numbers_.emplace(text, texts_.size());
  const std::size_t number = entry->second;
  if (added) {
    texts_.push_back(text);
    first_use_.push_back(uses_.size());
    uses_.push_back({number, role, 0});
    return uses_.size() - 1;
  }
  std::size_t use = first_use_[number];
  while (uses_[use].role != role) {
    if (uses_[use].next == 0) {
      uses_[use].next = uses_.size();
      uses_.push_back({number, role, 0});
      return uses_.size() - 1;
    }
    use = uses_[use].next;
  }
  return use;
}

void PairBlock::prepare(embed::TokenSource& source, std::span<const std::size_t> layers,
                        const RunContext& context) {
  encoded_ = source.encode(texts_, layers, context);
  prepared_.assign(uses_.size() * tasks_.size(), {});
  context.pool.for_each(texts_.size(), [&](std::size_t text, std::size_t) {
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      std::size_t use = first_use_[text];
      do {
        prepared_[use * tasks_.size() + task] = tasks_[task].metric->prepare(
            encoded_[text], tasks_[task].layer_index, tasks_[task].table(uses_[use].role));
        use = uses_[use].next;
      } while (use != 0 && !tasks_[task].candidate_idf.empty());
    }
    encoded_[text].layers.clear();
    encoded_[text].layers.shrink_to_fit();
  });
}

const PreparedText& PairBlock::prepared(std::size_t task, std::size_t use) const {
  const std::size_t stored = tasks_[task].candidate_idf.empty() ? first_use_[uses_[use].text] : use;
  return prepared_[stored * tasks_.size() + task];
}

TextCounts PairBlock::counts() const {
  TextCounts counts;
  for (const embed::TokenText& text : encoded_) {
    counts.cut += text.cut > 0 ? 1 : 0;
    counts.unknown += text.unknown;
  }
  return counts;
}

void PairBlock::clear() {
  texts_.clear();
  first_use_.clear();
  uses_.clear();
  numbers_.clear();
  encoded_.clear();
  prepared_.clear();
}

}  // namespace markeval::metric
