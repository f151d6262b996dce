// The search for the K at which agreement with people first drops (--best-k).
#include <fmt/format.h>

#include "meta/coefficient.hpp"
#include "study/agreement.hpp"

namespace markeval::study {
namespace {

using Values = std::vector<std::optional<double>>;

/// A request as part of a table's name, which becomes a file's: "me:samples=word,scope=segment" ->
/// "me-samples=word-scope=segment". Two variants of a metric have two tables.
std::string table_word(std::string request) {
  std::ranges::replace_if(
      request, [](char c) { return c == ':' || c == ',' || c == '/'; }, '-');
  return request;
}

/// The mean over parts, K by K.
Values mean_line(const std::vector<Values>& by_part) {
  Values mean;
  for (std::size_t k = 0; k < by_part.front().size(); ++k) {
    Values of_k;
    for (const Values& part : by_part) of_k.push_back(part[k]);
    mean.push_back(mean_of(of_k));
  }
  return mean;
}

/// The tables of one study: a curve for each metric and part, and one table of choices.
class KTables {
 public:
  KTables(StudyRun& run, std::string table)
      : run_(run),
        table_(std::move(table)),
        chosen_(report::study_table(table_ + "-best-k", "K where the agreement first drops after it",
                                    {"part", "metric", "column", "k", "value"})),
        from_others_(report::study_table(table_ + "-k-of-others",
                                         "Each part with the K that the mean over the other parts chooses",
                                         {"metric"})) {}

  /// `lines`: by result, then by column, then by K.
  void add(const KSearch& search, const std::string& part, const std::vector<std::string>& columns,
           const std::vector<std::vector<Values>>& lines, bool drawn = true) {
    report::Table curve = report::study_table(
        fmt::format("{}-{}-{}-by-k", table_, part, table_word(search.metric.typed)),
        fmt::format("{} by K, {}", search.metric.typed, part), {"k"}, 3, report::Drawing::curve);
    for (std::size_t k = 0; k < search.requests.size(); ++k) curve.rows.push_back({std::uint64_t{k + 1}});
    for (std::size_t result = 0; result < lines.size(); ++result) {
      const std::string& name = search.metric.info->results[result];
      for (std::size_t column = 0; column < columns.size(); ++column) {
        const Values& line = lines[result][column];
        curve.columns.push_back(name + (columns.size() > 1 ? " " + columns[column] : ""));
        for (std::size_t k = 0; k < line.size(); ++k) curve.rows[k].push_back(cell(line[k]));
        const std::size_t best = first_drop(line);
        chosen_.rows.push_back({part, search.metric.typed + "." + name, columns[column],
                                std::uint64_t{best + 1}, cell(line[best])});
      }
    }
    if (drawn) run_.study().tables.push_back(std::move(curve));
  }

  /// A part's own agreement does not choose the K it is reported with. `lines`: by result, then by part, K.
  void add_from_others(const KSearch& search, const std::vector<std::string>& parts,
                       const std::vector<std::vector<Values>>& lines) {
    if (parts.size() < 3) return;
    if (from_others_.rows.empty()) {
      from_others_.columns.insert(from_others_.columns.end(), parts.begin(), parts.end());
      from_others_.columns.insert(from_others_.columns.end(), {"mean", "k of each part"});
    }
    for (std::size_t result = 0; result < lines.size(); ++result) {
      Values values;
      std::string chosen;
      for (std::size_t part = 0; part < parts.size(); ++part) {
        std::vector<Values> others = lines[result];
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(part));
        const std::size_t best = first_drop(mean_line(others));
        values.push_back(lines[result][part][best]);
        chosen += fmt::format("{}{}", part == 0 ? "" : " ", best + 1);
      }
      values.push_back(mean_of(values));
      auto& row = from_others_.rows.emplace_back(
          std::vector<report::Cell>{search.metric.typed + "." + search.metric.info->results[result]});
      for (const auto& value : values) row.push_back(cell(value));
      row.emplace_back(chosen);
    }
  }

  void finish() {
    if (!chosen_.rows.empty()) run_.study().tables.push_back(std::move(chosen_));
    if (!from_others_.rows.empty()) run_.study().tables.push_back(std::move(from_others_));
  }

 private:
  StudyRun& run_;
  std::string table_;
  report::Table chosen_;
  report::Table from_others_;
};

}  // namespace

