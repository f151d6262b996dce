// Some units of a set, drawn by chance: halves for intervals, samples of one size, people against people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "request/score_request.hpp"
#include "score/sample_set.hpp"

namespace markeval::score {

/// `count` of the numbers below `all`, rising, drawn from RandomStream(seed, stream).
std::vector<std::uint32_t> draw_units(std::size_t all, std::size_t count, std::uint64_t seed,
                                      std::uint64_t stream);
/// As many as ScoreRequest::sample says. Throws Error(invalid_input) where `name` has fewer.
std::vector<std::uint32_t> draw_sample(std::size_t all, const ScoreRequest& request, const std::string& name);
/// The numbers below `all` that are not in `drawn`, which rises.
std::vector<std::uint32_t> units_without(std::size_t all, std::span<const std::uint32_t> drawn);

/// Some units of a set, as a set of the engine as long as this lives.
class DrawnSet {
 public:
  /// `units` rise; `name` is for messages.
  DrawnSet(geometry::SetEngine& engine, const SampleSet& set, std::span<const std::uint32_t> units,
           std::string name);
  operator metric::NamedSet() const { return {name_, id_}; }  // NOLINT(google-explicit-constructor)

 private:
  std::string name_;
  geometry::HeldSet id_;
};

}  // namespace markeval::score
