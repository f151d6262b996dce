// Segments are assigned to groups. Each metric is scored again from a group's segment scores or statistics;
// for sets, the covered references are counted.
#include "score/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "meta/score_table.hpp"
#include "metric/bootstrap.hpp"
#include "score/segment_column.hpp"
#include "text/corpus.hpp"
#include "text/utf8.hpp"

namespace markeval::score {
namespace {

using lexical::PythonNumber;

constexpr std::size_t kMostGroups = 100;
constexpr const char* kCovered = "covered";

std::vector<Result*> results_of(const Metric& metric, std::vector<Result>& results) {
  std::vector<Result*> found;
  for (Result& result : results) {
    if (result.requested == metric.text) found.push_back(&result);
  }
  return found;
}

/// The shares keep_covered() left, taken out of the details; none where the metric does not count in balls.
std::vector<double> take_covered(Result& result) {
  for (auto detail = result.details.begin(); detail != result.details.end(); ++detail) {
    if (detail->first != kCovered) continue;
    std::vector<double> shares = std::move(std::get<std::vector<double>>(detail->second));
    result.details.erase(detail);
    return shares;
  }
  return {};
}

/// One metric on one group.
class GroupScorer {
 public:
  GroupScorer(const Metric& metric, const ScoreRequest& request, const RunContext& context)
      : request_(request),
        context_(context),
        settings_{request.resamples, request.seed, request.keep_statistics} {
    if (const auto* make = std::get_if<metric::LexicalMetricFactory>(&metric.info->factory))
      counted_ = (*make)(metric.options);
  }

  std::vector<Result> score(const std::vector<Result*>& systems, const std::vector<std::size_t>& segments,
                            const std::string& group) const {
    std::vector<Result> parts;
    for (const Result* whole : systems) {
      context_.check_cancelled();
      parts.push_back(part_of(*whole, segments));
    }
    const bool means = parts.front().statistics.columns == 0;
    if (request_.resamples > 0 && means) metric::add_bootstrap_of_means(settings_, context_, parts);
    if (request_.resamples > 0 && !means) resample(parts, segments.size());
    for (std::size_t s = 0; s < parts.size(); ++s) {
      parts[s].signature_parts = systems[s]->signature_parts;
      metric::add_to_signature(parts[s], "group", group);
      if (!request_.keep_statistics) parts[s].segments.clear();
      if (!request_.keep_statistics) parts[s].statistics = {};
    }
    return parts;
  }

 private:
  Result part_of(const Result& whole, const std::vector<std::size_t>& segments) const {
    Result part;
    part.system = whole.system;
    part.metric = whole.metric;
    part.requested = whole.requested;
    for (const auto& [name, values] : whole.segments) {
      auto& some = part.segments.emplace_back(name, std::vector<double>()).second;
      double sum = 0;
      for (const std::size_t segment : segments) sum += some.emplace_back(values[segment]);
      part.scores.emplace_back(name, sum / static_cast<double>(segments.size()));
    }
    part.details = {{"segments", std::uint64_t{segments.size()}}};
    if (whole.statistics.columns == 0) return part;
    part.statistics.columns = whole.statistics.columns;
    for (const std::size_t segment : segments) {
      const std::span<const double> row = whole.statistics.row(segment);
      part.statistics.values.insert(part.statistics.values.end(), row.begin(), row.end());
    }
    const std::vector<double> sum = part.statistics.sum();
    const auto scores = counted_->scores(std::vector<PythonNumber>(sum.begin(), sum.end()),
                                         static_cast<double>(segments.size()));
    for (std::size_t r = 0; r < part.scores.size(); ++r) part.scores[r].second = scores[r].value;
    return part;
  }

  void resample(std::vector<Result>& parts, std::size_t segments) const {
    std::vector<SegmentStatistics> statistics;
    for (const Result& part : parts) statistics.push_back(part.statistics);
    metric::add_bootstrap(
        statistics,
        [&](std::span<const PythonNumber> sum) {
          return counted_->scores(sum, static_cast<double>(segments));
        },
        counted_->resamples_in_single() ? lexical::Arithmetic::single : lexical::Arithmetic::twofold,
        settings_, context_, parts);
  }

