// 40 bins per band as one path, or stacked dots for few values, with the median marked.
#include "report/svg_histogram.hpp"

#include <algorithm>
#include <cmath>

#include "report/cells.hpp"
#include "report/html_text.hpp"
#include "report/svg_axes.hpp"

namespace markeval::report {
namespace {

constexpr double kBandHeight = 46;
constexpr double kLabelHeight = 18;
constexpr std::size_t kBins = 40;

std::vector<double> sorted_finite(std::span<const double> values) {
  std::vector<double> kept;
  for (const double value : values) {
    if (std::isfinite(value)) kept.push_back(value);
  }
  std::ranges::sort(kept);
  return kept;
}

double median(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : sorted[half - 1] / 2 + sorted[half] / 2;
}

std::vector<double> shares(const std::vector<double>& sorted, const Axis& axis) {
  std::vector<double> bins(kBins, 0);
  for (const double value : sorted) {
    const double position = axis.share(value) * static_cast<double>(kBins);
    const auto bin = static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(kBins) - 1));
    bins[bin] += 1 / static_cast<double>(sorted.size());
  }
  return bins;
}

/// Dots that would touch are put on top of each other, closer where a stack would leave its band.
void draw_strip(SvgCanvas& canvas, const std::vector<double>& sorted, const Axis& axis, double base) {
  constexpr double kRadius = 3.2;
  std::vector<double> ends;  // of each level: the right end of its last dot
  std::vector<std::size_t> levels;
  for (const double value : sorted) {
    const double x = axis(value);
    std::size_t level = 0;
    while (level < ends.size() && ends[level] > x - kRadius) ++level;
    if (level == ends.size()) ends.push_back(0);
    ends[level] = x + kRadius;
    levels.push_back(level);
  }
  const double most = static_cast<double>(std::max<std::size_t>(ends.size(), 2) - 1);
  const double step = std::min(2 * kRadius, (kBandHeight - 2 * kRadius - 1) / most);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    canvas.circle(axis(sorted[i]), base - kRadius - 1 - step * static_cast<double>(levels[i]), kRadius,
                  {"fill0", 0, 0.75, short_number(sorted[i])});
}

/// One path for all bars of a band: a page with many systems has thousands of them.
void draw_bars(SvgCanvas& canvas, const std::vector<double>& bins, double highest, const Axis& axis,
               double base) {
  const double step = (axis.to - axis.from) / static_cast<double>(kBins);
  std::string bars;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    if (bins[bin] == 0) continue;
    const double top = base - std::max(bins[bin] / highest * (kBandHeight - 6), 0.7);
    const double left = axis.from + step * static_cast<double>(bin) + 0.4, right = left + step - 0.8;
    bars += path_step('M', left, base) + path_step('L', left, top) + path_step('L', right, top) +
            path_step('L', right, base);
  }
  canvas.path(bars, {"fill0 soft"});
}

}  // namespace

SvgCanvas draw_histogram(const Histogram& histogram) {
  std::vector<std::vector<double>> bands;
  double low = INFINITY, high = -INFINITY;
  std::size_t most = 0;
  for (const HistogramBand& band : histogram.bands) {
    const std::vector<double>& values = bands.emplace_back(sorted_finite(band.values));
    most = std::max(most, values.size());
    if (values.empty()) continue;
    low = std::min(low, values.front());
    high = std::max(high, values.back());
  }
  if (histogram.domain) low = histogram.domain->low, high = histogram.domain->high;
  const Axis axis = round_axis(low, high, 6, histogram.width - 6, 5);
  std::vector<std::vector<double>> bins;
  double highest = 0;
  for (const std::vector<double>& band : bands) {
    bins.push_back(shares(band, axis));
    highest = std::max(highest, *std::ranges::max_element(bins.back()));
  }

  const double top = 22;
  const double bottom = top + static_cast<double>(bands.size()) * (kBandHeight + kLabelHeight);
  SvgCanvas canvas(histogram.width, bottom + 20, "Distribution: " + histogram.title);
  draw_title(canvas, histogram.title, "");
  draw_x_axis(canvas, axis, top, bottom);
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const double base = top + static_cast<double>(i + 1) * (kBandHeight + kLabelHeight);
    if (bands[i].empty()) continue;
    if (most <= kStripLimit) {
      draw_strip(canvas, bands[i], axis, base);
    } else {
      draw_bars(canvas, bins[i], highest, axis, base);
    }
    canvas.line(axis.from, base, axis.to, base, {"rule"});
    const double middle = median(bands[i]);
    canvas.line(axis(middle), base - kBandHeight + 2, axis(middle), base,
                {"line1 bar thin", 1.6, 1, "median " + short_number(middle)});
    canvas.text(axis.from, base - kBandHeight - 5,
                fit_text(histogram.bands[i].label, kLabelSize, histogram.width - 12));
  }
  return canvas;
}

}  // namespace markeval::report
