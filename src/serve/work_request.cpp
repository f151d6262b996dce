#include "serve/work_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "api/judged_pairs.hpp"
#include "api/presets.hpp"
#include "api/request_json.hpp"
#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "base/json_text.hpp"
#include "base/quotation.hpp"
#include "base/suggestion.hpp"
#include "metric/registry.hpp"

namespace markeval::serve {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kKinds{"score", "compare", "correlate", "embeddings"};

/// Names of a body that are no fields: what the work is done on.
std::vector<std::string> data_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::correlate:
      return {"columns"};
    case WorkKind::embeddings:
      return {"input", "encoding_format", "user"};
    default:
      return {"references", "systems"};
  }
}

const Json& required(const Json& body, const std::string& name) {
  const auto found = body.find(name);
  if (found == body.end()) throw_usage(fmt::format("no {} in the request", name));
  return *found;
}

void take_text(WorkRequest& request, const Json& value, const std::string& where,
               std::vector<std::string>& lines) {
  if (!value.is_string()) throw_usage(fmt::format("{} is {}, expected a text", where, brief(value)));
  lines.push_back(value.get<std::string>());
  request.texts += 1;
  request.bytes += lines.back().size();
}

const Json& list_of(const Json& value, const std::string& where) {
  if (!value.is_array()) throw_usage(fmt::format("{} is {}, expected a list of texts", where, brief(value)));
  return value;
}

/// A text for every segment, or a list of texts where a segment may have several.
void take_texts(WorkRequest& request, const Json& value, const std::string& where, bool several,
                BodyTexts& out) {
  const Json& list = list_of(value, where);
  const bool lists =
      several && std::any_of(list.begin(), list.end(), [](const Json& one) { return one.is_array(); });
  if (lists) out.starts.push_back(0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", where, i);
    if (lists && list[i].is_array()) {
      if (list[i].empty()) throw_usage(place + " is empty, expected one text or more");
      for (const Json& one : list[i]) take_text(request, one, place, out.lines);
    } else {
      take_text(request, list[i], place, out.lines);
    }
    if (lists) out.starts.push_back(out.lines.size());
  }
}

void take_systems(WorkRequest& request, const Json& value) {
  if (!value.is_array()) {
    throw_usage(
        fmt::format(R"(systems is {}, expected a list of {{"name": ..., "texts": [...]}})", brief(value)));
  }
  if (value.empty()) throw_usage("systems is empty, expected one system or more");
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string where = fmt::format("systems[{}]", i);
    const Json& one = value[i];
    if (!one.is_object()) {
      throw_usage(fmt::format(R"({} is {}, expected {{"name": ..., "texts": [...]}})", where, brief(one)));
    }
    for (const auto& [name, ignored] : one.items()) {
      if (name != "name" && name != "texts") {
        throw_usage(fmt::format("unknown field {} in {}", in_quotes(name), where));
      }
    }
    BodyTexts& system = request.systems.emplace_back();
    const auto name = one.find("name");
    system.name = fmt::format("system{}", i + 1);
    if (name != one.end()) {
      if (!name->is_string() || name->get_ref<const std::string&>().empty())
        throw_usage(fmt::format("{}.name is {}, expected a name", where, brief(*name)));
      system.name = name->get<std::string>();
    }
    if (!one.contains("texts"))
      throw_usage(fmt::format(R"({} has no texts, expected {{"name": ..., "texts": [...]}})", where));
    take_texts(request, one["texts"], where + ".texts", false, system);
  }
}

/// Numbers, with null where one is missing; texts; or lists of texts.
TableColumn take_column(WorkRequest& request, const std::string& name, const Json& value) {
  const std::string where = fmt::format("columns[{}]", in_quotes(name));
  TableColumn column;
  column.name = name;
  const Json& list = list_of(value, where);
  const bool numbers = std::any_of(list.begin(), list.end(), [](const Json& one) { return one.is_number(); });
  if (!numbers) {
    BodyTexts texts;
    take_texts(request, list, where, true, texts);
    column.texts = std::move(texts.lines);
    column.starts = std::move(texts.starts);
    return column;
  }
  for (const Json& one : list) {
    if (!one.is_number() && !one.is_null())
      throw_usage(fmt::format("{} holds numbers and {}, expected one kind", where, kind_of(one)));
    column.numbers.push_back(one.is_null() ? std::nullopt : std::optional(one.get<double>()));
    request.texts += 1;
    request.bytes += sizeof(double);
  }
  return column;
}

