// Explanations of sets and pairs as JSON (--explain).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/json.hpp"
#include "base/version.hpp"
#include "report/json_number.hpp"
#include "report/run_report.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;

/// Who is explained: the metric's name, and the whole request that tells its variants apart.
void name_metric(const std::string& request, Json& entry) {
  entry["metric"] = request.substr(0, request.find(':'));
  entry["request"] = request;
}

Json rows_of(const std::vector<metric::PairExplanation::Row>& rows, const std::string& text) {
  Json list = Json::array();
  for (const metric::PairExplanation::Row& row : rows) {
    list.push_back({{"begin", row.begin},
                    {"end", row.end},
                    {"text", text.substr(row.begin, row.end - row.begin)},
                    {"weight", row.weight}});
  }
  return list;
}

Json json_of_origin(const RowOrigin& origin) {
  Json json{{"file", origin.file}, {origin.is_line ? "line" : "row", origin.row}};
  if (origin.is_line) json["text"] = origin.text;
  if (!origin.word.empty()) {
    json["word"] = origin.word;
    json["layer"] = origin.layer;
  }
  return json;
}

Json outside(const std::vector<OutsideRow>& rows) {
  Json list = Json::array();
  for (const OutsideRow& row : rows) {
    Json entry = json_of_origin(row.origin);
    entry["outside_by"] = json_number(row.distance - row.radius);
    entry["nearest"] = json_of_origin(row.nearest);
    entry["nearest"]["distance"] = json_number(row.distance);
    entry["nearest"]["radius"] = json_number(row.radius);
    list.push_back(std::move(entry));
  }
  return list;
}

Json to_value(const ExplainedSets& explanation) {
  Json entry;
  entry["system"] = explanation.system;
  name_metric(explanation.metric, entry);
  entry["k"] = explanation.request.k;
  entry["ball"] = explanation.request.ball == geometry::Ball::closed ? "closed" : "open";
  entry["off_manifold"] = outside(explanation.off_manifold);
  entry["missing_modes"] = outside(explanation.missing_modes);
  entry["clusters"] = clusters_to_json(explanation.clusters);
  return entry;
}

Json to_value(const metric::PairExplanation& explanation) {
  Json entry;
  entry["system"] = explanation.system;
  name_metric(explanation.metric, entry);
  entry["segment"] = explanation.segment;
  entry["reference"] = explanation.reference;
  entry["scores"] = Json::object();
  for (const auto& [name, value] : explanation.scores) entry["scores"][name] = value;
  entry["candidate"] = {{"text", explanation.candidate_text},
                        {"rows", rows_of(explanation.candidate_rows, explanation.candidate_text)}};
  entry["reference_text"] = {{"text", explanation.reference_text},
                             {"rows", rows_of(explanation.reference_rows, explanation.reference_text)}};
  entry["links"] = Json::array();
  for (const metric::PairLink& link : explanation.links) {
    entry["links"].push_back({{"candidate", link.candidate},
                              {"reference", link.reference},
                              {"similarity", link.similarity},
                              {"share", link.share},
                              {"chosen_by", link.chosen_by_reference ? "reference" : "candidate"}});
  }
  return entry;
}

}  // namespace

std::string describe(const RowOrigin& origin) {
  std::string text = fmt::format("{}, {} {}", std::filesystem::path(origin.file).filename().string(),
                                 origin.is_line ? "line" : "row", origin.row);
  if (!origin.word.empty()) text += fmt::format(", {}, layer {}", origin.word, origin.layer);
  return text;
}

std::vector<OutsideRow> outside_rows(std::span<const geometry::OutsidePoint> points, const RowLookup& own,
                                     const RowLookup& other, std::size_t most) {
  std::vector<OutsideRow> rows;
  for (const geometry::OutsidePoint& point : points.first(std::min(most, points.size())))
    rows.push_back({own(point.row), other(point.nearest_centre), point.distance, point.radius});
  return rows;
}

ExplainedSets explain_sets(const metric::SetExplanation& explanation, const RowLookup& reference,
                           const RowLookup& system) {
  return {explanation.system,
          explanation.metric,
          explanation.request,
          outside_rows(explanation.off_manifold, system, reference, explanation.off_manifold.size()),
          outside_rows(explanation.missing_modes, reference, system, explanation.missing_modes.size()),
          {}};
}

std::string explanations_to_json(const std::vector<ExplainedSets>& sets,
                                 const std::vector<metric::PairExplanation>& pairs) {
  Json json;
  json["markeval"] = version();
  json["explanations"] = Json::array();
  for (const ExplainedSets& explanation : sets) json["explanations"].push_back(to_value(explanation));
  for (const metric::PairExplanation& explanation : pairs)
    json["explanations"].push_back(to_value(explanation));
  return written_json(json) + "\n";
}

}  // namespace markeval::report
