// The studies of the papers on the user's own texts and judgements: how well metrics agree with people, which
// of them no other outperforms, how they agree with each other, what they give to texts people like and
// dislike, and how many judgements the choice needs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/run_context.hpp"
#include "meta/metric_significance.hpp"
#include "meta/quantile.hpp"
#include "report/cells.hpp"
#include "score/set_warnings.hpp"
#include "study/agreement.hpp"
#include "study/judgement_curve.hpp"
#include "study/marks.hpp"
#include "study/own_data.hpp"
#include "study/own_finding.hpp"
#include "study/own_scores.hpp"
#include "study/study_run.hpp"

namespace markeval::study {
namespace {

using meta::Coefficient;
using meta::ScoreTable;

constexpr std::size_t kQuarters = 4;
constexpr std::size_t kLeastForQuarters = 20;  // rows
constexpr const char* kQuarterNames[kQuarters] = {"lowest quarter", "second", "third", "highest quarter"};

std::vector<Asked> asked_metrics(const StudyRun& run) {
  std::vector<Metric> metrics = run.request().metrics;
  if (metrics.empty()) metrics = {"bertscore", "moverscore", "chrf", "sentbleu", "rougeL"};
  std::vector<Asked> found;
  for (const Metric& metric : metrics) {
    if (run.request().level == "segment" && !metric.scores_segments()) {
      throw_usage(
          fmt::format("{} scores a set as a whole, but segments were judged: --level system, or "
                      "{}:samples=word,scope=segment",
                      metric.text, metric.info->name));
    }
    found.push_back({metric, metric.main_result()});
  }
  if (found.size() < 2) throw_usage("one metric, expected at least two to compare: -m METRIC METRIC");
  return found;
}

ScoreTable score_segments(StudyRun& run, const OwnData& data, const std::vector<Asked>& metrics) {
  ScoreRequest scoring = request_of(run, metrics);
  scoring.references = {{"references", Texts{data.references, data.starts}}};
  scoring.systems = {{"texts", Texts{data.hypotheses}}};
  scoring.segments = true;
  const Report report = run.score(scoring);
  ScoreTable table;
  table.gold = data.human;
  table.group = data.groups;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    for (const auto& [name, values] : report.results()[i].segments) {
      if (name != metrics[i].result) continue;
      auto& column = table.predicted.emplace_back(meta::PredictedColumn{metrics[i].metric.text, {}});
      for (const double value : values) column.values.emplace_back(sign_of(*metrics[i].metric.info) * value);
    }
  }
  return table;
}

/// Output of one system in one group.
struct SystemTexts {
  std::string name;
  std::vector<std::string> hypotheses, references;
  std::vector<std::size_t> starts{0};
  double human = 0;
};

std::vector<std::pair<std::string, std::vector<SystemTexts>>> by_group(const OwnData& data) {
  std::vector<std::pair<std::string, std::vector<SystemTexts>>> groups;
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const std::string name = data.group_of(row);
    std::vector<SystemTexts>& systems = value_of(groups, name);
    auto system = std::ranges::find(systems, data.systems[row], &SystemTexts::name);
    if (system == systems.end()) system = systems.insert(system, SystemTexts{data.systems[row], {}, {}});
    system->hypotheses.push_back(data.hypotheses[row]);
    for (std::size_t at = data.starts[row]; at < data.starts[row + 1]; ++at)
      system->references.push_back(data.references[at]);
    system->starts.push_back(system->references.size());
    if (!data.human.empty()) system->human += data.human[row].value_or(0);
  }
  for (auto& [name, systems] : groups) {
    for (SystemTexts& system : systems) {
      system.human = data.human.empty() ? data.system_human.at({name, system.name})
                                        : system.human / static_cast<double>(system.hypotheses.size());
    }
  }
  return groups;
}

/// What scores the systems of one group. Where they differ in size, set metrics draw as many texts of each as
/// the smallest has: each system is scored on its own lines.
ScoreRequest request_of(StudyRun& run, const std::vector<Asked>& metrics,
                        const std::vector<SystemTexts>& systems) {
  ScoreRequest scoring = request_of(run, metrics);
  const auto size_of = [](const SystemTexts& one) { return one.hypotheses.size(); };
  const std::size_t least = size_of(*std::ranges::min_element(systems, {}, size_of));
  const std::size_t most = size_of(*std::ranges::max_element(systems, {}, size_of));
  bool drawn = false;
  for (Metric& metric : scoring.metrics) {
    if (metric.info->kind != metric::Kind::set || !score::differ_in_size(least, most)) continue;
    metric.options.set_default("n", std::uint64_t{least});
    drawn = true;
  }
  if (drawn)
    run.warn(fmt::format(
        "systems differ in size ({} to {} texts): set metrics compare {} of each, drawn by chance", least,
        most, least));
  return scoring;
}

