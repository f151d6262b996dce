// All metrics score the same pairs; intervals and the test are those of `correlate`, so that the two never
// contradict each other.
#include "training/training_validation.hpp"

#include <array>

#include "base/error.hpp"
#include "meta/coefficient_intervals.hpp"
#include "meta/metric_significance.hpp"
#include "score/engine.hpp"

namespace markeval::training {
namespace {

constexpr std::size_t kResamples = 1000;  // of intervals
constexpr std::array kPearson{meta::Coefficient::pearson};

/// The validation pairs with a column for each metric.
class ValidationScores {
 public:
  ValidationScores(const TrainRequest& request, const trained::TrainingData& data) : data_(data) {
    for (const trained::ScoredPair& pair : data.valid) {
      references_.push_back(data.texts[pair.reference]);
      texts_.push_back(data.texts[pair.text]);
      table_.gold.emplace_back(pair.gold);
      if (!request.group.empty()) table_.group.push_back(std::to_string(pair.group));
    }
    scoring_.references = {{request.reference, Texts{references_, {}}}};
    scoring_.systems = {{request.hypothesis, Texts{texts_, {}}}};
    scoring_.encoder = request.encoder;
    scoring_.segments = true;
  }
  const meta::ScoreTable& table() const { return table_; }

  /// Columns by the names of the metrics; none for a metric that could not be computed.
  void add(std::vector<Metric> metrics, const score::Caller& caller) {
    scoring_.metrics = std::move(metrics);
    const auto scored = score::score_request(scoring_, caller);
    for (const Result& result : scored->report.results) {
      const std::vector<double>& values = result.segments.front().second;
      meta::PredictedColumn& column = table_.predicted.emplace_back();
      column.name = result.requested;
      for (const double value : values) column.values.emplace_back(value);
      known_.push_back({result.metric, trained::mean_pearson(values, data_.valid), {}, {}});
    }
  }
  /// By column.
  std::vector<TrainReport::Known> known(const RunContext& context) const;

 private:
  const trained::TrainingData& data_;
  std::vector<std::string> references_, texts_;
  ScoreRequest scoring_;
  meta::ScoreTable table_;
  std::vector<TrainReport::Known> known_;
};

/// p-values are those of the difference from the first column.
std::vector<TrainReport::Known> ValidationScores::known(const RunContext& context) const {
  std::vector<TrainReport::Known> known = known_;
  const auto intervals =
      meta::coefficient_intervals(table_, kPearson, {}, kResamples, meta::MetricTestOptions{}.seed, context);
  const std::size_t rows = intervals.size() / known.size();  // of each column, that of all groups last
  for (std::size_t column = 0; column < known.size(); ++column)
    known[column].interval = intervals[(column + 1) * rows - 1].front();
  if (known.size() < 2) return known;
  for (const meta::MetricDifference& pair :
       meta::compare_metrics(table_, meta::Coefficient::pearson, meta::MetricTest::perm_both, {}, context)) {
    const bool whole = pair.group == (table_.group.empty() ? meta::kAllRows : meta::kMeanRow);
    if (pair.first == 0 && whole) known[pair.second].p_value = pair.p_adjusted;
  }
  return known;
}

}  // namespace

void compare_with_known(const TrainRequest& request, const trained::TrainingData& data,
                        const score::Caller& caller, TrainReport& report) {
  if (data.valid.empty() || request.token_vectors) return;  // vectors have no texts
  ValidationScores scores(request, data);
  const std::string own = request.architecture + ":weights=" + request.folder;
  const bool named = request.folder.find(',') == std::string::npos;  // which would end the option
  scores.add(
      named ? std::vector<Metric>{own, "chrf", "bertscore.f1"} : std::vector<Metric>{"chrf", "bertscore.f1"},
      caller);
  try {
    scores.add({"match"}, caller);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;  // else: the program has no head for this encoder
  }
  report.known = scores.known({caller.runtime.pool});
  if (scores.table().predicted.front().name != own) {  // it has no scores to compare with
    for (TrainReport::Known& one : report.known) one.p_value.reset();
    return;
  }
  report.interval = report.known.front().interval;
  report.known.erase(report.known.begin());
}

}  // namespace markeval::training