void take_columns(WorkRequest& request, const Json& value) {
  if (!value.is_object())
    throw_usage(fmt::format(R"(columns is {}, expected {{"name": [...], ...}})", brief(value)));
  for (const auto& [name, column] : value.items())
    request.correlate.columns.push_back(take_column(request, name, column));
  if (request.correlate.columns.empty()) throw_usage("columns is empty, expected one column or more");
  request.correlate.table = "the table";
}

void take_inputs(WorkRequest& request, const Json& body) {
  const Json& input = required(body, "input");
  if (input.is_array()) {
    for (std::size_t i = 0; i < input.size(); ++i)
      take_text(request, input[i], fmt::format("input[{}]", i), request.inputs);
  } else {
    take_text(request, input, "input", request.inputs);
  }
  if (request.inputs.empty()) throw_usage("input is empty, expected one text or more");
  const auto format = body.find("encoding_format");
  if (format != body.end()) {
    if (*format != "float" && *format != "base64")
      throw_usage(fmt::format("encoding_format is {}, expected float or base64", brief(*format)));
    request.base64 = *format == "base64";
  }
  if (request.embed.pool == "none")
    throw_usage("pool is 'none', expected one row for a text: mean, cls, max");
  if (!request.embed.layer) throw_usage("layer is 'all', expected one layer");
}

void choose_metrics(WorkRequest& request) {
  std::vector<std::string>& metrics = request.score.metrics;
  if (request.preset.empty() && metrics.empty()) request.preset = "quick";
  for (const Preset& preset : presets()) {
    if (preset.name == request.preset)
      metrics.insert(metrics.begin(), preset.metrics.begin(), preset.metrics.end());
  }
}

void remove(std::vector<Field>& fields, std::initializer_list<std::string_view> names) {
  std::erase_if(fields, [&](const Field& field) {
    return std::find(names.begin(), names.end(), field.name) != names.end();
  });
}

}  // namespace

std::string_view name_of(WorkKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

WorkKind work_kind(const std::string& name) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end()) {
    const std::vector<std::string> known(kKinds.begin(), kKinds.end());
    throw_usage(fmt::format("unknown kind of work {}{}", in_quotes(name), suggestion(name, known)));
  }
  return static_cast<WorkKind>(found - kKinds.begin());
}

const EncoderOptions& WorkRequest::encoder() const {
  switch (kind) {
    case WorkKind::correlate:
      return correlate.encoder;
    case WorkKind::embeddings:
      return embed.encoder;
    default:
      return score.encoder;
  }
}

const std::vector<std::string>& WorkRequest::metrics() const {
  return kind == WorkKind::correlate ? correlate.metrics : score.metrics;
}

void WorkRequest::add_texts_to(std::vector<std::string>& list) const {
  list.insert(list.end(), references.lines.begin(), references.lines.end());
  for (const BodyTexts& system : systems) list.insert(list.end(), system.lines.begin(), system.lines.end());
  list.insert(list.end(), inputs.begin(), inputs.end());
}

std::string WorkRequest::encoding_settings() {
  if (kind != WorkKind::score && kind != WorkKind::embeddings) return {};
  return std::string(name_of(kind)) + json_text(request_to_json(fields_of(*this)));
}

bool WorkRequest::needs_encoder() const {
  if (kind == WorkKind::embeddings) return true;
  const std::vector<std::string>& asked = metrics();
  return std::any_of(asked.begin(), asked.end(), [](const std::string& text) {
    return metric::parse_metric_request(text).info->kind != metric::Kind::lexical;
  });
}

std::vector<Field> fields_of(WorkRequest& request) {
  std::vector<Field> fields;
  if (request.kind == WorkKind::correlate) {
    fields = markeval::fields_of(request.correlate);
  } else if (request.kind == WorkKind::embeddings) {
    fields = markeval::fields_of(request.embed);
  } else {
    fields = markeval::fields_of(request.score);
    fields.insert(fields.begin() + 1, Field{"preset", &request.preset, "mt|summary|lm|quick",
                                            "Metrics for a task, before those of `metrics` (quick)"}
                                          .one_of_words());
  }
  if (request.kind == WorkKind::compare) {
    remove(fields, {"resamples", "segments", "source_texts"});  // the test's own, and nothing to show them in
    for (const Field& field : markeval::fields_of(request.compare)) fields.push_back(field);
  }
  // Pages and explanations are no part of a JSON answer; threads are the server's; JSON is always UTF-8; the
  // file `input` of api is here the texts.
  remove(fields, {"page", "explain", "keep_statistics", "threads", "replace_invalid", "input"});
  return fields;
}

