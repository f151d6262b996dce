#include "base/option.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "support/temp_folder.hpp"

namespace markeval {
namespace {

Option real(RealRange range) {
  return {.name = "alpha", .kind = ValueKind::real, .meaning = "", .range = range};
}

TEST(Option, PrintsItsBoundsOnceForListsAndMessages) {
  const std::vector<std::pair<Option, std::pair<const char*, const char*>>> cases{
      {{.name = "k", .kind = ValueKind::count, .meaning = "", .least = 1, .most = 100},
       {"1 to 100", "a whole number from 1 to 100"}},
      {real({}), {"a number", "a number"}},
      {real({.least = 0}), {"0 or more", "a number of 0 or more"}},
      {real({.least = 1, .most = 10}), {"1 to 10", "a number from 1 to 10"}},
      {real({.least = 0, .most = 1, .below = true}), {"0 to below 1", "a number from 0 to below 1"}},
      {real({.least = 0, .most = 1, .above = true}), {"above 0, at most 1", "a number above 0, at most 1"}},
      {real({.least = 0, .most = 1, .above = true, .below = true}),
       {"between 0 and 1", "a number between 0 and 1"}},
      {{.name = "ball", .meaning = "", .choices = {"closed", "open"}}, {"closed | open", "a string"}},
      {{.name = "weights", .meaning = "", .choices = {"none"}, .names_file = true, .expected = "a file"},
       {"text", "a file"}}};
  for (const auto& [option, words] : cases) {
    EXPECT_EQ(possible_values(option), words.first);
    EXPECT_EQ(expected_value(option), words.second);
  }
}

TEST(Option, TakesWhatLiesWithinItsBounds) {
  const Option open = real({.least = 0, .most = 1, .above = true, .below = true});
  EXPECT_EQ(parse_value(open, "--alpha", "0.5"), OptionValue(0.5));
  for (const char* wrong : {"0", "1", "nan", "inf", "1e400", "", "0,5", "0.5 "})
    EXPECT_ERROR(parse_value(open, "--alpha", wrong), ErrorCode::usage, "expected a number between 0 and 1");
  EXPECT_ERROR(require_fit(open, "alpha", 1.0), ErrorCode::usage,
               "alpha is 1, expected a number between 0 and 1");
  const Option count{.name = "k", .kind = ValueKind::count, .meaning = "", .least = 1, .most = 9};
  EXPECT_EQ(parse_value(count, "k", "09"), OptionValue(std::uint64_t{9}));
  EXPECT_ERROR(parse_value(count, "k", "10", "me: "), ErrorCode::usage,
               "me: k='10', expected a whole number from 1 to 9");
}

TEST(Option, NamesTheClosestChoice) {
  const Option ball{.name = "ball", .meaning = "", .choices = {"closed", "open"}};
  EXPECT_EQ(parse_value(ball, "--ball", "open"), OptionValue(std::string("open")));
  EXPECT_ERROR(parse_value(ball, "--ball", "opne"), ErrorCode::usage,
               "unknown --ball 'opne'; did you mean 'open'?");
  EXPECT_ERROR(parse_value(ball, "ball", "opne", "prdc: "), ErrorCode::usage,
               "prdc: unknown value 'opne' for ball; did you mean 'open'?");
}

TEST(Option, TakesAnyFileButAnEmptyName) {
  const Option file{
      .name = "weights", .meaning = "", .choices = {"none"}, .names_file = true, .expected = "a file"};
  EXPECT_EQ(parse_value(file, "--weights", "a.txt"), OptionValue(std::string("a.txt")));
  EXPECT_ERROR(parse_value(file, "--weights", ""), ErrorCode::usage, "--weights is empty, expected a file");
}

}  // namespace
}  // namespace markeval
