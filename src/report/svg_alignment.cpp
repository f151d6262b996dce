// Links of both directions are joined; thickness stands for weight and colour for similarity.
#include "report/svg_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "report/cells.hpp"
#include "report/html_text.hpp"
#include "report/svg_style.hpp"

namespace markeval::report {
namespace {

using Row = metric::PairExplanation::Row;

constexpr double kStep = 16;

/// Both directions of a greedy match together.
struct Link {
  double similarity = 0;
  double share = 0;
  bool by_candidate = false, by_reference = false;
};

struct TokenColumn {
  std::vector<std::string> labels;  ///< empty: not shown
  std::vector<double> row_heights;  ///< y of each row
  std::size_t shown = 0;
};

/// A piece of the text.
std::string label_of(const Row& row, std::string_view text) {
  return std::string(text.substr(row.begin, row.end - row.begin));
}

TokenColumn make_side(const std::vector<Row>& rows, std::string_view text, std::size_t limit) {
  TokenColumn side;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // The marks a model puts at both ends of a text cover none of it, and are words of nobody.
    const bool special = rows[i].begin >= rows[i].end || rows[i].end > text.size();
    const bool show = side.shown < limit && !special;
    side.labels.push_back(show ? label_of(rows[i], text) : "");
    side.shown += show ? 1 : 0;
  }
  return side;
}

/// The rows of the shorter side are spread over the height of the longer.
void set_rows(TokenColumn& side, double top, double height) {
  const double step = side.shown == 0 ? 0 : height / static_cast<double>(side.shown);
  double y = top + step / 2;
  for (const std::string& label : side.labels) {
    side.row_heights.push_back(y);
    if (!label.empty()) y += step;
  }
}

using Links = std::map<std::pair<std::size_t, std::size_t>, Link>;

Links joined_links(const metric::PairExplanation& explanation) {
  Links links;
  for (const metric::PairLink& link : explanation.links) {
    if (link.candidate >= explanation.candidate_rows.size() ||
        link.reference >= explanation.reference_rows.size())
      continue;
    Link& joined = links[{link.candidate, link.reference}];
    joined.similarity = link.similarity;
    joined.share = std::max(joined.share, link.share);
    (link.chosen_by_reference ? joined.by_reference : joined.by_candidate) = true;
  }
  return links;
}

double thickness(const Link& link, bool moves_weight, double largest_share) {
  if (moves_weight) return 0.5 + 7 * link.share / largest_share;
  return link.by_candidate && link.by_reference ? 3 : 1.2;
}

}  // namespace

Interval similarity_range(const metric::PairExplanation& explanation) {
  Interval range{INFINITY, -INFINITY};
  for (const metric::PairLink& link : explanation.links) {
    range.low = std::min(range.low, link.similarity);
    range.high = std::max(range.high, link.similarity);
  }
  return range;
}

SvgCanvas draw_alignment(const Alignment& alignment) {
  const metric::PairExplanation& explanation = *alignment.explanation;
  const Links links = joined_links(explanation);
  double largest_share = 0;
  for (const auto& [rows, link] : links) {
    largest_share = std::max(largest_share, link.share);
  }
  TokenColumn candidate =
      make_side(explanation.candidate_rows, explanation.candidate_text, alignment.row_limit);
  TokenColumn reference =
      make_side(explanation.reference_rows, explanation.reference_text, alignment.row_limit);
  const double top = 20;
  const double height =
      kStep * static_cast<double>(std::max({candidate.shown, reference.shown, std::size_t{1}}));
  set_rows(candidate, top, height);
  set_rows(reference, top, height);

  const double left = alignment.width * 0.37, right = alignment.width * 0.63;
  SvgCanvas canvas(alignment.width, top + height + 4,
                   fmt::format("Alignment of segment {} of {} with its reference", explanation.segment,
                               explanation.system));
  canvas.text(left - 6, 12, fit_text(explanation.system, 10, left - 6), "quiet small", Anchor::end);
  canvas.text(right + 6, 12, "reference", "quiet small");
  const double span = alignment.similarity.high - alignment.similarity.low;
  for (const auto& [rows, link] : links) {
    if (candidate.labels[rows.first].empty() || reference.labels[rows.second].empty()) continue;
    const double from = candidate.row_heights[rows.first], to = reference.row_heights[rows.second];
    const double middle = (left + right) / 2;
    const std::string curve = path_step('M', left, from) + path_step('C', middle, from) +
                              path_step(' ', middle, to) + path_step(' ', right, to);
    // The palest step would be lost on the page: links begin at the second.
    const double share = span > 0 ? (link.similarity - alignment.similarity.low) / span : 1;
    const double colour = std::round(1 + std::clamp(share, 0.0, 1.0) * (kScaleSteps - 2.0));
    const std::string style = fmt::format("stroke{} curve", colour);
    std::string tip = fmt::format("{} \u2013 {}: similarity {}", candidate.labels[rows.first],
                                  reference.labels[rows.second], short_number(link.similarity));
    if (explanation.moves_weight) tip += ", share " + short_number(link.share);
    canvas.path(curve, {style, thickness(link, explanation.moves_weight, largest_share), 1, tip});
  }
  const auto draw_labels = [&](const TokenColumn& side, double x, double room, Anchor anchor) {
    for (std::size_t i = 0; i < side.labels.size(); ++i) {
      if (side.labels[i].empty()) continue;
      canvas.text(x, side.row_heights[i] + 4, fit_text(side.labels[i], kLabelSize, room), "text", anchor);
    }
  };
  draw_labels(candidate, left - 6, left - 8, Anchor::end);
  draw_labels(reference, right + 6, alignment.width - right - 8, Anchor::start);
  return canvas;
}

}  // namespace markeval::report