ScoreTable score_systems(StudyRun& run, const OwnData& data, const std::vector<Asked>& metrics) {
  ScoreTable table;
  for (const Asked& one : metrics) table.predicted.push_back({one.metric.text, {}});
  const auto groups = by_group(data);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto& [name, systems] = groups[g];
    run.step(name, g, groups.size());
    const ScoreRequest asked = request_of(run, metrics, systems);
    // Systems with the same references are scored together, so that these are read once.
    for (std::size_t first = 0; first < systems.size();) {
      std::size_t last = first + 1;
      while (last < systems.size() && systems[last].references == systems[first].references &&
             systems[last].starts == systems[first].starts)
        ++last;
      ScoreRequest scoring = asked;
      scoring.references = {{name + " references", Texts{systems[first].references, systems[first].starts}}};
      for (std::size_t i = first; i < last; ++i)
        scoring.systems.push_back({systems[i].name, Texts{systems[i].hypotheses}});
      const Report report = run.score(scoring);
      for (std::size_t i = first; i < last; ++i) {
        table.gold.emplace_back(systems[i].human);
        if (!data.groups.empty()) table.group.push_back(name);
        for (std::size_t m = 0; m < metrics.size(); ++m)
          table.predicted[m].values.emplace_back(
              sign_of(*metrics[m].metric.info) *
              report.score(systems[i].name, metrics[m].metric.text, metrics[m].result));
      }
      first = last;
    }
  }
  return table;
}

void require_enough_rows(const StudyRun& run, const ScoreTable& table) {
  const std::size_t least = run.request().best_k ? 8 : 4;  // 4 of each half
  const meta::RowGroups groups = meta::rows_by_group(table);
  for (std::size_t g = 0; g < groups.names.size(); ++g) {
    if (groups.rows[g].size() >= least) continue;
    throw_invalid(fmt::format("{}: {} has {} judged {}, expected at least {}{}", run.request().data,
                              groups.names[g], groups.rows[g].size(),
                              run.request().level == "system" ? "systems" : "segments", least,
                              run.request().best_k ? " for two halves (--best-k)" : ""));
  }
}

template <typename T>
std::vector<T> in_order(const std::vector<T>& values, const std::vector<std::size_t>& order) {
  std::vector<T> found;
  for (const std::size_t row : order) found.push_back(values[row]);
  return found;
}

bool is_turned(const Asked& asked) {
  return sign_of(*asked.metric.info) < 0;
}

/// metric, model, source, a column per group, their mean where there are several; the best metric first.
/// `model`: what made the vectors.
void add_agreement(StudyRun& run, const std::vector<meta::CorrelationRow>& rows,
                   const std::vector<std::size_t>& order, const std::vector<Asked>& metrics,
                   Coefficient coefficient, const std::string& model) {
  std::vector<std::string> turned;
  for (const Asked& one : metrics) {
    if (is_turned(one)) turned.push_back(one.metric.text);
  }
  report::Table shown = report::study_table(
      "agreement",
      fmt::format("{} with people, {}{}", coefficient_name(coefficient),
                  run.request().level == "system" ? "systems" : "segments",
                  turned.empty() ? ""
                                 : "; lower is better for " + report::few_names(turned, "metrics") +
                                       ", so the sign is turned"),
      {"metric", "model", "source"});
  for (const meta::CorrelationRow& row : rows) {
    if (shown.rows.empty() || shown.rows.back()[0].text() != row.predicted) {
      const Asked& asked = metrics[shown.rows.size()];
      shown.rows.push_back({row.predicted, model_of(asked.metric, model), "markeval"});
    }
    if (shown.rows.size() == 1) shown.columns.emplace_back(row.group);
    shown.rows.back().push_back(cell(row.values.front()));
  }
  shown.rows = in_order(shown.rows, order);
  shown.by_group = true;
  run.study().tables.push_back(std::move(shown));
}

/// Which metrics no other outperforms: the test, the correction and, for pearson, the resamples of
/// `correlate`, so that the two never contradict each other. Coefficients of ranks take long: fewer
/// resamples.
std::vector<meta::MetricDifference> add_marks(StudyRun& run, const ScoreTable& table,
                                              const std::vector<std::size_t>& order,
                                              const std::set<std::size_t>& learned, Coefficient coefficient,
                                              meta::MetricTest test) {
  Marks marks(table.predicted.size(), MarkRule::adjusted);
  meta::MetricTestOptions options = mark_options(run);
  if (coefficient == Coefficient::pearson) options.resamples = meta::MetricTestOptions{}.resamples;
  ThreadPool pool(run.threads());
  std::vector<meta::MetricDifference> tests =
      meta::compare_metrics(table, coefficient, test, options, RunContext{pool});
  std::erase_if(tests, [&](const meta::MetricDifference& one) {
    return learned.contains(one.first) || learned.contains(one.second);
  });
  marks.add(tests);
  std::vector<std::vector<std::string>> names;
  for (const meta::PredictedColumn& column : table.predicted) names.push_back({column.name});
  run.study().tables.push_back(
      marks.table("not-outperformed", std::string(meta::name(test)), {"metric"}, names));
  auto& rows = run.study().tables.back().rows;
  for (const std::size_t metric : learned)
    std::fill(rows[metric].begin() + 1, rows[metric].end(), "learned from these");
  rows = in_order(rows, order);
  return tests;
}

