// Segment scores are what score_sets says of the same rows, one segment at a time.
#include "metric/score_segments.hpp"

#include <gtest/gtest.h>

#include "metric/scored_points.hpp"
#include "metric/warnings.hpp"
#include "support/sets.hpp"

namespace markeval::metric {
namespace {

using testing::PointSet;
using testing::random_points;

class ScoreSegments : public ::testing::Test {
 protected:
  using Sets = std::vector<PointSet<float>>;

  static SegmentRows rows_of(const PointSet<float>& set) {
    return {set.values.data(), set.rows(), set.columns};
  }
  /// One system, all segments in one block; references[segment][number].
  std::vector<Result> run(const std::vector<Sets>& references, const Sets& lines,
                          const std::vector<std::string>& metrics, std::size_t threads = 2) {
    ThreadPool pool(threads);
    const auto device = compute::make_cpu_device(pool);
    const RunContext context{pool, nullptr, &warnings_, nullptr};
    requests_.clear();
    for (const std::string& text : metrics) requests_.push_back(Metric(text));
    SegmentSettings settings;
    settings.segments = true;
    settings.input_signature = {{"model", "tiny@0"}};
    SegmentRun segments(requests_, 1, settings, *device, context);
    const std::size_t half = lines.size() / 2;  // two blocks
    for (const auto& [begin, end] : {std::pair{std::size_t{0}, half}, std::pair{half, lines.size()}}) {
      std::vector<std::vector<SegmentRows>> reference_rows;
      std::vector<SegmentRows> line_rows;
      for (std::size_t i = begin; i < end; ++i) {
        auto& list = reference_rows.emplace_back();
        for (const auto& set : references[i]) list.push_back(rows_of(set));
        line_rows.push_back(rows_of(lines[i]));
      }
      segments.start_block(reference_rows);
      segments.score(0, line_rows);
    }
    return segments.results(0, "mine");
  }
  std::vector<double> whole(const PointSet<float>& reference, const PointSet<float>& line,
                            const std::string& metric) {
    ThreadPool pool(1);
    const auto device = compute::make_cpu_device(pool);
    const std::vector<Metric> requests{Metric(metric)};
    SetSettings settings;
    settings.clamp_k = true;
    const SetScores scores =
        score_points(*device, {"r", reference.points()}, {"s", line.points()}, requests, settings, {pool});
    std::vector<double> values;
    for (const auto& [name, value] : scores.results[0].scores) values.push_back(value);
    return values;
  }

  std::vector<Metric> requests_;
  Warnings warnings_;
};

TEST_F(ScoreSegments, AreThoseOfTheSetsOneByOne) {
  std::vector<Sets> references;
  Sets lines;
  for (std::uint64_t i = 0; i < 12; ++i) {
    references.push_back({random_points<float>(i, 6 + i, 16)});
    lines.push_back(random_points<float>(100 + i, 17 - i, 16, 0.3));
  }
  const std::vector<std::string> metrics{"me:k=2", "impar:k=1", "prdc:k=4,ball=open", "fid",
                                         "prd:clusters=4"};
  const auto results = run(references, lines, metrics);
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::vector<double> expected = whole(references[i][0], lines[i], metrics[m]);
      for (std::size_t r = 0; r < expected.size(); ++r) {
        EXPECT_EQ(results[m].segments[r].second[i], expected[r]) << metrics[m] << ", segment " << i;
      }
    }
    double sum = 0;
    for (const double value : results[m].segments[0].second) sum += value;
    EXPECT_DOUBLE_EQ(results[m].scores[0].second, sum / 12);
  }
  EXPECT_TRUE(warnings_.all.empty());
  EXPECT_EQ(run(references, lines, metrics, 1)[0].segments, run(references, lines, metrics, 3)[0].segments);
}

TEST_F(ScoreSegments, SignatureSaysHow) {
  const PointSet<float> set = random_points<float>(1, 9, 4);
  const auto results = run({{set}, {set}}, {set, set}, {"me:k=2,multi=max", "fid"});
  EXPECT_EQ(results[0].scores[0].second, 1) << "R = E";
  std::string text;
  for (const auto& [name, value] : results[0].signature_parts) text += name + ":" + value + "|";
  EXPECT_EQ(text, "k:2|samples:word|scope:segment|multi:max|ball:closed|model:tiny@0|version:0.1.0|");
  EXPECT_EQ(results[1].signature_parts[2].second, "mean");
}

TEST_F(ScoreSegments, KShrinksWhereRowsAreFewAndIsCounted) {
  const PointSet<float> large = random_points<float>(1, 9, 4), small = random_points<float>(2, 3, 4);
  const auto results = run({{large}, {large}}, {large, small}, {"me:k=5"});
  EXPECT_EQ(results[0].segments[0].second[1], whole(large, small, "me:k=2")[0]);
  EXPECT_EQ(std::get<std::uint64_t>(results[0].details[3].second), 1u);
  ASSERT_EQ(warnings_.all.size(), 1u);
  EXPECT_EQ(warnings_.all[0], "mine: me:k=5: k = 5 shrinks in 1 of 2 segments, which have too few rows");
}

TEST_F(ScoreSegments, FewerThanTwoRowsScoreZero) {
  const PointSet<float> set = random_points<float>(1, 9, 2), one{{3, 4}, 2}, none{{}, 2};
  const auto results = run({{set}, {one}, {set}}, {one, set, none}, {"me", "prdc", "prd", "fid"});
  for (std::size_t m = 0; m < 3; ++m) {
    for (const auto& [name, values] : results[m].segments) EXPECT_EQ(values, (std::vector<double>{0, 0, 0}));
  }
  EXPECT_GT(results[3].segments[0].second[2], 0) << "no row: one at the origin, not a perfect distance";
  EXPECT_EQ(warnings_.all.front(), "mine: me: 3 of 3 segments have fewer than two rows and score 0");
  EXPECT_EQ(warnings_.all.back(), "mine: fid: 3 of 3 segments have fewer than two rows");
}

TEST_F(ScoreSegments, SeveralReferencesMeanBestAndTogether) {
  const PointSet<float> first = random_points<float>(1, 9, 4), second = random_points<float>(2, 12, 4);
  const PointSet<float> line = random_points<float>(3, 8, 4, 0.4);
  PointSet<float> both = first;
  both.values.insert(both.values.end(), second.values.begin(), second.values.end());
  const auto results = run({{first, second}, {first}}, {line, line},
                           {"me", "me:multi=max", "me:multi=union", "fid:multi=max"});
  const std::vector<double> a = whole(first, line, "me"), b = whole(second, line, "me");
  for (std::size_t r = 0; r < a.size(); ++r) {
    EXPECT_DOUBLE_EQ(results[0].segments[r].second[0], (a[r] + b[r]) / 2);
    EXPECT_EQ(results[1].segments[r].second[0], std::max(a[r], b[r]));
    EXPECT_EQ(results[2].segments[r].second[0], whole(both, line, "me")[r]);
    for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(results[m].segments[r].second[1], a[r]);
  }
  EXPECT_EQ(results[3].segments[0].second[0],
            std::min(whole(first, line, "fid")[0], whole(second, line, "fid")[0]));
}

TEST_F(ScoreSegments, PrdHasNoMoreClustersThanRows) {
  const PointSet<float> set = random_points<float>(1, 3, 4), other = random_points<float>(2, 2, 4);
  const auto results = run({{set}, {set}}, {set, other}, {"prd"});
  EXPECT_NEAR(results[0].segments[0].second[0], 1, 1e-9) << "identical sets";
}

}  // namespace
}  // namespace markeval::metric
