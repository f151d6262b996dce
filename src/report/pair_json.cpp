#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "report/run_report.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::string pair_explanations_to_json(const std::vector<metric::PairExplanation>& explanations) {
  Json json;
  json["markeval"] = version();
  json["explanations"] = Json::array();
  for (const metric::PairExplanation& explanation : explanations) {
    Json entry;
    entry["system"] = explanation.system;
    entry["metric"] = explanation.metric;
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
    json["explanations"].push_back(std::move(entry));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace markeval::report
