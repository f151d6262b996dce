// Whole scores against the papers' formulas written down literally, and the properties every set metric must
// have.
#include "metric/score_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "metric/population.hpp"
#include "metric/scored_points.hpp"
#include "metric/warnings.hpp"
#include "support/brute_force.hpp"
#include "support/sets.hpp"
#include "support/temp_folder.hpp"

namespace markeval::metric {
namespace {

using geometry::Points;
using testing::PointSet;
using testing::random_points;
using Scores = std::map<std::string, double>;

class ScoreSets : public ::testing::Test {
 protected:
  SetScores run(Points reference, Points evaluated, const std::vector<std::string>& metrics) {
    std::vector<Metric> requests;
    for (const std::string& text : metrics) requests.push_back(Metric(text));
    const RunContext context{pool_, nullptr, &warnings_, nullptr};
    return score_points(*device_, {"refs.npy", reference}, {"sys.npy", evaluated}, requests, settings_,
                        context);
  }
  Scores scores(Points reference, Points evaluated, const std::string& metric) {
    const auto result = run(reference, evaluated, {metric}).results.at(0);
    return {result.scores.begin(), result.scores.end()};
  }
  ThreadPool pool_{2};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
  SetSettings settings_;
  Warnings warnings_;
};

// Mordido and Meinel 2020, section 3, formula by formula; the two slips of docs/reference/metrics/me.md
// resolved.
Scores literal_mark_evaluate(const Points& r, const Points& e, std::size_t k) {
  const std::vector<geometry::BallRequest> request{{k, geometry::Ball::closed}};
  const geometry::SetComparison found = testing::brute_force_comparison(r, e, request);
  const auto& of_r = found.counts[0].reference_balls;
  const auto& of_e = found.counts[0].evaluated_balls;
  const auto sum = [](const auto& list) { return std::accumulate(list.begin(), list.end(), 0.0); };
  const double population = static_cast<double>(r.rows() + e.rows());
  const auto score = [&](double estimate) {
    return 1 - std::min(std::abs(estimate - population) / population, 1.0);
  };
  Scores scores;
  const double a = sum(of_r.covered), b = sum(of_e.covered);
  const double m = static_cast<double>(r.rows()) + a, c = static_cast<double>(e.rows()) + b;
  scores["petersen"] = a + b == 0 ? 0 : score(c * m / (a + b));
  const auto schnabel = [&](const auto& covered, const auto& hits, const geometry::NeighbourLists& lists) {
    std::vector<bool> marked(covered.begin(), covered.end());
    double captured = 0, recaptured = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      captured += static_cast<double>(k + 1) + hits[i];
      std::vector<std::size_t> group{i};
      for (std::size_t n = 0; n < k; ++n) group.push_back(lists.of(i)[n].row);
      recaptured += hits[i];
      for (const std::size_t row : group) recaptured += marked[row] ? 1 : 0;
      for (const std::size_t row : group) marked[row] = true;
    }
    return recaptured == 0 ? 0 : score(captured * population / recaptured);
  };
  scores["schnabel_qual"] = schnabel(of_r.covered, of_e.hits, found.evaluated);
  scores["schnabel_div"] = schnabel(of_e.covered, of_r.hits, found.reference);
  const double captures = static_cast<double>(k + 1) * population + sum(of_r.hits) + sum(of_e.hits);
  double best = population, best_height = -1e300;
  for (double n = population; n < 60 * population; ++n) {
    const auto x_log_x = [](double x) { return x > 0 ? x * std::log(x) : 0; };
    const double height = std::lgamma(n + 1) - std::lgamma(n - population + 1) +
                          x_log_x(population * n - captures) - x_log_x(population * n);
    if (height > best_height + 1e-9) {
      best_height = height;
      best = n;
    }
  }
  scores["capture"] = score(best);
  return scores;
}

Scores literal_prdc(const Points& r, const Points& e, std::size_t k, geometry::Ball ball) {
  const std::vector<geometry::BallRequest> request{{k, ball}};
  const geometry::SetComparison found = testing::brute_force_comparison(r, e, request);
  const auto& of_r = found.counts[0].reference_balls;
  const auto sum = [](const auto& list) { return std::accumulate(list.begin(), list.end(), 0.0); };
  const double filled =
      static_cast<double>(r.rows()) - static_cast<double>(std::count(of_r.hits.begin(), of_r.hits.end(), 0u));
  return {{"precision", sum(of_r.covered) / static_cast<double>(e.rows())},
          {"recall", sum(found.counts[0].evaluated_balls.covered) / static_cast<double>(r.rows())},
          {"density", sum(of_r.hits) / static_cast<double>(k * e.rows())},
          {"coverage", filled / static_cast<double>(r.rows())}};
}

TEST_F(ScoreSets, EqualTheSpecificationOnManySmallSets) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    RandomStream random(seed, 0);
    const std::size_t columns = 1 + random.below(12), k = 1 + random.below(4);
    const std::size_t rows = k + 1 + random.below(25), others = k + 1 + random.below(25);
    const double grid = seed % 3 == 0 ? 0.5 : 0, offset = seed % 5 == 0 ? 1e4 : 0;
    const auto r = random_points<float>(seed, rows, columns, offset, grid);
    const auto e = random_points<float>(seed + 1000, others, columns,
                                        offset + 0.3 * static_cast<double>(seed % 7), grid);
    const std::string number = std::to_string(k);
    const auto results =
        run(r.points(), e.points(),
            {"me:k=" + number, "prdc:k=" + number, "prdc:ball=open,k=" + number, "impar:k=" + number})
            .results;
    const std::vector<Scores> expected{literal_mark_evaluate(r.points(), e.points(), k),
                                       literal_prdc(r.points(), e.points(), k, geometry::Ball::closed),
                                       literal_prdc(r.points(), e.points(), k, geometry::Ball::open)};
    for (std::size_t i = 0; i < 3; ++i) {
      for (const auto& [name, value] : results[i].scores) {
        EXPECT_NEAR(value, expected[i].at(name), 1e-12)
            << "seed " << seed << ", " << results[i].requested << " " << name;
      }
    }
    for (const auto& [name, value] : results[3].scores)
      EXPECT_NEAR(value, expected[1].at(name), 1e-12) << seed;
  }
}

