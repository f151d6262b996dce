// A score run and descriptions of metrics as JSON.
#include <algorithm>

#include "base/cancellation.hpp"
#include "base/json.hpp"
#include "base/version.hpp"
#include "report/ceilings.hpp"
#include "report/json_number.hpp"
#include "report/run_report.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;

Json to_value(const Detail& value) {
  if (const auto* real = std::get_if<double>(&value)) return json_number(*real);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return *count;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  Json list = Json::array();
  for (const double element : std::get<std::vector<double>>(value)) list.push_back(json_number(element));
  return list;
}

class StoppableText final : public nlohmann::detail::output_adapter_protocol<char> {
 public:
  void write_character(char letter) override { text.push_back(letter); }
  void write_characters(const char* letters, std::size_t count) override {
    check_cancelled();
    text.append(letters, count);
  }
  std::string text;
};

Json to_value(const Result& result) {
  Json json;
  json["system"] = result.system;
  json["metric"] = result.metric;
  json["request"] = result.requested;
  json["scores"] = Json::object();
  for (const auto& [name, value] : result.scores) json["scores"][name] = json_number(value);
  json["details"] = Json::object();
  for (const auto& [name, value] : result.details) json["details"][name] = to_value(value);
  for (const auto& [name, values] : result.segments) json["segments"][name] = values;
  for (const auto& [name, interval] : result.intervals) json["ci"][name] = {interval.low, interval.high};
  json["signature"] = result.signature();
  return json;
}

}  // namespace

// File names need not be valid UTF-8; JSON has to be.
std::string written_json(const Json& json, int indent) {
  const auto out = std::make_shared<StoppableText>();
  const auto writer =
      std::make_unique<nlohmann::detail::serializer<Json>>(out, ' ', Json::error_handler_t::replace);
  writer->dump(json, indent >= 0, false, static_cast<unsigned>(std::max(0, indent)));
  return std::move(out->text);
}

void add_ceilings(const std::vector<Ceiling>& ceilings, Json& json) {
  if (ceilings.empty()) return;
  Json& list = json["ceilings"] = Json::array();
  const auto numbers = [](const Named<double>& named) {
    Json object = Json::object();
    for (const auto& [name, value] : named) object[name] = json_number(value);
    return object;
  };
  for (const Ceiling& ceiling : ceilings) {
    if (!ceiling.missing.empty()) continue;
    const auto above = std::ranges::count_if(
        ceiling.systems, [](const auto& system) { return system.standing == Standing::closer; });
    Json entry{{"metric", ceiling.metric}, {"request", ceiling.requested}};
    entry["scores"] = numbers(ceiling.people.scores);
    entry["is_ceiling"] = static_cast<std::size_t>(above) < ceiling.systems.size();
    entry["system_rows"] = entry["reference_rows"] = ceiling.texts;
    entry["systems"] = ceiling.systems.size();
    entry["systems_above"] = above;
    entry["texts"] = ceiling.texts;
    entry["draws"] = ceiling.draws;
    entry["spreads"] = numbers(ceiling.people.spreads);
    if (ceiling.people.outside) entry["outside"] = *ceiling.people.outside;
    entry["at_one_size"] = Json::array();
    for (const DrawnScores& system : ceiling.systems) {
      Json one{{"system", system.system},
               {"scores", numbers(system.scores)},
               {"spreads", numbers(system.spreads)},
               {"standing", standing_name(system.standing)}};
      for (const auto& [name, standing] : system.standings) one["standings"][name] = standing_name(standing);
      one["p_values"] = numbers(system.p_values);
      one["p_adjusted"] = numbers(system.p_adjusted);
      if (system.outside) one["outside"] = *system.outside;
      one["copied"] = system.copied;
      entry["at_one_size"].push_back(std::move(one));
    }
    list.push_back(std::move(entry));
  }
  json["verdicts"] = people_verdicts(ceilings);
  json["unnoticed"] = unnoticed(ceilings);
}

std::string to_json(const RunReport& report) {
  Json json;
  json["markeval"] = version();
  json["results"] = Json::array();
  for (const Result& result : report.results) json["results"].push_back(to_value(result));
  if (!report.grouped.column.empty()) json["group"] = report.grouped.column;
  for (const GroupScores& group : report.grouped.groups) {
    Json entry{{"group", group.group}, {"segments", group.segments}, {"results", Json::array()}};
    for (const Result& result : group.results) entry["results"].push_back(to_value(result));
    json["groups"].push_back(std::move(entry));
  }
  add_ceilings(report.ceilings, json);
  json["warnings"] = report.warnings;
  json["errors"] = Json::array();
  for (const FailedMetric& error : report.errors)
    json["errors"].push_back(
        {{"metric", error.metric}, {"request", error.requested}, {"reason", error.reason}});
  return written_json(json) + "\n";
}

std::string metrics_to_json(std::span<const metric::MetricInfo> metrics) {
  Json json;
  json["markeval"] = version();
  json["metrics"] = Json::array();
  for (const metric::MetricInfo& info : metrics) {
    Json entry;
    entry["name"] = info.name;
    entry["kind"] = name(info.kind);
    entry["summary"] = info.summary;
    entry["results"] = info.results;
    entry["main"] = info.main;
    entry["better"] = info.better == metric::Better::higher ? "higher" : "lower";
    entry["options"] = Json::array();
    for (const metric::OptionSpec& option : info.options) {
      Json item;
      item["name"] = option.name;
      if (const auto* count = std::get_if<std::uint64_t>(&option.default_value)) {
        item["default"] = *count;
        item["minimum"] = option.least;
        item["maximum"] = option.most;
      } else {
        item["default"] = markeval::shown(option.default_value);
        if (!option.choices.empty() && !option.names_file) item["choices"] = option.choices;
      }
      item["meaning"] = option.meaning;
      item["required"] = option.required;
      entry["options"].push_back(std::move(item));
    }
    entry["paper"] = info.paper;
    json["metrics"].push_back(std::move(entry));
  }
  return written_json(json) + "\n";
}

}  // namespace markeval::report
