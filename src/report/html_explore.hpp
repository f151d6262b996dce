// The part of a page in which one looks at segments: every text and score in it, sorted, searched, two
// systems side by side or all below each other. Its script is page/explore.js; without script the rest of the
// page has the figures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace markeval::report {

/// What the scores of segments are of.
struct SegmentTexts {
  std::vector<std::string> sources;                  ///< what the texts were made from; may be empty
  std::vector<std::vector<std::string>> references;  ///< by segment: one or several
  std::vector<std::vector<std::string>> systems;
  std::size_t total = 0;  ///< segments of the run: more than are here where they would make a huge page

  /// Adds a segment, unless the page is full. `source` is null where there is none.
  void add(const std::string* source, std::vector<std::string> segment_references,
           std::vector<std::string> texts);

 private:
  std::size_t bytes_ = 0;
};

/// Empty where no metric has scores of segments. Opens with the leader of the first metric beside the
/// runner-up, or beside the baseline, a place among the systems.
std::string explore_html(const SegmentTexts& texts, const RunReport& run,
                         std::optional<std::size_t> baseline = {});

}  // namespace markeval::report
