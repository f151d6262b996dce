// Pair metrics: one candidate against one or more references, one number (or a few) per segment. A text is
// prepared once into rows with weights, and prepared texts are scored against each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "compute/device.hpp"
#include "embed/vector_source.hpp"
#include "metric/greedy_match.hpp"
#include "metric/idf.hpp"
#include "metric/mover.hpp"
#include "metric/options.hpp"
#include "metric/token_rows.hpp"

namespace markeval::metric {

/// separate: candidates have a table of their own; corpus: counted in PairMetric::idf_corpus().
enum class IdfUse { none, references, separate, corpus };
enum class SeveralReferences { max, mean };

/// What one text is to a pair metric.
struct PreparedText {
  TokenRows rows;           ///< none: the text is empty
  bool unfiltered = false;  ///< nothing but punctuation and stop words: all its tokens were kept
  bool weightless = false;  ///< no token had weight: all weigh the same
};

/// Working memory of one thread.
struct PairScratch {
  GreedyMatcher matcher;
  Mover mover;
};

/// A link between a row of the candidate and a row of the reference: `similarity` decides, `share` is the
/// mass that moves (transport) or the weight of the row that chose (greedy).
struct PairLink {
  std::uint32_t candidate = 0;
  std::uint32_t reference = 0;
  double similarity = 0;
  double share = 0;
  bool chosen_by_reference = false;  ///< greedy only: which side looked for a partner
};

class PairMetric {
 public:
  virtual ~PairMetric() = default;
  /// A file of word vectors instead of the encoder, or empty.
  virtual std::string embeddings() const { return {}; }
  virtual IdfUse idf() const = 0;
  /// Where idf() says corpus.
  virtual const IdfCorpus* idf_corpus() const { return nullptr; }
  virtual SeveralReferences several() const = 0;
  /// The layers it reads of a source, ascending. Throws Error(usage) where the source has not got them.
  virtual std::vector<std::size_t> layers(const embed::VectorSource& source) const = 0;
  /// `layers`: those it asked for. idf: the table of that side, where it uses one.
  virtual PreparedText prepare(const embed::EncodedText& text, std::span<const std::size_t> layers,
                               const IdfTable* idf) const = 0;
  /// Marks the tokens whose vectors `prepare` will look at.
  virtual void mark_needed(const embed::TextTokens& /*tokens*/, const IdfTable* /*idf*/,
                           std::span<std::uint8_t> mask) const {
    std::ranges::fill(mask, std::uint8_t{1});
  }
  /// What it asks of the rows of two texts.
  virtual compute::RowRelation relation() const = 0;
  /// A row may be several vectors of equal width side by side; each is held against the same one of the other
  /// text, and their relations stand below each other.
  virtual std::size_t parts() const { return 1; }
  /// Whether it looks at TokenRows::spread.
  virtual bool needs_spread() const { return false; }
  /// Both texts have rows; `relations` is (parts x candidate rows) x reference rows. out: one value per
  /// result of the metric.
  virtual void score(const TokenRows& candidate, const TokenRows& reference,
                     MatrixView<const float> relations, PairScratch& scratch,
                     std::span<double> out) const = 0;
  /// After score(), before links(): finds what only links() needs.
  virtual void align(const TokenRows& /*candidate*/, const TokenRows& /*reference*/,
                     MatrixView<const float> /*relations*/, PairScratch& /*scratch*/) const {}
  /// Whether a link moves weight from one text to the other; else a row chose its best partner.
  virtual bool moves_weight() const { return false; }
  /// How the last score in `scratch`, of the same texts, came about.
  virtual std::vector<PairLink> links(const TokenRows& candidate, const TokenRows& reference,
                                      const PairScratch& scratch) const = 0;
  /// After the references of a segment were combined: rescaling.
  virtual void finish(const embed::VectorSource& /*source*/, std::span<double> /*values*/) const {}
  /// What becomes of a text none of whose tokens has weight.
  virtual std::string weightless_rule() const { return "its tokens weigh alike"; }
  /// What a user should know about the choice of layers, or nothing.
  virtual std::string note(const embed::VectorSource& /*source*/) const { return {}; }
  /// What was computed, without the source's own part.
  virtual Named<std::string> signature(const embed::VectorSource& source) const = 0;
};

using PairMetricFactory = std::unique_ptr<PairMetric> (*)(const OptionValues&);

}  // namespace markeval::metric
