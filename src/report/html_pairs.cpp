// Best and worst segments of pair metrics: the two texts with what found no partner shaded, and the picture
// of who met whom.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "report/cells.hpp"
#include "report/html_page.hpp"
#include "report/html_score.hpp"
#include "report/html_text.hpp"
#include "report/score_tables.hpp"
#include "report/svg_alignment.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kTallPicture = 24;  ///< rows; a taller picture is folded

using metric::PairExplanation;

/// The best similarity of each byte of a text with anything of the other; NaN where no link touches it, and
/// between words: a window of two words holds a blank that neither of them is.
std::vector<double> best_by_byte(const PairExplanation& explanation, bool of_reference) {
  const auto& rows = of_reference ? explanation.reference_rows : explanation.candidate_rows;
  const std::string& text = of_reference ? explanation.reference_text : explanation.candidate_text;
  std::vector<double> best(text.size(), NAN);
  for (const metric::PairLink& link : explanation.links) {
    const std::size_t index = of_reference ? link.reference : link.candidate;
    if (index >= rows.size()) continue;
    for (std::size_t i = rows[index].begin; i < std::min(rows[index].end, text.size()); ++i) {
      best[i] = std::isnan(best[i]) ? link.similarity : std::max(best[i], link.similarity);
    }
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') best[i] = NAN;
  }
  return best;
}

/// 0: as alike as the best; 4: as unlike as the worst of the pictures around.
int shade(double similarity, const Interval& range) {
  if (std::isnan(similarity) || range.high <= range.low) return 0;
  const double distance = (range.high - similarity) / (range.high - range.low);
  return std::clamp(static_cast<int>(distance * 5), 0, 4);
}

std::string shaded(const PairExplanation& explanation, bool of_reference, const Interval& range) {
  const std::string& text = of_reference ? explanation.reference_text : explanation.candidate_text;
  if (text.empty()) return "<small>(empty)</small>";
  const std::vector<double> best = best_by_byte(explanation, of_reference);
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    const int tone = shade(best[begin], range);
    while (end < text.size() && shade(best[end], range) == tone) ++end;
    const std::string piece = escape(std::string_view(text).substr(begin, end - begin));
    out += tone == 0 ? piece : fmt::format("<span class=\"m{}\">{}</span>", tone, piece);
    begin = end;
  }
  return out;
}

/// A text under the name of who wrote it. The text alone decides its direction: a Latin name says nothing of
/// it.
std::string text_html(std::string_view name, const std::string& text) {
  return fmt::format("<p><small>{}</small><span class=\"t\" dir=\"auto\">{}</span></p>\n", escape(name),
                     text);
}

std::string pair_html(const PairExplanation& explanation, const std::string& result, const Interval& range) {
  std::string score;
  for (const auto& [name, value] : explanation.scores) {
    if (name == result) score = short_number(value);
  }
  const Alignment alignment{&explanation, range};
  std::string out = fmt::format("<div class=\"pair\"><h4><span>segment {}</span><span>{} {}</span></h4>\n",
                                explanation.segment, escape(result), score);
  out += text_html(explanation.system, shaded(explanation, false, range));
  const std::string which =
      explanation.reference > 1 ? fmt::format("reference {}", explanation.reference) : "reference";
  out += text_html(which, shaded(explanation, true, range));
  const std::size_t rows = std::max(explanation.candidate_rows.size(), explanation.reference_rows.size());
  if (!explanation.links.empty()) {
    const std::string picture = draw_alignment(alignment).inline_svg();
    out += rows > kTallPicture ? folded("matched words", picture) : picture;
  }
  if (rows > alignment.row_limit) {
    out += fmt::format("<p class=\"note\">The picture shows the first {} of {} rows.</p>\n",
                       alignment.row_limit, rows);
  }
  return out + "</div>\n";
}

/// As in the tables: the metrics as asked for, and of each the best system first.
std::vector<PairExamples> in_order_of_tables(const ScorePage& page) {
  std::vector<std::pair<std::string, std::string>> order;  // metric, system
  for (const MetricResults& results : by_request(page.run.results)) {
    for (const Result* result : best_system_first(results))
      order.emplace_back(result->requested, result->system);
  }
  std::vector<PairExamples> examples = page.examples;
  std::ranges::stable_sort(examples, {}, [&](const PairExamples& one) {
    return std::ranges::find(order, std::pair(one.metric, one.system)) - order.begin();
  });
  return examples;
}

}  // namespace

std::string examples_html(const ScorePage& page) {
  const std::vector<PairExamples> examples = in_order_of_tables(page);
  if (examples.empty()) return "";
  std::string out =
      "<p class=\"note\">A shaded word has no close match in the other text. Lines join matched words, in a "
      "stronger colour where they are more alike; a line is thick where each word is the other's best match, "
      "or "
      "as thick as the weight it moves (moverscore). Each text is compared with its closest reference.</p>\n";
  for (const PairExamples& example : examples) {
    Interval range{INFINITY, -INFINITY};
    for (const auto* list : {&example.best, &example.worst}) {
      for (const PairExplanation& explanation : *list) {
        const Interval seen = similarity_range(explanation);
        range = {std::min(range.low, seen.low), std::max(range.high, seen.high)};
      }
    }
    std::string part;
    if (range.low <= range.high) {
      part += fmt::format("<p class=\"note\">Similarities from {:.2f} (faint) to {:.2f} (strong).</p>\n",
                          range.low, range.high);
    }
    const auto list = [&](const char* title, const std::vector<PairExplanation>& explanations) {
      if (explanations.empty()) return;
      part += fmt::format("<h4>{}</h4>\n<div class=\"pairs\">\n", title);
      for (const PairExplanation& explanation : explanations)
        part += pair_html(explanation, example.result, range);
      part += "</div>\n";
    };
    list("Worst", example.worst);
    list("Best", example.best);
    const std::string title = example.metric + ", " + example.system;
    out += &example == &examples.front() ? subtitle(title) + part : folded(title, part);
  }
  return out;
}

}  // namespace markeval::report