  const ScoreRequest& request_;
  const RunContext& context_;
  metric::BootstrapSettings settings_;
  std::unique_ptr<metric::LexicalMetric> counted_;
};

/// What the shares of covered references are to the scorer: a metric with one score per segment.
std::vector<Result> covered_results(const std::vector<Result*>& systems) {
  std::vector<Result> covered;
  for (Result* system : systems) {
    std::vector<double> shares = take_covered(*system);
    if (shares.empty()) return {};
    Result& one = covered.emplace_back();
    one.system = system->system;
    one.metric = system->metric;
    one.requested = system->requested;
    one.signature_parts = system->signature_parts;
    one.segments = {{kCovered, std::move(shares)}};
  }
  return covered;
}

}  // namespace

bool wants_groups(const ScoreRequest& request) {
  return !request.group.empty() || !request.groups.empty();
}

Groups read_groups(const ScoreRequest& request) {
  if (!request.group.empty() && !request.groups.empty())
    throw_usage("group and groups are given, expected one: a column, or the labels");
  Groups groups;
  groups.source = request.group.empty() ? "groups" : column_named(request, request.group);
  const std::string column = text::InputSpec::split(groups.source).column;
  groups.column = column.empty() ? "group" : column;
  const std::vector<std::string> labels =
      request.group.empty() ? request.groups : read_segment_column("group", groups.source);
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (const std::string& written : labels) {
    const std::string_view stripped = text::strip(written);
    const std::string label(stripped.empty() ? "(none)" : stripped);
    const auto [known, is_new] = numbers.emplace(label, static_cast<std::uint32_t>(groups.names.size()));
    if (is_new) groups.names.push_back(label);
    groups.of_segment.push_back(known->second);
  }
  meta::require_other_names(groups.names, {meta::kAllRows}, groups.source);
  if (groups.names.size() > kMostGroups) {
    throw_invalid(fmt::format("{} has {} different labels, expected at most {}: genres, sources, ...",
                              groups.source, groups.names.size(), kMostGroups));
  }
  return groups;
}

ScoreRequest with_parts(const ScoreRequest& request) {
  ScoreRequest wider = request;
  wider.segments = wider.keep_statistics = true;
  return wider;
}

void keep_covered(const std::vector<metric::SetExplanation>& explanations, std::size_t rows,
                  std::size_t segments, FunctionRef<std::size_t(std::size_t)> segment_of,
                  std::span<Result> results) {
  for (const metric::SetExplanation& explanation : explanations) {
    std::vector<double> inside(rows, 1), shares(segments, 0), counts(segments, 0);
    for (const geometry::OutsidePoint& point : explanation.missing_modes) inside[point.row] = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t segment = segment_of(row);
      shares[segment] += inside[row];
      counts[segment] += 1;
    }
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = counts[i] > 0 ? shares[i] / counts[i] : -1;
    for (Result& result : results) {
      if (result.requested == explanation.metric) result.details.emplace_back(kCovered, shares);
    }
  }
}

report::GroupedScores score_groups(const Groups& groups, const std::vector<Metric>& metrics,
                                   const ScoreRequest& request, const RunContext& context,
                                   std::vector<Result>& results) {
  report::GroupedScores grouped{groups.column, {}};
  for (std::size_t group = 0; group < groups.names.size(); ++group) {
    const auto count = std::ranges::count(groups.of_segment, group);
    grouped.groups.push_back({groups.names[group], static_cast<std::size_t>(count), {}});
  }
  for (const Metric& metric : metrics) {
    const std::vector<Result*> whole = results_of(metric, results);
    if (whole.empty()) continue;  // it failed
    std::vector<Result> covered = covered_results(whole);
    std::vector<Result*> systems = whole;
    if (!metric.scores_segments()) {
      systems.clear();
      for (Result& one : covered) systems.push_back(&one);
    }
    if (systems.empty()) continue;  // a set scored as a whole has no groups
    const std::vector<double>& values = systems.front()->segments.front().second;
    if (values.size() != groups.of_segment.size())
      throw_invalid(fmt::format("{} has {} labels but the reference has {} segments, expected as many",
                                groups.source, groups.of_segment.size(), values.size()));
    const GroupScorer scorer(metric, request, context);
    for (std::size_t group = 0; group < groups.names.size(); ++group) {
      context.check_cancelled();
      std::vector<std::size_t> segments;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (groups.of_segment[i] == group && (metric.scores_segments() || values[i] >= 0))
          segments.push_back(i);
      }
      if (segments.empty()) continue;  // none of its texts was drawn
      for (Result& part : scorer.score(systems, segments, groups.column + "=" + groups.names[group]))
        grouped.groups[group].results.push_back(std::move(part));
    }
  }
  for (Result& result : results) {
    if (!request.segments && !request.keep_statistics && !request.page) result.segments.clear();
    if (!request.keep_statistics) result.statistics = {}, result.resampled.clear();
  }
  return grouped;
}

}  // namespace markeval::score
