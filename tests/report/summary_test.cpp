#include "report/summary.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace markeval::report {
namespace {

TEST(Decimals, AreThoseTheNarrowestIntervalSupports) {
  EXPECT_EQ(decimals_of({38.4996, 20}, {{37.9, 39.1}, {19, 21}}), 2u);
  EXPECT_EQ(decimals_of({38.4996}, {{28, 48}}), 1u);
  EXPECT_EQ(decimals_of({0.9995}, {{0.9993, 0.9997}}), 5u);
  EXPECT_EQ(decimals_of({1, 0.5}, {{1, 1}, {0.3, 0.7}}), 2u) << "an empty interval supports nothing";
}

TEST(Decimals, WithoutIntervalsGoByTheSizeOfTheNumbers) {
  EXPECT_EQ(decimals_of({38.4996, 2}, {}), 2u);
  EXPECT_EQ(decimals_of({0.8, 0.5}, {}), 4u);
  EXPECT_EQ(decimals_of({0, 0}, {}), 4u);
  EXPECT_EQ(decimals_of({0.0000123, 0}, {}), 7u);
}

TEST(FixedNumber, HasNoNegativeZero) {
  EXPECT_EQ(fixed_number(-0.00001, 2), "0.00");
  EXPECT_EQ(fixed_number(-0.5, 2), "-0.50");
  EXPECT_EQ(fixed_number(std::numeric_limits<double>::infinity(), 2), "infinite");
}

constexpr Verdict kSame = Verdict::not_separated;

SummaryTable example_summary() {
  return {{"base", "mine_2"},
          {{"bleu", true, {20, 30}, {}, {kSame, Verdict::better}},
           {"ter", false, {60, 60.5}, {}, {kSame, Verdict::worse}}}};
}

TEST(WriteTable, PutsTheBestFirstAndMarksBehindWhatATestSeparatesFromTheFirst) {
  const std::string table = write_table(example_summary(), {});
  EXPECT_EQ(table, "system   bleu   ter \u2193\nmine_2  30.00*  60.50\u2020\nbase    20.00   60.00\n");
  EXPECT_EQ(about_marks(table, "base", 0.05), "* better, \u2020 worse than base (p adjusted <= 0.05)\n");
  EXPECT_EQ(about_marks("1*", "base", 0.05), "* better than base (p adjusted <= 0.05)\n");
  EXPECT_EQ(about_marks("1", "base", 0.05), "");
}

TEST(WriteTable, WritesForPapers) {
  EXPECT_EQ(write_table(example_summary(), {TableStyle::markdown, 1, false}),
            "| system | bleu | ter \u2193 |\n|---|--:|--:|\n| mine\\_2 | **30.0** \\* | 60.5 \u2020 |\n"
            "| base | 20.0 | **60.0** |\n");
  EXPECT_EQ(write_table(example_summary(), {TableStyle::latex, 1, false}),
            "\\begin{tabular}{lrr}\n\\toprule\nsystem & bleu & ter $\\downarrow$ \\\\\n\\midrule\n"
            "mine\\_2 & \\textbf{30.0}$^{*}$ & 60.5$^{\\dagger}$ \\\\\nbase & 20.0 & \\textbf{60.0} \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

TEST(WriteTable, GoesOnBelowWhereItIsTooWide) {
  SummaryTable table{{"a"}, {}};
  for (int i = 0; i < 9; ++i) table.columns.push_back({"a rather long metric", true, {0.5}, {}, {}});
  const std::string text = write_table(table, {});
  for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1)
    EXPECT_LE(text.find('\n', start) - start, 80u);
}

}  // namespace
}  // namespace markeval::report
