// Samples of language models against texts of people, in the manner of Mark-Evaluate's Table 1: do set
// metrics put the models in the same order at every size, and how far from people are they?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "metric/registry.hpp"
#include "study/agreement.hpp"
#include "study/data_files.hpp"
#include "study/study_run.hpp"

namespace markeval::study {
namespace {

const std::vector<std::size_t> kSampleSizes{400, 1'000, 3'000};
constexpr std::size_t kLargestSample = 10'000;
constexpr const char* kPeople = "(people)";
enum DrawStream : std::uint64_t { kHalves = 7'000'000, kTexts = 8'000'000 };

/// What one draw takes from: references and people's own texts never share a group (an image).
struct DrawnSets {
  std::vector<std::string> references;
  std::vector<std::pair<std::string, std::vector<std::string>>> systems;  ///< people first
};

/// The groups of people's texts in random order: the texts of the first half, and of the second.
std::array<std::vector<std::string>, 2> halves(const GenerationData& data, RandomStream random) {
  std::array<std::vector<std::string>, 2> found;
  const auto groups = static_cast<std::uint32_t>(data.people.size());
  const std::vector<std::uint32_t> order = random.permutation(groups);
  for (std::uint32_t i = 0; i < groups; ++i) {
    auto& half = found[i < groups / 2 ? 0 : 1];
    half.insert(half.end(), data.people[order[i]].begin(), data.people[order[i]].end());
  }
  return found;
}

DrawnSets draw(const GenerationData& data, std::size_t size, std::uint64_t seed, std::size_t repeat) {
  auto [references, people] = halves(data, RandomStream(seed, kHalves + repeat));
  const std::uint64_t stream = kTexts + repeat * 1'000;
  DrawnSets sets;
  sets.references = drawn_texts(references, size, RandomStream(seed, stream));
  sets.systems.emplace_back(kPeople, drawn_texts(people, size, RandomStream(seed, stream + 1)));
  for (std::size_t i = 0; i < data.systems.size(); ++i)
    sets.systems.emplace_back(data.systems[i],
                              drawn_texts(data.samples[i], size, RandomStream(seed, stream + 2 + i)));
  return sets;
}

/// One number of one metric: "me.petersen".
struct ResultColumn {
  Metric metric;
  std::string result;
  bool is_main;
  std::string name() const { return metric.text + (result == metric.info->name ? "" : "." + result); }
};

std::vector<ResultColumn> columns_of(const std::vector<Metric>& metrics) {
  std::vector<ResultColumn> columns;
  for (const Metric& metric : metrics) {
    for (const std::string& result : metric.info->results)
      columns.push_back({metric, result, result == metric.info->main});
  }
  return columns;
}

/// By column, then by system, then by draw.
using DrawnScores = std::vector<std::vector<std::vector<double>>>;

DrawnScores score_size(StudyRun& run, const GenerationData& data, const std::vector<ResultColumn>& columns,
                       const std::vector<Metric>& metrics, std::size_t size, std::size_t done,
                       std::size_t steps) {
  DrawnScores scores(columns.size(), std::vector<std::vector<double>>(data.systems.size() + 1));
  for (std::size_t repeat = 0; repeat < run.request().repeats; ++repeat) {
    run.step(fmt::format("{} texts, draw {}", size, repeat + 1), done + repeat, steps);
    const DrawnSets sets = draw(data, size, run.request().seed, repeat);
    ScoreRequest scoring = run.score_request();
    scoring.references = {{"people", Texts{sets.references}}};
    for (const auto& [name, texts] : sets.systems) scoring.systems.push_back({name, Texts{texts}});
    scoring.metrics = metrics;
    const Report report = run.score(scoring);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      for (std::size_t system = 0; system < sets.systems.size(); ++system)
        scores[column][system].push_back(
            report.score(sets.systems[system].first, columns[column].metric.text, columns[column].result));
    }
  }
  return scores;
}

/// "drnn > ssm ~ 2-gram", without people; "~" where a draw has the two the other way round.
std::string order_of(const ResultColumn& column, const std::vector<std::vector<double>>& by_system,
                     const std::vector<std::string>& systems) {
  std::vector<std::size_t> order(systems.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double sign = sign_of(*column.metric.info);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return sign * mean_of_draws(by_system[a + 1]) > sign * mean_of_draws(by_system[b + 1]);
  });
  const auto better = [&](double a, double b) { return sign * a > sign * b; };
  std::string text = systems[order.front()];
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto &above = by_system[order[i - 1] + 1], &below = by_system[order[i] + 1];
    text += std::equal(above.begin(), above.end(), below.begin(), better) ? " > " : " ~ ";
    text += systems[order[i]];
  }
  return text;
}

class GenerationTables {
 public:
  GenerationTables(const GenerationData& data, std::vector<ResultColumn> columns, std::size_t repeats)
      : data_(data), columns_(std::move(columns)), repeats_(repeats) {
    names_ = {kPeople};
    names_.insert(names_.end(), data.systems.begin(), data.systems.end());
  }

