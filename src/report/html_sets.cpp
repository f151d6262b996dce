// Maps of two sets and lists of what lies outside the other.
#include <fmt/format.h>

#include <algorithm>

#include "report/ceilings.hpp"
#include "report/html_score.hpp"
#include "report/html_table.hpp"
#include "report/html_text.hpp"

namespace markeval::report {
namespace {

constexpr double kLeastShare = 0.2;  ///< of the variance, that a map has to show

std::string paragraph_note(const std::string& text) {
  return fmt::format("<p class=\"note\">{}</p>\n", escape(text));
}

std::string outside_html(const std::string& what, const std::vector<OutsideRow>& rows, std::size_t total,
                         const SetPicture& picture) {
  if (rows.empty()) return "";
  const bool labels =
      std::any_of(rows.begin(), rows.end(), [](const OutsideRow& row) { return !row.label.empty(); });
  const bool texts =
      std::any_of(rows.begin(), rows.end(), [](const OutsideRow& row) { return !row.text.empty(); });
  HtmlTable table{what + " of " + picture.system, {{"row"}}, {}};
  if (labels) table.columns.push_back({"on the map"});
  if (texts) table.columns.push_back({"text"});
  table.columns.push_back({"outside by", true});
  table.columns.push_back({"nearest"});
  if (texts) table.columns.push_back({"its text"});
  for (const OutsideRow& row : rows) {
    auto& cells = table.rows.emplace_back();
    cells.push_back(text_cell(row.place));
    if (labels) cells.push_back(text_cell(row.label));
    if (texts) cells.push_back(prose_cell(row.text));
    cells.push_back(number_cell(row.gap));
    cells.push_back(text_cell(row.nearest));
    if (texts) cells.push_back(prose_cell(row.nearest_text));
  }
  const std::string summary =
      rows.size() == total
          ? fmt::format("{}: all {}", what, with_commas(total))
          : fmt::format("{}: the {} farthest of {}", what, with_commas(rows.size()), with_commas(total));
  return folded(summary, to_html(table));
}

/// "876 of 2,000 (44 %)"
std::string share_text(std::size_t count, std::size_t all) {
  return fmt::format("{} of {} ({:.0f} %)", with_commas(count), with_commas(all),
                     all == 0 ? 0 : 100 * static_cast<double>(count) / static_cast<double>(all));
}

std::string map_html(const SetPicture& picture) {
  const double shown = picture.shares[0] + picture.shares[1];
  if (shown < kLeastShare)
    return fmt::format(
        "<p class=\"note\">No map: the two widest directions of the references hold {:.0f} % of their "
        "variance, so a plane would show little.</p>\n",
        shown * 100);
  SetMap map{picture.system + " over the reference", "", picture.system, picture.points};
  std::string note = fmt::format(
      "The two directions in which the references are widest, {:.0f} % and {:.0f} % of their variance: the "
      "same for all systems.",
      picture.shares[0] * 100, picture.shares[1] * 100);
  if (picture.drawn < picture.reference_rows + picture.system_rows) {
    note += fmt::format(" A sample: {} of {} rows are drawn.", with_commas(picture.drawn),
                        with_commas(picture.reference_rows + picture.system_rows));
  }
  return "<figure>" + draw_map(map).inline_svg() + "</figure>\n" + paragraph_note(note);
}

std::string picture_html(const SetPicture& picture, const std::vector<Ceiling>& ceilings) {
  std::string out = subtitle(picture.system);
  out += paragraph_note(fmt::format(
      "{} ({}). Far from the reference: {} of {} lie inside no ball around a reference. Not covered: {} "
      "references lie inside no ball around {}.{}",
      picture.metric, picture.balls, share_text(picture.off_manifold_total, picture.system_rows),
      picture.system, share_text(picture.missing_modes_total, picture.reference_rows), picture.system,
      outside_beside_people(ceilings, picture.metric, picture.system)));
  out += map_html(picture);
  out += clusters_html(picture.system, picture.clusters);
  out += outside_html("Far from the reference", picture.off_manifold, picture.off_manifold_total, picture);
  return out + outside_html("Not covered", picture.missing_modes, picture.missing_modes_total, picture);
}

}  // namespace

std::string pictures_html(const std::vector<SetPicture>& pictures, const std::vector<Ceiling>& ceilings) {
  std::string out;
  for (const SetPicture& picture : pictures)
    out += fmt::format("<div>{}</div>\n", picture_html(picture, ceilings));
  return out.empty() ? "" : fmt::format("<div class=\"maps\">\n{}</div>\n", out);
}

}  // namespace markeval::report
