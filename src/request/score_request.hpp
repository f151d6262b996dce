// What is to be scored and how: the request of `score`, which `compare` and `correlate` use too, the request
// of `baseline`, and the settings of an evaluator. Installed as a part of <markeval/markeval.hpp>.
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

#include "base/encoder_options.hpp"
#include "metric/metric.hpp"

namespace markeval {

/// Row vectors in the caller's memory, one after the other; they must stay alive during the call.
template <typename T>
struct Rows {
  std::span<const T> values;
  std::size_t columns = 0;
};

/// Texts in the caller's memory; they must stay alive during the call.
struct Texts {
  std::span<const std::string> lines;
  /// Empty: one text per segment. Else segment i has lines [starts[i], starts[i + 1]), at least one.
  std::span<const std::size_t> starts{};
};

/// A file by its path ("-" = standard input; gzip is fine), or rows or texts in memory. Files are texts:
/// plain, .tsv:COLUMN or .jsonl:FIELD; or vectors, .npy, for metrics of sets.
using Source = std::variant<std::string, Rows<float>, Rows<double>, Texts>;

struct Input {
  std::string name{};  ///< in results and messages; empty: the file's name without folder and ending
  Source source{};
};

/// What tokens weigh, by their ids in the model's vocabulary.
struct TokenWeights {
  std::vector<std::pair<std::int32_t, double>> weights{};
  double other = 0;  ///< weight of every token not listed
};

struct ScoreRequest {
  std::vector<Input> references{};  ///< several per segment; over a corpus set metrics use their union
  std::vector<Input> systems{};     ///< scored one by one
  /// "me", "me:k=3", "bertscore.f1" for one result, "words=me:samples=word" to call it words: see
  /// metric_names()
  std::vector<Metric> metrics{};
  std::uint64_t seed = 12345;
  bool clamp_k = false;       ///< let k shrink, with a warning, where a set has too few rows
  std::string compat{};       ///< "prdc": open balls, as the package of that name
  bool segments = false;      ///< metrics on texts: also the score of every segment
  std::size_t resamples = 0;  ///< 95 % intervals from so many resamples, 2 or more; set metrics: splits
  std::size_t splits = 0;     ///< splits for set metrics; 0: as many as resamples
  std::size_t sample = 0;     ///< set metrics: so many texts or rows of every input, drawn by chance; 0: all
  /// Set metrics: where systems differ in size, equally many texts of each, as the option n draws them.
  bool equal_sizes = false;
  /// Also scores by group, Report::groups(): a column of the first reference's table, or FILE[:COLUMN] with a
  /// label for every segment.
  std::string group{};
  std::vector<std::string> groups{};  ///< the same, the labels themselves
  /// The page shows with each segment what it was made from: a column of the first reference's table, or
  /// FILE[:COLUMN].
  std::string source_text{};
  std::vector<std::string> source_texts{};  ///< the same, the texts themselves
  bool ceiling = false;          ///< set metrics: also what people's own texts score, Report::ceilings()
  bool keep_finished = false;    ///< when cancelled: the metrics that are done are a report, with errors()
  bool keep_statistics = false;  ///< also Result::statistics and, with resamples, Result::resampled
  bool replace_invalid = false;  ///< texts: U+FFFD for invalid UTF-8 instead of an error
  bool explain = false;  ///< also find the rows outside all balls, or the tokens that met: explanation_json()
  bool page = false;     ///< also keep what Report::html() shows
  EncoderOptions encoder{};  ///< of metrics on vectors of texts
  /// Metrics with idf: these weights instead of those the references (and the systems' texts, where a metric
  /// weighs them by a table of their own) would give.
  std::optional<TokenWeights> reference_weights{}, candidate_weights{};
  /// A corpus that was scored in parts (parallel/corpus_parts.hpp): the inputs have names and no texts. Each
  /// list has the parts of all segments in their order, for some of the metrics.
  std::vector<std::vector<std::string_view>> gathered{};
};

/// What unrelated texts score with BERTScore: for bertscore:rescale=FILE.
struct BaselineRequest {
  Input texts{};  ///< any text of the language, one segment per line
  std::uint64_t pairs = 2000;
  std::uint64_t seed = 12345;
  EncoderOptions encoder{};
  bool replace_invalid = false;
};

struct Settings {
  std::size_t threads = 0;     ///< 0: one per core
  std::string device = "cpu";  ///< where arithmetic happens
  /// Most bytes of model weights kept for the next call; beyond, the model used longest ago is dropped. 0: no
  /// limit.
  std::uint64_t max_model_bytes = 0;
};

}  // namespace markeval
