// Texts and scores as JSON inside a script element, cut where the page would grow too large.
#include "report/html_explore.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/lookup.hpp"
#include "report/cells.hpp"
#include "report/html_text.hpp"
#include "report/json_number.hpp"
#include "report/page_files.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{14} << 20;  ///< of texts: pages stay below 20 MB

/// Four digits are enough to look at, and keep the page small.
Json rounded(const std::vector<double>& values, std::size_t count) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(count, values.size()); ++i)
    list.push_back(std::stod(fmt::format("{:.4g}", values[i])));
  return list;
}

/// A script element ends at "</script", whatever it holds.
std::string for_script(const Json& json) {
  const std::string text = written_json(json, -1);
  std::string out;
  for (const char c : text) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

/// The leader, and what it is held against: the baseline where there is one, else the runner-up.
std::pair<std::size_t, std::size_t> looked_at_first(const std::vector<std::size_t>& order,
                                                    std::optional<std::size_t> baseline) {
  const std::size_t leader = order.front();
  if (order.size() < 2) return {leader, leader};
  return {leader, baseline && *baseline != leader ? *baseline : order[1]};
}

}  // namespace

void SegmentTexts::add(const std::string* source, std::vector<std::string> segment_references,
                       std::vector<std::string> texts) {
  ++total;
  if (bytes_ > kMostBytes) return;
  systems.resize(texts.size());
  if (source != nullptr) {
    bytes_ += source->size();
    sources.push_back(*source);
  }
  for (const std::string& reference : segment_references) bytes_ += reference.size();
  for (std::size_t s = 0; s < texts.size(); ++s) {
    bytes_ += texts[s].size();
    systems[s].push_back(std::move(texts[s]));
  }
  references.push_back(std::move(segment_references));
}

std::string explore_html(const SegmentTexts& texts, const RunReport& run,
                         std::optional<std::size_t> baseline) {
  if (texts.references.empty()) return "";
  std::vector<std::string> systems, metrics;
  std::vector<std::vector<double>> totals;  // of all segments, by metric and system
  bool higher_is_better = true;             // of the first metric
  Json data{{"systems", Json::array()}, {"metrics", Json::array()}, {"scores", Json::array()}};
  for (const Result& result : run.results) {
    add_once(systems, result.system);
    const metric::MetricInfo& info = metric::find_metric(result.metric);
    const auto main =
        std::ranges::find_if(result.segments, [&](const auto& one) { return one.first == info.main; });
    const auto shown = main != result.segments.end() ? main : result.segments.begin();
    if (shown == result.segments.end()) continue;  // it scores sets
    auto found = std::ranges::find(metrics, result.requested);
    if (found == metrics.end()) {
      found = metrics.insert(metrics.end(), result.requested);
      data["metrics"].push_back(
          {{"name", result.requested}, {"higher", info.better == metric::Better::higher}});
      data["scores"].push_back(Json::array());
      totals.emplace_back();
      if (totals.size() == 1) higher_is_better = info.better == metric::Better::higher;
    }
    const auto m = static_cast<std::size_t>(found - metrics.begin());
    data["scores"][m].push_back(rounded(shown->second, texts.references.size()));
    const double* total = find_named(result.scores, shown->first);
    totals[m].push_back(total == nullptr ? 0 : *total);
  }
  if (metrics.empty()) return "";
  data["systems"] = systems;
  data["totals"] = totals;
  const auto [first, second] = looked_at_first(best_first(totals.front(), higher_is_better), baseline);
  data["first"] = first;
  data["second"] = second;
  if (!texts.sources.empty()) data["sources"] = texts.sources;
  data["references"] = Json::array();
  for (const std::vector<std::string>& all : texts.references) {
    if (all.size() == 1) {
      data["references"].push_back(all.front());
    } else {
      data["references"].push_back(all);
    }
  }
  data["texts"] = texts.systems;
  std::string out;
  if (texts.references.size() < texts.total)
    out += fmt::format(
        "<p class=\"note\">The first {} of {} segments: the page would be too large with all.</p>\n",
        with_commas(texts.references.size()), with_commas(texts.total));
  out += "<noscript><p class=\"note\">Looking at single segments needs JavaScript.</p></noscript>\n";
  out += "<div id=\"explore\"></div>\n<script type=\"application/json\" id=\"segment-data\">" +
         for_script(data) + "</script>\n";
  return out + fmt::format("<script>{}</script>\n", page_file("explore.js"));
}

}  // namespace markeval::report
