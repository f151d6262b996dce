// N-gram matches per segment, then the geometric mean of precisions, smoothed, times the brevity penalty.
#include "lexical/bleu.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/elementary.hpp"
#include "base/suggestion.hpp"
#include "lexical/ngram_table.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

constexpr std::array<std::pair<BleuSmoothing, std::string_view>, 4> kSmoothings = {{
    {BleuSmoothing::none, "none"},
    {BleuSmoothing::floor, "floor"},
    {BleuSmoothing::add_k, "add-k"},
    {BleuSmoothing::exponential, "exp"},
}};

double smoothing_value(const BleuOptions& options) {
  if (options.smoothing_value) return *options.smoothing_value;
  return options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0;
}

class BleuScorer : public SegmentScorer {
 public:
  explicit BleuScorer(const BleuOptions& options)
      : options_(options), tokenizer_(options.tokenization, options.lowercase), matches_(options.max_order) {}

  void set_references(std::span<const std::string_view> references) override {
    if (storage_.size() < references.size()) storage_.resize(references.size());
    lengths_.clear();
    symbols_.clear();
    words_of_references_.clear();
    for (std::size_t r = 0; r < references.size(); ++r) {
      tokenizer_.tokenize(references[r], storage_[r], words_);
      lengths_.push_back(words_.size());
      words_of_references_.insert(words_of_references_.end(), words_.begin(), words_.end());
    }
    table_.clear(words_of_references_.size());
    for (const auto word : words_of_references_) symbols_.push_back(table_.add(word));
    ngrams_.clear(symbols_.size(), options_.max_order);
    std::size_t done = 0;
    for (const std::size_t length : lengths_) {
      ngrams_.add_reference(std::span(symbols_).subspan(done, length));
      done += length;
    }
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    tokenizer_.tokenize(hypothesis, hypothesis_storage_, words_);
    symbols_.clear();
    for (const auto word : words_) symbols_.push_back(table_.find(word));
    std::fill(matches_.begin(), matches_.end(), 0u);
    ngrams_.count_matches(symbols_, matches_);
    row[0] = static_cast<double>(words_.size());
    row[1] = static_cast<double>(closest_length(words_.size()));
    for (std::size_t n = 0; n < options_.max_order; ++n) {
      row[2 + n] = matches_[n];
      row[2 + options_.max_order + n] = static_cast<double>(ngram_total(words_.size(), n + 1));
    }
  }

 private:
  /// The closest reference length; the shorter one where two are equally close.
  std::size_t closest_length(std::size_t length) const {
    const auto distance = [&](std::size_t other) { return other > length ? other - length : length - other; };
    return *std::min_element(lengths_.begin(), lengths_.end(), [&](std::size_t a, std::size_t b) {
      return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
    });
  }

  BleuOptions options_;
  BleuTokenizer tokenizer_;
  std::vector<std::string> storage_;
  std::string hypothesis_storage_;
  std::vector<std::string_view> words_, words_of_references_;
  std::vector<std::size_t> lengths_;
  std::vector<std::uint32_t> symbols_, matches_;
  WordTable table_;
  NgramTable ngrams_;
};

/// log 0 is a very small number, as in sacrebleu: one order without a match then gives 0.
double floored_log(double number) {
  return number == 0.0 ? -9999999999.0 : elementary::log(number);
}

constexpr std::size_t kMostOrders = 32;

struct BleuParts {
  double score = 0;
  std::array<PythonNumber, kMostOrders> precisions{};
  double brevity_penalty = 1;
};

