// Hirschberg's division: the cut at the middle segment is found with one row of the table, then both halves.
#include "lexical/segment_alignment.hpp"

#include <algorithm>

namespace markeval::lexical {
namespace {

/// Edits in the upper half. In the lower half how the path crossed the middle: whether behind another mark
/// than the line ends with, and how many words were left. Of two cells the smaller one is better.
using Cell = std::uint64_t;
constexpr Cell kEdit = Cell{1} << 32, kOtherMark = Cell{1} << 31;

/// The cut of a text at the ends of segments is that of the best path through the table of edit distances,
/// since a path passes every end once. Hirschberg's way to find it with one row of the table: first where it
/// passes the end of the middle segment, then the two halves.
class Aligner {
 public:
  Aligner(const MarkedWords& text, const MarkedWords& reference, std::span<const std::size_t> reference_ends,
          const RunContext& context)
      : text_(text), reference_(reference), reference_ends_(reference_ends), context_(context) {
    found_.ends.assign(reference_ends.size(), text.numbers.size());
  }

  SegmentAlignment run() {
    if (found_.ends.empty()) {
      found_.edits = text_.numbers.size();
      return std::move(found_);
    }
    split(0, found_.ends.size(), 0, text_.numbers.size(), true);
    return std::move(found_);
  }

 private:
  std::size_t begin_of(std::size_t segment) const { return segment == 0 ? 0 : reference_ends_[segment - 1]; }

  /// Segments [first, last) are in text [begin, end).
  void split(std::size_t first, std::size_t last, std::size_t begin, std::size_t end, bool whole) {
    const std::size_t middle = first + (last - first) / 2;  // segments before it are on the left
    if (last - first < 2 && !whole) return;
    const Cell cell = crossing(first, middle, last, begin, end);
    if (whole) found_.edits = static_cast<std::size_t>(cell / kEdit);
    if (last - first < 2) return;
    const std::size_t cut = end - static_cast<std::size_t>(cell % kOtherMark);
    found_.ends[middle - 1] = cut;
    split(first, middle, begin, cut, false);
    split(middle, last, cut, end, false);
  }

  Cell crossing(std::size_t first, std::size_t middle, std::size_t last, std::size_t begin, std::size_t end) {
    const auto text = text_.numbers.subspan(begin, end - begin);
    const std::size_t middle_row = begin_of(middle), last_row = reference_ends_[last - 1];
    row_.resize(text.size() + 1);
    for (std::size_t i = 0; i <= text.size(); ++i) row_[i] = i * kEdit;
    for (std::size_t word = begin_of(first); word < last_row; ++word) {
      if (word == middle_row) cross(begin, middle_row);
      step(text, reference_.numbers[word]);
    }
    if (middle_row == last_row) cross(begin, middle_row);
    return row_.back();
  }

  /// Paths cross here, or did so to the left and went on with words that match nothing.
  void cross(std::size_t begin, std::size_t reference_row) {
    const char32_t mark = reference_row == 0 ? U'\0' : reference_.marks[reference_row - 1];
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const bool alike = i > 0 && text_.marks[begin + i - 1] == mark;
      row_[i] = row_[i] / kEdit * kEdit + (alike ? 0 : kOtherMark) + (row_.size() - 1 - i);
    }
    for (std::size_t i = 1; i < row_.size(); ++i) row_[i] = std::min(row_[i], row_[i - 1] + kEdit);
  }

  void step(std::span<const std::uint32_t> text, std::uint32_t word) {
    context_.check_cancelled();
    Cell diagonal = row_[0], left = row_[0] += kEdit;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const Cell above = row_[i + 1];
      const Cell kept = diagonal + (text[i] == word ? 0 : kEdit);
      left = std::min(kept, std::min(left, above) + kEdit);
      row_[i + 1] = left;
      diagonal = above;
    }
  }

  MarkedWords text_, reference_;
  std::span<const std::size_t> reference_ends_;
  const RunContext& context_;
  SegmentAlignment found_;
  std::vector<Cell> row_;
};

}  // namespace

SegmentAlignment align_segments(const MarkedWords& text, const MarkedWords& reference,
                                std::span<const std::size_t> reference_ends, const RunContext& context) {
  return Aligner(text, reference, reference_ends, context).run();
}

}  // namespace markeval::lexical
