// markeval's C++ interface: how good is generated text? This header (installed as <markeval/markeval.hpp>) is
// all a program needs; everything behind it may change between versions.
//
//   markeval::Evaluator evaluator;
//   const markeval::Report report =
//       evaluator.score({.references = {{.source = "reference.npy"}}, .systems = {{.source = "mine.npy"}},
//       .metrics = {"me:k=3"}});
//   std::cout << report.text() << report.score("mine", "me:k=3", "petersen") << "\n";
//
// Everything that ends a request throws markeval::Error. The library prints nothing and never exits. An
// Evaluator may be used by several threads at once: it loads a model once, and calls that need one take
// turns.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "base/text_options.hpp"

namespace markeval {

/// "0.1.0"
std::string_view version();

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
  double other = 0;  ///< of every token not listed
};

struct ScoreRequest {
  std::vector<Input> references{};  ///< several per segment; over a corpus set metrics use their union
  std::vector<Input> systems{};     ///< scored one by one
  /// "me", "me:k=3", "bertscore.f1" for one result, "words=me:samples=word" to call it words: see
  /// metric_names()
  std::vector<std::string> metrics{};
  std::uint64_t seed = 12345;
  bool clamp_k = false;       ///< let k shrink, with a warning, where a set has too few rows
  std::string compat{};       ///< "prdc": open balls, as the package of that name
  bool segments = false;      ///< metrics on texts: also the score of every segment
  std::size_t resamples = 0;  ///< 95 % intervals from so many resamples, 2 or more; set metrics: splits
  std::size_t splits = 0;     ///< of set metrics, where they are to be others than the resamples
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
  bool ceiling = false;               ///< set metrics: also what people's own texts score, Report::ceilings()
  bool keep_finished = false;    ///< when cancelled: the metrics that are done are a report, with errors()
  bool keep_statistics = false;  ///< also Result::statistics and, with resamples, Result::resampled
  bool replace_invalid = false;  ///< texts: U+FFFD for invalid UTF-8 instead of an error
  bool explain = false;  ///< also find the rows outside all balls, or the tokens that met: explanation_json()
  bool page = false;     ///< also keep what Report::html() shows
  EncoderOptions encoder{};  ///< of metrics on vectors of texts
  /// Metrics with idf: these weights instead of those the references (and the systems' texts, where a metric
  /// weighs them by a table of their own) would give.
  std::optional<TokenWeights> reference_weights{}, candidate_weights{};
  /// A corpus that was scored in parts (api/corpus_parts.hpp): the inputs have names and no texts. Each list
  /// has the parts of all segments in their order, for some of the metrics.
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

/// The number its metric is known by, f1 of bertscore; of a request for one result that one.
double main_score(const Result& result);

class Report {
 public:
  const std::vector<Result>& results() const;  ///< by system, then by metric, in the order asked for
  const std::vector<std::string>& warnings() const;
  /// Metrics that could not be computed, while others could. Where all fail, Evaluator::score throws.
  const std::vector<FailedMetric>& errors() const;
  /// Of set metrics, where ScoreRequest::ceiling asked for them: people's texts and those of
  /// each system, equally many, against as many other texts of people.
  const std::vector<Ceiling>& ceilings() const;
  /// By group, where ScoreRequest::group asked for them: its name and its results, by metric, then by system.
  /// Set metrics that count in balls have the score "covered", the share of the group's references among the
  /// system's texts; other metrics of whole sets have none.
  std::vector<std::pair<std::string, std::vector<Result>>> groups() const;
  /// One number: system "mine", metric "me:k=3" as asked for, result "petersen" (empty: the metric's main
  /// one). A bare name, "me", serves where exactly one variant of the metric was asked for. Throws
  /// Error(usage) that names what is there.
  double score(std::string_view system, std::string_view metric, std::string_view result = {}) const;

  std::string text(const TextOptions& options = {}) const;  ///< aligned tables
  std::string json() const;
  std::string tsv() const;
  std::string explanation_json() const;  ///< what ScoreRequest::explain asked for
  /// One self-contained page with charts, for ScoreRequest::page. `command`: the words that remake it. Throws
  /// Error(usage) where no page was asked for.
  std::string html(const std::vector<std::string>& command = {}) const;