TEST_F(ScoreSets, DoublesCountInFull) {
  // In float32 all rows of a set would be the same point.
  PointSet<double> r{{1, 1 + 1e-12, 1 + 3e-12, 1 + 7e-12}, 1},
      e{{1 + 2e-11, 1 + 3e-11, 1 + 5e-11, 1 + 8e-11}, 1};
  EXPECT_EQ(scores(r.points(), e.points(), "impar:k=1")["precision"], 0);
  EXPECT_EQ(scores(r.points(), r.points(), "impar:k=1")["precision"], 1);
}

TEST_F(ScoreSets, IdenticalSetsArePerfect) {
  const auto set = random_points<float>(3, 40, 8);
  for (const std::string metric : {"me", "me:k=7", "impar", "prdc", "prd"}) {
    for (const auto& [name, value] : scores(set.points(), set.points(), metric)) {
      if (name == "density") {
        EXPECT_GE(value, 1);
      } else if (name == "capture") {  // with k = 1 one row in e^4 is thought to have escaped every time
        EXPECT_GE(value, 0.98);
      } else {
        EXPECT_NEAR(value, 1, 1e-9) << metric << " " << name;
      }
    }
  }
  EXPECT_EQ(scores(set.points(), set.points(), "me:k=7")["capture"], 1);
  EXPECT_NEAR(scores(set.points(), set.points(), "fid")["fid"], 0, 1e-9);
}

TEST_F(ScoreSets, TenRowsAgainstThemselvesAreTheExampleOfThePaper) {
  const auto set = random_points<float>(3, 10, 8);
  for (const auto& [name, value] : scores(set.points(), set.points(), "me")) EXPECT_EQ(value, 1) << name;
}

