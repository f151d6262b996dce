// Where the lines of a reference end in a text that has other lines, or none: minimum word error rate
// segmentation (Matusov et al. 2005, mwerSegmenter). Used by api/align.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/run_context.hpp"

namespace markeval::lexical {

/// Words by number, and the punctuation mark each ends with; 0 is none.
struct MarkedWords {
  std::span<const std::uint32_t> numbers;
  std::span<const char32_t> marks;
};

struct SegmentAlignment {
  std::vector<std::size_t>
      ends;               ///< of each segment in the text, not before the one before; the last: its end
  std::size_t edits = 0;  ///< insertions, deletions and substitutions, over all segments
};

/// Cuts `text` into as many pieces as the reference has segments, so that the sum of the pieces' edit
/// distances is smallest. Of several best cuts it takes one behind the mark that the segment ends with, and
/// among those the latest: words that match nothing go to the segment before. `reference_ends`: of each
/// segment, ascending; the last is the reference's size. Texts have fewer than 2^31 words. Time grows with
/// text times reference, memory with the text.
SegmentAlignment align_segments(const MarkedWords& text, const MarkedWords& reference,
                                std::span<const std::size_t> reference_ends, const RunContext& context);

}  // namespace markeval::lexical
