// Information weights from all references, matches per segment, and the length penalty.
#include "lexical/nist.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <string>
#include <tuple>

#include "base/cancellation.hpp"
#include "base/elementary.hpp"
#include "base/sorting.hpp"
#include "lexical/ngram_counts.hpp"
#include "lexical/ngram_table.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {
namespace {

/// The words of all references, and for every n-gram of theirs log2(count of all but the last word / count).
struct Information {
  std::deque<std::string> storage;  // never moves: the table points into it
  WordTable words;
  NgramCounts ngrams;  // holds the information once complete

  Information(const ScoredTexts& corpus, const NistOptions& options) {
    BleuTokenizer tokenizer(options.tokenization, options.lowercase);
    std::vector<std::string_view> line;
    std::vector<std::uint32_t> parent{NgramCounts::kNone};
    words.clear(1024);
    double total = 0;
    for (const auto& segment : corpus.references) {
      for (const auto reference : segment) {
        tokenizer.tokenize(reference, storage.emplace_back(), line);
        require_countable(line.size(), options.max_order);
        total += static_cast<double>(line.size());
        for (std::size_t start = 0; start < line.size(); ++start) {
          check_cancelled();
          std::uint32_t node = NgramCounts::kRoot;
          for (std::size_t n = 0; n < options.max_order && start + n < line.size(); ++n) {
            const std::uint32_t longer = ngrams.add(node, words.add(line[start + n]));
            if (longer == parent.size()) parent.push_back(node);
            ngrams.counts[longer] += 1;
            node = longer;
          }
        }
      }
    }
    std::vector<double> information(ngrams.size(), 0.0);
    for (std::uint32_t node = 1; node < ngrams.size(); ++node) {
      const double context = parent[node] == NgramCounts::kRoot ? total : ngrams.counts[parent[node]];
      information[node] = elementary::log(context / ngrams.counts[node]) / elementary::log(2.0);
    }
    ngrams.counts = std::move(information);
  }
};

class NistScorer : public SegmentScorer {
 public:
  NistScorer(const NistOptions& options, const Information& information)
      : options_(options), information_(information), tokenizer_(options.tokenization, options.lowercase) {}

  void set_references(std::span<const std::string_view> references) override {
    references_.resize(references.size());
    for (std::size_t r = 0; r < references.size(); ++r) read(references[r], references_[r]);
  }

  void add_hypothesis(std::string_view hypothesis, std::span<double> row) override {
    read(hypothesis, hypothesis_);
    const std::size_t orders = options_.max_order, length = hypothesis_.length;
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t n = 0; n < orders; ++n) {
      const double grams = length > n ? static_cast<double>(length - n) : 0;
      std::tuple<double, double, double> best{-1, 0, 0};  // precision, matched information, reference length
      for (const NistText& reference : references_) {
        double matched = 0;
        common_.clear();
        std::ranges::set_intersection(hypothesis_.nodes[n], reference.nodes[n], std::back_inserter(common_));
        for (const std::uint32_t node : common_) matched += information_.ngrams.counts[node];
        best =
            std::max(best, {grams > 0 ? matched / grams : 0, matched, static_cast<double>(reference.length)});
      }
      row[n] = std::get<1>(best);
      row[orders + n] = grams;
      row[2 * orders] += std::get<2>(best);
    }
    row[2 * orders + 1] = static_cast<double>(orders * length);
  }

 private:
  struct NistText {
    std::size_t length = 0;
    std::vector<std::vector<std::uint32_t>> nodes;  // by order, sorted; n-grams no reference has are left out
  };

  void read(std::string_view line, NistText& text) {
    tokenizer_.tokenize(line, storage_, words_);
    text.length = words_.size();
    text.nodes.resize(options_.max_order);
    for (auto& nodes : text.nodes) nodes.clear();
    for (std::size_t start = 0; start < words_.size(); ++start) {
      check_cancelled();
      std::uint32_t node = NgramCounts::kRoot;
      for (std::size_t n = 0; n < options_.max_order && start + n < words_.size(); ++n) {
        node = information_.ngrams.find(node, information_.words.find(words_[start + n]));
        if (node == NgramCounts::kNone) break;
        text.nodes[n].push_back(node);
      }
    }
    for (auto& nodes : text.nodes) sort_in_steps(nodes, check_cancelled);
  }

  NistOptions options_;
  const Information& information_;
  BleuTokenizer tokenizer_;
  std::string storage_;
  std::vector<std::string_view> words_;
  std::vector<NistText> references_;
  NistText hypothesis_;
  std::vector<std::uint32_t> common_;
};

/// 1 for texts as long as the reference, 0.5 for two thirds of it.
double length_penalty(double reference_length, double system_length) {
  if (reference_length == 0) return system_length > 0 ? 1 : 0;
  const double ratio = system_length / reference_length;
  if (ratio <= 0 || ratio >= 1) return std::clamp(ratio, 0.0, 1.0);
  const double half = elementary::log(1.5), distance = elementary::log(ratio);
  return elementary::exp(elementary::log(0.5) / (half * half) * (distance * distance));
}

}  // namespace

std::vector<SegmentStatistics> nist_statistics(const ScoredTexts& corpus, const NistOptions& options,
                                               const RunContext& context) {
  if (options.max_order == 0) throw_usage("NIST order is 0, expected 1 or more");
  corpus.check();
  const Information information(corpus, options);
  return collect_statistics(
      corpus, 2 * options.max_order + 2, [&] { return std::make_unique<NistScorer>(options, information); },
      context);
}

double nist_score(std::span<const double> statistics, const NistOptions& options) {
  double precision = 0;
  for (std::size_t n = 0; n < options.max_order; ++n) {
    const double grams = statistics[options.max_order + n];
    if (grams > 0) precision += statistics[n] / grams;
  }
  return precision * length_penalty(statistics[2 * options.max_order], statistics[2 * options.max_order + 1]);
}

}  // namespace markeval::lexical
