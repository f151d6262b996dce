// Where people's texts lie and a system's do not: clusters of the references, named by their typical words.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/report_text.hpp"

namespace markeval::report {

/// A cluster of the references, and what one system has of it.
struct ClusterShare {
  std::size_t number = 0;          ///< from 1, the largest first; the same for all systems
  std::vector<std::string> words;  ///< typical for it; empty where rows were made of no texts
  std::vector<std::string> texts;  ///< closest to its centre; or the names of rows
  double people = 0, system = 0;   ///< which share of their rows
  double missing = 0;              ///< which share of its references lies inside no ball of the system
  bool differs = false;            ///< people and system, by more than chance
};

/// "cluster 7 (yeah, uh, um): 20 % of people, 2 % of nochat"
std::string cluster_line(const ClusterShare& cluster, const std::string& system);

/// Those that differ most; nothing where none does.
void add_clusters(const Named<std::vector<ClusterShare>>& by_system, ReportText& document);
nlohmann::ordered_json clusters_to_json(const std::vector<ClusterShare>& clusters);
std::string clusters_html(const std::string& system, const std::vector<ClusterShare>& clusters);

}  // namespace markeval::report
