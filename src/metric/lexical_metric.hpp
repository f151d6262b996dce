// Lexical metrics: words and characters counted, no model. A metric turns segments into rows of statistics;
// its scores are functions of their sum, so segment scores, intervals and paired tests need nothing more than
// the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/result.hpp"
#include "base/run_context.hpp"
#include "lexical/bleu_tokenizer.hpp"
#include "lexical/python_number.hpp"
#include "lexical/segment_statistics.hpp"
#include "metric/options.hpp"

namespace markeval::metric {

/// Which letters of a text become words of a metric.
enum class Reads {
  all,            ///< it counts characters, or takes every one for a word
  spaced,         ///< words between blanks: text in a script without blanks is one long word
  spaced_or_han,  ///< those, and every Chinese character
  ascii,          ///< words of a to z and digits: it drops all other letters
};

class LexicalMetric {
 public:
  virtual ~LexicalMetric() = default;
  /// One per system of the corpus.
  virtual std::vector<SegmentStatistics> statistics(const lexical::ScoredTexts& corpus,
                                                    const RunContext& context) const = 0;
  /// By result, in the order of the registry, of statistics summed over so many segments; in the arithmetic
  /// the numbers carry.
  virtual std::vector<lexical::PythonNumber> scores(std::span<const lexical::PythonNumber> sum,
                                                    double segments) const = 0;
  /// Resamples are summed and scored in float32, as sacrebleu does for BLEU, chrF and TER.
  virtual bool resamples_in_single() const { return false; }
  /// The statistics are whole numbers, so the order in which they are added does not matter.
  virtual bool counts_whole_numbers() const { return false; }
  /// The scores of a segment depend on the references of all.
  virtual bool weighs_by_corpus() const { return false; }
  /// The scores are the means of the segments' scores, which are the rows of statistics.
  virtual bool mean_of_segments() const { return false; }
  /// What stands behind the scores: counts, lengths.
  virtual void add_details(std::span<const double> sum, Named<Detail>& details) const;
  /// What it counts in a text of a system: its words, after everything its options do to them. Throws
  /// Error(usage) where it counts no words.
  virtual std::vector<std::string> words(std::string_view text) const;
  /// What it makes of text in other scripts than Latin.
  virtual Reads reads() const = 0;
  /// What a user should be warned of, whatever the texts; or nothing.
  virtual std::string note() const { return {}; }
  /// Behind the metric's name and the number of references: case -> mixed, tok -> 13a.
  virtual Named<std::string> signature() const = 0;
};

/// What a metric reads that has its words from one of BLEU's tokenisers.
Reads reads_of(lexical::BleuTokenization tokenization);

using LexicalMetricFactory = std::unique_ptr<LexicalMetric> (*)(const OptionValues&);

/// What all segments of a corpus gave, put together from wherever they were counted.
struct CountedCorpus {
  std::vector<SegmentStatistics> systems;  ///< fewer rows than segments where rows were added up before
  std::uint64_t segments = 0;
  std::uint64_t references = 0;  ///< of each segment; 0: their number varies
};

struct LexicalSettings {
  bool segments = false;      ///< also the score of every segment
  std::size_t resamples = 0;  ///< bootstrap intervals from so many resamples; 0: none
  std::uint64_t seed = 12345;
  bool keep = false;  ///< what paired tests need
};

/// The results of one metric for all systems of the corpus, in their order. The intervals are those of
/// sacrebleu 2.6.0 for the same seed and number of resamples.
std::vector<Result> score_texts(const std::shared_ptr<const LexicalMetric>& metric,
                                std::span<const std::string> results, const lexical::ScoredTexts& corpus,
                                const LexicalSettings& settings, const RunContext& context);

/// The second half of score_texts().
std::vector<Result> results_of(const LexicalMetric& metric, std::span<const std::string> results,
                               CountedCorpus corpus, const LexicalSettings& settings,
                               const RunContext& context);

/// What plausible mistakes would show in: text that looks tokenised, a system equal to a reference,
/// references that look transposed.
std::vector<Finding> plausible_mistakes(const lexical::ScoredTexts& corpus,
                                        std::span<const std::string> systems);

/// The metric, or the mean of its scores against each reference by itself where the options have multi=mean.
std::unique_ptr<LexicalMetric> with_references(std::unique_ptr<LexicalMetric> metric,
                                               const OptionValues& options);

std::unique_ptr<LexicalMetric> make_bleu(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_sentence_bleu(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_chrf(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_ter(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_wer(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_cer(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_per(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_cder(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_rouge_1(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_rouge_2(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_rouge_l(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_rouge_lsum(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_rouge_w(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_rouge_su4(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_rouge_we(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_meteor(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_nist(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_cider(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_character(const OptionValues& options);
std::unique_ptr<LexicalMetric> make_tfidf(const OptionValues& options);

}  // namespace markeval::metric
