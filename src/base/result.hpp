// What a metric says about one system: scores, what stands behind them, and a signature that tells exactly
// what was computed, so that two numbers with the same signature may be compared. Metrics fill it, reports
// write it, and Report::results() hands it to the user: it is the same type all the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace markeval {

/// In the order they are to be shown.
template <typename Value>
using Named = std::vector<std::pair<std::string, Value>>;

/// The index of that name; 0 where none has it.
template <typename Value>
std::size_t index_of(const Named<Value>& values, std::string_view name) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (values[index].first == name) return index;
  }
  return 0;
}

/// A number (possibly infinite, an estimate from nothing recaptured; never NaN), a count, a text or a list.
using Detail = std::variant<double, std::uint64_t, std::string, std::vector<double>>;

struct Interval {
  double low = 0, high = 0;
};

/// What a score is computed from: one row per segment. Counts are whole numbers, which a double holds
/// exactly.
struct SegmentStatistics {
  std::size_t columns = 0;
  std::vector<double> values{};

  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  std::span<const double> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
  std::vector<double> sum() const;
};

/// The score of every resample; the same segments or rows are drawn for every system of a run. Of a set
/// metric: by how much the scores of two halves differ, split by split.
struct ResampledScores {
  std::vector<double> values{};
  bool single = false;  ///< numbers of 24 bits, as sacrebleu's: p-values then need the same arithmetic
};

struct Result {
  std::string system{};
  std::string metric{};     ///< "me"
  std::string requested{};  ///< "me:k=3", as asked for
  Named<double> scores{};
  Named<Detail> details{};
  Named<std::vector<double>> segments{};  ///< by score, where asked for
  Named<Interval> intervals{};            ///< by score, where asked for
  Named<std::string> signature_parts{};   ///< after the metric's name: k -> 1, ball -> closed
  /// Where asked for, of metrics whose score is a function of summed counts: bleu, chrf, ter, nist.
  SegmentStatistics statistics{};
  Named<ResampledScores> resampled{};         ///< by score, where asked for
  std::size_t split_rows = 0, half_rows = 0;  ///< rows of a split set: all, and in a half

  /// "me|k:1|samples:rows|..."
  std::string signature() const;
};

/// Whether a system's texts lie as near to the reference as other texts of people do.
enum class Standing { farther, alike, closer };

/// What a set metric gives texts drawn to one size: means over the draws, and how they spread (standard
/// deviation).
struct DrawnScores {
  std::string system{};  ///< empty: people
  Named<double> scores{};
  Named<double> spreads{};
  std::optional<double> outside{};  ///< the share of its rows in no ball of the reference, where balls count
  Standing standing = Standing::alike;  ///< by the result the metric is known by
  Named<Standing> standings{};          ///< by every result
  Named<double> p_values{};  ///< by every result: how likely so large a difference from people is by chance
  double copied = 0;         ///< the share of all its texts (their words) or rows that stand in the reference
};

/// A set metric at one size: `texts` of people's texts, and as many of each system, held against as many
/// other texts of people. So these numbers may be compared; those of the whole sets have another size.
struct Ceiling {
  std::string metric{};     ///< "me"
  std::string requested{};  ///< "me:k=3", as asked for
  std::string samples{};    ///< what a row of the sets is: rows, sentence, word
  std::uint64_t texts = 0, draws = 0;
  DrawnScores people{};
  std::vector<DrawnScores> systems{};  ///< in the order of the run
  std::string missing{};  ///< why there are no such numbers, and what they need; then nobody has scores
};

/// A metric that was asked for, but not computed; it has no Result.
struct FailedMetric {
  std::string metric{};     ///< "me"
  std::string requested{};  ///< "me:k=3", as asked for
  std::string reason{};
  bool cancelled = false;  ///< the user did not wait for it
};

}  // namespace markeval
