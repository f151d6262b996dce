// The two palettes and the CSS rules made from them.
#include "report/svg_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace markeval::report {
namespace {

struct Palette {
  const char *paper, *ink, *quiet, *rule, *grid;
  std::array<const char*, kSeriesColours> series;
  std::array<const char*, kScaleSteps> scale;
};

constexpr Palette kLight{
    "#ffffff",
    "#1c1d1f",
    "#63666a",
    "#b4b6b8",
    "#e6e7e6",
    {"#1668a3", "#c64f12", "#0a8265", "#9c4f86", "#a37200", "#3f93c4", "#6b5c50", "#3a3d41"},
    {"#eef3f7", "#cfe0ee", "#a2c4df", "#699fca", "#3576ab", "#164d7d"}};
constexpr Palette kDark{
    "#151719",
    "#ececea",
    "#a3a6a9",
    "#54585c",
    "#2b2e31",
    {"#6cb3ea", "#f08f55", "#46c4a2", "#de97c8", "#dfb74a", "#a5d5f2", "#bdae9f", "#cfd2d5"},
    {"#1e2830", "#22405a", "#2a5b84", "#3b7cb3", "#63a3da", "#a0cef5"}};

std::string rules(const Palette& palette) {
  std::string out = fmt::format(
      ".chart .paper{{fill:{0}}}.chart .halo{{stroke:{0}}}.chart .text{{fill:{1}}}.chart "
      ".quiet{{fill:{2}}}.chart .title{{fill:{1}}}"
      ".chart .rule{{stroke:{3}}}.chart .grid{{stroke:{4}}}.chart .back{{fill:{4}}}.chart "
      ".inkline{{stroke:{1}}}\n",
      palette.paper, palette.ink, palette.quiet, palette.rule, palette.grid);
  for (std::size_t i = 0; i < kSeriesColours; ++i) {
    out += fmt::format(".chart .fill{0}{{fill:{1}}}.chart .line{0}{{stroke:{1}}}\n", i, palette.series[i]);
  }
  for (std::size_t i = 0; i < kScaleSteps; ++i) {
    out += fmt::format(".chart .scale{0}{{fill:{1}}}.chart .stroke{0}{{stroke:{1}}}", i, palette.scale[i]);
  }
  return out + "\n";
}

}  // namespace

std::string chart_style() {
  return ".chart{font:11.5px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
         "font-variant-numeric:tabular-nums}"
         ".chart .title{font-weight:600;font-size:12.5px}.chart .small{font-size:10px}"
         ".chart .rule,.chart .grid,.chart .inkline{stroke-width:1;fill:none}.chart .thin{stroke-width:1}"
         ".chart .dashed{stroke-dasharray:3 3}"
         ".chart .curve{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}"
         ".chart .bar{stroke-width:2.5;stroke-linecap:round}.chart .ring{fill:none;stroke-width:1.3}"
         ".chart .soft{fill-opacity:.42}"
         ".chart .halo{paint-order:stroke;stroke-width:3px;stroke-linejoin:round;font-weight:600}\n" +
         rules(kLight) + "@media screen and (prefers-color-scheme:dark){\n" + rules(kDark) + "}\n";
}

std::string series_fill(std::size_t series) {
  return "fill" + std::to_string(series % kSeriesColours);
}

std::string series_line(std::size_t series) {
  return "line" + std::to_string(series % kSeriesColours);
}

std::string scale_fill(double share) {
  const double step = std::clamp(share, 0.0, 1.0) * static_cast<double>(kScaleSteps);
  return "scale" + std::to_string(std::min(static_cast<std::size_t>(step), kScaleSteps - 1));
}

}  // namespace markeval::report