/// How metrics agree with each other (MoverScore, Figure 3).
void add_metric_to_metric(StudyRun& run, const ScoreTable& table, Coefficient coefficient) {
  report::Table heat =
      report::study_table("metrics",
                          fmt::format("{} of metrics with each other{}", coefficient_name(coefficient),
                                      table.group.empty() ? "" : ", mean over the groups"),
                          {"metric"});
  heat.drawing = report::Drawing::heat;
  const meta::RowGroups groups = meta::rows_by_group(table);
  for (const meta::PredictedColumn& one : table.predicted) {
    heat.columns.emplace_back(one.name);
    auto& row = heat.rows.emplace_back(std::vector<report::Cell>{one.name});
    ScoreTable against = table;
    against.gold = one.values;
    for (const meta::PredictedColumn& other : table.predicted) {
      const auto pairs = meta::pairs_by_group(against, groups, other);
      row.push_back(cell(meta::grouped_coefficient(coefficient, pairs).mean));
    }
  }
  run.study().tables.push_back(std::move(heat));
}

/// Two halves of the rows of each group, drawn by chance: by half, then by group.
std::array<std::vector<std::vector<std::uint32_t>>, 2> halves_of(const ScoreTable& table,
                                                                 std::uint64_t seed) {
  std::array<std::vector<std::vector<std::uint32_t>>, 2> halves;
  RandomStream random(seed, 0);
  for (const std::vector<std::uint32_t>& rows : meta::rows_by_group(table).rows) {
    const auto order = random.permutation(static_cast<std::uint32_t>(rows.size()));
    for (auto& half : halves) half.emplace_back();
    for (std::size_t i = 0; i < rows.size(); ++i)
      halves[2 * i / rows.size()].back().push_back(rows[order[i]]);
  }
  return halves;
}

/// K is chosen where the agreement first drops after it (Mark-Evaluate, section 5), on one half of the rows,
/// and reported on the other: the agreement is too high on rows that chose the K.
void add_best_k(StudyRun& run, const OwnData& data, const std::vector<Asked>& metrics,
                Coefficient coefficient) {
  const bool systems = run.request().level == "system";
  report::Table shown = report::study_table(
      "best-k",
      fmt::format("K chosen on one half of the {} of each group, and its agreement on the other",
                  systems ? "systems" : "texts"),
      {"metric", "chosen on", "k", "reported on", "with that k", "default k", "with it"});
  constexpr std::array<const char*, 2> kNames{"first half", "second half"};
  for (const Asked& one : metrics) {
    const std::string option = searched_option(one.metric);
    if (option.empty()) continue;
    const std::size_t usual = one.metric.options.count(option), most = run.request().max_k;
    std::vector<std::size_t> tried(most);
    std::iota(tried.begin(), tried.end(), std::size_t{1});
    if (usual > most) tried.push_back(usual);
    std::vector<Asked> variants;
    for (const std::size_t k : tried) variants.push_back({with_option(one.metric, option, k), one.result});
    const ScoreTable table =
        systems ? score_systems(run, data, variants) : score_segments(run, data, variants);
    const auto halves = halves_of(table, run.request().seed);
    for (std::size_t half = 0; half < 2; ++half) {
      std::vector<std::optional<double>> line;
      for (std::size_t k = 0; k < most; ++k)
        line.push_back(agreement_on(table, table.predicted[k], halves[half], coefficient));
      const std::size_t best = first_drop(line);
      const auto on_other = [&](std::size_t k) {
        const meta::PredictedColumn& column = k > most ? table.predicted.back() : table.predicted[k - 1];
        return cell(agreement_on(table, column, halves[1 - half], coefficient));
      };
      shown.rows.push_back({one.metric.text, std::string(kNames[half]), std::uint64_t{best + 1},
                            std::string(kNames[1 - half]), on_other(best + 1), std::uint64_t{usual},
                            on_other(usual)});
    }
  }
  if (shown.rows.empty())
    throw_usage("--best-k: none of the metrics has a K that is left open, expected one like me:samples=word");
  run.study().tables.push_back(std::move(shown));
}

