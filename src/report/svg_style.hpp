// The colours of all charts, light and dark: told apart by people who see few colours (after Okabe and Ito),
// never by colour alone. Plain rules without variables, so that programs that turn SVG into PDF understand
// them.
#pragma once

#include <cstddef>
#include <string>

namespace markeval::report {

/// Classes: text, quiet (text); rule, grid (lines); fill0..fill7, line0..line7 (series); scale0..scale5 and
/// stroke0..stroke5 (from little to much); ring (outlined), curve, bar, dashed, soft, title, small; paper.
std::string chart_style();

inline constexpr std::size_t kSeriesColours = 8;
inline constexpr std::size_t kScaleSteps = 6;

/// "fill3", "line3": starts again after the last colour.
std::string series_fill(std::size_t series);
std::string series_line(std::size_t series);
/// "scale4": `share` from 0 to 1.
std::string scale_fill(double share);

}  // namespace markeval::report
