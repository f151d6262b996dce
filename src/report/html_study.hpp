// The page of an `experiment` run: curves, and ours beside the published figures.
#pragma once

#include <string>

#include "report/html_page.hpp"
#include "report/study.hpp"

namespace markeval::report {

struct StudyPage {
  PageFacts facts;
  Study study;
};

std::string study_page(const StudyPage& page);

/// Charts and numbers of one table: a curve as lines, a metric a chart; agreement with people as dots, the
/// papers' apart from ours; anything else as a table alone.
std::string study_table_html(const Table& table);

}  // namespace markeval::report