/// Scores of texts people dislike and like (MoverScore, Figure 2): quarters of each group by human score.
void add_quarters(StudyRun& run, const ScoreTable& table, const std::vector<Asked>& metrics) {
  if (table.rows() < kLeastForQuarters) return;
  report::Table shown =
      report::study_table("by-human-quality", "Scores by human quality: quarters of the texts of each group",
                          {"metric", "people", "n", "first quartile", "median", "third quartile"});
  const meta::RowGroups groups = meta::rows_by_group(table);
  std::vector<std::size_t> quarter_of(table.rows());
  for (const std::vector<std::uint32_t>& rows : groups.rows) {
    std::vector<std::uint32_t> order = rows;
    std::ranges::stable_sort(
        order, [&](std::uint32_t a, std::uint32_t b) { return *table.gold[a] < *table.gold[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) quarter_of[order[i]] = i * kQuarters / order.size();
  }
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    const meta::PredictedColumn& column = table.predicted[m];
    const double sign = sign_of(*metrics[m].metric.info);  // scores as they are printed elsewhere
    for (std::size_t quarter = 0; quarter < kQuarters; ++quarter) {
      std::vector<double> values;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (quarter_of[row] == quarter) values.push_back(sign * *column.values[row]);
      }
      std::ranges::sort(values);
      const auto at = [&](double share) { return meta::quantile(values, share); };
      shown.rows.push_back({column.name, std::string(kQuarterNames[quarter]), std::uint64_t{values.size()},
                            at(0.25), at(0.5), at(0.75)});
      shown.bands.push_back({column.name, kQuarterNames[quarter], std::move(values)});
    }
  }
  run.study().tables.push_back(std::move(shown));
}

}  // namespace

void run_own(StudyRun& run) {
  const ExperimentRequest& request = run.request();
  const Coefficient coefficient = meta::coefficient_named(request.coefficient);
  const char* usual = coefficient == Coefficient::spearman ? "williams" : "perm-both";
  const meta::MetricTest test = meta::metric_test_named(request.test.empty() ? usual : request.test);
  const std::vector<Asked> metrics = asked_metrics(run);
  const OwnData data = read_own(request);
  run.add_files(data.files);
  for (const std::string& note : data.notes) run.warn(note);
  const std::set<std::size_t> learned = learned_metrics(run, data, metrics);
  if (!data.vectors.empty() && request.best_k) throw_usage("--best-k needs texts, the outputs are vectors");
  run.study().about = data.vectors.empty()
                          ? fmt::format("Metrics and people on {} texts of {}", data.rows(), request.data)
                          : fmt::format("Metrics and people on vectors of {}", request.data);
  const ScoreTable table = !data.vectors.empty()       ? score_vectors(run, data, metrics)
                           : request.level == "system" ? score_systems(run, data, metrics)
                                                       : score_segments(run, data, metrics);
  require_enough_rows(run, table);
  const auto rows = meta::correlate(table, std::array{coefficient});
  std::vector<std::size_t> order = best_metrics_first(rows);
  std::stable_partition(order.begin(), order.end(), [&](auto metric) { return !learned.contains(metric); });
  add_agreement(run, rows, order, metrics, coefficient,
                data.vectors.empty() ? request.encoder.model : "that of the vectors");
  const auto tests = add_marks(run, table, order, learned, coefficient, test);
  if (learned.size() == metrics.size())
    run.study().finding = "no metric can be judged: all of them learned from these texts";
  else
    run.study().finding = finding_of(rows, order.front(), is_turned(metrics[order.front()]), table, tests,
                                     metrics.size() - learned.size(), coefficient);
  join_marks(run.study().tables);
  ScoreTable best_first = table;
  best_first.predicted = in_order(table.predicted, order);
  add_metric_to_metric(run, best_first, coefficient);
  if (request.best_k) add_best_k(run, data, metrics, coefficient);
  if (request.level == "segment") add_quarters(run, best_first, in_order(metrics, order));
  if (auto curve = judgement_curve(best_first, coefficient, request.seed)) {
    run.study().tables.push_back(std::move(*curve));
  } else if (request.level == "segment") {
    run.warn(
        fmt::format("no table of how many judgements it takes: it needs 100 rows with a human score, and "
                    "40 in each group where there are groups; {} has {} rows",
                    request.data, table.rows()));
  }
  run.study().signatures.insert(
      run.study().signatures.begin(),
      fmt::format("own|level:{}|coefficient:{}|test:{}|gold:{}|seed:{}", request.level, request.coefficient,
                  meta::name(test), request.gold.empty() ? "the only one" : request.gold, request.seed));
}

}  // namespace markeval::study