TEST_F(ScoreSets, SetsFarApartScoreNothing) {
  const auto r = random_points<float>(1, 30, 4), e = random_points<float>(2, 30, 4, 1000);
  const auto result = run(r.points(), e.points(), {"me"}).results[0];
  const Scores found(result.scores.begin(), result.scores.end());
  EXPECT_EQ(found.at("petersen"), 0);
  const std::map<std::string, Detail> details(result.details.begin(), result.details.end());
  EXPECT_TRUE(std::isinf(std::get<double>(details.at("petersen_estimate"))));
  EXPECT_EQ(scores(r.points(), e.points(), "prdc")["coverage"], 0);
  EXPECT_NEAR(scores(r.points(), e.points(), "prd")["f8"], 0, 1e-6);
  EXPECT_GT(scores(r.points(), e.points(), "fid")["fid"], 1e6);
}

TEST_F(ScoreSets, SwappingSetsSwapsQualityAndDiversity) {
  const auto r = random_points<float>(5, 30, 6), e = random_points<float>(6, 22, 6, 0.4);
  Scores there = scores(r.points(), e.points(), "me:k=2"), back = scores(e.points(), r.points(), "me:k=2");
  EXPECT_EQ(there["petersen"], back["petersen"]);
  EXPECT_EQ(there["capture"], back["capture"]);
  EXPECT_EQ(there["schnabel_qual"], back["schnabel_div"]);
  EXPECT_EQ(there["schnabel_div"], back["schnabel_qual"]);
  EXPECT_EQ(scores(r.points(), e.points(), "impar")["precision"],
            scores(e.points(), r.points(), "impar")["recall"]);
  EXPECT_NEAR(scores(r.points(), e.points(), "fid")["fid"], scores(e.points(), r.points(), "fid")["fid"],
              1e-9);
}

TEST_F(ScoreSets, OrderOfRowsDoesNotMatter) {
  const auto r = random_points<float>(7, 30, 5), e = random_points<float>(8, 30, 5, 0.5);
  PointSet<float> mixed{{}, 5};
  for (const std::uint32_t row : RandomStream(9, 0).permutation(30)) {
    mixed.values.insert(mixed.values.end(), e.values.begin() + row * 5, e.values.begin() + row * 5 + 5);
  }
  EXPECT_EQ(scores(r.points(), e.points(), "me:k=2"), scores(r.points(), mixed.points(), "me:k=2"));
  EXPECT_EQ(scores(r.points(), e.points(), "prdc"), scores(r.points(), mixed.points(), "prdc"));
  EXPECT_NEAR(scores(r.points(), e.points(), "fid")["fid"], scores(r.points(), mixed.points(), "fid")["fid"],
              1e-9);
}

TEST_F(ScoreSets, SameBitsForAnyNumberOfThreads) {
  const auto r = random_points<float>(11, 3000, 20), e = random_points<float>(12, 2500, 20, 0.2);
  const std::vector<std::string> metrics{"prd:runs=2", "fid", "me"};
  const auto two = run(r.points(), e.points(), metrics).results;
  ThreadPool one(1);
  const auto device = compute::make_cpu_device(one);
  const RunContext context{one};
  std::vector<Metric> requests;
  for (const std::string& text : metrics) requests.push_back(Metric(text));
  const auto alone =
      score_points(*device, {"r", r.points()}, {"e", e.points()}, requests, settings_, context).results;
  for (std::size_t i = 0; i < metrics.size(); ++i) EXPECT_EQ(two[i].scores, alone[i].scores) << metrics[i];
}

TEST_F(ScoreSets, TooFewRowsIsAnErrorThatNamesTheSet) {
  const auto r = random_points<float>(1, 10, 3), e = random_points<float>(2, 4, 3),
             single = random_points<float>(3, 1, 3);
  EXPECT_ERROR(run(r.points(), e.points(), {"prdc"}), ErrorCode::invalid_input,
               "prdc: k = 5 needs more than 5 rows, but sys.npy has 4; a smaller k or --clamp-k helps");
  EXPECT_ERROR(run(e.points(), r.points(), {"me:k=4"}), ErrorCode::invalid_input, "but refs.npy has 4");
  EXPECT_ERROR(run(r.points(), single.points(), {"me"}), ErrorCode::invalid_input,
               "me: sys.npy has 1 row, expected at least 2");
  EXPECT_ERROR(run(r.points(), single.points(), {"fid"}), ErrorCode::invalid_input,
               "fid: sys.npy has 1 row, expected at least 2");
  EXPECT_ERROR(run(r.points(), e.points(), {"prd"}), ErrorCode::invalid_input,
               "prd: refs.npy has 10 rows and sys.npy has 4, too few for 20 clusters; take fewer with "
               "prd:clusters=N");
}

