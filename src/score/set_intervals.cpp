// Both sets are split, the halves are scored, and the differences give the interval of each result.
#include "score/set_intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/lookup.hpp"
#include "meta/split_halves.hpp"
#include "metric/bootstrap.hpp"
#include "score/drawn_units.hpp"

namespace markeval::score {
namespace {

constexpr std::uint64_t kSplitDrawStream = std::uint64_t{1} << 46;  ///< splits have the small numbers

meta::Scale scale_of(const Metric& request, const std::string& result) {
  const std::vector<std::string>& amounts = request.info->amounts;
  if (std::ranges::find(amounts, result) != amounts.end()) return meta::Scale::amount;
  return request.info->range == "0 to 1" ? meta::Scale::share : meta::Scale::plain;
}

/// Halves of a set's units (rows, or the rows of a segment), or of `drawn` of them.
class Splitter {
 public:
  Splitter(geometry::SetEngine& engine, const SampleSet& set, std::size_t drawn)
      : engine_(engine), set_(set), units_(drawn == 0 ? set.units() : drawn) {
    if (units_ < 2) throw_invalid(fmt::format("{}: an interval needs at least 2 rows", set.name));
  }

  std::size_t units() const { return units_; }
  std::size_t half_units() const { return units_ / 2; }

  void split(std::uint64_t seed, std::uint64_t index) {
    halves_ = meta::split_in_halves(units_, seed, index);
    if (units_ == set_.units()) return;
    const std::vector<std::uint32_t> units = draw_units(set_.units(), units_, seed, kSplitDrawStream + index);
    for (auto* half : {&halves_.first, &halves_.second}) {
      for (std::uint32_t& unit : *half) unit = units[unit];
    }
  }
  /// Halves of the last split.
  DrawnSet first() const { return half(halves_.first); }
  DrawnSet second() const { return half(halves_.second); }

 private:
  DrawnSet half(std::span<const std::uint32_t> chosen) const {
    return {engine_, set_, chosen, set_.name + " (half of it, for the interval)"};
  }

  geometry::SetEngine& engine_;
  const SampleSet& set_;
  std::size_t units_;
  meta::Halves halves_;
};

}  // namespace

std::string expected_time(std::chrono::duration<double> one, const SplitSettings& split) {
  const std::chrono::duration<double> all = one * static_cast<double>(split.splits * split.runs);
  if (all < std::chrono::seconds(20)) return "";
  return fmt::format("{} splits of {} {}: about {}; {} {} takes a tenth of that", split.splits, split.runs,
                     split.runs == 1 ? "system" : "systems",
                     in_words(std::chrono::ceil<std::chrono::seconds>(all)), split.option,
                     std::max<std::size_t>(2, split.splits / 10));
}

void add_split_intervals(const SplitSets& sets, metric::SetSettings settings, const SplitSettings& split,
                         const RunContext& context, std::span<Result> results) {
  const auto& [engine, reference, system, requests] = sets;
  settings.explain = false;
  Splitter references(engine, reference, split.drawn), systems(engine, system, split.drawn);
  const std::size_t rows = references.units() + systems.units();
  const std::size_t half_rows = references.half_units() + systems.half_units();
  std::vector<std::vector<std::vector<double>>> differences, scaled;  // by metric, result and split
  for (const Result& result : results) {
    differences.emplace_back(result.scores.size());
    scaled.emplace_back(result.scores.size());
  }
  const RunContext silent{context.pool};
  const auto score = [&](const metric::NamedSet& of_references, const metric::NamedSet& of_system) {
    context.check_cancelled();
    return metric::score_sets(sets.engine, of_references, of_system, sets.requests, settings, silent).results;
  };
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t index = 0; index < split.splits; ++index) {
    references.split(split.seed, index);
    systems.split(split.seed, index);
    const auto first = score(references.first(), systems.first());
    const auto second = score(references.second(), systems.second());
    for (std::size_t m = 0; m < results.size(); ++m) {
      for (std::size_t r = 0; r < differences[m].size(); ++r) {
        const auto& [name, of_first] = first[m].scores[r];
        const double of_second = second[m].scores[r].second;
        const meta::Scale scale = scale_of(requests[m], name);
        differences[m][r].push_back(of_first - of_second);
        scaled[m][r].push_back(meta::on_scale(of_first, scale) - meta::on_scale(of_second, scale));
      }
    }
    if (index == 0 && split.runs_before == 0 && context.log != nullptr) {
      const std::string told = expected_time(std::chrono::steady_clock::now() - start, split);
      if (!told.empty()) context.log->info(told);
    }
    context.report_progress("splits", split.runs_before * split.splits + index + 1,
                            split.runs * split.splits);
  }
  for (std::size_t m = 0; m < results.size(); ++m) {
    Result& result = results[m];
    for (std::size_t r = 0; r < differences[m].size(); ++r) {
      const auto& [name, value] = result.scores[r];
      result.intervals.emplace_back(
          name, meta::split_interval(value, scaled[m][r], rows, half_rows, scale_of(requests[m], name)));
      if (split.keep) result.resampled.emplace_back(name, ResampledScores{differences[m][r]});
    }
    result.split_rows = rows;
    result.half_rows = half_rows;
    metric::add_to_signature(result, "splits", std::to_string(split.splits));
    metric::add_to_signature(result, "scale", "root");
    if (find_named(result.signature_parts, "seed") == nullptr)
      metric::add_to_signature(result, "seed", std::to_string(split.seed));
  }
}

}  // namespace markeval::score
