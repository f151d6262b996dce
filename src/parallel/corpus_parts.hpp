// A corpus scored in parts, by processes that need not know of each other: each calls score() on the segments
// it has, and Evaluator::score with ScoreRequest::gathered makes the report of one run from what they found.
// Not installed.
//
//   const std::string part = CorpusParts(evaluator.runtime()).score(request_on_some_segments);
//   ...
//   request.gathered = {{part, next_part}};
//   const Report report = evaluator.score(request);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "request/score_request.hpp"
#include "score/runtime.hpp"

namespace markeval::parallel {

/// How a metric is scored where the corpus lies in parts.
struct PartPlan {
  std::string requested;               ///< as the user wrote it
  std::string name{};                  ///< what its results are called by
  bool whole = false;                  ///< looks at all texts at once: one process scores them
  bool counts_tokens = false;          ///< needs CorpusParts::count() of all parts first
  bool needs_vectors = false;          ///< whole, and its vectors may be made in parts: CorpusParts::embed()
  std::size_t layers_of_words = 0;     ///< those vectors are of words: rows a token makes; else 0
  std::vector<std::string> compats{};  ///< compatibilities that change the metric, "prdc"
  std::vector<std::string> results{};  ///< scores of every segment; none where it scores whole sets
};
/// What parts are scored with that are read for their labels only: of all metrics the one of least work.
inline constexpr const char* kMetricOfLabels = "chrf";
/// The plan of every metric of a request, of a blend that of the most demanding of its parts. Throws
/// Error(usage) for wrong ones.
std::vector<PartPlan> plan_parts(const ScoreRequest& request);

/// What processes hand to each other beside texts; bytes that count() and embed() gave.
struct CarriedParts {
  std::string_view counts{};                ///< merge_counts() of all parts, where a metric needs them
  std::vector<std::string_view> vectors{};  ///< of texts
};

class CorpusParts {
 public:
  explicit CorpusParts(score::Runtime& runtime) : runtime_(runtime) {}

  /// In how many texts each token stands, of the references and of each system: for idf.
  std::string count(const ScoreRequest& request, const std::atomic<bool>* cancel = nullptr);
  static std::string merge_counts(std::span<const std::string_view> counts);

  /// The vectors that the set metrics of `request` need of these texts. `request` names no inputs.
  std::string embed(std::span<const std::string> texts, const ScoreRequest& request,
                    const std::atomic<bool>* cancel = nullptr);

  /// What these segments give: a ScorePart, packed. Metrics that fail are in it.
  std::string score(const ScoreRequest& request, const CarriedParts& carried = {},
                    Observer* observer = nullptr, const std::atomic<bool>* cancel = nullptr);

 private:
  score::Runtime& runtime_;
};

}  // namespace markeval::parallel
