#include "api/table_scores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "metric/registry.hpp"
#include "text/score_columns.hpp"

namespace markeval {
namespace {

using text::ColumnKind;

void check_words(const CorrelateRequest& request) {
  if (request.table.empty()) throw_usage("no table given");
  if (request.gold.empty()) throw_usage("no column of human scores given");
  const bool scored = !request.predicted.empty();
  const bool texts = !request.reference.empty() || !request.hypothesis.empty() || !request.metrics.empty();
  if (scored && texts) throw_usage("both columns of scores and metrics to compute, expected one of the two");
  if (!scored && !texts)
    throw_usage("neither a column of scores nor a metric to correlate with the human scores");
  if (texts && (request.reference.empty() || request.hypothesis.empty() || request.metrics.empty())) {
    throw_usage("metrics to compute need a column of references, one of hypotheses and the metrics' names");
  }
  for (const std::string& column : request.predicted) {
    if (std::count(request.predicted.begin(), request.predicted.end(), column) > 1) {
      throw_usage(fmt::format("column '{}' is asked for twice", column));
    }
  }
}

/// Columns of scores made from texts need a metric that scores segment by segment; none is registered yet.
void require_segment_metrics(const std::vector<std::string>& metrics) {
  for (const std::string& text : metrics) {
    const metric::MetricRequest request = metric::parse_metric_request(text);
    throw_usage(
        fmt::format("{} scores a set as a whole, but a correlation needs a score for every row of the table",
                    request.info->name));
  }
}

}  // namespace

meta::ScoreTable read_score_table(const CorrelateRequest& request) {
  check_words(request);
  require_segment_metrics(request.metrics);
  std::vector<text::ColumnRequest> columns{{request.gold, ColumnKind::number}};
  for (const std::string& name : request.predicted) columns.push_back({name, ColumnKind::number});
  const auto add = [&](const std::string& name, ColumnKind kind) {
    if (name.empty()) return std::size_t{0};
    columns.push_back({name, kind});
    return columns.size() - 1;
  };
  const std::size_t group = add(request.group, ColumnKind::label);
  const std::size_t system = add(request.system, ColumnKind::label);
  const std::size_t segment = add(request.segment, ColumnKind::label);
  std::vector<text::Column> found = text::read_columns(request.table, columns, {request.replace_invalid});

  meta::ScoreTable table;
  table.name = request.table;
  table.gold = std::move(found[0].numbers);
  for (std::size_t i = 0; i < request.predicted.size(); ++i) {
    table.predicted.push_back({request.predicted[i], std::move(found[1 + i].numbers)});
  }
  if (group > 0) table.group = std::move(found[group].labels);
  if (system > 0) table.system = std::move(found[system].labels);
  if (segment > 0) table.segment = std::move(found[segment].labels);
  return table;
}

}  // namespace markeval
