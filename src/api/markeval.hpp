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
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/text_options.hpp"
#include "request/observer.hpp"
#include "request/score_request.hpp"

namespace markeval {

namespace score {
class Runtime;
struct ScoreData;
}  // namespace score

/// "0.1.0"
std::string_view version();

/// The number its metric is known by, f1 of bertscore; of a request for one result that one.
double main_score(const Result& result);

class Report {
 public:
  const std::vector<Result>& results() const;  ///< by system, then by metric, in the order asked for
  const std::vector<std::string>& warnings() const;
  /// Metrics that could not be computed, while others could. Where all fail, Evaluator::score throws.
  const std::vector<FailedMetric>& errors() const;
  /// Set metrics at one size, where ScoreRequest::ceiling asked for them: people's texts and those of each
  /// system, equally many, against as many other texts of people.
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

  explicit Report(std::shared_ptr<const score::ScoreData> data);

 private:
  std::shared_ptr<const score::ScoreData> data_;  // immutable and shared by copies
};

struct CompareOptions;  // in <markeval/compare.hpp>
class ComparisonReport;
struct CorrelateRequest;  // in <markeval/correlate.hpp>
class CorrelationReport;
struct EmbedRequest;  // in <markeval/embedding.hpp>
struct TextVectors;

class Evaluator {
 public:
  explicit Evaluator(const Settings& settings = {});
  /// Shares the device and the models of another one; `threads` of its own, or 0: those of the other one.
  Evaluator(const score::Runtime& shared, std::size_t threads);
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

  score::Runtime& runtime() { return *runtime_; }  ///< for the rest of the library

 private:
  std::unique_ptr<score::Runtime> runtime_;
};

/// What can be computed: names, a line for each, and all about them as text or JSON.
std::vector<std::string> metric_names();
std::string metrics_overview();
/// Descriptions of these metrics only. Throws Error(usage) naming the closest right word.
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