std::vector<KSearch> k_searches(const StudyRun& run, const std::vector<Metric>& metrics) {
  std::vector<KSearch> found;
  if (!run.request().best_k) return found;
  for (const Metric& metric : metrics) {
    const std::string option = searched_option(metric);
    if (option.empty()) continue;
    KSearch& search = found.emplace_back(KSearch{metric, {}});
    for (std::size_t k = 1; k <= run.request().max_k; ++k)
      search.requests.push_back(with_option(metric, option, k));
  }
  return found;
}

Metric with_option(const Metric& metric, const std::string& option, std::size_t value) {
  const bool named = metric.typed != metric.text;
  const std::string text = named ? metric.typed.substr(metric.text.size() + 1) : metric.typed;
  return fmt::format("{}{}{}={}", text, text.find(':') == std::string::npos ? ":" : ",", option, value);
}

std::string searched_option(const Metric& metric) {
  if (metric.info->kind != metric::Kind::set) return "";
  for (const char* name : {"k", "clusters"}) {
    if (metric.info->has_option(name)) return metric.options.given(name) ? "" : name;
  }
  return "";
}

std::size_t first_drop(const std::vector<std::optional<double>>& line) {
  std::size_t best = 0;
  while (best + 1 < line.size() && line[best + 1] && (!line[best] || *line[best + 1] >= *line[best])) ++best;
  return best;
}

// K grows from 1 until the agreement drops (Mark-Evaluate, section 5). One curve per metric that has a K, of
// the first column (or the mean over the parts), and the K each result would choose.
void add_best_k(StudyRun& run, const JudgedStudy& asked, std::span<const KSearch> searches,
                const Scored& scored) {
  KTables tables(run, asked.table);
  const JudgedStudy study = by_choice(asked);
  const Scored chosen = by_choice(asked, scored);
  std::size_t first = 0;  // column of the search
  for (const KSearch& search : searches) {
    const std::size_t columns = search.requests.size() * search.results();
    // By part, result, column, K.
    std::vector<std::vector<std::vector<Values>>> lines(study.parts.size());
    for (std::size_t part = 0; part < study.parts.size(); ++part) {
      lines[part].assign(search.results(),
                         std::vector<Values>(coefficient_columns(study, study.parts[part]).size()));
      for (std::size_t i = 0; i < columns; ++i) {
        const Values values = agreements(study, study.parts[part], chosen[part][first + i].values);
        for (std::size_t column = 0; column < values.size(); ++column)
          lines[part][i % search.results()][column].push_back(values[column]);
      }
    }
    first += columns;
    if (!study.mean_over_parts) {
      for (std::size_t part = 0; part < study.parts.size(); ++part)
        tables.add(search, study.parts[part].name, coefficient_columns(study, study.parts[part]),
                   lines[part]);
      continue;
    }
    std::vector<std::vector<Values>> means, by_result;
    for (std::size_t result = 0; result < search.results(); ++result) {
      std::vector<Values>& by_part = by_result.emplace_back();
      for (const auto& part : lines) by_part.push_back(part[result].front());
      means.push_back({mean_line(by_part)});
    }
    tables.add(search, "mean", {"mean"}, means);
    tables.add_from_others(search, names_of(study.parts), by_result);
  }
  tables.finish();
}

void add_best_k(StudyRun& run, const std::vector<JudgedSystems>& pairs, std::span<const KSearch> searches,
                const Scored& scored) {
  KTables tables(run, "wmt17-system");
  std::size_t first = 0;  // column of the search
  for (const KSearch& search : searches) {
    const std::size_t columns = search.requests.size() * search.results();
    std::vector<std::vector<Values>> by_result(search.results(),
                                               std::vector<Values>(pairs.size()));  // then K
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      for (std::size_t i = 0; i < columns; ++i)
        by_result[i % search.results()][pair].push_back(
            meta::evaluate(meta::Coefficient::pearson, pairs[pair].human, scored[pair][first + i].values));
    }
    first += columns;
    std::vector<std::vector<Values>> means;
    for (const auto& of_pairs : by_result) means.push_back({mean_line(of_pairs)});
    if (pairs.size() > 1) tables.add(search, "mean", {"pearson"}, means);
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      std::vector<std::vector<Values>> lines;
      for (const auto& of_pairs : by_result) lines.push_back({of_pairs[pair]});
      tables.add(search, pairs[pair].name, {"pearson"}, lines, pairs.size() == 1);
    }
    tables.add_from_others(search, names_of(pairs), by_result);
  }
  tables.finish();
}

}  // namespace markeval::study
