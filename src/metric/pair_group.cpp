#include "metric/pair_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace markeval::metric {
namespace {

void count_texts(embed::IdfTable& table, const embed::TokenSource& source,
                 std::span<const std::string_view> texts, const RunContext& context) {
  constexpr std::size_t kChunk = 4096;
  std::vector<std::vector<std::int32_t>> ids;
  for (std::size_t begin = 0; begin < texts.size(); begin += kChunk) {
    context.check_cancelled();
    ids.assign(std::min(kChunk, texts.size() - begin), {});
    context.pool.for_each(ids.size(), [&](std::size_t item, std::size_t) {
      ids[item] = source.token_ids(texts[begin + item]);
    });
    for (const std::vector<std::int32_t>& text : ids) table.add(text);
  }
}

}  // namespace

void PairGroup::add(std::size_t request, const PairMetric& metric) {
  requests.push_back(request);
  tasks.emplace_back().metric = &metric;
}

void PairGroup::choose_layers(const RunContext& context) {
  std::set<std::size_t> chosen;
  std::set<std::string> notes;
  for (PairTask& task : tasks) {
    task.layers = task.metric->layers(*source);
    chosen.insert(task.layers.begin(), task.layers.end());
    const std::string note = task.metric->note(*source);
    if (!note.empty() && notes.insert(note).second) context.warn(note);
  }
  layers.assign(chosen.begin(), chosen.end());
  for (PairTask& task : tasks) {
    for (const std::size_t layer : task.layers) {
      const auto at = std::lower_bound(layers.begin(), layers.end(), layer) - layers.begin();
      task.layer_index.push_back(static_cast<std::size_t>(at));
    }
  }
}

void PairGroup::count_words(const PairCorpus& corpus, const PairSettings& settings,
                            const RunContext& context) {
  bool on_references = false;
  bool on_candidates = false;
  for (const PairTask& task : tasks) {
    on_references = on_references || task.metric->idf() != IdfUse::none;
    on_candidates = on_candidates || task.metric->idf() == IdfUse::separate;
  }
  if (settings.reference_idf != nullptr) {
    reference_idf = *settings.reference_idf;
  } else if (on_references) {
    std::vector<std::string_view> texts;
    for (const auto& list : corpus.references) texts.insert(texts.end(), list.begin(), list.end());
    count_texts(reference_idf, *source, texts, context);
    if (reference_idf.says_nothing()) {
      context.warn(fmt::format(
          "idf over {} gives every token the weight 0: equal weights are used instead, except by compat=v1 "
          "and compat=v2, which score 1 as their programs do",
          texts.size() == 1 ? "a single reference" : "references of the same tokens"));
    }
  }
  if (on_candidates) system_idf.resize(corpus.systems.size());
  for (std::size_t system = 0; system < system_idf.size(); ++system) {
    if (settings.candidate_idf != nullptr) {
      system_idf[system] = *settings.candidate_idf;
      continue;
    }
    const std::vector<std::string>& lines = corpus.systems[system].lines;
    const std::vector<std::string_view> texts(lines.begin(), lines.end());
    count_texts(system_idf[system], *source, texts, context);
  }
  for (PairTask& task : tasks) {
    const IdfUse use = task.metric->idf();
    if (use == IdfUse::separate || (use == IdfUse::references && !reference_idf.says_nothing()))
      task.reference_idf = &reference_idf;
    if (use == IdfUse::separate) task.candidate_idf = system_idf;
  }
}

}  // namespace markeval::metric
