// Some units of a set, drawn by chance: halves for intervals, samples of one size, people against people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "api/markeval.hpp"
#include "base/aligned_buffer.hpp"
#include "metric/score_sets.hpp"

namespace markeval {

/// Rows, or where rows belong together (the words of a text) the groups of them.
std::size_t units_of(const metric::SampleSet& set);

/// `count` of the numbers below `all`, rising, drawn from RandomStream(seed, stream).
std::vector<std::uint32_t> draw_places(std::size_t all, std::size_t count, std::uint64_t seed,
                                       std::uint64_t stream);
/// As many as ScoreRequest::sample says. Throws Error(invalid_input) where `name` has fewer.
std::vector<std::uint32_t> draw_sample(std::size_t all, const ScoreRequest& request, const std::string& name);
/// The numbers below `all` that are not in `drawn`, which rises.
std::vector<std::uint32_t> places_without(std::size_t all, std::span<const std::uint32_t> drawn);

/// Copies of the rows of some units.
class DrawnUnits {
 public:
  /// Valid until the next call and as long as this lives; `name` is for messages.
  metric::SampleSet copy(const metric::SampleSet& set, std::span<const std::uint32_t> units,
                         std::string name);

 private:
  std::variant<AlignedBuffer<float>, AlignedBuffer<double>> values_;
};

}  // namespace markeval
