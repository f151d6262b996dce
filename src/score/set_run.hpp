// Set metrics on texts that look at the same rows: one pooled row per text, or one per word and layer. A user
// of embed/text_run.hpp: rows are gathered block by block, and scored when all of them are there; segments of
// scope=segment are scored with their block.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "embed/text_run.hpp"
#include "metric/metric_run.hpp"
#include "metric/score_segments.hpp"
#include "report/run_report.hpp"
#include "request/score_request.hpp"
#include "score/html_report.hpp"
#include "score/listener.hpp"
#include "score/sample_set.hpp"
#include "score/text_inputs.hpp"
#include "vectors/vectors.hpp"

namespace markeval::score {

/// What a run gives a set metric besides its texts. All must outlive it.
struct SetRunContext {
  const ScoreRequest& request;
  const TextInputs& inputs;
  embed::VectorSource& source;
  std::optional<embed::SentenceRequest> sentence;  ///< what makes a text one row; none: there are words only
  compute::Device& device;
  PageBuilder& page;
  Listener& listener;
  const RunContext& context;
  std::vector<report::ExplainedSets>* explanations;  ///< or null
};

class SetRun final : public metric::MetricRun {
 public:
  /// Requests that look at the same rows. Throws Error(usage) for layers the model has not got.
  SetRun(std::vector<Metric> requests, const SetRunContext& run);

  embed::EncodeRequest request() const override { return wanted_; }
  bool needs_order() const override { return true; }
  void mark_needed(const embed::TextTokens& tokens, std::span<std::uint8_t> mask) const override;
  void take(const embed::TextBlock& block) override;

  /// Throws Error(invalid_input) where a corpus has too few rows.
  std::vector<Result> results() override;
  std::span<const std::optional<Error>> errors() const override { return errors_; }
  std::span<const Ceiling> ceilings() const override { return ceilings_; }
  bool reads_words() const override { return !wanted_.layers.empty(); }

 private:
  /// The rows of one file.
  struct FileRows {
    vectors::RowStore<float> rows;
    std::vector<std::size_t> starts{0};   ///< text i has rows [starts[i], starts[i + 1])
    std::vector<embed::TextRange> words;  ///< bytes of the text, one per word; none for sentences
    std::vector<std::uint8_t> drawn{};    ///< by text, of a sample: the others have no rows

    std::size_t text_of(std::size_t row) const;
    std::size_t texts_with_rows() const;
  };
  /// Rows of the distinct texts of a block.
  struct BlockRows {
    std::vector<float> values;
    std::vector<std::size_t> starts{0};
    std::vector<embed::TextRange> words;
  };

  BlockRows block_rows(const embed::TextBlock& block) const;
  void append(const BlockRows& rows, std::span<const std::uint32_t> members, FileRows& file) const;
  void score_block(const embed::TextBlock& block, const BlockRows& rows);
  void score_corpus(std::vector<Result>& results);
  void draw(const text::Corpus& file, FileRows& rows) const;
  FileRows joined_references();
  Named<std::string> input_signature() const;
  /// Added to the engine.
  SampleSet sample_set(const FileRows& rows, std::span<const text::Corpus> files,
                       const std::string& name) const;
  /// File and text of a row.
  static std::pair<std::size_t, std::size_t> text_in_file(const FileRows& rows,
                                                          std::span<const text::Corpus> files,
                                                          std::size_t row);
  static std::size_t segment_of(const text::Corpus& file, std::size_t text);
  report::RowOrigin origin(const FileRows& rows, std::span<const text::Corpus> files, std::size_t row) const;
  std::size_t rows_per_word() const { return std::max<std::size_t>(1, wanted_.layers.size()); }

  std::vector<Metric> requests_;
  SetRunContext run_;
  embed::EncodeRequest wanted_;
  bool unit_;  ///< rows are divided by their length
  std::vector<Metric> corpus_, segment_;
  std::vector<std::size_t> corpus_metrics_, segment_metrics_;  ///< among the requests
  std::vector<FileRows> references_, systems_;
  std::unique_ptr<geometry::SetEngine> engine_;  ///< while a corpus is scored
  std::unique_ptr<metric::SegmentRun> segments_;
  std::vector<std::optional<Error>> errors_;
  std::vector<Ceiling> ceilings_;
};

/// The layers a set metric reads, as the user named them or "last", and "last5" of words.
std::string layers_of(const Metric& request);
/// What a set metric needs of every text. Throws Error(usage) for layers the model has not got.
embed::EncodeRequest rows_wanted(const Metric& request, const embed::VectorSource& source,
                                 const std::optional<embed::SentenceRequest>& sentence);

/// One run for each kind of rows the metrics look at, and where its requests stand among all.
struct NumberedSetRun {
  std::unique_ptr<SetRun> run;
  std::vector<std::size_t> members;
};
std::vector<NumberedSetRun> make_set_runs(std::span<const Metric> requests, const SetRunContext& run);

}  // namespace markeval::score
