// Results in sacrebleu's forms: single scores, JSON, and tables as plain text or LaTeX with bootstrap means
// and p-values.
#include "cli/sacrebleu_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "api/markeval.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "report/cells.hpp"
#include "report/json_number.hpp"

namespace markeval::cli {
namespace {

using nlohmann::ordered_json;

const Detail* detail(const Result& result, std::string_view name) {
  for (const auto& [key, value] : result.details) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string verbose_bleu(const Result& result) {
  const Detail* precisions = detail(result, "precisions");
  if (precisions == nullptr) return "";
  const auto system = std::get<std::uint64_t>(*detail(result, "system_length"));
  const auto reference = std::get<std::uint64_t>(*detail(result, "reference_length"));
  const double ratio = reference == 0 ? 0 : static_cast<double>(system) / static_cast<double>(reference);
  return fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
                     fmt::join(std::get<std::vector<double>>(*precisions), "/"),
                     std::get<double>(*detail(result, "brevity_penalty")), ratio, system, reference);
}

std::string fixed(double value, const SacrebleuStyle& style) {
  return fmt::format("{:.{}f}", value, style.width);
}

double rounded(double value, const SacrebleuStyle& style) {
  return std::stod(fixed(value, style));
}

/// "38.5", "38.5 (μ = 38.4 ± 0.7)"
std::string score_text(const SacrebleuScore& score, const SacrebleuStyle& style) {
  std::string text = fixed(score.score, style);
  if (score.mean)
    text += fmt::format(" (μ = {} ± {})", fixed(*score.mean, style), fixed(*score.half_width, style));
  return text;
}

std::string one_system(const SacrebleuMetric& metric, const SacrebleuStyle& style) {
  const SacrebleuScore& score = metric.scores.front();
  const std::string text = score_text(score, style);
  if (style.score_only) return text;
  if (!style.json) {
    const std::string line = fmt::format("{}|{} = {}", metric.name, metric.signature, text);
    return metric.verbose.empty() ? line : line + " " + metric.verbose;
  }
  ordered_json json{
      {"name", metric.name}, {"score", rounded(score.score, style)}, {"signature", metric.signature}};
  if (score.mean) {
    json["confidence_mean"] = rounded(*score.mean, style);
    json["confidence_var"] = rounded(*score.half_width, style);
    json["confidence"] =
        fmt::format("μ = {} ± {}", fixed(*score.mean, style), fixed(*score.half_width, style));
  }
  if (!metric.verbose.empty()) json["verbose_score"] = metric.verbose;
  for (std::size_t begin = 0; begin < metric.signature.size();) {
    const std::size_t end = std::min(metric.signature.find('|', begin), metric.signature.size());
    const std::string part = metric.signature.substr(begin, end - begin);
    json[part.substr(0, part.find(':'))] = part.substr(part.find(':') + 1);
    begin = end + 1;
  }
  return json_text(json, 1);
}

std::string all_of_one_system(const std::vector<SacrebleuMetric>& metrics, const SacrebleuStyle& style) {
  std::vector<std::string> results;
  for (const SacrebleuMetric& metric : metrics) results.push_back(one_system(metric, style));
  if (results.size() == 1) return results.front() + "\n";
  if (style.json) return fmt::format("[\n{}\n]\n", fmt::join(results, ",\n"));
  std::size_t widest = 0;  // lines are aligned by their "="
  for (const std::string& line : results) widest = std::max(widest, style.score_only ? 0 : line.find(" = "));
  std::string out;
  for (const std::string& line : results) {
    const std::size_t before = style.score_only ? widest : line.find(" = ");
    out += std::string(widest - before, ' ') + line + "\n";
  }
  return out;
}

std::string table_as_json(const std::vector<std::string>& systems,
                          const std::vector<SacrebleuMetric>& metrics, const SacrebleuStyle& style) {
  ordered_json list = ordered_json::array();
  for (std::size_t s = 0; s < systems.size(); ++s) {
    ordered_json entry{{"system", systems[s]}};
    for (const SacrebleuMetric& metric : metrics) {
      const SacrebleuScore& score = metric.scores[s];
      if (style.paired.empty()) {
        entry[metric.name] = fixed(score.score, style);
      } else {
        entry[metric.name] = {{"score", score.score},
                              {"p_value", report::json_number(score.p_value)},
                              {"mean", report::json_number(score.mean)},
                              {"ci", report::json_number(score.half_width)}};
      }
    }
    list.push_back(std::move(entry));
  }
  return json_text(list, 4, true) + "\n";
}

std::string latex_text(const std::string& text) {
  static constexpr std::pair<char, std::string_view> kRules[] = {{'&', "\\&"},
                                                                 {'%', "\\%"},
                                                                 {'$', "\\$"},
                                                                 {'#', "\\#"},
                                                                 {'_', "\\_"},
                                                                 {'^', "\\^{}"},
                                                                 {'{', "\\{"},
                                                                 {'}', "\\}"},
                                                                 {'~', "\\textasciitilde{}"},
                                                                 {'\\', "\\textbackslash{}"},
                                                                 {'<', "\\ensuremath{<}"},
                                                                 {'>', "\\ensuremath{>}"}};
  std::string out;
  for (const char c : text) {
    const auto* const rule =
        std::find_if(std::begin(kRules), std::end(kRules), [&](const auto& one) { return one.first == c; });
    out += rule == std::end(kRules) ? std::string(1, c) : std::string(rule->second);
  }
  return out;
}

/// A cell has one or two lines; the first column stands right, the others in the middle.
class FancyGrid {
 public:
  using Cell = std::vector<std::string>;

