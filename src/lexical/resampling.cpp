// Sums of drawn rows in float or double, NumPy's pairwise mean, the bootstrap, and paired randomisation with
// coin flips in blocks.
#include "lexical/resampling.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <type_traits>

#include "base/numpy_random.hpp"
#include "base/sorting.hpp"

namespace markeval::lexical {
namespace {

/// Rows as float or double, padded with zeros to whole blocks of four columns.
template <typename Float>
struct PaddedRows {
  std::size_t stride = 0;
  std::vector<Float> values;

  explicit PaddedRows(const SegmentStatistics& statistics)
      : stride((statistics.columns + 3) / 4 * 4), values(statistics.rows() * stride, Float{0}) {
    for (std::size_t i = 0; i < statistics.rows(); ++i) {
      const auto row = statistics.row(i);
      for (std::size_t c = 0; c < row.size(); ++c) values[i * stride + c] = static_cast<Float>(row[c]);
    }
  }
};

/// Column sums of the chosen rows, added in order: what NumPy's sum(0) of a float32 array does.
template <std::size_t width, typename Float>
void sum_rows(const Float* rows, std::size_t stride, std::span<const std::uint32_t> chosen, Float* out) {
  std::array<Float, width> sums{};
  for (const std::uint32_t row : chosen) {
    const Float* values = rows + std::size_t{row} * stride;
    for (std::size_t c = 0; c < width; ++c) sums[c] += values[c];
  }
  std::copy(sums.begin(), sums.end(), out);
}

template <typename Float>
void sum_chosen(const PaddedRows<Float>& rows, std::span<const std::uint32_t> chosen, Float* out) {
  std::size_t done = 0;
  while (done < rows.stride) {
    const std::size_t left = rows.stride - done;
    const Float* from = rows.values.data() + done;
    if (left >= 12) {
      sum_rows<12>(from, rows.stride, chosen, out + done);
      done += 12;
    } else if (left >= 8) {
      sum_rows<8>(from, rows.stride, chosen, out + done);
      done += 8;
    } else {
      sum_rows<4>(from, rows.stride, chosen, out + done);
      done += 4;
    }
  }
}

/// NumPy's sum of a contiguous array: pairwise, eight accumulators below 128 numbers.
template <typename Float>
Float pairwise_sum(const Float* values, std::size_t count) {
  if (count < 8) {
    Float sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += values[i];
    return sum;
  }
  if (count <= 128) {
    Float r[8];
    for (std::size_t k = 0; k < 8; ++k) r[k] = values[k];
    std::size_t i = 8;
    for (; i < count - count % 8; i += 8) {
      for (std::size_t k = 0; k < 8; ++k) r[k] += values[i + k];
    }
    Float sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < count; ++i) sum += values[i];
    return sum;
  }
  std::size_t half = count / 2;
  half -= half % 8;
  return pairwise_sum(values, half) + pairwise_sum(values + half, count - half);
}

PythonNumber mean(const ResampledScores& scores) {
  const auto count = static_cast<double>(scores.values.size());
  if (!scores.single) return pairwise_sum(scores.values.data(), scores.values.size()) / count;
  std::vector<float> values;
  for (const double score : scores.values) values.push_back(static_cast<float>(score));
  return PythonNumber(pairwise_sum(values.data(), values.size()), true) / PythonNumber(count);
}

double score_of_sum(const SegmentStatistics& statistics, ScoreFunction score) {
  const auto sum = statistics.sum();
  return score(std::vector<PythonNumber>(sum.begin(), sum.end())).value;
}

double p_value(std::size_t hits, std::size_t trials) {
  return static_cast<double>(hits + 1) / static_cast<double>(trials + 1);
}

void check(std::span<const SegmentStatistics> systems, std::size_t repetitions) {
  if (systems.empty() || systems.front().rows() == 0) throw_invalid("no segment to resample");
  if (repetitions == 0) throw_usage("0 resamples, expected 1 or more");
  for (const auto& system : systems) {
    if (system.columns != systems.front().columns || system.rows() != systems.front().rows()) {
      throw_invalid("systems with different numbers of segments cannot be compared");
    }
  }
}

template <typename Float>
std::vector<ResampledScores> resample(std::span<const SegmentStatistics> systems, std::size_t samples,
                                      std::uint64_t seed, ScoreFunction score, const RunContext& context) {
  check(systems, samples);
  const std::size_t segments = systems.front().rows(), columns = systems.front().columns;
  std::vector<PaddedRows<Float>> rows;
  for (const auto& system : systems) rows.emplace_back(system);
  // numpy.array(scores): float32 only where all of them are.
  std::vector<ResampledScores> scores(systems.size(), {std::vector<double>(samples), true});
  NumpyGenerator generator(seed);
  constexpr std::size_t kSamplesAtOnce = 32;
  std::vector<std::uint32_t> chosen(std::min(kSamplesAtOnce, samples) * segments);
  std::vector<char> single(kSamplesAtOnce * systems.size());
  for (std::size_t done = 0; done < samples; done += kSamplesAtOnce) {
    const std::size_t now = std::min(kSamplesAtOnce, samples - done);
    generator.integers_below(static_cast<std::uint32_t>(segments), std::span(chosen).first(now * segments));
    context.pool.for_each(now * systems.size(), [&](std::size_t item, std::size_t) {
      context.check_cancelled();
      const std::size_t system = item / now, sample = item % now;
      std::vector<Float> sums(rows[system].stride);
      sum_chosen(rows[system], std::span(chosen).subspan(sample * segments, segments), sums.data());
      std::vector<PythonNumber> numbers(columns);
      for (std::size_t c = 0; c < columns; ++c)
        numbers[c] = PythonNumber(sums[c], std::is_same_v<Float, float>);
      const PythonNumber found = score(numbers);
      scores[system].values[done + sample] = found.value;
      single[item] = found.single ? 1 : 0;
    });
    for (std::size_t item = 0; item < now * systems.size(); ++item)
      scores[item / now].single = scores[item / now].single && single[item] != 0;
    context.report_progress("bootstrap", done + now, samples);
  }
  return scores;
}

/// Which segments change sides in a trial, many trials at a time: NumPy's integers(2, dtype=bool).
class CoinFlips {
 public:
  static constexpr std::size_t kTrialsAtOnce = 1024;
  CoinFlips(std::size_t segments, NumpyGenerator& generator)
      : segments_(segments),
        groups_((segments + 7) / 8),
        picks_(groups_ * kTrialsAtOnce),
        booleans_(generator) {}

