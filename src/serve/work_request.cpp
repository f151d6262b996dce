// Texts and columns are moved out of the JSON document, fields are read by name, and sizes are checked.
#include "serve/work_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "api/presets.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/quotation.hpp"
#include "base/suggestion.hpp"
#include "metric/registry.hpp"
#include "request/json.hpp"
#include "score/judged_pairs.hpp"

namespace markeval::serve {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// What api calls a field, and what the option of the command line is called.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kClientNames{
    {{"resamples", "ci"},
     {"intervals", "ci"},
     {"windows", "long"},
     {"groups", "group"},
     {"source_texts", "source"}}};

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

Json& required(Json& body, const std::string& name) {
  const auto found = body.find(name);
  if (found == body.end()) throw_usage(fmt::format("no {} in the request", name));
  return *found;
}

void take_text(WorkRequest& request, Json& value, const std::string& where, std::vector<std::string>& lines) {
  if (!value.is_string()) throw_usage(fmt::format("{} is {}, expected a text", where, brief(value)));
  lines.push_back(std::move(value.get_ref<std::string&>()));
  request.texts += 1;
  request.bytes += lines.back().size();
}

Json& list_of(Json& value, const std::string& where) {
  if (!value.is_array()) throw_usage(fmt::format("{} is {}, expected a list of texts", where, brief(value)));
  return value;
}

/// A text for every segment, or a list of texts where a segment may have several.
void take_texts(WorkRequest& request, Json& value, const std::string& where, bool several, BodyTexts& out) {
  Json& list = list_of(value, where);
  const bool lists = several && std::ranges::any_of(list, &Json::is_array);
  if (lists) out.starts.push_back(0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string entry = fmt::format("{}[{}]", where, i);
    if (lists && list[i].is_array()) {
      if (list[i].empty()) throw_usage(entry + " is empty, expected one text or more");
      for (Json& one : list[i]) take_text(request, one, entry, out.lines);
    } else {
      take_text(request, list[i], entry, out.lines);
    }
    if (lists) out.starts.push_back(out.lines.size());
  }
}

constexpr const char* kSystem = R"({"name": ..., "texts": [...]})";
constexpr const char* kSystems = R"({"mine": [...], ...} or a list of {"name": ..., "texts": [...]})";

/// By name, or one after the other.
void take_systems(WorkRequest& request, Json& value) {
  if (!value.is_structured()) throw_usage(fmt::format("systems is {}, expected {}", brief(value), kSystems));
  if (value.empty()) throw_usage("systems is empty, expected one system or more");
  const auto take = [&](const std::string& name, Json& texts, const std::string& where) {
    BodyTexts& system = request.systems.emplace_back();
    system.name = name;
    take_texts(request, texts, where, false, system);
  };
  if (value.is_object()) {
    for (auto& [name, texts] : value.get_ref<Json::object_t&>()) {
      if (name.empty()) throw_usage("systems has a system without a name");
      take(name, texts, fmt::format("systems[{}]", in_quotes(name)));
    }
    return;
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string where = fmt::format("systems[{}]", i);
    Json& one = value[i];
    if (!one.is_object()) throw_usage(fmt::format("{} is {}, expected {}", where, brief(one), kSystem));
    for (const auto& [name, ignored] : one.items()) {
      if (name != "name" && name != "texts") {
        throw_usage(fmt::format("unknown field {} in {}", in_quotes(name), where));
      }
    }
    const auto name = one.find("name");
    if (name != one.end() && (!name->is_string() || name->get_ref<const std::string&>().empty()))
      throw_usage(fmt::format("{}.name is {}, expected a name", where, brief(*name)));
    if (!one.contains("texts")) throw_usage(fmt::format("{} has no texts, expected {}", where, kSystem));
    take(name != one.end() ? name->get<std::string>() : fmt::format("system{}", i + 1), one["texts"],
         where + ".texts");
  }
}