std::unique_ptr<WorkRequest> read_work_request(WorkKind kind, const Json& body,
                                               const WorkDefaults& defaults) {
  auto request = std::make_unique<WorkRequest>(kind);
  for (EncoderOptions* options :
       {&request->score.encoder, &request->correlate.encoder, &request->embed.encoder}) {
    options->model = defaults.model;
    options->cache = defaults.cache;
  }
  read_request(body, fields_of(*request), data_of(kind));
  if (kind == WorkKind::correlate) {
    if (!gives_pairs(request->correlate)) required(body, "gold");
    take_columns(*request, required(body, "columns"));
  } else if (kind == WorkKind::embeddings) {
    take_inputs(*request, body);
  } else {
    take_texts(*request, required(body, "references"), "references", true, request->references);
    if (request->references.lines.empty()) throw_usage("references is empty, expected one text or more");
    take_systems(*request, required(body, "systems"));
    choose_metrics(*request);
    request->score.references = {{"reference", Texts{request->references.lines, request->references.starts}}};
    for (const BodyTexts& system : request->systems)
      request->score.systems.push_back({system.name, Texts{system.lines}});
  }
  if (request->texts > defaults.max_texts) {
    throw_invalid(
        fmt::format("{} texts, more than {} (max_texts of the server)", request->texts, defaults.max_texts));
  }
  return request;
}

OrderedJson body_schema(WorkKind kind) {
  WorkRequest request(kind);
  OrderedJson properties = OrderedJson::object();
  const OrderedJson text{{"type", "string"}};
  const OrderedJson texts{{"type", "array"}, {"items", text}};
  const auto describe = [](OrderedJson schema, const char* description) {
    schema["description"] = description;
    return schema;
  };
  const OrderedJson some_texts{{"type", "array"}, {"minItems", 1}, {"items", text}};
  const OrderedJson segments{{"type", "array"}, {"minItems", 1}, {"items", {{"anyOf", {text, some_texts}}}}};
  OrderedJson required_names = OrderedJson::array();
  if (kind == WorkKind::correlate) {
    const OrderedJson cell{{"type", {"number", "string", "array", "null"}}, {"items", text}};
    properties["columns"] = describe(
        {{"type", "object"},
         {"minProperties", 1},
         {"additionalProperties", {{"type", "array"}, {"items", cell}}}},
        "The table: a list of numbers (null: missing), texts or lists of texts under every column's name");
    required_names = {"columns"};
  } else if (kind == WorkKind::embeddings) {
    properties["input"] = describe({{"anyOf", {text, some_texts}}}, "The texts");
    properties["encoding_format"] = {{"type", "string"}, {"enum", {"float", "base64"}}, {"default", "float"}};
    properties["user"] = describe({}, "Not read");
    required_names = {"input"};
  } else {
    properties["references"] =
        describe(segments, "For every segment a text, or a list of several references");
    const OrderedJson system{
        {"type", "object"},
        {"properties", {{"name", {{"type", "string"}, {"minLength", 1}}}, {"texts", texts}}},
        {"required", {"texts"}},
        {"additionalProperties", false}};
    properties["systems"] = describe({{"type", "array"}, {"minItems", 1}, {"items", system}},
                                     "What is scored; of a comparison the first one is the baseline");
    required_names = {"references", "systems"};
  }
  const OrderedJson fields = request_schema(fields_of(request));
  for (const auto& [name, property] : fields.items()) properties[name] = property;
  OrderedJson schema{{"type", "object"},
                     {"properties", std::move(properties)},
                     {"required", std::move(required_names)},
                     {"additionalProperties", false}};
  if (kind == WorkKind::correlate)  // human scores, or pairs
    schema["anyOf"] = {{{"required", {"gold"}}}, {{"required", {"better", "worse"}}}};
  return schema;
}

}  // namespace markeval::serve