  void draw(std::size_t trials, const RunContext& context) {
    for (std::size_t t = 0; t < trials; ++t) {
      context.check_cancelled();
      for (std::size_t g = 0; g < groups_; ++g) {
        unsigned pick = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(8, segments_ - 8 * g); ++i) {
          pick |= static_cast<unsigned>(booleans_.next()) << i;
        }
        picks_[g * kTrialsAtOnce + t] = static_cast<std::uint8_t>(pick);
      }
    }
  }

  /// [trial * columns + column]: the picked rows summed. Eight segments have 256 possible sums; they are made
  /// once and looked up for every trial.
  std::vector<double> sum_picked(const SegmentStatistics& rows, std::size_t trials,
                                 const RunContext& context) const {
    const std::size_t columns = rows.columns;
    std::vector<double> result(trials * columns, 0.0), sums(256 * columns, 0.0);
    for (std::size_t g = 0; g < groups_; ++g) {
      context.check_cancelled();
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t bit = std::size_t{1} << i, row = 8 * g + i;
        for (std::size_t pick = bit; pick < 2 * bit; ++pick) {
          for (std::size_t c = 0; c < columns; ++c) {
            const double value = row < segments_ ? rows.row(row)[c] : 0.0;
            sums[pick * columns + c] = sums[(pick - bit) * columns + c] + value;
          }
        }
      }
      const std::uint8_t* pick = picks_.data() + g * kTrialsAtOnce;
      for (std::size_t t = 0; t < trials; ++t) {
        const double* from = sums.data() + pick[t] * columns;
        double* to = result.data() + t * columns;
        for (std::size_t c = 0; c < columns; ++c) to[c] += from[c];
      }
    }
    return result;
  }

 private:
  std::size_t segments_, groups_;
  std::vector<std::uint8_t> picks_;  // eight segments of one trial: a bit each
  NumpyGenerator::Booleans booleans_;
};

}  // namespace

