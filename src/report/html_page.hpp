// One self-contained page: no request leaves it (its content security policy forbids them), it is read on a
// phone, on a desk and on paper, in light and dark, with and without JavaScript. The same input gives the
// same bytes.
//
//   html_page(facts, {{"Scores", charts({draw_dot_plot(plot)}) + to_html(table) +
//   signature_line(signature)}})
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/svg_canvas.hpp"

namespace markeval::report {

/// A file that was read.
struct PageInput {
  std::string role;         ///< "reference", "system good", "table"
  std::string file;         ///< as the user named it
  std::uint64_t bytes = 0;  ///< 0: no file
  std::string sha256;       ///< of the file as it lies on the disk; may be empty
  std::vector<std::pair<std::string, std::uint64_t>>
      counts{};  ///< "segments" -> 560, "empty" -> 2; a count that is 0 everywhere is not shown
};

/// What matters most, in a few words, and what goes with it. HTML: names in it were made by name_html().
struct Headline {
  std::string text{};    ///< "uedin scores highest on 3 of 4 metrics"
  std::string detail{};  ///< "Not tested: ..."; may be empty
};

struct PageFacts {
  std::string title;                   ///< "good and poor against reference"
  std::string summary{};               ///< a line under it
  std::vector<std::string> command{};  ///< the words that remake the page
  std::vector<PageInput> inputs{};
  std::vector<std::string> errors{};  ///< metrics that could not be computed, and why
  std::vector<std::string> warnings{};
  Headline headline{};  ///< what was found; without one the title stands there
};

struct PageSection {
  std::string title;  ///< short: it stands in the menu too
  std::string html;   ///< made by the functions of this folder
};

/// Whole HTML file; sections without html are left out. Inputs and the command come last.
std::string html_page(const PageFacts& facts, const std::vector<PageSection>& sections);

/// A name that is broken at the end of a line only where it does not fit into one.
std::string name_html(std::string_view name);
/// A paragraph of our own words or of a user's: escaped.
std::string paragraph(std::string_view text);
/// The same in small type: what one needs to read a table or a chart.
std::string note(std::string_view text);
std::string subtitle(std::string_view text);
/// "signature: ..." in small type, near the numbers it belongs to.
std::string signature_line(std::string_view signature);
/// What only some want to see: closed on the screen, open on paper.
std::string folded(std::string_view summary, std::string_view html);

/// Charts side by side where there is room, one below the other on a phone.
std::string charts(const std::vector<SvgCanvas>& canvases);

/// A chart and the table of its numbers, side by side where there is room.
std::string beside(std::string_view chart, std::string_view table);

/// A table, and cards or charts to its right where there is room.
std::string split(std::string_view table, std::string_view cards);

/// Words as a shell reads them: it's -> 'it'\''s'
std::string shell_words(const std::vector<std::string>& words);

}  // namespace markeval::report
