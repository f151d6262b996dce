#include <fmt/format.h>

#include <algorithm>

#include "study/agreement.hpp"

namespace markeval::study {
namespace {

/// "me:samples=word", 3 -> "me:samples=word,k=3"
std::string with_k(const std::string& metric, std::size_t k) {
  return fmt::format("{}{}k={}", metric, metric.find(':') == std::string::npos ? ":" : ",", k);
}

/// A request as part of a table's name, which becomes a file's: "me:samples=word,scope=segment" ->
/// "me-samples=word-scope=segment". Two variants of a metric have two tables.
std::string table_word(std::string request) {
  std::replace_if(
      request.begin(), request.end(), [](char c) { return c == ':' || c == ',' || c == '/'; }, '-');
  return request;
}

}  // namespace

// K grows from 1 until the agreement drops (Mark-Evaluate, section 5). One curve per metric that has a K, of
// the first column (or the mean over the parts), and the K each result would choose.
void add_best_k(StudyRun& run, const JudgedStudy& study, const std::vector<std::string>& metrics) {
  report::StudyTable chosen{study.table + "-best-k",
                            "K where the agreement first drops after it",
                            false,
                            3,
                            {"part", "metric", "column", "k", "value"},
                            {}};
  for (const std::string& text : metrics) {
    const metric::MetricRequest metric = metric::parse_metric_request(text);
    const auto& options = metric.info->options;
    if (metric.info->kind != metric::Kind::set || metric.options.given("k") ||
        std::none_of(options.begin(), options.end(), [](const auto& option) { return option.name == "k"; })) {
      continue;
    }
    std::vector<std::string> all;
    for (std::size_t k = 1; k <= run.request().max_k; ++k) all.push_back(with_k(text, k));
    const std::vector<std::string> model{run.request().encoder.model};
    const Scored scored = score_parts(run, study, all, model, fmt::format("best K of {}: ", text));
    const std::size_t results = metric.info->results.size();
    const std::size_t tables = study.mean_over_parts ? 1 : study.parts.size();
    for (std::size_t number = 0; number < tables; ++number) {
      const std::string part = study.mean_over_parts ? "mean" : study.parts[number].name;
      const std::vector<std::string> kinds = study.mean_over_parts
                                                 ? std::vector<std::string>{"mean"}
                                                 : coefficient_columns(study, study.parts[number]);
      report::StudyTable curve{fmt::format("{}-{}-{}-by-k", study.table, part, table_word(text)),
                               fmt::format("{} by K, {}", text, part),
                               true,
                               3,
                               {"k"},
                               {}};
      std::vector<std::vector<std::optional<double>>> lines(results * kinds.size());
      for (std::size_t k = 0; k < all.size(); ++k) {
        for (std::size_t result = 0; result < results; ++result) {
          std::vector<std::optional<double>> values;
          if (study.mean_over_parts) {
            std::vector<std::optional<double>> by_part;
            for (std::size_t p = 0; p < study.parts.size(); ++p) {
              by_part.push_back(
                  agreements(study, study.parts[p], scored[p][k * results + result].values).front());
            }
            values = {mean_of(by_part)};
          } else {
            values = agreements(study, study.parts[number], scored[number][k * results + result].values);
          }
          for (std::size_t kind = 0; kind < kinds.size(); ++kind)
            lines[result * kinds.size() + kind].push_back(values[kind]);
        }
      }
      for (std::size_t result = 0; result < results; ++result) {
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
          curve.columns.push_back(metric.info->results[result] + (kinds.size() > 1 ? " " + kinds[kind] : ""));
          const auto& line = lines[result * kinds.size() + kind];
          std::size_t best = 0;
          while (best + 1 < line.size() && line[best + 1] && (!line[best] || *line[best + 1] >= *line[best]))
            ++best;
          chosen.rows.push_back({part, text + "." + metric.info->results[result], kinds[kind],
                                 std::uint64_t{best + 1}, cell(line[best])});
        }
      }
      for (std::size_t k = 0; k < all.size(); ++k) {
        auto& row = curve.rows.emplace_back(std::vector<report::Cell>{std::uint64_t{k + 1}});
        for (const auto& line : lines) row.push_back(cell(line[k]));
      }
      run.study().tables.push_back(std::move(curve));
    }
  }
  if (!chosen.rows.empty()) run.study().tables.push_back(std::move(chosen));
}

}  // namespace markeval::study
