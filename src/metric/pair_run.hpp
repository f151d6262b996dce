// All pair metrics of a run that read the same vectors. A user of embed/text_run.hpp: of every block each
// text is prepared once for each metric, then the segments of the block are scored.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/run_context.hpp"
#include "embed/text_run.hpp"
#include "metric/idf.hpp"
#include "metric/metric_run.hpp"
#include "metric/pair_metric.hpp"
#include "metric/registry.hpp"
#include "metric/row_relations.hpp"

namespace markeval::metric {

/// How one segment came to its score, against the reference at hand.
struct PairExplanation {
  struct Row {
    std::size_t begin = 0;  ///< bytes of the text
    std::size_t end = 0;
    double weight = 0;
  };
  std::string metric;  ///< as the user wrote it
  std::string system;
  std::size_t segment = 0;    ///< from 1
  std::size_t reference = 0;  ///< from 1
  std::string candidate_text;
  std::string reference_text;
  std::vector<std::pair<std::string, double>> scores;  ///< against this reference alone
  std::vector<Row> candidate_rows;
  std::vector<Row> reference_rows;
  std::vector<PairLink> links;
  bool moves_weight = false;  ///< PairMetric::moves_weight()
};

struct PairSettings {
  bool segments = false;  ///< keep the score of every segment
  /// For metrics with idf, but for idf=FILE: weights to use instead of those the texts of the run would give.
  /// Metrics with one table for both sides take that of the references.
  const IdfTable* reference_idf = nullptr;
  const IdfTable* candidate_idf = nullptr;
  /// Where there is no candidate_idf: counted elsewhere, one table per system; empty: counted here.
  std::span<const IdfTable> system_idf{};
  /// Called for every segment, system, metric and reference, in this order within a block, from one thread.
  /// Blocks then come in the order of the lines.
  std::function<void(const PairExplanation&)> explain;
  /// Asked before, where given, with the scores of the segment (counted from 0): false leaves it out.
  std::function<bool(std::size_t segment, std::size_t system, std::size_t request, std::span<const double>)>
      worth_explaining;
};

/// Those whose factory the registry knows.
std::vector<std::unique_ptr<PairMetric>> make_pair_metrics(std::span<const Metric> requests);

class PairRun final : public MetricRun {
 public:
  /// The requests must outlive it; one metric for each. Counts the idf tables the metrics need, and says what
  /// they have to say about their choice of layers.
  PairRun(std::span<const Metric> requests, std::vector<std::unique_ptr<PairMetric>> metrics,
          const RunInputs& inputs, PairSettings settings);

  embed::EncodeRequest request() const override { return {layers_, {}, false}; }
  bool needs_order() const override { return static_cast<bool>(settings_.explain); }
  void mark_needed(const embed::TextTokens& tokens, std::span<std::uint8_t> mask) const override;
  void take(const embed::TextBlock& block) override;

  /// Warns of segments without weight.
  std::vector<Result> results() override;

 private:
  /// What a user should know about the segments of one system and metric.
  struct SegmentCounts {
    std::size_t empty_candidates = 0;
    std::size_t empty_references = 0;  ///< segments none of whose references has a token
    std::size_t unfiltered = 0;
    std::size_t weightless = 0;

    SegmentCounts& operator+=(const SegmentCounts& other);
  };
  struct Task {
    std::unique_ptr<PairMetric> metric;
    std::vector<std::size_t> layers;
    const IdfTable* reference_idf = nullptr;
    bool has_candidate_idf = false;  ///< every system has a table of its own
  };
  /// Role 0 is a reference, role s + 1 a candidate of system s.
  const IdfTable* table(const Task& task, std::size_t role) const;
  void choose_layers(const RunContext& context);
  void count_words();
  void prepare(const embed::TextBlock& block, std::size_t task);
  const PreparedText& prepared(std::size_t task, std::size_t role, std::size_t slot) const;
  /// Scores lines from `begin` on, as many as the device is asked about at a time; returns the first of the
  /// others.
  std::size_t score_lines(const embed::TextBlock& block, std::size_t begin, std::size_t task,
                          std::span<PairScratch> scratch, std::span<SegmentCounts> counts);
  /// A line of the block, whose text, and which metric.
  struct SegmentNumber {
    std::size_t index, system, task;
  };
  /// `first_pair`: of the segment in `relations`.
  void score_segment(const embed::TextBlock& block, const SegmentNumber& segment,
                     const RowRelations& relations, std::size_t first_pair, PairScratch& scratch,
                     SegmentCounts& count);
  struct ExplainedSegment {
    std::pair<std::size_t, std::size_t> place;  ///< line of the block, system
    PairExplanation explanation;
  };
  void explain(const embed::TextBlock& block, std::size_t task, PairScratch& scratch,
               std::vector<ExplainedSegment>& explained);
  PairExplanation explanation(const embed::TextBlock& block, const SegmentNumber& segment,
                              std::size_t reference, PairScratch& scratch) const;
  Result result(std::size_t system, std::size_t task) const;
  std::span<double> values(std::size_t system, std::size_t task, std::size_t segment);
  std::size_t width_of(std::size_t task) const { return requests_[task].info->results.size(); }
  std::size_t slot(std::size_t system, std::size_t task) const { return system * tasks_.size() + task; }
  std::vector<std::uint32_t> references_of(const embed::TextBlock& block, std::size_t index) const;

  std::span<const Metric> requests_;
  const embed::RunTexts& texts_;
  std::span<const std::string> system_names_;
  embed::VectorSource& source_;
  PairSettings settings_;
  compute::Device& device_;
  const RunContext& context_;
  std::vector<Task> tasks_;          ///< one per request
  std::vector<std::size_t> layers_;  ///< those any of them reads, rising
  IdfTable reference_idf_;
  std::vector<IdfTable> system_idf_;
  std::map<std::string, IdfTable> corpus_idf_;  ///< by the path of the corpus
  std::vector<PreparedText> prepared_;          ///< of the block and metric at hand: by role and text
  std::size_t roles_ = 1, slots_ = 0;           ///< sizes of prepared_
  std::vector<std::vector<double>> values_;     ///< per system and task: segments x results
  std::vector<SegmentCounts> counts_;           ///< per system and task
};

}  // namespace markeval::metric
