// Set metrics at one size: texts of people against other texts of people, and equally many of each system
// against the same. docs/background/decisions/024-beside-people.md says why it is done so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "request/score_request.hpp"
#include "score/drawn_units.hpp"

namespace markeval::score {

/// Metrics that compare all pairs of rows cost more, so they have smaller sets of words.
bool compares_pairs(const Metric& request);

/// The words, each from the p-value of its own result: they do not depend on what else was asked for. Copied:
/// by system, the share of its texts that stand in the reference, where it is not there yet.
void judge(std::vector<Ceiling>& ceilings, std::span<const double> copied = {});

class BesidePeople {
 public:
  /// `reference` must outlive it; `system_units`: how many texts or rows each system has.
  BesidePeople(const SampleSet& reference, std::vector<Metric> requests, metric::SetSettings settings,
               std::span<const std::size_t> system_units, const ScoreRequest& request,
               geometry::SetEngine& engine, const RunContext& context);

  /// The next system.
  void add(const std::string& name, const SampleSet& system);
  /// One for each metric; where it has no numbers it says why.
  std::vector<Ceiling> finish() const;

 private:
  /// Results of one set by request and draw.
  using Drawn = std::vector<std::vector<Result>>;
  struct DrawnHalves {
    std::vector<std::uint32_t> left, right;  ///< units of the reference, of different lines
    std::vector<std::uint32_t> right_lines;  ///< rising
    std::unique_ptr<DrawnSet> left_set;      ///< kept for all systems
  };

  void draw_halves();
  std::vector<std::uint32_t> units_like(const SampleSet& system, std::size_t draw) const;
  void score(std::size_t draw, const metric::NamedSet& evaluated, Drawn& drawn);
  Drawn empty() const { return Drawn(requests_.size()); }
  /// "this needs 40 texts or more in the reference and in each system, and gen has 30"
  std::string why_too_small() const;

  const SampleSet& reference_;
  std::vector<Metric> requests_;
  metric::SetSettings settings_;
  std::uint64_t seed_;
  geometry::SetEngine& engine_;
  RunContext context_;
  std::vector<std::vector<std::uint32_t>> units_by_line_;
  std::size_t rows_of_text_ = 1;
  std::size_t texts_ = 0;  ///< in each set; 0 where there are too few for a comparison
  std::vector<DrawnHalves> draws_;
  std::vector<bool> failed_;  ///< by request: these few texts are too few for it
  Drawn people_;
  struct DrawnSystem {
    std::string name;
    std::size_t units;
    Drawn drawn;
  };
  std::vector<DrawnSystem> systems_;
};

}  // namespace markeval::score