TEST_F(ScoreSets, ClampedKIsWarnedOfAndSigned) {
  const auto r = random_points<float>(1, 10, 3), e = random_points<float>(2, 4, 3);
  settings_.clamp_k = true;
  const auto result = run(r.points(), e.points(), {"prdc"}).results[0];
  EXPECT_EQ(warnings_.all, std::vector<std::string>{"prdc: k = 5 shrinks to 3: sys.npy has only 4 rows"});
  EXPECT_NE(result.signature().find("prdc|k:3|k_asked:5|"), std::string::npos);
  EXPECT_EQ(Scores(result.scores.begin(), result.scores.end()), scores(r.points(), e.points(), "prdc:k=3"));
}

TEST_F(ScoreSets, DifferentWidthsAreAnErrorThatNamesBoth) {
  const auto r = random_points<float>(1, 10, 3), e = random_points<float>(2, 10, 4);
  EXPECT_ERROR(run(r.points(), e.points(), {"me"}), ErrorCode::invalid_input,
               "sys.npy has 4 columns but refs.npy has 3, expected the same width");
}

TEST_F(ScoreSets, FewerRowsThanColumnsWarnsForFid) {
  const auto r = random_points<float>(1, 10, 12), e = random_points<float>(2, 20, 12);
  const double value = scores(r.points(), e.points(), "fid")["fid"];
  EXPECT_TRUE(std::isfinite(value));
  ASSERT_EQ(warnings_.all.size(), 1u);
  EXPECT_NE(warnings_.all[0].find("fid: 10 rows of 12 columns"), std::string::npos);
}

TEST_F(ScoreSets, DetailsTellDuplicatesRadiiAndRows) {
  PointSet<float> r{{0, 0, 1, 3}, 1}, e{{0, 1, 2, 4, 8}, 1};
  const auto result = run(r.points(), e.points(), {"me"}).results[0];
  const std::map<std::string, Detail> details(result.details.begin(), result.details.end());
  EXPECT_EQ(std::get<std::uint64_t>(details.at("reference_rows")), 4u);
  EXPECT_EQ(std::get<std::uint64_t>(details.at("system_rows")), 5u);
  EXPECT_EQ(std::get<std::uint64_t>(details.at("reference_duplicates")), 2u);
  EXPECT_EQ(std::get<std::uint64_t>(details.at("system_duplicates")), 0u);
  EXPECT_EQ(std::get<std::vector<double>>(details.at("reference_radius_quantiles")),
            (std::vector<double>{0, 0, 0, 1, 2}));
  EXPECT_FALSE(std::get<std::string>(details.at("filter")).empty());
}

TEST_F(ScoreSets, ExplanationsRankTheFarthestRowFirst) {
  PointSet<float> r{{0, 1, 2, 3}, 1}, e{{0.5f, 1.5f, 20, 10}, 1};
  settings_.explain = true;
  const auto found = run(r.points(), e.points(), {"impar:k=1", "fid"}).explanations;
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].off_manifold.size(), 2u);
  EXPECT_EQ(found[0].off_manifold[0].row, 2u);
  EXPECT_EQ(found[0].off_manifold[0].nearest_centre, 3u);
  EXPECT_DOUBLE_EQ(found[0].off_manifold[0].gap(), 16);
  EXPECT_EQ(found[0].off_manifold[1].row, 3u);
  EXPECT_TRUE(found[0].missing_modes.empty());
}

TEST_F(ScoreSets, CancelledWorkStops) {
  const auto r = random_points<float>(1, 30, 3), e = random_points<float>(2, 30, 3);
  const std::atomic<bool> cancel{true};
  const RunContext context{pool_, nullptr, nullptr, &cancel};
  for (const std::string metric : {"prd", "fid", "me"}) {
    const std::vector<Metric> requests{Metric(metric)};
    const NamedPoints first{"r", r.points()}, second{"e", e.points()};
    EXPECT_ERROR(score_points(*device_, first, second, requests, settings_, context), ErrorCode::cancelled,
                 "stopped on request");
  }
}

}  // namespace
}  // namespace markeval::metric
