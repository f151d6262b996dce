// The steps of SplitMix64 and xoshiro256**; bounded numbers without bias, normal ones by the polar method,
// permutations.
#include "base/random.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/elementary.hpp"

namespace markeval {
namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t index) {
  // Two rounds, so that (seed, index + 1) and (seed + 1, index) share nothing.
  std::uint64_t mixed = seed;
  std::uint64_t state = split_mix(mixed) ^ (index * 0xd1342543de82ef95u + 1);
  for (std::uint64_t& word : state_) word = split_mix(state);
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Values below this remainder would favour small results.
  const std::uint64_t reject = (0 - bound) % bound;
  std::uint64_t value = next();
  while (value < reject) value = next();
  return value % bound;
}

double RandomStream::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double RandomStream::normal() {
  while (true) {
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * elementary::log(square) / square);
  }
}

std::vector<std::uint32_t> RandomStream::permutation(std::uint32_t size) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = size; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return order;
}

}  // namespace markeval