/// Numbers, with null where one is missing; texts; or lists of texts.
TableColumn take_column(WorkRequest& request, const std::string& name, Json& value) {
  const std::string where = fmt::format("columns[{}]", in_quotes(name));
  TableColumn column;
  column.name = name;
  Json& list = list_of(value, where);
  const bool numbers = std::ranges::any_of(list, &Json::is_number);
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

void take_columns(WorkRequest& request, Json& value) {
  if (!value.is_object())
    throw_usage(fmt::format(R"(columns is {}, expected {{"name": [...], ...}})", brief(value)));
  for (auto& [name, column] : value.get_ref<Json::object_t&>())
    request.correlate.columns.push_back(take_column(request, name, column));
  if (request.correlate.columns.empty()) throw_usage("columns is empty, expected one column or more");
  request.correlate.table = "the table";
}

void take_inputs(WorkRequest& request, Json& body) {
  Json& input = required(body, "input");
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
  std::vector<Metric>& metrics = request.score.metrics;
  if (request.preset.empty() && metrics.empty()) request.preset = "quick";
  if (request.preset.empty()) return;
  const std::vector<std::string> chosen = preset_metrics(request.preset, request.score.encoder.model);
  metrics.insert(metrics.begin(), chosen.begin(), chosen.end());
}

/// The groups a table or a request has, at most as many as it has rows.
template <typename Labels>
double distinct(const Labels& labels) {
  return static_cast<double>(std::set<std::string_view>(labels.begin(), labels.end()).size());
}

/// Rows of a correlation for each metric: its coefficients in every group, and its tests against the others.
double correlation_rows(const CorrelateRequest& request, double metrics) {
  const auto column = std::ranges::find(request.columns, request.group, &TableColumn::name);
  const double groups = column == request.columns.end() ? 0
                        : column->texts.empty()         ? static_cast<double>(column->numbers.size())
                                                        : distinct(column->texts);
  const double coefficients = static_cast<double>(std::max<std::size_t>(1, request.coefficients.size()));
  return static_cast<double>(std::max<std::size_t>(1, request.gold.size())) *
         ((groups + 2) * coefficients + metrics);
}

/// Few texts may ask for many scores.
void require_small_answer(const WorkRequest& request, const WorkDefaults& defaults) {
  const double systems = static_cast<double>(request.systems.size());
  if (request.systems.size() > defaults.max_systems) {
    throw_invalid(fmt::format("{} systems, more than {} (max_systems of the server)", request.systems.size(),
                              defaults.max_systems));
  }
  double results = static_cast<double>(request.correlate.predicted.size());
  for (const Metric& metric : request.metrics()) results += static_cast<double>(metric.result_count());
  double rows = systems;
  if (request.kind == WorkKind::compare) rows += systems * (systems - 1) / 2;
  if (!request.score.groups.empty()) rows *= 1 + distinct(request.score.groups);
  if (request.score.segments) rows += static_cast<double>(request.texts);
  if (request.kind == WorkKind::correlate) rows = correlation_rows(request.correlate, results);
  if (results * rows > static_cast<double>(defaults.max_scores)) {
    throw_invalid(
        fmt::format("{:.0f} scores in the answer, more than {} (max_scores of the server); fewer "
                    "metrics{} need less",
                    results * rows, defaults.max_scores,
                    request.score.segments ? " or \"segments\": false" : " or systems"));
  }
}

void remove(std::vector<Field>& fields, std::initializer_list<std::string_view> names) {
  std::erase_if(fields,
                [&](const Field& field) { return std::ranges::find(names, field.name) != names.end(); });
}

}  // namespace

std::string_view name_of(WorkKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

WorkKind work_kind(const std::string& name) {
  const auto found = std::ranges::find(kKinds, name);
  if (found == kKinds.end()) {
    const std::vector<std::string> known(kKinds.begin(), kKinds.end());
    throw_usage(fmt::format("unknown kind of work {}{}", in_quotes(name), suggestion(name, known)));
  }
  return static_cast<WorkKind>(found - kKinds.begin());
}

const std::vector<Metric>& WorkRequest::metrics() const {
  return kind == WorkKind::correlate ? correlate.metrics : score.metrics;
}

bool WorkRequest::needs_encoder() const {
  if (kind == WorkKind::embeddings) return true;
  return std::ranges::any_of(metrics(), &Metric::needs_vectors);
}

WorkDefaults work_defaults(const ServeSettings& settings) {
  return {settings.model, settings.cache, settings.max_texts, settings.max_systems, settings.max_scores};
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
    remove(fields, {"group", "source_text"});  // columns of files
  }
  if (request.kind == WorkKind::compare) {
    remove(fields, {"resamples", "segments", "source_texts"});  // the test's own, and nothing to show them in
    for (const Field& field : markeval::fields_of(request.compare)) fields.push_back(field);
  }
  // As the options of the command line are called; the names of api were those of the server once.
  for (Field& field : fields) {
    const auto known =
        std::ranges::find_if(kClientNames, [&](const auto& one) { return one.first == field.name; });
    if (known == kClientNames.end() || (field.name == "resamples" && request.kind != WorkKind::score))
      continue;
    field = field.or_named(field.name);
    field.name = known->second;
  }
  // Pages and explanations are no part of a JSON answer, which is always UTF-8; texts stand in for `input`.
  remove(fields, {"page", "explain", "keep_statistics", "replace_invalid", "input"});
  return fields;
}

std::unique_ptr<WorkRequest> read_work_request(WorkKind kind, Json& body, const WorkDefaults& defaults) {
  auto request = std::make_unique<WorkRequest>(kind);
  for (EncoderOptions* options :
       {&request->score.encoder, &request->correlate.encoder, &request->embed.encoder}) {
    options->model = defaults.model;
    options->cache = defaults.cache;
  }
  request::read_request(body, fields_of(*request), data_of(kind));
  if (kind == WorkKind::correlate) {
    if (!score::gives_pairs(request->correlate)) required(body, "gold");
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
  require_small_answer(*request, defaults);
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
    properties["systems"] = describe(
        {{"anyOf",
          {{{"type", "object"}, {"minProperties", 1}, {"additionalProperties", texts}},
           {{"type", "array"}, {"minItems", 1}, {"items", system}}}}},
        "What is scored: texts by name, or a list, in which the first one is the baseline of a comparison");
    required_names = {"references", "systems"};
  }
  const OrderedJson fields = request::request_schema(fields_of(request));
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
