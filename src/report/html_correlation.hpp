// The page of a `correlate` run, and the parts of it.
#pragma once

#include <string>

#include "meta/score_table.hpp"
#include "report/correlations.hpp"
#include "report/html_page.hpp"

namespace markeval::report {

/// One column of human scores.
struct CorrelationPart {
  CorrelationRun run;
  meta::ScoreTable table;  ///< what was correlated, after averaging by system where that was asked for
};

struct CorrelationPage {
  PageFacts facts;
  std::vector<CorrelationPart> parts;
};

std::string correlation_page(const CorrelationPage& page);

/// Metrics ranked, a chart per coefficient, and the table of all of them.
std::string agreement_html(const CorrelationRun& run);
/// A scatter plot per metric; at most `limit` metrics, the first ones.
std::string scatters_html(const meta::ScoreTable& table, const std::string& gold, std::size_t limit = 24);
/// Matrices and the table behind them.
std::string significance_html(const CorrelationRun& run);

}  // namespace markeval::report
