// What a study on one's own judgements says first: which metric agrees best with people, as far as a test
// supports it. Used by own.cpp.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "meta/coefficient.hpp"
#include "meta/metric_significance.hpp"
#include "meta/score_table.hpp"
#include "study/own_data.hpp"
#include "study/own_scores.hpp"
#include "study/study_run.hpp"

namespace markeval::study {

/// "Pearson", as the name of a person is written; "accuracy" as it is.
std::string coefficient_name(meta::Coefficient coefficient);

/// Places of the metrics: the one that agrees best with people first, those without a value last.
std::vector<std::size_t> best_metrics_first(const std::vector<meta::CorrelationRow>& rows);

/// "rouge1 agrees best with people (Pearson 0.394)" where a test finds it better than every other one; else
/// that it is highest, and which ones the test does not separate from it. `best`: its place in the table;
/// `turned`: lower is better there; `judged`: how many of them did not learn from these texts.
std::string finding_of(const std::vector<meta::CorrelationRow>& rows, std::size_t best, bool turned,
                       const meta::ScoreTable& table, const std::vector<meta::MetricDifference>& tests,
                       std::size_t judged, meta::Coefficient coefficient);

/// Places of the metrics that learned from these texts: they are shown, but not judged. Warns of them, and of
/// references that stand in several rows.
std::set<std::size_t> learned_metrics(StudyRun& run, const OwnData& data, const std::vector<Asked>& metrics);

/// The last two tables are of agreement and of marks. Marks of all rows, or of the mean, become a column of
/// the former; those of groups stay a table.
void join_marks(std::vector<report::Table>& tables);

}  // namespace markeval::study