  void add_column(const std::string& title, std::vector<Cell> cells) {
    const std::size_t title_width = report::characters(title) + 2;
    std::size_t width = title_width;
    for (const Cell& cell : cells) {
      for (const std::string& line : cell) width = std::max(width, report::characters(line));
    }
    cells.insert(cells.begin(), {title});
    columns_.push_back({width, title_width, std::move(cells)});
  }

  /// As LaTeX: a cell in one line, flush right or in the middle.
  std::string latex() const {
    std::string out = "\\begin{tabular}{r" + std::string(columns_.size() - 1, 'c') + "}\n\\toprule\n";
    for (std::size_t row = 0; row < columns_.front().cells.size(); ++row) {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const std::string text = fmt::format("{}", fmt::join(columns_[c].cells[row], " "));
        std::size_t width = columns_[c].title_width;
        for (const Cell& cell : columns_[c].cells)
          width = std::max(width, report::characters(fmt::format("{}", fmt::join(cell, " "))));
        const std::size_t blanks = width - report::characters(text), before = c == 0 ? blanks : blanks / 2;
        out += fmt::format("{} {}{}{} ", c == 0 ? "" : "&", std::string(before, ' '), latex_text(text),
                           std::string(blanks - before, ' '));
      }
      out += row == 0 ? "\\\\\n\\midrule\n" : "\\\\\n";
    }
    return out + "\\bottomrule\n\\end{tabular}\n";
  }

  std::string text() const {
    std::string out = rule("╒", "═", "╤", "╕");
    const std::size_t rows = columns_.front().cells.size();
    for (std::size_t row = 0; row < rows; ++row) {
      std::size_t lines = 1;
      for (const GridColumn& column : columns_) lines = std::max(lines, column.cells[row].size());
      for (std::size_t line = 0; line < lines; ++line) out += text_line(row, line);
      out += row == 0         ? rule("╞", "═", "╪", "╡")
             : row + 1 < rows ? rule("├", "─", "┼", "┤")
                              : rule("╘", "═", "╧", "╛");
    }
    return out;
  }

 private:
  struct GridColumn {
    std::size_t width, title_width;
    std::vector<Cell> cells;
  };

  std::string rule(const char* left, const char* line, const char* between, const char* right) const {
    std::string out = left;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) out += between;
      for (std::size_t i = 0; i < columns_[c].width + 2; ++i) out += line;
    }
    return out + right + "\n";
  }
  std::string text_line(std::size_t row, std::size_t line) const {
    std::string out;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Cell& cell = columns_[c].cells[row];
      const std::string text = line < cell.size() ? cell[line] : "";
      const std::size_t blanks = columns_[c].width - report::characters(text),
                        before = c == 0 ? blanks : blanks / 2;
      out += "│ " + std::string(before, ' ') + text + std::string(blanks - before, ' ') + " ";
    }
    return out + "│\n";
  }

  std::vector<GridColumn> columns_;
};

FancyGrid::Cell cell_of(const SacrebleuScore& score, const SacrebleuStyle& style) {
  FancyGrid::Cell cell{fixed(score.score, style)};
  if (score.mean)
    cell[0] += fmt::format(" ({} ± {})", fixed(*score.mean, style), fixed(*score.half_width, style));
  if (score.p_value)
    cell.push_back(fmt::format("(p = {:.4f}){}", *score.p_value, *score.p_value > 0.05 ? "" : "*"));
  return cell;
}

