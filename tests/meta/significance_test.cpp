#include <gmock/gmock.h>

#include "base/error.hpp"
#include "meta/multiple_comparison.hpp"
#include "meta/student_t.hpp"
#include "meta/support.hpp"
#include "meta/williams.hpp"

namespace markeval::meta {
namespace {

TEST(StudentT, AgreesWithScipyAndMpmathAlsoInTheTail) {
  for (const auto& row : golden_rows("student_t")) {
    const double t = to_double(row[0]), degrees = to_double(row[1]), ours = student_t_upper_tail(t, degrees);
    const double scipy = to_double(row[2]), exact = to_double(row[3]);
    EXPECT_NEAR(ours, scipy, 1e-11 * scipy) << "t " << t << " degrees " << degrees;
    EXPECT_NEAR(ours, exact, 1e-12 * exact) << "t " << t << " degrees " << degrees;
  }
}

TEST(StudentT, QuantileInvertsTheProbability) {
  for (const double degrees : {1.0, 2.0, 9.0, 557.0}) {
    for (const double probability : {0.9, 0.5, 0.05, 0.001}) {
      const double t = student_t_two_sided_quantile(probability, degrees);
      EXPECT_NEAR(student_t_two_sided(t, degrees), probability, 1e-12 * probability);
    }
  }
  EXPECT_NEAR(student_t_two_sided_quantile(0.05, 10), 2.228138851986275,
              1e-12);  // scipy 1.17.1, t.isf(0.025, 10)
}

TEST(StudentT, IsAHalfAtZeroAndNothingAtInfinity) {
  EXPECT_EQ(student_t_upper_tail(0, 5), 0.5);
  EXPECT_EQ(student_t_two_sided(1e200, 5), 0);
}

TEST(Williams, AgreesWithItsFormulaAndScipysDistribution) {
  for (const auto& row : golden_rows("williams")) {
    const auto result = williams_test(to_double(row[0]), to_double(row[1]), to_double(row[2]),
                                      static_cast<std::size_t>(to_double(row[3])));
    ASSERT_TRUE(result);
    const double t = to_double(row[4]);
    EXPECT_NEAR(result->t, t, 1e-9 * std::fabs(t));
    EXPECT_NEAR(result->p_value, to_double(row[5]), 1e-9);
    EXPECT_NEAR(result->p_greater, to_double(row[6]), 1e-9);
    EXPECT_EQ(result->degrees_of_freedom, to_double(row[3]) - 3);
  }
}

TEST(Williams, GivesTheWorkedFormula) {
  // n = 103, r1 = 0.5, r2 = 0.3, r12 = 0.4: K = 1 - .25 - .09 - .16 + .12 = .62,
  // t = .2 sqrt(102 * 1.4) / sqrt(2 * .62 * 102 / 100 + .16 * .216)
  const auto result = williams_test(0.5, 0.3, 0.4, 103);
  EXPECT_NEAR(result->t, 0.2 * std::sqrt(102 * 1.4) / std::sqrt(1.2648 + 0.03456), 1e-12);
}

TEST(Williams, ChangesSignWithTheOrder) {
  const auto ours = williams_test(0.5, 0.3, 0.4, 60), other = williams_test(0.3, 0.5, 0.4, 60);
  EXPECT_EQ(ours->t, -other->t);
  EXPECT_EQ(ours->p_value, other->p_value);
  EXPECT_NEAR(ours->p_greater + other->p_greater, 1, 1e-15);
}

TEST(Williams, HasNoValueForFewerThanFourRowsOrOneMetricTwice) {
  EXPECT_EQ(williams_test(0.5, 0.3, 0.4, 3), std::nullopt);
  EXPECT_EQ(williams_test(0.5, 0.5, 1, 50)->p_value, 1);
  EXPECT_EQ(williams_test(0.5, 0.5, 1, 50)->p_greater, 0.5);
}

TEST(Williams, RefusesWhatIsNoCorrelation) {
  EXPECT_THROW(williams_test(1.5, 0, 0, 50), Error);
  EXPECT_THROW(williams_test(0, std::nan(""), 0, 50), Error);
}

TEST(MultipleComparison, AgreesWithScipyAndTheDefinition) {
  for (const auto& row : golden_rows("adjusted")) {
    std::vector<std::optional<double>> p;
    for (const double value : numbers(row[0])) p.emplace_back(value);
    const auto holm = adjust(p, Correction::holm), bh = adjust(p, Correction::benjamini_hochberg);
    const auto expected_holm = numbers(row[1]), expected_bh = numbers(row[2]);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(*holm[i], expected_holm[i], 1e-15);
      EXPECT_NEAR(*bh[i], expected_bh[i], 1e-15);
    }
    EXPECT_EQ(adjust(p, Correction::none), p);
  }
}

TEST(MultipleComparison, LeavesAbsentTestsOut) {
  const std::vector<std::optional<double>> p{0.02, std::nullopt, 0.01};
  const auto adjusted = adjust(p, Correction::holm);
  EXPECT_EQ(adjusted[1], std::nullopt);
  EXPECT_DOUBLE_EQ(*adjusted[2], 0.02);
  EXPECT_DOUBLE_EQ(*adjusted[0], 0.02);
  EXPECT_THROW(adjust(std::vector<std::optional<double>>{1.5}, Correction::holm), Error);
}

TEST(MultipleComparison, NamesTheClosestCorrection) {
  EXPECT_EQ(correction_named("bh"), Correction::benjamini_hochberg);
  try {
    correction_named("hol");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "unknown correction 'hol'; did you mean 'holm'?");
  }
}

}  // namespace
}  // namespace markeval::meta
