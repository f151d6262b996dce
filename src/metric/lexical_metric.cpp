#include "metric/lexical_metric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.hpp"
#include "metric/bootstrap.hpp"

namespace markeval::metric {
namespace {

using lexical::PythonNumber;

std::vector<double> values_of(const std::vector<PythonNumber>& numbers) {
  std::vector<double> values;
  for (const PythonNumber number : numbers) values.push_back(number.value);
  return values;
}

std::vector<double> scores_of(const LexicalMetric& metric, std::span<const double> sum,
                              std::size_t segments) {
  return values_of(
      metric.scores(std::vector<PythonNumber>(sum.begin(), sum.end()), static_cast<double>(segments)));
}

void add_segments(const LexicalMetric& metric, std::span<const std::string> results,
                  const SegmentStatistics& statistics, Result& out) {
  for (const std::string& name : results) out.segments.emplace_back(name, std::vector<double>());
  for (std::size_t i = 0; i < statistics.rows(); ++i) {
    const auto scores = scores_of(metric, statistics.row(i), 1);
    for (std::size_t r = 0; r < results.size(); ++r) out.segments[r].second.push_back(scores[r]);
  }
}

}  // namespace

Reads reads_of(lexical::BleuTokenization tokenization) {
  if (tokenization == lexical::BleuTokenization::character) return Reads::all;
  return tokenization == lexical::BleuTokenization::chinese ? Reads::spaced_or_han : Reads::spaced;
}

std::vector<std::string> LexicalMetric::words(std::string_view) const {
  throw_usage("only bleu, ter and the metrics of ROUGE tell the words they count");
}

void LexicalMetric::add_details(std::span<const double>, Named<Detail>&) const {}

std::vector<Result> score_texts(const std::shared_ptr<const LexicalMetric>& metric,
                                std::span<const std::string> results, const lexical::ScoredTexts& corpus,
                                const LexicalSettings& settings, const RunContext& context) {
  auto statistics = metric->statistics(corpus, context);
  return results_of(*metric, results,
                    {std::move(statistics), corpus.segments(), corpus.reference_count_or_zero()}, settings,
                    context);
}

std::vector<Result> results_of(const LexicalMetric& metric, std::span<const std::string> results,
                               CountedCorpus corpus, const LexicalSettings& settings,
                               const RunContext& context) {
  auto& [statistics, segments, references] = corpus;
  const std::uint64_t count = segments;
  std::vector<Result> out(statistics.size());
  for (std::size_t s = 0; s < statistics.size(); ++s) {
    const auto sum = statistics[s].sum();
    const auto scores = scores_of(metric, sum, segments);
    for (std::size_t r = 0; r < results.size(); ++r) out[s].scores.emplace_back(results[r], scores[r]);
    out[s].details.emplace_back("segments", segments);
    metric.add_details(sum, out[s].details);
    if (settings.segments) add_segments(metric, results, statistics[s], out[s]);
    out[s].signature_parts.emplace_back("nrefs", references == 0 ? "var" : std::to_string(references));
    if (settings.resamples > 0) {
      out[s].signature_parts.emplace_back("bs", std::to_string(settings.resamples));
      out[s].signature_parts.emplace_back("seed", std::to_string(settings.seed));
    }
    for (auto& entry : metric.signature()) out[s].signature_parts.push_back(std::move(entry));
    out[s].signature_parts.emplace_back("version", std::string(version()));
  }
  if (settings.resamples > 0) {
    add_bootstrap(
        statistics,
        [&](std::span<const PythonNumber> sum) { return metric.scores(sum, static_cast<double>(count)); },
        metric.resamples_in_single() ? lexical::Arithmetic::single : lexical::Arithmetic::twofold,
        {settings.resamples, settings.seed, settings.keep}, context, out);
  }
  for (std::size_t s = 0; settings.keep && !metric.mean_of_segments() && s < out.size(); ++s) {
    out[s].statistics = std::move(statistics[s]);
  }
  return out;
}

std::vector<Finding> plausible_mistakes(const lexical::ScoredTexts& corpus,
                                        std::span<const std::string> systems) {
  std::vector<Finding> found;
  const std::uint64_t segments = corpus.segments(), references = corpus.reference_count_or_zero();
  const auto differ = [&](auto&& same) {  // 0 or 1: the first line that differs is enough
    std::size_t i = 0;
    while (i < segments && same(i)) ++i;
    return std::uint64_t{i < segments ? 1U : 0U};
  };
  for (std::size_t s = 0; s < corpus.systems.size(); ++s) {
    const auto& texts = corpus.systems[s];
    const auto tokenized =
        std::count_if(texts.begin(), texts.end(), [](std::string_view text) { return text.ends_with(" ."); });
    found.push_back(
        {FindingKind::looks_tokenized, {systems[s]}, {static_cast<std::uint64_t>(tokenized), texts.size()}});
    for (std::size_t r = 0; r < references; ++r) {
      found.push_back(
          {FindingKind::equals_reference,
           {systems[s], std::to_string(r + 1), std::to_string(references)},
           {segments, differ([&](std::size_t i) { return texts[i] == corpus.references[i][r]; })}});
    }
    for (std::size_t other = 0; other < s; ++other) {
      const std::uint64_t differing =
          differ([&](std::size_t i) { return texts[i] == corpus.systems[other][i]; });
      found.push_back({FindingKind::equals_system, {systems[s], systems[other]}, {segments, differing}});
    }
  }
  found.push_back({FindingKind::transposed, {}, {segments, references}});
  return found;
}

}  // namespace markeval::metric
