// From statistics to results: scores of the sum, scores of segments, intervals; also the checks for likely
// mistakes in the texts.
#include "metric/lexical_metric.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <unordered_set>

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

constexpr std::size_t kComparedLines = 100, kComparedBytes = 2000;

/// The different runs of four bytes of a text, sorted. No words are needed, so it serves every script.
std::vector<std::uint32_t> pieces_of(std::string_view text) {
  std::vector<std::uint32_t> pieces;
  for (std::size_t at = 0; at + sizeof(std::uint32_t) <= text.size(); ++at)
    std::memcpy(&pieces.emplace_back(), text.data() + at, sizeof(std::uint32_t));
  std::ranges::sort(pieces);
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  return pieces;
}

std::size_t shared(const std::vector<std::uint32_t>& pieces, const std::vector<std::uint32_t>& others) {
  std::vector<std::uint32_t> both;
  std::set_intersection(pieces.begin(), pieces.end(), others.begin(), others.end(), std::back_inserter(both));
  return both.size();
}

/// Whether lines share more with their own reference than with the next one. Counts add up over parts. A
/// system that repeats itself has few different lines: only these count.
Finding nearness_of_lines(const lexical::ScoredTexts& corpus, const std::string& name,
                          std::span<const std::string_view> texts) {
  Finding found{FindingKind::not_pairs, {name}, {0, 0}};
  const std::size_t step = texts.size() / kComparedLines + 1;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i + 1 < texts.size(); i += step) {
    if (corpus.references[i].empty() || corpus.references[i + 1].empty()) continue;
    if (!seen.insert(texts[i]).second) continue;
    const std::vector<std::uint32_t> pieces = pieces_of(texts[i].substr(0, kComparedBytes));
    const std::size_t with_own =
        shared(pieces, pieces_of(corpus.references[i].front().substr(0, kComparedBytes)));
    const std::size_t with_next =
        shared(pieces, pieces_of(corpus.references[i + 1].front().substr(0, kComparedBytes)));
    if (with_own != with_next) ++found.counts[with_own > with_next ? 0 : 1];
  }
  return found;
}

}  // namespace

Reads reads_of(lexical::BleuTokenization tokenization) {
  if (tokenization == lexical::BleuTokenization::character) return Reads::all;
  return tokenization == lexical::BleuTokenization::chinese ? Reads::spaced_or_han : Reads::spaced;
}

std::vector<std::string> LexicalMetric::words(std::string_view) const {
  throw_usage("only bleu, ter and the metrics of ROUGE can list the words they count");
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
        std::ranges::count_if(texts, [](std::string_view text) { return text.ends_with(" ."); });
    found.push_back(
        {FindingKind::looks_tokenized, {systems[s]}, {static_cast<std::uint64_t>(tokenized), texts.size()}});
    found.push_back(nearness_of_lines(corpus, systems[s], texts));
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
