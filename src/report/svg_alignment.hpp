// Which token met which: the system's tokens on the left, the reference's on the right, in reading order, one
// per line, so that a long sentence grows down the page and not across it. Drawn from offsets into the texts.
#pragma once

#include <cstddef>
#include <string>

#include "metric/pair_run.hpp"
#include "report/svg_canvas.hpp"
#include "report/svg_scale.hpp"

namespace markeval::report {

/// A link is as thick as the weight it moves; where every token chose its best partner, it is thick where
/// both chose each other.
struct Alignment {
  const metric::PairExplanation* explanation = nullptr;
  Interval similarity{0, 1};   ///< faint and strong end of the colours
  std::size_t row_limit = 64;  ///< of each side; what follows is left out and said
  double width = kChartWidth;
};

SvgCanvas draw_alignment(const Alignment& alignment);

/// The smallest and the largest similarity of its links, to be joined with those of pictures beside it.
/// {inf, -inf} where it has none.
Interval similarity_range(const metric::PairExplanation& explanation);

}  // namespace markeval::report
