// Columns come from a file or from memory; texts among them are scored with the metrics, and signs are turned
// where lower is better.
#include "score/table_scores.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/lookup.hpp"
#include "base/suggestion.hpp"
#include "metric/registry.hpp"
#include "request/lookup.hpp"
#include "request/score_request.hpp"
#include "score/judged_pairs.hpp"
#include "text/score_columns.hpp"

namespace markeval::score {
namespace {

using text::ColumnKind;

void require_all_of_texts(const CorrelateRequest& request) {
  std::vector<std::string> missing;
  if (request.reference.empty()) missing.emplace_back("a column of references");
  if (request.hypothesis.empty() && request.better.empty()) missing.emplace_back("a column of hypotheses");
  if (request.metrics.empty()) missing.emplace_back("the names of metrics");
  if (!missing.empty()) throw_usage(fmt::format("texts to score need {} too", fmt::join(missing, " and ")));
}

void check_words(const CorrelateRequest& request) {
  if (request.table.empty() && request.columns.empty()) throw_usage("no table given");
  if (request.gold.empty() && !gives_pairs(request)) throw_usage("no column of human scores given");
  const bool scored = !request.predicted.empty();
  const bool texts = !request.reference.empty() || !request.hypothesis.empty() || !request.metrics.empty();
  if (!scored && !texts)
    throw_usage("neither a column of scores nor a metric to correlate with the human scores");
  if (texts) require_all_of_texts(request);
  for (const auto* names : {&request.predicted, &request.gold}) {
    for (const std::string& column : *names) {
      if (std::ranges::count(*names, column) > 1)
        throw_usage(fmt::format("column '{}' is asked for twice", column));
    }
  }
  for (const std::string& column : request.lower_is_better) {
    if (std::ranges::find(request.predicted, column) == request.predicted.end())
      throw_usage(fmt::format("lower is better for '{}', which is no column of scores{}", column,
                              suggestion(column, request.predicted)));
  }
}

const TableColumn& column_in_memory(const CorrelateRequest& request, const std::string& name) {
  std::vector<std::string> names;
  for (const TableColumn& column : request.columns) {
    if (column.name == name) return column;
    names.push_back(column.name);
  }
  throw_usage(fmt::format("{}: {}", request.table, missing_name("column", name, names)));
}

std::size_t rows_of(const TableColumn& column) {
  if (!column.starts.empty()) return column.starts.size() - 1;
  return std::max(column.numbers.size(), column.texts.size());
}

/// What text::read_columns would find.
std::vector<text::Column> columns_in_memory(const CorrelateRequest& request,
                                            std::span<const text::ColumnRequest> wanted) {
  const TableColumn& first = request.columns.front();
  if (rows_of(first) == 0) throw_invalid(fmt::format("{}: no rows", request.table));
  for (const TableColumn& column : request.columns) {
    if (rows_of(column) == rows_of(first)) continue;
    throw_invalid(fmt::format("{}: column '{}' has {} rows but '{}' has {}", request.table, column.name,
                              rows_of(column), first.name, rows_of(first)));
  }
  std::vector<text::Column> found;
  for (const text::ColumnRequest& want : wanted) {
    const TableColumn& column = column_in_memory(request, want.name);
    const bool number = want.kind == ColumnKind::number;
    if (number ? column.numbers.empty() : column.texts.empty() || !column.starts.empty()) {
      throw_invalid(fmt::format("{}: column '{}' holds no {}", request.table, want.name,
                                number ? "numbers" : "labels"));
    }
    found.push_back({column.numbers, column.texts, {}});
  }
  return found;
}

/// A column of texts that was read with the others: the table may be a pipe, which can be read but once.
struct ReadTexts {
  std::vector<std::string> texts;
  std::vector<std::size_t> starts;

