// The part of a page in which one looks at segments: every text and score in it, sorted, searched, two
// systems side by side. It is a few kilobytes of script; without script the rest of the page has the figures.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_report.hpp"

namespace markeval::report {

/// What the scores of segments are of.
struct SegmentTexts {
  std::vector<std::string> sources;     ///< what the texts were made from; empty where nobody said
  std::vector<std::string> references;  ///< of a segment; several are joined by line ends
  std::vector<std::vector<std::string>> systems;
  std::size_t total = 0;  ///< segments of the run: more than are here where they would make a huge page

  /// Adds a segment, unless the page is full. `source` is null where there is none.
  void add(const std::string* source, std::string reference, std::vector<std::string> texts);

 private:
  std::size_t bytes_ = 0;
};

/// Empty where no metric has scores of segments.
std::string explore_html(const SegmentTexts& texts, const RunReport& run);

std::string_view explore_script();
/// What the page's policy allows: the sha256 of the script in base64.
std::string_view explore_script_hash();

}  // namespace markeval::report
