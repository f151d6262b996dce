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
  const std::size_t references = corpus.reference_count_or_zero();
  std::vector<Result> out(statistics.size());
  for (std::size_t s = 0; s < statistics.size(); ++s) {
    const auto sum = statistics[s].sum();
    const auto scores = scores_of(*metric, sum, statistics[s].rows());
    for (std::size_t r = 0; r < results.size(); ++r) out[s].scores.emplace_back(results[r], scores[r]);
    out[s].details.emplace_back("segments", std::uint64_t{corpus.segments()});
    metric->add_details(sum, out[s].details);
    if (settings.segments) add_segments(*metric, results, statistics[s], out[s]);
    out[s].signature_parts.emplace_back("nrefs", references == 0 ? "var" : std::to_string(references));
    if (settings.resamples > 0) {
      out[s].signature_parts.emplace_back("bs", std::to_string(settings.resamples));
      out[s].signature_parts.emplace_back("seed", std::to_string(settings.seed));
    }
    for (auto& entry : metric->signature()) out[s].signature_parts.push_back(std::move(entry));
    out[s].signature_parts.emplace_back("version", std::string(version()));
  }
  if (settings.resamples > 0) {
    const auto segments = static_cast<double>(corpus.segments());
    add_bootstrap(
        statistics, [&](std::span<const PythonNumber> sum) { return metric->scores(sum, segments); },
        metric->resamples_in_single() ? lexical::Arithmetic::single : lexical::Arithmetic::twofold,
        {settings.resamples, settings.seed, settings.keep}, context, out);
  }
  for (std::size_t s = 0; settings.keep && !metric->mean_of_segments() && s < out.size(); ++s) {
    out[s].statistics = std::move(statistics[s]);
  }
  return out;
}

std::vector<std::string> plausible_mistakes(const lexical::ScoredTexts& corpus,
                                            std::span<const std::string> systems) {
  constexpr std::size_t kSuspicious = 100;  // lines, as in sacrebleu
  std::vector<std::string> warnings;
  for (std::size_t s = 0; s < corpus.systems.size(); ++s) {
    const auto& texts = corpus.systems[s];
    const auto tokenized = static_cast<std::size_t>(std::count_if(
        texts.begin(), texts.end(), [](std::string_view text) { return text.ends_with(" ."); }));
    if (tokenized >= kSuspicious) {
      warnings.push_back(
          fmt::format("{}: {} of {} lines end in ' .': it looks tokenised, but these metrics expect plain "
                      "text and tokenise themselves",
                      systems[s], tokenized, texts.size()));
    }
    const std::size_t references = corpus.reference_count_or_zero();
    for (std::size_t r = 0; r < references; ++r) {
      std::size_t i = 0;
      while (i < texts.size() && texts[i] == corpus.references[i][r]) ++i;
      if (i < texts.size()) continue;
      warnings.push_back(
          fmt::format("{} equals reference {} line by line: is it the right file?", systems[s], r + 1));
    }
    const auto twin =
        std::find(corpus.systems.begin(), corpus.systems.begin() + static_cast<std::ptrdiff_t>(s), texts) -
        corpus.systems.begin();
    if (static_cast<std::size_t>(twin) < s) {
      warnings.push_back(fmt::format("{} equals {} line by line: is it the right file?", systems[s],
                                     systems[static_cast<std::size_t>(twin)]));
    }
  }
  if (corpus.segments() > 2 && corpus.reference_count_or_zero() == corpus.segments()) {
    warnings.push_back(
        fmt::format("{} segments with {} references each: are the references transposed (one list per "
                    "segment is expected)?",
                    corpus.segments(), corpus.segments()));
  }
  return warnings;
}

}  // namespace markeval::metric
