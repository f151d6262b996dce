#include <gtest/gtest.h>

#include <limits>

#include "geometry/set_comparison.hpp"
#include "geometry/set_engine.hpp"
#include "support/compared_sets.hpp"
#include "support/temp_folder.hpp"

namespace markeval::geometry {
namespace {

class SetComparisonErrors : public ::testing::Test {
 protected:
  ThreadPool pool{1};
  std::unique_ptr<compute::Device> device = compute::make_cpu_device(pool);
  std::vector<float> values = std::vector<float>(12, 1.0f);
  Points three_by_four{MatrixView<const float>(values.data(), 3, 4)};
  Points four_by_three{MatrixView<const float>(values.data(), 4, 3)};
  Points one_by_four{MatrixView<const float>(values.data(), 1, 4)};

  std::string message(Points reference, Points evaluated, std::size_t k) {
    const BallRequest requests[] = {{k, Ball::closed}};
    try {
      testing::compare_points(reference, evaluated, requests, *device, RunContext{pool});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_input);
      return error.what();
    }
    return "nothing was thrown";
  }
};

TEST_F(SetComparisonErrors, NamesBothWidths) {
  EXPECT_EQ(message(three_by_four, four_by_three, 1), "the reference set has 4 columns, the evaluated set 3");
}

TEST_F(SetComparisonErrors, NamesTheRowsWhereKIsTooLarge) {
  EXPECT_EQ(message(three_by_four, three_by_four, 3),
            "reference set: k is 3, expected 1 to 2 (the set has 3 rows)");
  EXPECT_EQ(message(three_by_four, three_by_four, 0),
            "reference set: k is 0, expected 1 to 2 (the set has 3 rows)");
  EXPECT_EQ(message(three_by_four, one_by_four, 1),
            "evaluated set: k is 1, expected 1 to 0 (the set has 1 row)");
}

TEST_F(SetComparisonErrors, NamesThePlaceOfAValueThatIsNotFinite) {
  values[6] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(message(three_by_four, three_by_four, 1), "reference set: row 2, column 3 is not a number");
  values[6] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(message(three_by_four, three_by_four, 1), "reference set: row 2, column 3 is infinite");
}

TEST_F(SetComparisonErrors, RefusesDoublesWhoseSquaresOverflow) {
  const std::vector<double> large{1, 2, 1e200, 3};
  const Points points{MatrixView<const double>(large.data(), 4, 1)};
  EXPECT_EQ(message(points, points, 1),
            "reference set: row 3, column 1 is larger than 1e150: its square does not fit a double");
}

TEST_F(SetComparisonErrors, RefusesDoublesWhoseSquaresVanish) {
  const std::vector<double> small{1e-300, 2e-300, 0, 3e-300}, nothing(4, 0.0);
  const Points points{MatrixView<const double>(small.data(), 4, 1)};
  EXPECT_EQ(
      message(points, points, 1),
      "reference set: its values are too small: the largest is 3e-300, whose square is 0 to a computer; "
      "multiply all rows by one number");
  const Points zeros{MatrixView<const double>(nothing.data(), 4, 1)};
  EXPECT_EQ(message(zeros, zeros, 1), "nothing was thrown");
}

// Both would call the sets alike.
TEST_F(SetComparisonErrors, RefusesThemForCovariancesAndClustersToo) {
  const std::vector<double> near{1e-170, 2e-170, 3e-170, 1e-170}, far{7e-170, 8e-170, 9e-170, 7e-170};
  const auto engine = make_set_engine(*device);
  const RunContext context{pool};
  const SetId first = engine->add(Points{MatrixView<const double>(near.data(), 4, 1)}, "reference set");
  const SetId second = engine->add(Points{MatrixView<const double>(far.data(), 4, 1)}, "evaluated set");
  const SetId sets[] = {first, second};
  const std::string message = "its values are too small: the largest is ";
  EXPECT_ERROR(engine->frechet(first, second, context), ErrorCode::invalid_input, message);
  EXPECT_ERROR(engine->covariance(first, context), ErrorCode::invalid_input, message);
  EXPECT_ERROR(engine->cluster(sets, {.clusters = 2, .runs = 1}, context), ErrorCode::invalid_input, message);
}

TEST_F(SetComparisonErrors, StopsWhenAskedTo) {
  const std::atomic<bool> cancel{true};
  RunContext context{pool};
  context.cancel = &cancel;
  const BallRequest requests[] = {{1, Ball::closed}};
  try {
    testing::compare_points(three_by_four, three_by_four, requests, *device, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

}  // namespace
}  // namespace markeval::geometry
