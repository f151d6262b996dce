#include "api/study_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace markeval {
namespace {

using meta::Coefficient;

std::vector<ScoredColumn> score_texts(StudyRun& run, const JudgedTexts& texts,
                                      const std::vector<std::string>& metrics) {
  ScoreRequest scoring = run.score_request();
  scoring.references = {{texts.name + " references", Texts{texts.references, texts.starts}}};
  scoring.systems = {{texts.name, Texts{texts.hypotheses}}};
  scoring.metrics = metrics;
  scoring.segments = true;
  std::vector<ScoredColumn> columns;
  const Report report = run.score(scoring);
  for (const Result& result : report.results()) {
    const metric::MetricRequest metric = metric::parse_metric_request(result.requested);
    for (const auto& [name, values] : result.segments) {
      ScoredColumn& column = columns.emplace_back();
      column.name = result.requested + (name == metric.info->name ? "" : "." + name);
      column.model = needs_model(metric) ? run.request().model : "-";
      for (const double value : values) column.values.push_back(sign_of(*metric.info) * value);
    }
  }
  return columns;
}

/// Of one judgement: the mean over the groups of the part.
std::optional<double> agreement(const JudgedTexts& texts, std::size_t judgement,
                                std::span<const double> values, Coefficient coefficient) {
  std::vector<std::string> names;
  std::vector<meta::Pairs> groups;
  for (std::size_t segment = 0; segment < texts.segments(); ++segment) {
    const std::string group = texts.groups.empty() ? texts.name : texts.groups[segment];
    auto place = std::find(names.begin(), names.end(), group);
    if (place == names.end()) {
      place = names.insert(place, group);
      groups.emplace_back();
    }
    meta::Pairs& pairs = groups[static_cast<std::size_t>(place - names.begin())];
    pairs.gold.push_back(texts.human[judgement][segment]);
    pairs.predicted.push_back(values[segment]);
  }
  return meta::grouped_coefficient(coefficient, groups).mean;
}

}  // namespace

bool needs_model(const metric::MetricRequest& metric) {
  return metric.info->kind == metric::Kind::pair || metric.info->kind == metric::Kind::set;
}

double sign_of(const metric::MetricInfo& info) {
  return info.better == metric::Better::lower ? -1 : 1;
}

std::optional<double> mean_of(std::span<const std::optional<double>> values) {
  double sum = 0;
  for (const auto& value : values) {
    if (!value) return std::nullopt;
    sum += *value;
  }
  return values.empty() ? std::nullopt : std::optional(sum / static_cast<double>(values.size()));
}

report::Cell cell(const std::optional<double>& value) {
  return value ? report::Cell(*value) : report::Cell();
}

std::vector<std::string> coefficient_columns(const JudgedStudy& study, const JudgedTexts& part) {
  std::vector<std::string> columns;
  for (const std::string& judgement : part.judgements) {
    for (const Coefficient coefficient : study.coefficients)
      columns.push_back(fmt::format("{} {}", judgement, meta::name(coefficient)));
  }
  return columns;
}

std::vector<std::optional<double>> agreements(const JudgedStudy& study, const JudgedTexts& part,
                                              std::span<const double> values) {
  std::vector<std::optional<double>> found;
  for (std::size_t judgement = 0; judgement < part.judgements.size(); ++judgement) {
    for (const Coefficient coefficient : study.coefficients)
      found.push_back(agreement(part, judgement, values, coefficient));
  }
  return found;
}

Scored score_parts(StudyRun& run, const JudgedStudy& study, const std::vector<std::string>& metrics,
                   std::string_view what) {
  Scored scored;
  for (std::size_t part = 0; part < study.parts.size(); ++part) {
    run.step(fmt::format("{}{}", what, study.parts[part].name), part, study.parts.size());
    scored.push_back(score_texts(run, study.parts[part], metrics));
  }
  return scored;
}

}  // namespace markeval