  void add(std::size_t size, const DrawnScores& scores) {
    sizes_.push_back(size);
    report::Table means =
        report::study_table(fmt::format("of-{}", size),
                            fmt::format("{} texts each, mean of {} draws", size, repeats_), {"system"});
    report::Table spreads = report::study_table(
        fmt::format("of-{}-spread", size),
        fmt::format("{} texts each, standard deviation over the draws", size), {"system"}, 4);
    for (std::size_t system = 0; system < names_.size(); ++system) {
      auto& mean_row = means.rows.emplace_back(std::vector<report::Cell>{names_[system]});
      auto& spread_row = spreads.rows.emplace_back(std::vector<report::Cell>{names_[system]});
      for (const auto& column : scores) {
        mean_row.emplace_back(mean_of_draws(column[system]));
        spread_row.push_back(spread_of(column[system]));
      }
    }
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      means.columns.push_back(columns_[column].name());
      spreads.columns.push_back(columns_[column].name());
      orders_[column].push_back(order_of(columns_[column], scores[column], data_.systems));
      auto& row = curves_[column].emplace_back(std::vector<report::Cell>{std::uint64_t{size}});
      for (const auto& system : scores[column]) row.emplace_back(mean_of_draws(system));
    }
    tables_.push_back(std::move(means));
    tables_.push_back(std::move(spreads));
    for (std::size_t column = 0; column < columns_.size() && repeats_ > 1; ++column)
      if (columns_[column].is_main) shares_.push_back(shares(size, columns_[column], scores[column]));
  }

  /// In how many of the draws is a model better than another, by one main result?
  report::Table shares(std::size_t size, const ResultColumn& column,
                       const std::vector<std::vector<double>>& by_system) const {
    report::Table table = report::study_table(
        fmt::format("of-{}-above-{}", size, column.name()),
        fmt::format("{} texts each, {}: share of the draws in which the row's model is above the column's",
                    size, column.name()),
        {"model"});
    table.columns.insert(table.columns.end(), data_.systems.begin(), data_.systems.end());
    const double sign = sign_of(*column.metric.info);
    for (std::size_t above = 1; above < names_.size(); ++above) {
      auto& row = table.rows.emplace_back(std::vector<report::Cell>{names_[above]});
      for (std::size_t below = 1; below < names_.size(); ++below) {
        double better = 0;
        for (std::size_t draw = 0; draw < repeats_; ++draw)
          better += sign * by_system[above][draw] > sign * by_system[below][draw] ? 1 : 0;
        row.push_back(above == below ? report::Cell{} : report::Cell{better / static_cast<double>(repeats_)});
      }
    }
    return table;
  }

  std::vector<report::Table> finish() {
    report::Table order = report::study_table(
        "order", "Models from best to worst, by size; ~ where the draws differ", {"metric", "the same"});
    for (const std::size_t size : sizes_) order.columns.emplace_back(fmt::format("{}", size));
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::vector<std::string>& found = orders_[column];
      const bool same = std::ranges::all_of(found, [&](std::string one) {
        std::string first = found.front();
        std::ranges::replace(first, '~', '>');
        std::ranges::replace(one, '~', '>');
        return one == first;
      });
      auto& row =
          order.rows.emplace_back(std::vector<report::Cell>{columns_[column].name(), same ? "yes" : "no"});
      for (const std::string& one : found) row.emplace_back(one);
    }
    tables_.push_back(std::move(order));
    std::ranges::move(shares_, std::back_inserter(tables_));
    for (std::size_t column = 0; column < columns_.size() && sizes_.size() > 1; ++column) {
      if (!columns_[column].is_main) continue;
      report::Table curve = report::study_table(columns_[column].metric.info->name + "-by-size",
                                                columns_[column].name() + " by the number of texts",
                                                {"texts"}, 3, report::Drawing::curve);
      curve.rows = std::move(curves_[column]);
      curve.columns.insert(curve.columns.end(), names_.begin(), names_.end());
      tables_.push_back(std::move(curve));
    }
    return std::move(tables_);
  }

 private:
  const GenerationData& data_;
  std::vector<ResultColumn> columns_;
  std::size_t repeats_;
  std::vector<std::string> names_;
  std::vector<std::size_t> sizes_;
  std::map<std::size_t, std::vector<std::string>> orders_;                // by column, then by size
  std::map<std::size_t, std::vector<std::vector<report::Cell>>> curves_;  // by column: rows
  std::vector<report::Table> tables_, shares_;
};

/// How many texts every set can have: of people's texts half are the references.
std::size_t available(const GenerationData& data) {
  std::size_t most = data.people_texts() / 2;
  if (data.people.size() != data.people_texts()) {  // groups of several: halves may differ by a few texts
    std::size_t largest = 0;
    for (const auto& group : data.people) largest = std::max(largest, group.size());
    most -= std::min(most, largest);
  }
  for (const auto& samples : data.samples) most = std::min(most, samples.size());
  return most;
}

std::vector<std::size_t> chosen_sizes(const StudyRun& run, std::size_t most) {
  if (run.request().size > most)
    throw_usage(fmt::format("size {}: the data have {} texts for each set", run.request().size, most));
  if (run.request().size > 0) return {run.request().size};
  std::vector<std::size_t> sizes;
  for (const std::size_t size : kSampleSizes) {
    if (size < most) sizes.push_back(size);
  }
  sizes.push_back(std::min(most, kLargestSample));
  return sizes;
}

}  // namespace

void run_language_generation(StudyRun& run) {
  const GenerationData data = read_generation(run.request().data);
  run.add_files(data.files);
  const std::vector<Metric> metrics = set_metrics(run);
  const std::vector<ResultColumn> columns = columns_of(metrics);
  const std::vector<std::size_t> sizes = chosen_sizes(run, available(data));
  const std::size_t repeats = run.request().repeats;
  GenerationTables tables(data, columns, repeats);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    tables.add(sizes[i],
               score_size(run, data, columns, metrics, sizes[i], i * repeats, sizes.size() * repeats));
  report::Study& study = run.study();
  study.about = fmt::format(
      "Samples of language models against {} (in the manner of Mark-Evaluate, Table 1); (people): other "
      "texts "
      "of people, as many",
      data.what);
  study.tables = tables.finish();
}

}  // namespace markeval::study