  struct Data;
  explicit Report(std::shared_ptr<const Data> data);
  const Data& data() const { return *data_; }  ///< for the rest of the library

 private:
  std::shared_ptr<const Data> data_;  // immutable and shared by copies
};

/// Told what happens during a long computation; called from one thread at a time.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void progress(std::string_view stage, std::uint64_t done, std::uint64_t total);
  virtual void info(const std::string& message);
  virtual void warning(const std::string& message);
  /// What is computed before a model is loaded; the report will have it too.
  virtual void early_results(const std::vector<Result>& results);
};

struct Settings {
  std::size_t threads = 0;     ///< 0: one per core
  std::string device = "cpu";  ///< where arithmetic happens
  /// Of the weights of models kept for the next call: beyond, the one used longest ago is dropped. 0: no
  /// limit.
  std::uint64_t max_model_bytes = 0;
};

struct CompareOptions;  // of <markeval/compare.hpp>
class ComparisonReport;
struct CorrelateRequest;  // of <markeval/correlate.hpp>
class CorrelationReport;
struct EmbedRequest;  // of <markeval/embedding.hpp>
struct TextVectors;

class Evaluator {
 public:
  explicit Evaluator(const Settings& settings = {});
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Once `*cancel` becomes true (from any thread or a signal handler), ends soon with Error(cancelled).
  Report score(const ScoreRequest& request, Observer* observer = nullptr,
               const std::atomic<bool>* cancel = nullptr);

  /// Scores with intervals, paired tests of all systems, ranks; the first system is the baseline. Throws
  /// Error(usage) for fewer than two systems and for a test a metric does not allow.
  ComparisonReport compare(const ScoreRequest& request, const CompareOptions& options,
                           Observer* observer = nullptr, const std::atomic<bool>* cancel = nullptr);

  /// How well metrics agree with people.
  CorrelationReport correlate(const CorrelateRequest& request, Observer* observer = nullptr,
                              const std::atomic<bool>* cancel = nullptr);

  /// The vectors of texts in memory; `request` names no files. White space at both ends is taken off.
  TextVectors embed(std::span<const std::string> texts, const EmbedRequest& request,
                    Observer* observer = nullptr, const std::atomic<bool>* cancel = nullptr);

  /// The token ids of texts in memory, special tokens included; of `request` the model and the limits count.
  std::vector<std::vector<std::int32_t>> tokenize(std::span<const std::string> texts,
                                                  const EmbedRequest& request,
                                                  const std::atomic<bool>* cancel = nullptr);

  /// A baseline file: LAYER,P,R,F and the mean of random pairs of different lines for every layer.
  std::string baseline(const BaselineRequest& request, Observer* observer = nullptr,
                       const std::atomic<bool>* cancel = nullptr);

  struct State;

 private:
  friend class CorpusParts;
  friend class SharedTexts;
  std::unique_ptr<State> state_;
};

/// What can be computed: names, a line for each, and all about them as text or JSON.
std::vector<std::string> metric_names();
std::string metrics_overview();
std::string describe_metrics_as_text();
std::string describe_metrics_as_json();
/// Of some metrics only. Throws Error(usage) naming the closest right word.
std::string describe_as_text(std::span<const std::string> names);
std::string describe_as_json(std::span<const std::string> names);

/// Metrics as people write them, several in a word: "bleu,me:k=3,samples=word" -> "bleu",
/// "me:k=3,samples=word".
std::vector<std::string> split_metrics(std::span<const std::string> words);

/// The words that bleu, ter or a metric of ROUGE counts in a text: "rouge1:stem=yes", "The cats" -> the, cat.
/// Throws Error(usage) for other metrics, Error(invalid_input) for text that is not UTF-8.
std::vector<std::string> metric_words(std::string_view metric, std::string_view text);

/// Writes a file whole or not at all: it appears under its name only when the last byte is on the disk.
/// Throws Error(io).
void write_whole_file(const std::string& path, std::string_view contents);

}  // namespace markeval
