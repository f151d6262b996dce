// Character properties as PyPI `tokenizers` knows them, as data; token/unicode.hpp makes them fast to ask
// for. scripts/make_unicode_tables.py wrote the data and tells where each comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace markeval::token {

enum Property : std::uint16_t {
  kWhiteSpace = 1U << 0,
  kOther = 1U << 1,
  kPunctuation = 1U << 2,
  kNonspacingMark = 1U << 3,
  kNumeric = 1U << 4,
  kLetter = 1U << 5,
  kNumber = 1U << 6,
  kSpace = 1U << 7,
  kWord = 1U << 8,
  kCombiningMark = 1U << 9,
  kDecomposes = 1U << 10,
  kReorders = 1U << 11,
  kComposes = 1U << 12,
  kPictograph = 1U << 13,
  kConjunctConsonant = 1U << 14,
  kConjunctLinker = 1U << 15,
};

/// Grapheme_Cluster_Break (UAX 29).
enum class Cluster : std::uint8_t {
  kAny,
  kCR,
  kLF,
  kControl,
  kExtend,
  kZWJ,
  kPrepend,
  kSpacingMark,
  kL,
  kV,
  kT,
  kRegionalIndicator,
  kLV,  // Hangul syllables: by arithmetic, not from the tables
  kLVT,
};

/// Ranges of characters, as pairs: how many to leave out since the last range, how many the next one holds.
struct PropertySteps {
  Property property;
  std::span<const std::uint32_t> steps;
};
struct ClusterSteps {
  Cluster cluster;
  std::span<const std::uint32_t> steps;
};
/// first, first + stride, ... (count of them) have their lower case `delta` further on.
struct LowerRun {
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t stride;
  std::int32_t delta;
};

inline constexpr std::size_t kPropertyTables = 13;
inline constexpr std::size_t kClusterTables = 11;
extern const PropertySteps kPropertySteps[kPropertyTables];
extern const ClusterSteps kClusterSteps[kClusterTables];
extern const std::span<const std::uint32_t> kPictographSteps;
extern const std::span<const std::uint32_t> kConjunctConsonantSteps;
extern const std::span<const std::uint32_t> kConjunctLinkerSteps;
extern const std::span<const LowerRun> kLowerRuns;

}  // namespace markeval::token
