// The page of a `score` run, and the parts other commands build their pages of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "metric/pair_run.hpp"
#include "report/html_explore.hpp"
#include "report/html_page.hpp"
#include "report/run_report.hpp"
#include "report/svg_map.hpp"

namespace markeval::report {

/// What a pair metric thought best and worst of one system, best (worst) first, each against the reference
/// that fits best.
struct PairExamples {
  std::string system;
  std::string metric;  ///< as asked for
  std::string result;  ///< "f1": what the segments were chosen by
  std::vector<metric::PairExplanation> best, worst;
};

/// What a metric that counts in balls saw of one system.
struct SetPicture {
  std::string system;
  std::string metric;         ///< as asked for
  std::string balls;          ///< "closed balls, k = 3"
  std::string rows = "rows";  ///< what the rows are of: "rows", "words", "texts"
  std::vector<MapPoint> points;
  double shares[2] = {0, 0};  ///< of the variance along the two axes of the map
  std::size_t reference_rows = 0, system_rows = 0, drawn = 0;
  std::vector<OutsideRow> off_manifold, missing_modes;          ///< the farthest
  std::size_t off_manifold_total = 0, missing_modes_total = 0;  ///< numbers of all such rows
  std::vector<ClusterShare> clusters{};
};

struct ScorePage {
  PageFacts facts;
  RunReport run;  ///< segment scores where the metrics have them
  std::vector<PairExamples> examples;
  std::vector<SetPicture> pictures;
  SegmentTexts texts{};
};

std::string score_page(const ScorePage& page);

/// "By genre"
std::string group_title(const GroupedScores& grouped);
/// Scores over k where a metric was asked for with three or more k, otherwise empty.
std::string k_curves_html(const RunReport& run);
/// The distribution of segment scores, a chart per metric.
std::string distributions_html(const RunReport& run);
/// How many texts were empty, cut or held unknown tokens; only what there is.
std::string counts_html(const RunReport& run);
/// Is it one of the counts of that table?
bool is_reported_count(const std::string& name);
/// Best and worst segments with the tokens that met.
std::string examples_html(const ScorePage& page);
/// "Maps", or "Texts far apart" where a map would show too little.
std::string pictures_title(const std::vector<SetPicture>& pictures);
/// Maps of two sets, and lists of what lies outside; `ceilings` have the shares of people.
std::string pictures_html(const std::vector<SetPicture>& pictures, const std::vector<Ceiling>& ceilings);

}  // namespace markeval::report