std::vector<ResampledScores> bootstrap_scores(std::span<const SegmentStatistics> systems, std::size_t samples,
                                              std::uint64_t seed, ScoreFunction score,
                                              const RunContext& context, Arithmetic arithmetic) {
  return arithmetic == Arithmetic::single ? resample<float>(systems, samples, seed, score, context)
                                          : resample<double>(systems, samples, seed, score, context);
}

BootstrapSummary summary_of(const ResampledScores& scores, const RunContext& context) {
  ResampledScores sorted = scores;
  sort_in_steps(sorted.values, [&] { context.check_cancelled(); });
  const std::size_t outside = sorted.values.size() / 40;
  const Interval interval{sorted.values[outside], sorted.values[sorted.values.size() - outside - 1]};
  const PythonNumber width(interval.high - interval.low, scores.single);
  return {mean(sorted).value, (PythonNumber(0.5) * width).value, interval};
}

double paired_bootstrap_p_value(double first, double second, const ResampledScores& first_scores,
                                const ResampledScores& second_scores) {
  assert(first_scores.values.size() == second_scores.values.size());
  const bool single = first_scores.single && second_scores.single;
  ResampledScores differences{{}, single};
  for (std::size_t i = 0; i < first_scores.values.size(); ++i) {
    const PythonNumber change(second_scores.values[i] - first_scores.values[i], single);
    differences.values.push_back(std::abs(change.value));
  }
  const PythonNumber expected = mean(differences);
  // The real difference is a Python float: compared with a float32 array it is rounded to float32 first.
  const double real = PythonNumber(std::abs(first - second), single).value;
  std::size_t hits = 0;
  for (const double change : differences.values)
    hits +=
        (PythonNumber(change, single) + PythonNumber(-expected.value, expected.single)).value > real ? 1 : 0;
  return p_value(hits, differences.values.size());
}

std::vector<double> paired_randomization(std::span<const SegmentStatistics> systems,
                                         std::span<const SystemPair> pairs, std::size_t trials,
                                         std::uint64_t seed, ScoreFunction score, const RunContext& context) {
  check(systems, trials);
  const std::size_t segments = systems.front().rows(), columns = systems.front().columns;
  std::vector<std::vector<double>> totals;
  std::vector<double> scores;
  for (const SegmentStatistics& system : systems) {
    totals.push_back(system.sum());
    scores.push_back(score_of_sum(system, score));
  }
  NumpyGenerator generator(seed);
  CoinFlips flips(segments, generator);
  std::vector<std::vector<double>> picked(systems.size());  // sums of the picked segments, by trial
  std::vector<std::size_t> hits(pairs.size(), 0);
  for (std::size_t done = 0; done < trials; done += CoinFlips::kTrialsAtOnce) {
    context.check_cancelled();
    const std::size_t now = std::min(CoinFlips::kTrialsAtOnce, trials - done);
    flips.draw(now, context);
    context.pool.for_each(systems.size(), [&](std::size_t system, std::size_t) {
      context.check_cancelled();
      picked[system] = flips.sum_picked(systems[system], now, context);
    });
    context.pool.for_each(pairs.size(), [&](std::size_t item, std::size_t) {
      context.check_cancelled();
      const auto [a, b] = pairs[item];
      const double real = std::abs(scores[a] - scores[b]);
      std::vector<PythonNumber> first(columns), second(columns);
      for (std::size_t t = 0; t < now; ++t) {
        for (std::size_t c = 0; c < columns; ++c) {
          const double from_a = picked[a][t * columns + c], from_b = picked[b][t * columns + c];
          first[c] = from_a + (totals[b][c] - from_b);
          second[c] = (totals[a][c] - from_a) + from_b;
        }
        if (std::abs(score(first).value - score(second).value) > real) ++hits[item];
      }
    });
    context.report_progress("approximate randomisation", done + now, trials);
  }
  std::vector<double> p_values;
  for (const std::size_t count : hits) p_values.push_back(p_value(count, trials));
  return p_values;
}

}  // namespace markeval::lexical
