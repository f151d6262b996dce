// Scoring of texts or systems with all metrics, and the coefficient of each column with the judgements.
#include "study/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "request/lookup.hpp"

namespace markeval::study {
namespace {

using meta::Coefficient;

/// "rouge1.f1", "chrf"
std::string result_name(const StudyRun& run, const Metric& metric, const std::string& result) {
  return without_folder(metric.text, run.request().data) + (result == metric.info->name ? "" : "." + result);
}

std::vector<ScoredColumn> score_texts(StudyRun& run, const JudgedTexts& texts,
                                      const std::vector<Metric>& metrics, const std::string& model) {
  ScoreRequest scoring = run.score_request();
  scoring.encoder.model = model;
  scoring.references = {{texts.name + " references", Texts{texts.references, texts.starts}}};
  scoring.systems = {{texts.name, Texts{texts.hypotheses}}};
  scoring.metrics = metrics;
  scoring.segments = true;
  std::vector<ScoredColumn> columns;
  const Report report = run.score(scoring);
  for (std::size_t i = 0; i < metrics.size(); ++i) {  // one system: a result for each metric
    const Result& result = report.results()[i];
    const Metric& metric = metrics[i];
    for (const auto& [name, values] : result.segments) {
      ScoredColumn& column = columns.emplace_back();
      column.name = result_name(run, metric, name);
      column.model = model_of(metric, model);
      for (const double value : values) column.values.push_back(sign_of(*metric.info) * value);
    }
  }
  return columns;
}

std::vector<ScoredColumn> score_systems(StudyRun& run, const JudgedSystems& data,
                                        const std::vector<Metric>& metrics, const std::string& model) {
  ScoreRequest scoring = run.score_request();
  scoring.encoder.model = model;
  scoring.references = {{data.name + " references", Texts{data.references}}};
  for (std::size_t i = 0; i < data.systems.size(); ++i)
    scoring.systems.push_back({data.systems[i], Texts{data.outputs[i]}});
  scoring.metrics = metrics;
  const Report report = run.score(scoring);
  std::vector<ScoredColumn> columns;
  for (const Metric& metric : metrics) {
    for (const std::string& result : metric.info->results) {
      ScoredColumn& column = columns.emplace_back();
      column.name = result_name(run, metric, result);
      column.model = model_of(metric, model);
      for (const std::string& system : data.systems)
        column.values.push_back(sign_of(*metric.info) * report.score(system, metric.text, result));
    }
  }
  return columns;
}

/// The metrics, and the requests of the searches that are not among them.
std::vector<Metric> with_searches(std::vector<Metric> metrics, std::span<const KSearch> searches) {
  for (const KSearch& search : searches) {
    for (const Metric& request : search.requests) add_once(metrics, request);
  }
  return metrics;
}

/// The scores of every search. `columns` loses those of `added`, which nobody but the searches wants.
std::vector<ScoredColumn> take_searched(const StudyRun& run, std::vector<ScoredColumn>& columns,
                                        std::span<const Metric> added, std::span<const KSearch> searches) {
  std::vector<ScoredColumn> searched;
  for (const KSearch& search : searches) {
    for (const Metric& request : search.requests) {
      for (const std::string& result : request.info->results) {
        const std::string name = result_name(run, request, result);
        searched.push_back(*std::ranges::find(columns, name, &ScoredColumn::name));
      }
    }
  }
  for (const Metric& request : added) columns.resize(columns.size() - request.info->results.size());
  return searched;
}

/// Every part, with the first of the models all metrics and searches, then those of an encoder with each
/// other model. `score(part, metrics, model)` scores one part.
template <class Score>
ScoredParts score_all(StudyRun& run, const std::vector<std::string>& parts,
                      const std::vector<Metric>& metrics, std::span<const KSearch> searches, Score score) {
  ScoredParts scored{Scored(parts.size()), Scored(parts.size())};
  const std::vector<std::string> models = run.models();
  for (std::size_t model = 0; model < models.size(); ++model) {
    const std::vector<Metric> asked = model == 0 ? with_searches(metrics, searches) : of_an_encoder(metrics);
    for (std::size_t part = 0; part < parts.size() && !asked.empty(); ++part) {
      const std::string whose = models.size() > 1 ? " with " + model_name(models[model]) : "";
      run.step(parts[part] + whose, model * parts.size() + part, models.size() * parts.size());
      std::vector<ScoredColumn> columns = score(part, asked, models[model]);
      if (model == 0)
        scored.searched[part] =
            take_searched(run, columns, std::span(asked).subspan(metrics.size()), searches);
      std::move(columns.begin(), columns.end(), std::back_inserter(scored.metrics[part]));
    }
  }
  return scored;
}

/// Agreement with one judgement: the mean over the groups of the part.
std::optional<double> agreement(const JudgedTexts& texts, std::size_t judgement,
                                std::span<const double> values, Coefficient coefficient) {
  std::vector<std::string> names;
  std::vector<meta::Pairs> groups;
  for (std::size_t segment = 0; segment < texts.segments(); ++segment) {
    const std::string group = texts.groups.empty() ? texts.name : texts.groups[segment];
    auto found = std::ranges::find(names, group);
    if (found == names.end()) {
      found = names.insert(found, group);
      groups.emplace_back();
    }
    meta::Pairs& pairs = groups[static_cast<std::size_t>(found - names.begin())];
    pairs.gold.push_back(texts.human[judgement][segment]);
    pairs.predicted.push_back(values[segment]);
  }
  return meta::grouped_coefficient(coefficient, groups).mean;
}

/// Where its vectors come from, if not from the encoder.
std::string file_of(const Metric& metric) {
  for (const char* option : {"embeddings", "weights"}) {
    if (metric.info->has_option(option)) return metric.options.text(option);
  }
  return "";
}

template <class T>
std::vector<T> picked(const std::vector<T>& values, std::span<const std::size_t> rows) {
  std::vector<T> found;
  for (const std::size_t row : rows) found.push_back(values[row]);
  return found;
}

}  // namespace

JudgedStudy by_choice(const JudgedStudy& study) {
  JudgedStudy chosen = study;
  chosen.parts.clear();
  for (const JudgedTexts& part : study.parts) {
    if (part.choices.empty()) {
      JudgedTexts& all = chosen.parts.emplace_back(part);
      all.title = all.papers = part.name;
    }
    for (const RowChoice& choice : part.choices) {
      JudgedTexts& rows = chosen.parts.emplace_back();  // texts are scored already
      rows.name = part.name + choice.name;
      rows.title = fmt::format("{}: {}", part.name, choice.title);
      rows.papers = part.name + choice.papers.value_or(choice.name);
      rows.hypotheses = picked(part.hypotheses, choice.rows);
      rows.groups = picked(part.groups, choice.rows);
      rows.judgements = part.judgements;
      for (const std::vector<double>& human : part.human) rows.human.push_back(picked(human, choice.rows));
    }
  }
  return chosen;
}

Scored by_choice(const JudgedStudy& study, const Scored& scored) {
  Scored chosen;
  for (std::size_t part = 0; part < study.parts.size(); ++part) {
    if (study.parts[part].choices.empty()) chosen.push_back(scored[part]);
    for (const RowChoice& choice : study.parts[part].choices) {
      auto& columns = chosen.emplace_back(scored[part]);
      for (ScoredColumn& column : columns) column.values = picked(column.values, choice.rows);
    }
  }
  return chosen;
}

bool needs_encoder(const Metric& metric) {
  if (metric.info->kind == metric::Kind::pair) return file_of(metric) == "" || file_of(metric) == "encoder";
  if (metric.info->kind == metric::Kind::trained)
    return metric.options.text("weights").empty();  // a head inside the program; one's own is for one encoder
  return metric.info->kind == metric::Kind::set;
}

std::string model_of(const Metric& metric, const std::string& model) {
  const std::string path = needs_encoder(metric) ? model : file_of(metric);
  if (path.empty()) return "-";
  return model_name(path);
}

std::string model_name(const std::string& model) {
  const std::filesystem::path path(model);
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

std::string without_folder(std::string metric, const std::string& folder) {
  for (std::size_t at = 0;
       !folder.empty() && (at = metric.find("=" + folder + "/", at)) != std::string::npos;)
    metric.erase(at + 1, folder.size() + 1);
  return metric;
}

std::vector<Metric> of_an_encoder(const std::vector<Metric>& metrics) {
  std::vector<Metric> found;
  std::ranges::copy_if(metrics, std::back_inserter(found), needs_encoder);
  return found;
}

double sign_of(const metric::MetricInfo& info) {
  return info.better == metric::Better::lower ? -1 : 1;
}

std::optional<double> agreement_on(const meta::ScoreTable& table, const meta::PredictedColumn& column,
                                   const std::vector<std::vector<std::uint32_t>>& rows,
                                   Coefficient coefficient) {
  return meta::grouped_coefficient(coefficient, meta::pairs_by_group(table, {{}, rows}, column)).mean;
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

std::vector<std::vector<std::string>> labels_of(const std::vector<ScoredColumn>& columns) {
  std::vector<std::vector<std::string>> labels;
  for (const ScoredColumn& column : columns) labels.push_back({column.name, column.model});
  return labels;
}

std::vector<std::string> chosen_parts(const StudyRun& run, const std::vector<std::string>& known) {
  for (const std::string& part : run.request().parts) request::require_known("part", part, known);
  return run.request().parts.empty() ? known : run.request().parts;
}

std::vector<Metric> chosen_metrics(const StudyRun& run, const std::vector<Metric>& usual) {
  const std::vector<Metric>& asked = run.request().metrics;
  for (const Metric& metric : asked) {
    if (run.request().level == "segment" && !metric.scores_segments()) {
      throw_usage(
          fmt::format("{} scores a set as a whole, but people judged segments: {}:samples=word,scope=segment",
                      metric.info->name, metric.info->name));
    }
  }
  return asked.empty() ? usual : asked;
}

ScoredParts score_parts(StudyRun& run, const JudgedStudy& study, const std::vector<Metric>& metrics,
                        std::span<const KSearch> searches) {
  return score_all(run, names_of(study.parts), metrics, searches,
                   [&](std::size_t part, const std::vector<Metric>& asked, const std::string& model) {
                     return score_texts(run, study.parts[part], asked, model);
                   });
}

ScoredParts score_pairs(StudyRun& run, const std::vector<JudgedSystems>& pairs,
                        const std::vector<Metric>& metrics, std::span<const KSearch> searches) {
  return score_all(run, names_of(pairs), metrics, searches,
                   [&](std::size_t pair, const std::vector<Metric>& asked, const std::string& model) {
                     return score_systems(run, pairs[pair], asked, model);
                   });
}

}  // namespace markeval::study