std::string about_the_test(const std::string& baseline, const SacrebleuStyle& style) {
  const bool bootstrap = style.paired == "bs";
  const std::string title = fmt::format("Paired {} test with {} {}",
                                        bootstrap ? "bootstrap resampling" : "approximate randomization",
                                        style.trials, bootstrap ? "resampling trials" : "trials");
  const std::string rule(title.size(), '-');
  return fmt::format(
      "{}\n{}\n{}\n - Each system is pairwise compared to {}.\n   Actual system score {} for each metric.\n\n"
      " - Null hypothesis: the system and the baseline translations are essentially\n"
      "   generated by the same underlying process. For a given system and the baseline,\n"
      "   the p-value is roughly the probability of the absolute score difference (delta)\n"
      "   or higher occurring due to chance, under the assumption that the null hypothesis is correct.\n\n"
      " - Assuming a significance threshold of 0.05, the null hypothesis can be rejected\n"
      "   for p-values < 0.05 (marked with \"*\"). This means that the delta is unlikely to be attributed\n"
      "   to chance, hence the system is significantly \"different\" than the baseline.\n\n"
      " - NOTE: Significance does not tell whether a system is \"better\" than the baseline but rather\n"
      "   emphasizes the \"difference\" of the systems in terms of the replicability of the delta.\n\n",
      rule, title, rule, baseline,
      bootstrap ? "/ bootstrap estimated true mean / 95% CI are provided" : "is provided");
}

/// "nrefs" -> "#", as sacrebleu shortens the parts of a signature.
std::string short_key(const std::string& key, const std::string& metric) {
  if (key == "nrefs") return "#";
  if (key == "case") return "c";
  if (key == "eff") return "e";
  if (key == "smooth" || key == "space") return "s";
  if (key == "tok" && metric == "ter") return "t";
  if (key == "norm") return "nr";
  if (key == "punct") return "pn";
  if (key == "asian") return "as";
  return key;
}

}  // namespace

SacrebleuMetric sacrebleu_metric(const Result& result, const std::string& trials, bool brief) {
  SacrebleuMetric metric;
  const Detail* name = detail(result, "name");
  metric.name = name != nullptr ? std::get<std::string>(*name) : result.metric == "bleu" ? "BLEU" : "TER";
  metric.verbose = verbose_bleu(result);
  static constexpr std::array kOurs{"bs", "seed", "ar", "test", "p", "correction", "alpha", "version"};
  for (const auto& [key, value] : result.signature_parts) {
    if (std::ranges::find(kOurs, key) != kOurs.end()) continue;
    metric.signature += fmt::format("{}{}:{}", metric.signature.empty() ? "" : "|",
                                    brief ? short_key(key, result.metric) : key, value);
    if (key == "nrefs" && !trials.empty()) metric.signature += "|" + trials;
  }
  if (const std::size_t seed = metric.signature.find("|seed:"); brief && seed != std::string::npos)
    metric.signature.replace(seed + 1, 4, "rs");
  metric.signature += fmt::format("|{}:2.6.0+markeval.{}", brief ? "v" : "version", version());
  return metric;
}

std::string sacrebleu_text(const std::vector<std::string>& systems,
                           const std::vector<SacrebleuMetric>& metrics, const SacrebleuStyle& style) {
  if (systems.size() == 1) return all_of_one_system(metrics, style);
  if (style.json) return table_as_json(systems, metrics, style);
  FancyGrid grid;
  std::vector<FancyGrid::Cell> names;
  for (const std::string& system : systems) names.push_back({system});
  grid.add_column("System", names);
  std::string signatures;
  for (const SacrebleuMetric& metric : metrics) {
    std::vector<FancyGrid::Cell> cells;
    for (const SacrebleuScore& score : metric.scores) cells.push_back(cell_of(score, style));
    grid.add_column(metric.name + (style.paired == "bs" ? " (μ ± 95% CI)" : ""), cells);
    signatures += fmt::format(" - {:<10} {}\n", metric.name, metric.signature);
  }
  return (style.latex ? grid.latex() : grid.text()) + "\n" +
         (style.paired.empty() ? "" : about_the_test(systems.front(), style)) +
         "-----------------\nMetric signatures\n-----------------\n" + signatures;
}

}  // namespace markeval::cli
