#include "base/limits.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/error.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

TEST(Limits, StandInTheOrderOfTheirNamesWithAVariableEach) {
  std::set<std::string_view> variables;
  for (const LimitInfo& info : all_limits()) {
    EXPECT_EQ(&info - all_limits().data(), static_cast<std::ptrdiff_t>(info.limit)) << info.name;
    EXPECT_TRUE(info.variable.starts_with("MARKEVAL_MAX_"));
    EXPECT_TRUE(variables.insert(info.variable).second) << info.variable;
    EXPECT_EQ(limit_of(info.limit), info.standard);
  }
}

TEST(Limits, AreReadFromTheEnvironment) {
  for (const auto& [text, value] :
       {std::pair{"5000", 5000u}, {"3K", 3072u}, {"64M", 64u << 20}, {"", 64u << 20}}) {
    const EnvironmentVariable line("MARKEVAL_MAX_LINE", text);
    EXPECT_EQ(limit_of(Limit::line_bytes), value) << text;
  }
  for (const char* const wrong : {"0", "-1", "ten", "5 M", "5MB", "99999999999999999999", "99999999999G"}) {
    const EnvironmentVariable line("MARKEVAL_MAX_LINE", wrong);
    EXPECT_ERROR(limit_of(Limit::line_bytes), ErrorCode::usage,
                 std::string("MARKEVAL_MAX_LINE is '") + wrong +
                     "', expected a whole number above 0, as in 5000, 64M or 2G");
  }
}

TEST(Limits, AreShownInRoundUnits) {
  EXPECT_EQ(shown_limit(Limit::line_bytes), "64 MiB");
  EXPECT_EQ(shown_limit(Limit::unpacked_bytes), "16 GiB");
  EXPECT_EQ(shown_limit(Limit::columns), "10000");
  const EnvironmentVariable line("MARKEVAL_MAX_LINE", "1500");
  EXPECT_EQ(shown_limit(Limit::line_bytes), "1500 bytes");
}

TEST(Limits, AreNamedWhereTheyAreMet) {
  EXPECT_ERROR(throw_beyond(Limit::line_bytes, "a.txt:3: a line"), ErrorCode::invalid_input,
               "a.txt:3: a line, more than 64 MiB (MARKEVAL_MAX_LINE sets this limit)");
}

}  // namespace
}  // namespace markeval
