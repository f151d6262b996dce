// BLEU (Papineni et al. 2002) as sacrebleu 2.6.0 computes it: statistics, smoothing, signature.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lexical/bleu_tokenizer.hpp"
#include "lexical/python_number.hpp"
#include "lexical/segment_statistics.hpp"

namespace markeval::lexical {

enum class BleuSmoothing { none, floor, add_k, exponential };

/// "none", "floor", "add-k", "exp". Throws Error(usage) naming the closest known name.
BleuSmoothing bleu_smoothing(std::string_view name);

struct BleuOptions {
  BleuTokenization tokenization = BleuTokenization::mteval_13a;
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  std::optional<double> smoothing_value;  ///< floor: 0.1, add-k: 1; the others take none
  bool lowercase = false;
  bool effective_order = false;  ///< orders the text is too short for are left out: for single sentences
  std::size_t max_order = 4;
};

struct BleuScore {
  double score = 0;  ///< 0 .. 100
  std::vector<double> precisions;
  double brevity_penalty = 1;
  double system_length = 0;
  double reference_length = 0;
};

/// Per segment: system length, closest reference length, matches per order, n-grams per order.
std::size_t bleu_columns(const BleuOptions& options);
std::vector<SegmentStatistics> bleu_statistics(const ScoredTexts& corpus, const BleuOptions& options,
                                               const RunContext& context);

/// The score of summed statistics.
BleuScore bleu_score(std::span<const double> statistics, const BleuOptions& options);
/// The same in the arithmetic the numbers carry: float32 where sacrebleu resamples, see
/// lexical/python_number.hpp.
PythonNumber bleu_resampled_score(std::span<const PythonNumber> statistics, const BleuOptions& options);

/// sacrebleu's signature without `nrefs` (in front) and `version` (behind):
/// "case:mixed|eff:no|tok:13a|smooth:exp". It is silent about the number of orders.
std::string bleu_signature(const BleuOptions& options);

}  // namespace markeval::lexical
