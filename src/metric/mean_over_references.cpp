// multi=mean of lexical metrics that by themselves take the best of several references, or count them
// together.
#include "metric/lexical_metric.hpp"

namespace markeval::metric {
namespace {

using lexical::PythonNumber;

/// Scores every text against each of its references by itself; a segment has the mean of these scores.
class MeanOverReferences : public LexicalMetric {
 public:
  explicit MeanOverReferences(std::unique_ptr<LexicalMetric> one) : one_(std::move(one)) {}

  std::vector<SegmentStatistics> statistics(const lexical::ScoredTexts& corpus,
                                            const RunContext& context) const override {
    lexical::ScoredTexts pairs;
    pairs.systems.resize(corpus.systems.size());
    for (std::size_t segment = 0; segment < corpus.segments(); ++segment) {
      for (const std::string_view reference : corpus.references[segment]) {
        pairs.references.push_back({reference});
        for (std::size_t system = 0; system < corpus.systems.size(); ++system)
          pairs.systems[system].push_back(corpus.systems[system][segment]);
      }
    }
    std::vector<SegmentStatistics> means;
    for (const SegmentStatistics& counts : one_->statistics(pairs, context))
      means.push_back(mean_rows(counts, corpus));
    return means;
  }
  std::vector<PythonNumber> scores(std::span<const PythonNumber> sum, double segments) const override {
    std::vector<PythonNumber> result;
    for (const PythonNumber column : sum) result.push_back(column / PythonNumber(segments));
    return result;
  }
  bool mean_of_segments() const override { return true; }
  std::vector<std::string> words(std::string_view text) const override { return one_->words(text); }
  Reads reads() const override { return one_->reads(); }
  std::string note() const override { return one_->note(); }
  Named<std::string> signature() const override {
    Named<std::string> pairs = one_->signature();
    pairs.emplace_back("multi", "mean");
    return pairs;
  }

 private:
  SegmentStatistics mean_rows(const SegmentStatistics& pairs, const lexical::ScoredTexts& corpus) const {
    SegmentStatistics means;
    std::size_t pair = 0;
    for (const auto& references : corpus.references) {
      std::vector<double> sums;
      for (std::size_t reference = 0; reference < references.size(); ++reference, ++pair) {
        const auto row = pairs.row(pair);
        const std::vector<PythonNumber> scores =
            one_->scores(std::vector<PythonNumber>(row.begin(), row.end()), 1);
        sums.resize(scores.size(), 0);
        for (std::size_t i = 0; i < scores.size(); ++i) sums[i] += scores[i].value;
      }
      means.columns = sums.size();
      for (const double sum : sums) means.values.push_back(sum / static_cast<double>(references.size()));
    }
    return means;
  }

  std::unique_ptr<LexicalMetric> one_;
};

}  // namespace

std::unique_ptr<LexicalMetric> with_references(std::unique_ptr<LexicalMetric> metric,
                                               const OptionValues& options) {
  if (options.text("multi") != "mean") return metric;
  return std::make_unique<MeanOverReferences>(std::move(metric));
}

}  // namespace markeval::metric
