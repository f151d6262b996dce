// Parts are appended in order; then corpus scores and intervals are computed from the joined segments.
#include "parallel/gathered_scores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "parallel/score_part.hpp"
#include "request/requested_metrics.hpp"
#include "request/system_names.hpp"
#include "score/beside_people.hpp"

namespace markeval::parallel {
namespace {

using score::MeasuredTexts;

ScorePart put_together(const ScoreRequest& request) {
  ScorePart all;
  for (const std::vector<std::string_view>& list : request.gathered) {
    ScorePart some;
    for (const std::string_view packed : list) some.append(unpack_part(packed));
    if (some.metrics.empty()) throw_invalid("no segments: every part is empty");
    all.unite(std::move(some));
  }
  // Known only of all segments.
  std::erase_if(all.findings, [&](const Finding& finding) {
    return finding.kind == FindingKind::equals_reference && finding.counts[0] != all.segments;
  });
  for (Finding& finding : all.findings) {
    if (finding.kind == FindingKind::transposed) finding.counts = {all.segments, all.references};
  }
  return all;
}

/// The rows of a mean are its segment scores.
SegmentStatistics statistics_of(Result& result) {
  if (result.statistics.columns > 0) return std::move(result.statistics);
  SegmentStatistics rows{result.segments.size(), {}};
  for (std::size_t i = 0; i < result.segments.front().second.size(); ++i) {
    for (const auto& [name, values] : result.segments) rows.values.push_back(values[i]);
  }
  return rows;
}

std::vector<Result> lexical_results(const ScoreRequest& request, const Metric& metric,
                                    std::vector<Result>& systems, const ScorePart& all,
                                    const score::PageBuilder& page, const RunContext& context) {
  const auto counter = std::get<metric::LexicalMetricFactory>(metric.info->factory)(metric.options);
  metric::CountedCorpus corpus{{}, all.segments, all.references};
  for (Result& system : systems) corpus.systems.push_back(statistics_of(system));
  return metric::results_of(*counter, metric.info->results, std::move(corpus),
                            {request.segments || request.keep_statistics || page.wanted(), request.resamples,
                             request.seed, request.keep_statistics},
                            context);
}

/// Scores added in the order of the segments, as one run adds them.
std::vector<Result> means(const ScoreRequest& request, std::vector<Result>& systems,
                          const score::PageBuilder& page, const RunContext& context) {
  for (Result& system : systems) {
    for (std::size_t i = 0; i < system.scores.size(); ++i) {
      const std::vector<double>& values = system.segments[i].second;
      double sum = 0;
      for (const double value : values) sum += value;
      system.scores[i].second = sum / static_cast<double>(values.size());
    }
  }
  score::add_intervals_of_means(request, context, systems);
  if (!request.segments && request.resamples == 0 && !page.wanted()) {
    for (Result& system : systems) system.segments.clear();
  }
  return std::move(systems);
}

/// What score::measure_texts() would have found in all texts.
MeasuredTexts measure_gathered(const score::ScoreContext& run, score::Failures& failures,
                               score::ScoreData& data) {
  const ScoreRequest& request = run.request;
  ScorePart all = put_together(request);
  for (const Finding& finding : all.findings) run.context.find(finding);
  MeasuredTexts measured{{}, request::system_names(request), all.segments, all.references};
  measured.results.resize(run.metrics.size());
  run.page.add_names(measured.system_names, all.segments);
  for (std::size_t which = 0; which < run.metrics.size(); ++which) {
    const Metric& metric = run.metrics[which];
    const auto same = [&](const ScorePart::Measured& one) { return one.requested == metric.text; };
    const auto found = std::find_if(all.metrics.begin(), all.metrics.end(), same);
    if (found == all.metrics.end()) throw_invalid(fmt::format("no part has {}", metric.text));
    if (found->failure) {
      failures.add(which, *found->failure);
      continue;
    }
    if (found->systems.size() != measured.system_names.size())
      throw_invalid(fmt::format("{}: a part has {} systems, expected {}", metric.text, found->systems.size(),
                                measured.system_names.size()));
    failures.attempt(which, [&] {
      measured.results[which] =
          metric.info->kind == metric::Kind::lexical
              ? lexical_results(request, metric, found->systems, all, run.page, run.context)
          : metric.scores_segments() ? means(request, found->systems, run.page, run.context)
                                     : std::move(found->systems);
    });
  }
  data.report.ceilings = std::move(all.ceilings);
  score::judge(data.report.ceilings);
  return measured;
}

}  // namespace

score::Measure measure_for(const std::vector<std::vector<std::string_view>>& gathered) {
  return gathered.empty() ? score::measure_all_texts : measure_gathered;
}

}  // namespace markeval::parallel
