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

template <class Visit>
void PairBlock::for_roles(const PairTask& task, std::size_t text, Visit&& visit) const {
  std::size_t use = first_use_[text];
  do {
    visit(use);
    use = uses_[use].next;
  } while (use != 0 && !task.candidate_idf.empty());
}

void PairBlock::prepare(embed::TokenSource& source, std::span<const std::size_t> layers,
                        const RunContext& context) {
  const auto need = [&](std::size_t text, const embed::TokenText& tokens, std::span<std::uint8_t> mask) {
    for (const PairTask& task : tasks_) {
      if (task.layers.back() != layers.back()) continue;  // it does not look at the last layer
      for_roles(task, text, [&](std::size_t use) {
        task.metric->mark_needed(tokens, task.table(uses_[use].role), mask);
      });
    }
  };
  encoded_ = source.encode_needed(texts_, layers, need, context);
  prepared_.assign(uses_.size() * tasks_.size(), {});
  context.pool.for_each(texts_.size(), [&](std::size_t text, std::size_t) {
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      for_roles(tasks_[task], text, [&](std::size_t use) {
        prepared_[use * tasks_.size() + task] = tasks_[task].metric->prepare(
            encoded_[text], tasks_[task].layer_index, tasks_[task].table(uses_[use].role));
      });
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
