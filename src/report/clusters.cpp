// Shares of a cluster as a line of text, as JSON and as an HTML table.
#include "report/clusters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/quotation.hpp"
#include "report/html_page.hpp"
#include "report/html_table.hpp"
#include "report/html_text.hpp"

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

std::string clusters_to_text(const std::string& system, const std::vector<ClusterShare>& clusters) {
  std::string out;
  std::size_t told = 0;
  for (const ClusterShare& cluster : clusters) {
    if (!cluster.differs || told++ == kTold) break;  // the largest difference first
    out += cluster_line(cluster, system) + "\n";
    if (!cluster.texts.empty()) out += fmt::format("  {}\n", cluster.texts.front());
  }
  return printable(out);
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
  HtmlTable table{"Clusters of the references and " + system,
                  {{"cluster", true},
                   {"typical words"},
                   {"people, %", true},
                   {system + ", %", true},
                   {"missing, %", true},
                   {"typical texts"}},
                  {}};
  for (const ClusterShare& cluster : clusters) {
    std::string texts;
    for (const std::string& text : cluster.texts) texts += (texts.empty() ? "" : "\n") + text;
    const auto share = [](double value) { return HtmlCell{fmt::format("{:.1f}", value * 100), value}; };
    table.rows.push_back({count_cell(cluster.number),
                          text_cell(fmt::format("{}", fmt::join(cluster.words, ", "))), share(cluster.people),
                          share(cluster.system), share(cluster.missing), prose_cell(texts)});
  }
  std::string out;
  if (clusters.front().differs)
    out += fmt::format("<p>{}.</p>\n", escape(cluster_line(clusters.front(), system)));
  return out + folded("Clusters of the references, the largest difference first", to_html(table));
}

}  // namespace markeval::report
