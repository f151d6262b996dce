// Two short lists per system and metric, best and worst, updated segment by segment.
#include "score/pair_examples.hpp"

#include <algorithm>

#include "text/utf8.hpp"

namespace markeval::score {
namespace {

/// Three of each; fewer where many systems and metrics would make a long page.
std::size_t examples_kept(std::size_t lists) {
  return lists <= 8 ? 3 : lists <= 24 ? 2 : 1;
}

}  // namespace

PairExampleKeeper::PairExampleKeeper(const TextInputs& inputs, std::span<const Metric> requests)
    : inputs_(inputs),
      systems_(inputs.system_names.size()),
      kept_(examples_kept(inputs.system_names.size() * requests.size())) {
  for (const Metric& request : requests) {
    const auto& results = request.info->results;
    const auto main = std::ranges::find(results, request.info->main);
    const auto chosen = static_cast<std::size_t>(main - results.begin());
    for (const std::string& system : inputs.system_names) {
      List& list = lists_.emplace_back();
      list.system = system;
      list.metric = request.text;
      list.result = chosen;
      list.sign = request.info->better == metric::Better::lower ? -1 : 1;
      results_.push_back(results[chosen]);
    }
  }
}

bool PairExampleKeeper::wants(std::size_t segment, std::size_t system, std::size_t request,
                              std::span<const double> scores) {
  const auto all_empty = [&](const text::Corpus& file) {
    const std::span<const std::string> texts = file.segment(segment);
    return std::ranges::all_of(texts, [](const std::string& text) { return text::strip(text).empty(); });
  };
  if (all_empty(inputs_.systems[system]) || std::ranges::all_of(inputs_.references, all_empty)) return false;
  List& wanted = list(system, request);
  const double score = wanted.sign * scores[wanted.result];
  // Segments come in order, so equal scores leave the earlier one in its place.
  const auto insert = [&](std::vector<KeptExample>& entries, auto better) {
    const auto which =
        std::ranges::find_if(entries, [&](const KeptExample& e) { return better(score, e.score); });
    if (which == entries.end() && entries.size() >= kept_) return false;
    entries.insert(which, KeptExample{score, segment, {}, false});
    if (entries.size() > kept_) entries.pop_back();
    return true;
  };
  // A copy of a reference teaches nothing.
  const bool best = !equals_reference(segment, system) && insert(wanted.best, std::greater<>());
  const bool worst = insert(wanted.worst, std::less<>());
  return best || worst;
}

bool PairExampleKeeper::equals_reference(std::size_t segment, std::size_t system) const {
  const std::string_view text = text::strip(inputs_.systems[system].segment(segment).front());
  return std::ranges::any_of(inputs_.references, [&](const text::Corpus& file) {
    const std::span<const std::string> texts = file.segment(segment);
    return std::ranges::any_of(texts, [&](const std::string& one) { return text::strip(one) == text; });
  });
}

void PairExampleKeeper::offer(const metric::PairExplanation& explanation) {
  for (List& candidate : lists_) {
    if (candidate.system != explanation.system || candidate.metric != explanation.metric) continue;
    for (auto* entries : {&candidate.best, &candidate.worst}) {
      for (KeptExample& entry : *entries) {
        if (entry.segment + 1 != explanation.segment) continue;
        const auto score = [&](const metric::PairExplanation& e) {
          return candidate.sign * e.scores[candidate.result].second;
        };
        if (entry.explained && score(explanation) <= score(entry.explanation)) continue;
        entry.explanation = explanation;
        entry.explained = true;
      }
    }
  }
}

std::vector<report::PairExamples> PairExampleKeeper::take() {
  std::vector<report::PairExamples> examples;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    List& list = lists_[i];
    report::PairExamples& example = examples.emplace_back();
    example.system = list.system;
    example.metric = list.metric;
    example.result = results_[i];
    // Few segments: the better half are the best.
    std::vector<std::size_t> taken;
    for (std::size_t rank = 0; rank < kept_; ++rank) {
      const auto take_from = [&](std::vector<KeptExample>& entries,
                                 std::vector<metric::PairExplanation>& out) {
        if (rank >= entries.size() || !entries[rank].explained) return;
        if (std::ranges::find(taken, entries[rank].segment) != taken.end()) return;
        taken.push_back(entries[rank].segment);
        out.push_back(std::move(entries[rank].explanation));
      };
      take_from(list.best, example.best);
      take_from(list.worst, example.worst);
    }
  }
  std::erase_if(examples, [](const auto& e) { return e.best.empty() && e.worst.empty(); });
  return examples;
}

}  // namespace markeval::score
