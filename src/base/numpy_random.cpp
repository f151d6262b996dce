// SeedSequence, PCG64 with 128-bit arithmetic in two words, and Lemire's bounded integers, step by step as in
// NumPy.
#include "base/numpy_random.hpp"

#include <array>
#include <bit>

namespace markeval {
namespace {

/// numpy.random.SeedSequence(seed).generate_state(8): eight 32-bit words well mixed from the seed.
std::array<std::uint32_t, 8> seed_words(std::uint64_t seed) {
  constexpr std::size_t kPool = 4;
  std::array<std::uint32_t, kPool> pool{};
  const std::array<std::uint32_t, kPool> entropy = {static_cast<std::uint32_t>(seed),
                                                    static_cast<std::uint32_t>(seed >> 32), 0, 0};
  std::uint32_t hash = 0x43b0d7e5u;
  const auto mixed = [&hash](std::uint32_t value) {
    value ^= hash;
    hash *= 0x931e8875u;
    value *= hash;
    return value ^ (value >> 16);
  };
  for (std::size_t i = 0; i < kPool; ++i) pool[i] = mixed(entropy[i]);
  for (std::size_t from = 0; from < kPool; ++from) {
    for (std::size_t to = 0; to < kPool; ++to) {
      if (from == to) continue;
      const std::uint32_t value = 0xca01f9ddu * pool[to] - 0x4973f715u * mixed(pool[from]);
      pool[to] = value ^ (value >> 16);
    }
  }
  std::array<std::uint32_t, 8> words{};
  hash = 0x8b51f9ddu;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t value = pool[i % kPool] ^ hash;
    hash *= 0x58f38dedu;
    value *= hash;
    words[i] = value ^ (value >> 16);
  }
  return words;
}

}  // namespace

NumpyGenerator::Wide NumpyGenerator::add(Wide a, Wide b) {
  const std::uint64_t low = a.low + b.low;
  return {a.high + b.high + (low < a.low ? 1 : 0), low};
}

NumpyGenerator::Wide NumpyGenerator::multiply(Wide a, Wide b) {
  const std::uint64_t a0 = a.low & 0xFFFFFFFFu, a1 = a.low >> 32, b0 = b.low & 0xFFFFFFFFu, b1 = b.low >> 32;
  const std::uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), cross = a0 * b1 + (middle & 0xFFFFFFFFu);
  const std::uint64_t high = a1 * b1 + (middle >> 32) + (cross >> 32);
  return {high + a.high * b.low + a.low * b.high, a.low * b.low};
}

NumpyGenerator::NumpyGenerator(std::uint64_t seed) {
  const auto words = seed_words(seed);
  const auto wide = [&](std::size_t i) { return words[i] | (std::uint64_t{words[i + 1]} << 32); };
  const Wide start{wide(0), wide(2)}, sequence{wide(4), wide(6)};
  increment_ = {(sequence.high << 1) | (sequence.low >> 63), (sequence.low << 1) | 1};
  step();
  state_ = add(state_, start);
  step();
}

void NumpyGenerator::step() {
  constexpr Wide kMultiplier{0x2360ed051fc65da4ull, 0x4385df649fccf645ull};
  state_ = add(multiply(state_, kMultiplier), increment_);
}

std::uint64_t NumpyGenerator::next_64() {
  step();
  return std::rotr(state_.high ^ state_.low, static_cast<int>(state_.high >> 58));
}

std::uint32_t NumpyGenerator::next_32() {
  if (has_buffered_) {
    has_buffered_ = false;
    return buffered_;
  }
  const std::uint64_t value = next_64();
  has_buffered_ = true;
  buffered_ = static_cast<std::uint32_t>(value >> 32);
  return static_cast<std::uint32_t>(value);
}

void NumpyGenerator::integers_below(std::uint32_t bound, std::span<std::uint32_t> out) {
  if (bound == 1) {  // NumPy draws nothing where there is no choice
    for (auto& value : out) value = 0;
    return;
  }
  const std::uint32_t threshold = (0u - bound) % bound;
  for (auto& value : out) {
    std::uint64_t product = std::uint64_t{next_32()} * bound;
    while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next_32()} * bound;
    value = static_cast<std::uint32_t>(product >> 32);
  }
}

}  // namespace markeval
