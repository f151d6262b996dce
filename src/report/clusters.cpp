// Shares of a cluster as a line of text, as JSON and as an HTML table.
#include "report/clusters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "report/html_page.hpp"
#include "report/html_text.hpp"
#include "report/table_html.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kTold = 3;  ///< clusters of a system in a text

std::string percent(double share) {
  const double value = share * 100;
  return value > 0 && value < 1 ? fmt::format("{:.1f} %", value) : fmt::format("{:.0f} %", value);
}

}  // namespace

std::string cluster_line(const ClusterShare& cluster, const std::string& system) {
  std::string name = fmt::format("cluster {}", cluster.number);
  if (!cluster.words.empty()) name += fmt::format(" ({})", fmt::join(cluster.words, ", "));
  return fmt::format("{}: {} of people, {} of {}", name, percent(cluster.people), percent(cluster.system),
                     system);
}

void add_clusters(const Named<std::vector<ClusterShare>>& by_system, ReportText& document) {
  bool any = false;
  for (const auto& [system, clusters] : by_system) {
    std::size_t told = 0;
    for (const ClusterShare& cluster : clusters) {
      if (!cluster.differs || told++ == kTold) break;  // the largest difference first
      if (!any) document.caption("Where people and systems differ most", Where::text);
      any = true;
      document.sentence(cluster_line(cluster, system));
      if (!cluster.texts.empty()) document.sentence("  " + cluster.texts.front());
    }
  }
}

nlohmann::ordered_json clusters_to_json(const std::vector<ClusterShare>& clusters) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ClusterShare& cluster : clusters) {
    list.push_back({{"cluster", cluster.number},
                    {"words", cluster.words},
                    {"texts", cluster.texts},
                    {"people", cluster.people},
                    {"system", cluster.system},
                    {"missing", cluster.missing},
                    {"differs", cluster.differs}});
  }
  return list;
}

std::string clusters_html(const std::string& system, const std::vector<ClusterShare>& clusters) {
  if (clusters.empty()) return "";
  Table table{"Clusters of the references and " + system,
              {{"cluster", CellKind::number},
               "typical words",
               {"people, %", CellKind::number},
               {system + ", %", CellKind::number},
               {"missing, %", CellKind::number},
               {"typical texts", CellKind::prose}},
              {}};
  table.decimals = 1;
  for (const ClusterShare& cluster : clusters) {
    table.rows.push_back({cluster.number, fmt::format("{}", fmt::join(cluster.words, ", ")),
                          cluster.people * 100, cluster.system * 100, cluster.missing * 100,
                          fmt::format("{}", fmt::join(cluster.texts, "\n"))});
  }
  std::string out;
  if (clusters.front().differs)
    out += fmt::format("<p>{}.</p>\n", escape(cluster_line(clusters.front(), system)));
  return out + folded("Clusters of the references, the largest difference first", to_html(table));
}

}  // namespace markeval::report
