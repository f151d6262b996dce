#include "api/set_subsampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/aligned_buffer.hpp"
#include "base/error.hpp"
#include "meta/subsampling.hpp"
#include "metric/bootstrap.hpp"

namespace markeval {
namespace {

/// Half of the units of a set (rows, or the rows of a segment), copied.
class Drawer {
 public:
  explicit Drawer(const metric::SampleSet& set)
      : set_(set), units_(set.unit_begins.empty() ? set.points.rows() : set.unit_begins.size()) {
    if (units_ < 2) throw_invalid(fmt::format("{}: an interval needs at least 2 rows", set.name));
  }

  std::size_t units() const { return units_; }
  std::size_t drawn() const { return units_ / 2; }

  metric::SampleSet draw(std::uint64_t seed, std::uint64_t index) {
    const auto chosen = meta::draw_without_replacement(units_, drawn(), seed, index);
    return set_.points.visit([&](const auto& view) {
      using Value = std::remove_const_t<std::remove_reference_t<decltype(view.row(0)[0])>>;
      std::size_t rows = 0;
      for (const std::uint32_t unit : chosen) rows += end(unit) - begin(unit);
      AlignedBuffer<Value> values(rows * view.columns());
      Value* out = values.begin();
      for (const std::uint32_t unit : chosen) {
        for (std::size_t row = begin(unit); row < end(unit); ++row)
          out = std::copy(view.row(row).begin(), view.row(row).end(), out);
      }
      const MatrixView<const Value> drawn_view(values.data(), rows, view.columns());
      values_ = std::move(values);
      return metric::SampleSet{set_.name + " (half of it, for the interval)", drawn_view, {}};
    });
  }

 private:
  std::size_t begin(std::size_t unit) const {
    return set_.unit_begins.empty() ? unit : set_.unit_begins[unit];
  }
  std::size_t end(std::size_t unit) const { return unit + 1 < units_ ? begin(unit + 1) : set_.points.rows(); }

  const metric::SampleSet& set_;
  std::size_t units_;
  std::variant<AlignedBuffer<float>, AlignedBuffer<double>> values_;
};

}  // namespace

void add_subsampling(const metric::SampleSet& reference, const metric::SampleSet& system,
                     std::span<const metric::MetricRequest> requests, metric::SetSettings settings,
                     const SubsamplingSettings& subsampling, compute::Device& device,
                     const RunContext& context, std::span<metric::MetricResult> results) {
  settings.explain = false;
  Drawer references(reference), systems(system);
  const std::size_t rows = references.units() + systems.units();
  const std::size_t drawn = references.drawn() + systems.drawn();
  std::vector<std::vector<std::vector<double>>> scores;  // by metric, result and draw
  for (const metric::MetricResult& result : results) scores.emplace_back(result.scores.size());
  const RunContext silent{context.pool, nullptr, nullptr, context.cancel};
  for (std::size_t index = 0; index < subsampling.draws; ++index) {
    context.check_cancelled();
    const metric::SampleSet drawn_references = references.draw(subsampling.seed, index);
    const metric::SampleSet drawn_system = systems.draw(subsampling.seed, index);
    const metric::SetScores drawn_scores =
        metric::score_sets(drawn_references, drawn_system, requests, settings, device, silent);
    for (std::size_t m = 0; m < results.size(); ++m) {
      for (std::size_t r = 0; r < scores[m].size(); ++r)
        scores[m][r].push_back(drawn_scores.results[m].scores[r].second);
    }
    context.report_progress("subsamples", index + 1, subsampling.draws);
  }
  for (std::size_t m = 0; m < results.size(); ++m) {
    metric::MetricResult& result = results[m];
    for (std::size_t r = 0; r < scores[m].size(); ++r) {
      const meta::Interval interval =
          meta::subsampling_interval(result.scores[r].second, scores[m][r], rows, drawn);
      result.intervals.emplace_back(result.scores[r].first, metric::Interval{interval.low, interval.high});
      if (subsampling.keep) result.resampled.scores.emplace_back(scores[m][r].begin(), scores[m][r].end());
    }
    result.resampled.rows = rows;
    result.resampled.drawn = drawn;
    metric::add_to_signature(result, "subsamples", std::to_string(subsampling.draws));
    metric::add_to_signature(result, "drawn", "half");
    const auto is_seed = [](const auto& part) { return part.first == "seed"; };
    if (std::none_of(result.signature.begin(), result.signature.end(), is_seed))
      metric::add_to_signature(result, "seed", std::to_string(subsampling.seed));
  }
}

}  // namespace markeval
