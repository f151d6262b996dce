// Resampled scores of every system, stored as intervals, details and, if kept, as values.
#include "metric/bootstrap.hpp"

namespace markeval::metric {

using lexical::PythonNumber;

void add_bootstrap(std::span<const SegmentStatistics> statistics, ScoresOfSum scores,
                   lexical::Arithmetic arithmetic, const BootstrapSettings& settings,
                   const RunContext& context, std::span<Result> out) {
  const std::size_t results = out.front().scores.size();
  for (std::size_t r = 0; r < results; ++r) {
    const std::string name = out.front().scores[r].first;
    auto resampled = lexical::bootstrap_scores(
        statistics, settings.resamples, settings.seed,
        [&](std::span<const PythonNumber> sum) { return scores(sum)[r]; }, context, arithmetic);
    for (std::size_t s = 0; s < out.size(); ++s) {
      const lexical::BootstrapSummary summary = lexical::summary_of(resampled[s], context);
      out[s].intervals.emplace_back(name, summary.interval);
      out[s].details.emplace_back(name + "_bootstrap_mean", summary.mean);
      out[s].details.emplace_back(name + "_bootstrap_half_width", summary.half_width);
      if (settings.keep) out[s].resampled.emplace_back(name, std::move(resampled[s]));
    }
  }
}

void add_bootstrap_of_means(const BootstrapSettings& settings, const RunContext& context,
                            std::span<Result> out) {
  std::vector<SegmentStatistics> statistics;
  for (const Result& result : out) {
    SegmentStatistics& rows = statistics.emplace_back(SegmentStatistics{result.segments.size(), {}});
    for (std::size_t i = 0; i < result.segments.front().second.size(); ++i) {
      for (const auto& [name, values] : result.segments) rows.values.push_back(values[i]);
    }
  }
  const auto segments = static_cast<double>(statistics.front().rows());
  const auto means = [&](std::span<const PythonNumber> sum) {
    std::vector<PythonNumber> scores;
    for (const PythonNumber column : sum) scores.push_back(column / PythonNumber(segments));
    return scores;
  };
  add_bootstrap(statistics, means, lexical::Arithmetic::twofold, settings, context, out);
  for (Result& result : out) {
    add_to_signature(result, "bs", std::to_string(settings.resamples));
    add_to_signature(result, "seed", std::to_string(settings.seed));
  }
}

void add_to_signature(Result& result, const std::string& key, const std::string& value) {
  const bool versioned = !result.signature_parts.empty() && result.signature_parts.back().first == "version";
  result.signature_parts.insert(result.signature_parts.end() - (versioned ? 1 : 0), {key, value});
}

}  // namespace markeval::metric