  void take(text::Column column) {
    starts.assign(1, 0);
    for (std::vector<std::string>& row : column.texts) {
      for (std::string& one : row) texts.push_back(std::move(one));
      starts.push_back(texts.size());
    }
  }
  Source source(const CorrelateRequest& request, const std::string& name) const;
};

/// A column of texts to score.
Source ReadTexts::source(const CorrelateRequest& request, const std::string& name) const {
  if (!starts.empty()) return Texts{texts, starts};
  const TableColumn& column = column_in_memory(request, name);
  if (column.texts.empty()) throw_invalid(fmt::format("{}: column '{}' holds no texts", request.table, name));
  return Texts{column.texts, column.starts};
}

/// A column of texts to score, and its texts where they do not lie in memory already.
struct TextColumn {
  std::string name;
  ReadTexts read{};
};

constexpr std::size_t kShared = 3;  ///< rows of one reference on average, from which on a warning names it

/// Several systems' texts for one source: such rows are not independent, and a metric may agree with people
/// on all rows because it notices hard sources.
void warn_of_shared_references(const CorrelateRequest& request, const ReadTexts& references,
                               Observer* observer, std::vector<std::string>& warnings) {
  if (!request.group.empty() || request.level == "system" || references.starts.empty()) return;
  const std::set<std::string_view> distinct(references.texts.begin(), references.texts.end());
  const std::size_t shared = references.texts.size() / std::max<std::size_t>(1, distinct.size());
  if (shared < kShared) return;
  warnings.push_back(fmt::format(
      "a reference stands in {} rows on average, so rows are not independent: --group COLUMN compares within "
      "documents, --level system --system COLUMN whole systems",
      shared));
  if (observer != nullptr) observer->warning(warnings.back());
}

/// The result that stands for a metric: the first where its main one has no scores of segments.
std::string main_segments(const Result& result) {
  const std::string& main = metric::find_metric(result.metric).main;
  const bool missing = find_named(result.segments, main) == nullptr;
  return missing && !result.segments.empty() ? result.segments.front().first : main;
}

/// Scores every row with the metrics, a column for each: "chrf", "rouge1:stem=yes.f1". Of several
/// columns of texts the scores stand one after the other.
void score_rows(const CorrelateRequest& request, const ReadTexts& references,
                std::span<const TextColumn> hypotheses, const Caller& caller, const Measure& measure,
                TableScores& scores) {
  ScoreRequest scoring;
  scoring.gathered = request.gathered;
  if (request.gathered.empty()) {
    scoring.references = {{request.reference, references.source(request, request.reference)}};
    for (const TextColumn& column : hypotheses)
      scoring.systems.push_back({column.name, column.read.source(request, column.name)});
  } else {
    scoring.references = {{request.reference, Texts{}}};
    for (const TextColumn& column : hypotheses) scoring.systems.push_back({column.name, Texts{}});
  }
  scoring.metrics = request.metrics;
  scoring.seed = request.seed;
  scoring.segments = true;
  scoring.replace_invalid = request.replace_invalid;
  scoring.encoder = request.encoder;
  const auto scored = score_request(scoring, caller, measure);
  const report::RunReport& report = scored->report;
  request::require_all_computed(report.errors);
  for (std::size_t i = 0; i < request.metrics.size(); ++i) {  // by system, then by metric
    const Result& result = report.results[i];
    const Metric& asked = request.metrics[i];
    const bool named = asked.text != asked.typed;
    const std::string main = main_segments(result);
    for (std::size_t which = 0; which < result.segments.size(); ++which) {
      const std::string& name = result.segments[which].first;
      if (!request.all_results && asked.result.empty() && name != main) continue;
      const bool alone = named && (!request.all_results || result.segments.size() == 1);
      const std::string title = alone || !asked.result.empty() || name == result.metric
                                    ? result.requested
                                    : result.requested + "." + name;
      if (std::ranges::find(request.predicted, title) != request.predicted.end()) {
        throw_usage(fmt::format(
            "'{}' is a column of scores and a result of a metric; NAME=METRIC gives the metric another name",
            title));
      }
      const auto& before = scores.table.predicted;
      if (std::ranges::any_of(before, [&](const auto& column) { return column.name == title; }))
        throw_usage(
            fmt::format("two results are called '{}'; NAME=METRIC gives one of them another name", title));
      meta::Values& all = scores.table.predicted.emplace_back(meta::PredictedColumn{title, {}}).values;
      for (std::size_t system = 0; system < hypotheses.size(); ++system) {
        const auto& values = report.results[system * request.metrics.size() + i].segments[which].second;
        all.insert(all.end(), values.begin(), values.end());
      }
      if (asked.lower_is_better()) scores.lower_is_better.push_back(scores.table.predicted.back().name);
    }
    scores.signatures.push_back(result.signature());
  }
  scores.warnings = report.warnings;
}

/// Before any text is read: over a corpus a set metric has no score per row.
void require_segment_metrics(const std::vector<Metric>& metrics) {
  for (const Metric& request : metrics) {
    if (request.scores_segments()) continue;
    throw_usage(
        fmt::format("{} scores a set as a whole, but a correlation needs a score for every row of the table: "
                    "{}:samples=word,scope=segment",
                    request.info->name, request.info->name));
  }
}

}  // namespace

TableScores read_score_table(const CorrelateRequest& request, const Caller& caller, const Measure& measure) {
  check_words(request);
  require_segment_metrics(request.metrics);
  if (request.columns.empty()) require_streams_once(std::vector{request.table, request.pairs});
  std::vector<text::ColumnRequest> columns;
  const auto add = [&](const std::string& name, ColumnKind kind) -> std::optional<std::size_t> {
    if (name.empty()) return std::nullopt;
    columns.push_back({name, kind});
    return columns.size() - 1;
  };
  for (const std::string& name : request.gold) columns.push_back({name, ColumnKind::number});
  const std::size_t first_predicted = columns.size();
  for (const std::string& name : request.predicted) columns.push_back({name, ColumnKind::number});
  const auto group = add(request.group, ColumnKind::label);
  const auto system = add(request.system, ColumnKind::label);
  const auto segment = add(request.segment, ColumnKind::label);
  const bool from_file = request.columns.empty() && !request.metrics.empty() && request.gathered.empty();
  const auto reference = add(from_file ? request.reference : "", ColumnKind::texts);
  std::vector<TextColumn> hypotheses;
  std::vector<std::optional<std::size_t>> hypothesis;
  for (const std::string& name : {request.hypothesis, request.better, request.worse}) {
    if (name.empty()) continue;
    hypotheses.push_back({name});
    hypothesis.push_back(add(from_file ? name : "", ColumnKind::texts));
  }
  TableScores scores;
  std::vector<text::Column> found =
      request.columns.empty()
          ? text::read_columns(request.table, columns, {request.replace_invalid}, &scores.counts)
          : columns_in_memory(request, columns);

  if (group) meta::require_other_names(found[*group].labels, {meta::kAllRows, meta::kMeanRow}, request.table);

  meta::ScoreTable& table = scores.table;
  table.name = request.table;
  for (std::size_t i = 0; i < request.gold.size(); ++i) scores.gold.push_back(std::move(found[i].numbers));
  for (std::size_t i = 0; i < request.predicted.size(); ++i) {
    table.predicted.push_back({request.predicted[i], std::move(found[first_predicted + i].numbers)});
  }
  scores.lower_is_better = request.lower_is_better;
  ReadTexts references;
  if (reference) references.take(std::move(found[*reference]));
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    if (hypothesis[i]) hypotheses[i].read.take(std::move(found[*hypothesis[i]]));
  }
  if (!request.metrics.empty()) {
    score_rows(request, references, hypotheses, caller, measure, scores);
    warn_of_shared_references(request, references, caller.observer, scores.warnings);
  }
  if (group) table.group = std::move(found[*group].labels);
  if (system) table.system = std::move(found[*system].labels);
  if (segment) table.segment = std::move(found[*segment].labels);
  return scores;
}

meta::ScoreTable turned(meta::ScoreTable table, const std::vector<std::string>& lower_is_better) {
  for (meta::PredictedColumn& column : table.predicted) {
    if (std::ranges::find(lower_is_better, column.name) == lower_is_better.end()) continue;
    for (auto& value : column.values) {
      if (value) value = -*value;
    }
  }
  return table;
}

}  // namespace markeval::score