BleuParts compute(std::span<const PythonNumber> statistics, const BleuOptions& options) {
  const std::size_t orders = options.max_order;
  const double system_length = std::trunc(statistics[0].value),
               reference_length = std::trunc(statistics[1].value);
  BleuParts parts;
  if (system_length < reference_length) {
    parts.brevity_penalty = system_length > 0 ? elementary::exp(1.0 - reference_length / system_length) : 0.0;
  }
  const auto matches = statistics.subspan(2, orders), totals = statistics.subspan(2 + orders, orders);
  if (std::all_of(matches.begin(), matches.end(), [](PythonNumber count) { return count.value == 0; }))
    return parts;

  const double k = smoothing_value(options);
  double penalty_of_zero = 1;
  std::size_t used_orders = orders;
  for (std::size_t n = 0; n < orders; ++n) {
    PythonNumber correct = matches[n], total = totals[n];
    if (options.smoothing == BleuSmoothing::add_k && n > 0) {
      correct = correct + k;
      total = total + k;
    }
    if (total.value == 0) break;
    if (options.effective_order) used_orders = n + 1;
    if (correct.value == 0) {
      if (options.smoothing == BleuSmoothing::exponential) {
        penalty_of_zero *= 2;
        parts.precisions[n] = PythonNumber(100.0) / (PythonNumber(penalty_of_zero) * total);
      } else if (options.smoothing == BleuSmoothing::floor) {
        parts.precisions[n] = PythonNumber(100.0 * k) / total;
      }
    } else {
      parts.precisions[n] = PythonNumber(100.0) * correct / total;
    }
  }
  double sum = 0;
  for (std::size_t n = 0; n < used_orders; ++n) sum += floored_log(parts.precisions[n].value);
  // exp(log 100) is 100.00000000000004, and sacrebleu says so of equal texts; no BLEU is above 100.
  parts.score =
      std::min(100.0, parts.brevity_penalty * elementary::exp(sum / static_cast<double>(used_orders)));
  return parts;
}

}  // namespace

BleuSmoothing bleu_smoothing(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [value, its_name] : kSmoothings) {
    if (its_name == name) return value;
    known.emplace_back(its_name);
  }
  throw_usage("unknown smoothing '" + std::string(name) + "'" + suggestion(name, known));
}

std::size_t bleu_columns(const BleuOptions& options) {
  return 2 + 2 * options.max_order;
}

std::vector<SegmentStatistics> bleu_statistics(const ScoredTexts& corpus, const BleuOptions& options,
                                               const RunContext& context) {
  if (options.max_order == 0 || options.max_order > kMostOrders) {
    throw_usage(fmt::format("max_order is {}, expected 1 to {}", options.max_order, kMostOrders));
  }
  return collect_statistics(
      corpus, bleu_columns(options), [&] { return std::make_unique<BleuScorer>(options); }, context);
}

BleuScore bleu_score(std::span<const double> statistics, const BleuOptions& options) {
  const std::vector<PythonNumber> numbers(statistics.begin(), statistics.end());
  const BleuParts parts = compute(numbers, options);
  BleuScore result{parts.score, {}, parts.brevity_penalty, statistics[0], statistics[1]};
  for (std::size_t n = 0; n < options.max_order; ++n) result.precisions.push_back(parts.precisions[n].value);
  return result;
}

PythonNumber bleu_resampled_score(std::span<const PythonNumber> statistics, const BleuOptions& options) {
  return compute(statistics, options).score;
}

std::string bleu_signature(const BleuOptions& options) {
  std::string smoothing;
  for (const auto& [value, name] : kSmoothings) {
    if (value == options.smoothing) smoothing = name;
  }
  if (options.smoothing == BleuSmoothing::floor || options.smoothing == BleuSmoothing::add_k) {
    // Two digits as in sacrebleu, and all of a number that has more.
    const double value = smoothing_value(options);
    const bool two_digits = std::round(value * 100) / 100 == value;
    smoothing += two_digits ? fmt::format("[{:.2f}]", value) : fmt::format("[{}]", value);
  }
  return std::string("case:") + (options.lowercase ? "lc" : "mixed") +
         "|eff:" + (options.effective_order ? "yes" : "no") +
         "|tok:" + std::string(name_of(options.tokenization)) + "|smooth:" + smoothing;
}

}  // namespace markeval::lexical
