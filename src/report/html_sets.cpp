// Maps of two sets and lists of what lies outside the other.
#include <fmt/format.h>

#include <algorithm>

#include "report/html_score.hpp"
#include "report/html_table.hpp"
#include "report/html_text.hpp"

namespace markeval::report {
namespace {

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

std::string picture_html(const SetPicture& picture) {
  std::string out = subtitle(picture.metric + ", " + picture.system);
  out += fmt::format(
      "<p class=\"note\">{} ({}): {} of {} generated rows lie off the manifold, inside no ball of the "
      "reference; {} of {} "
      "reference rows are missing modes, inside no ball of {}.</p>\n",
      escape(picture.metric), escape(picture.balls), with_commas(picture.off_manifold_total),
      with_commas(picture.system_rows), with_commas(picture.missing_modes_total),
      with_commas(picture.reference_rows), escape(picture.system));
  SetMap map{picture.system + " over the reference", "", picture.system, picture.points};
  out += "<figure>" + draw_map(map).inline_svg() + "</figure>\n";
  std::string note = fmt::format(
      "The two directions in which the references are widest, {:.0f} % and {:.0f} % of their variance: the "
      "same for all systems.",
      picture.shares[0] * 100, picture.shares[1] * 100);
  if (picture.drawn < picture.reference_rows + picture.system_rows) {
    note += fmt::format(" A sample: {} of {} rows are drawn.", with_commas(picture.drawn),
                        with_commas(picture.reference_rows + picture.system_rows));
  }
  out += fmt::format("<p class=\"note\">{}</p>\n", escape(note));
  out += clusters_html(picture.system, picture.clusters);
  out += outside_html("Off the manifold", picture.off_manifold, picture.off_manifold_total, picture);
  return out + outside_html("Missing modes", picture.missing_modes, picture.missing_modes_total, picture);
}

}  // namespace

std::string pictures_html(const std::vector<SetPicture>& pictures) {
  bool texts = false;  // lists of texts need the width of the page
  std::string out;
  for (const SetPicture& picture : pictures) {
    for (const auto* rows : {&picture.off_manifold, &picture.missing_modes}) {
      texts = texts || std::any_of(rows->begin(), rows->end(),
                                   [](const OutsideRow& row) { return !row.text.empty(); });
    }
    out += fmt::format("<div>{}</div>\n", picture_html(picture));
  }
  return out.empty() ? "" : fmt::format("<div class=\"maps{}\">\n{}</div>\n", texts ? " one" : "", out);
}

}  // namespace markeval::report
