// Maps of two sets and lists of what lies outside the other.
#include <fmt/format.h>

#include <algorithm>

#include "report/ceilings.hpp"
#include "report/html_score.hpp"
#include "report/html_text.hpp"
#include "report/table_html.hpp"

namespace markeval::report {
namespace {

constexpr double kMapWidth = 360;    ///< as much as a phone shows without small type
constexpr double kLeastShare = 0.2;  ///< least share of the variance for a map

std::string outside_html(const std::string& what, const std::vector<OutsideRow>& rows, std::size_t total,
                         const SetPicture& picture) {
  if (rows.empty()) return "";
  const bool labels = std::ranges::any_of(rows, [](const OutsideRow& row) { return !row.label.empty(); });
  const bool texts =
      std::ranges::any_of(rows, [](const OutsideRow& row) { return !row.origin.text.empty(); });
  Table table{what + " of " + picture.system, {"row"}, {}};
  if (labels) table.columns.emplace_back("on the map");
  if (texts) table.columns.emplace_back("text", CellKind::prose);
  table.columns.emplace_back("outside by", CellKind::number).decimals = 4;
  table.columns.emplace_back("nearest");
  if (texts) table.columns.emplace_back("its text", CellKind::prose);
  for (const OutsideRow& row : rows) {
    auto& cells = table.rows.emplace_back();
    cells.emplace_back(describe(row.origin));
    if (labels) cells.emplace_back(row.label);
    if (texts) cells.emplace_back(row.origin.text);
    cells.emplace_back(row.distance - row.radius);
    cells.emplace_back(describe(row.nearest));
    if (texts) cells.emplace_back(row.nearest.text);
  }
  const std::string summary =
      rows.size() == total
          ? fmt::format("{}: all {}", what, with_commas(total))
          : fmt::format("{}: the {} farthest of {}", what, with_commas(rows.size()), with_commas(total));
  return folded(summary, to_html(table));
}

/// "876 of 2,000 words of gen (44 %)"
std::string share_text(std::size_t count, std::size_t all, const std::string& things) {
  return fmt::format("{} of {} {} ({:.0f} %)", with_commas(count), with_commas(all), things,
                     all == 0 ? 0 : 100 * static_cast<double>(count) / static_cast<double>(all));
}

/// Share of the references' variance in the two directions of a map: the same for all systems.
double shown_share(const SetPicture& picture) {
  return picture.shares[0] + picture.shares[1];
}

std::string map_html(const SetPicture& picture) {
  if (shown_share(picture) < kLeastShare) return "";
  SetMap map{picture.system + " over the reference", picture.system, picture.points};
  map.width = kMapWidth;
  std::string about = fmt::format(
      "The two directions in which the references are widest, {:.0f} % and {:.0f} % of their variance: the "
      "same for all systems.",
      picture.shares[0] * 100, picture.shares[1] * 100);
  if (picture.drawn < picture.reference_rows + picture.system_rows) {
    about += fmt::format(" A sample: {} of {} rows are drawn.", with_commas(picture.drawn),
                         with_commas(picture.reference_rows + picture.system_rows));
  }
  return "<figure>" + draw_map(map).inline_svg() + "</figure>\n" + note(about);
}

std::string picture_html(const SetPicture& picture, const std::vector<Ceiling>& ceilings) {
  std::string out = subtitle(picture.system);
  std::string beside = outside_beside_people(ceilings, picture.metric, picture.system);
  // The two shares may look like opposites.
  if (!beside.empty())
    beside +=
        " The first share is of the whole sets: the more references there are, the less lies far from all of "
        "them.";
  out += note(fmt::format(
      "{} ({}). Far from the reference: {} lie inside no ball around a reference. Not covered: {} lie inside "
      "no ball around {}.{}",
      picture.metric, picture.balls,
      share_text(picture.off_manifold_total, picture.system_rows, picture.rows + " of " + picture.system),
      share_text(picture.missing_modes_total, picture.reference_rows, picture.rows + " of the reference"),
      picture.system, beside));
  out += map_html(picture);
  out += clusters_html(picture.system, picture.clusters);
  out += outside_html("Far from the reference", picture.off_manifold, picture.off_manifold_total, picture);
  return out + outside_html("Not covered", picture.missing_modes, picture.missing_modes_total, picture);
}

}  // namespace

std::string pictures_title(const std::vector<SetPicture>& pictures) {
  return pictures.empty() || shown_share(pictures.front()) >= kLeastShare ? "Maps" : "Texts far apart";
}

std::string pictures_html(const std::vector<SetPicture>& pictures, const std::vector<Ceiling>& ceilings) {
  std::string out;
  for (const SetPicture& picture : pictures)
    out += fmt::format("<div>{}</div>\n", picture_html(picture, ceilings));
  if (out.empty()) return "";
  out = fmt::format("<div class=\"maps\">\n{}</div>\n", out);
  if (const double shown = shown_share(pictures.front()); shown < kLeastShare)
    out +=
        note(fmt::format("No map: the two widest directions of the references hold {:.0f} % of "
                         "their variance, so a plane would "
                         "show little.",
                         shown * 100));
  return out;
}

}  // namespace markeval::report
