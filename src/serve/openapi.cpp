// Paths, schemas, examples and answers as one JSON document, from which the page is written.
#include "serve/openapi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/lookup.hpp"
#include "base/version.hpp"
#include "report/html_text.hpp"
#include "serve/assets.hpp"
#include "serve/error_answer.hpp"
#include "serve/read_texts.hpp"
#include "serve/routes.hpp"

namespace markeval::serve {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Every status a client may meet at any path, for its list of answers.
constexpr std::array kErrors{400, 401, 403, 404, 405, 408, 413, 414, 431, 500, 503};
constexpr std::array kErrorsOfWork{422, 429};

OrderedJson reference_to(const std::string& name) {
  return {{"$ref", "#/components/" + name}};
}

/// A request that gives scores, for people to start from and for programs that try the server.
OrderedJson example_of(WorkKind kind) {
  const OrderedJson references{"the cat sat on the mat", "a dog barks"};
  const OrderedJson mine{{"name", "mine"}, {"texts", {"the cat sat on a mat", "a dog"}}};
  const OrderedJson other{{"name", "other"}, {"texts", {"a cat", "the dog barks"}}};
  switch (kind) {
    case WorkKind::score:
      return {{"references", references}, {"systems", {mine}}, {"metrics", {"chrf", "bertscore.f1"}}};
    case WorkKind::compare:
      return {{"references", references}, {"systems", {mine, other}}, {"metrics", {"chrf"}}};
    case WorkKind::correlate:
      return {{"columns", {{"human", {0.9, 0.2, 0.7, 0.4}}, {"chrf", {71.5, 40.2, 66, 28.1}}}},
              {"gold", "human"},
              {"predicted", {"chrf"}}};
    case WorkKind::embeddings:
      break;
  }
  return {{"input", references}};
}

std::string operation_id(const Route& route) {
  std::string id;
  for (const char letter : fmt::format("{}{}", route.method, route.path))
    id += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return id;
}

/// From the answer to a new job to all that can be asked of it.
OrderedJson links_of_job() {
  OrderedJson links = OrderedJson::object();
  for (const Route& route : routes()) {
    if (!route.path.starts_with("/v1/jobs/{id}")) continue;
    links[operation_id(route)] = {{"operationId", operation_id(route)},
                                  {"parameters", {{"id", "$response.body#/id"}}}};
  }
  return links;
}

/// What is known of a job: see Jobs::state.
OrderedJson job_state_schema() {
  const OrderedJson text{{"type", "string"}}, count{{"type", "integer"}, {"minimum", 0}};
  return {{"type", "object"},
          {"properties",
           {{"id", text},
            {"kind", {{"enum", {"score", "compare", "correlate", "embeddings"}}}},
            {"state", {{"enum", {"waiting", "running", "done", "failed", "cancelled"}}}},
            {"created", {{"type", "integer"}, {"description", "Seconds since 1970"}}},
            {"ended", {{"type", "integer"}, {"description", "Seconds since 1970"}}},
            {"progress",
             {{"type", "object"},
              {"properties", {{"stage", text}, {"done", count}, {"total", count}}},
              {"required", {"stage", "done", "total"}}}},
            {"error", reference_to("schemas/Error")},
            {"events", text},
            {"result", text},
            {"table", text},
            {"report", text}}},
          {"required", {"id", "kind", "state", "created", "events"}},
          {"additionalProperties", false}};
}

bool gives_job_state(const Route& route) {
  return route.id == RouteId::job_post || route.id == RouteId::job_state || route.id == RouteId::job_delete;
}

OrderedJson answer_of(const Route& route) {
  // Nothing in OpenAPI 3.1 describes the events of a stream.
  if (route.id == RouteId::job_events) {
    return {{"description", "Events `progress` and, last, `end`; the data of each is the state of the job"},
            {"content", {{std::string(route.answer_type), OrderedJson::object()}}}};
  }
  OrderedJson schema{{"type", "object"}};
  if (gives_job_state(route)) schema = reference_to("schemas/job_state");
  if (route.work) {
    const bool vectors = *route.work == WorkKind::embeddings;
    schema["required"] =
        vectors ? OrderedJson{"object", "data", "model", "usage"} : OrderedJson{"markeval", "warnings"};
  }
  const std::string type(route.answer_type);
  return {{"description", "Done"},
          {"content",
           {{type, {{"schema", type == "application/json" ? schema : OrderedJson{{"type", "string"}}}}}}}};
}

OrderedJson operation_of(const Route& route) {
  OrderedJson operation{{"summary", route.summary}};
  operation["operationId"] = operation_id(route);
  if (route.open) operation["security"] = OrderedJson::array();
  if (route.path.find('{') != std::string_view::npos) {
    const std::size_t open = route.path.find('{') + 1;
    operation["parameters"] = {{{"name", route.path.substr(open, route.path.find('}') - open)},
                                {"in", "path"},
                                {"required", true},
                                {"schema", {{"type", "string"}}}}};
  }
  if (route.method == "POST") {
    const bool texts = route.id == RouteId::texts;
    const std::string schema = route.work ? std::string(name_of(*route.work)) : texts ? "texts" : "job";
    const OrderedJson example =
        route.work ? example_of(*route.work)
        : texts
            ? OrderedJson{{"name", "two.tsv"}, {"content", "ref\tmine\na cat\tthe cat\n"}, {"column", "ref"}}
            : OrderedJson{{"kind", "score"}, {"request", example_of(WorkKind::score)}};
    operation["requestBody"] = {
        {"required", true},
        {"content",
         {{"application/json", {{"schema", reference_to("schemas/" + schema)}, {"example", example}}}}}};
  }
  OrderedJson& answers = operation["responses"];
  const char* const taken = route.id == RouteId::job_post ? "202" : "200";
  answers[taken] = answer_of(route);
  if (route.id == RouteId::job_post) answers[taken]["links"] = links_of_job();
  const auto add = [&](int status) {
    answers[std::to_string(status)] = reference_to("responses/" + error_type(status));
  };
  for (const int status : kErrors) add(status);
  if (route.path.starts_with("/v1/jobs")) add(409);
  if (route.method == "POST") {
    for (const int status : kErrorsOfWork) add(status);
  }
  return operation;
}

OrderedJson make_document() {
  OrderedJson paths = OrderedJson::object(), schemas, responses;
  for (const Route& route : routes()) {
    std::string method(route.method);
    for (char& letter : method) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    paths[std::string(route.path)][method] = operation_of(route);
  }
  OrderedJson jobs = OrderedJson::array();
  for (const WorkKind kind :
       {WorkKind::score, WorkKind::compare, WorkKind::correlate, WorkKind::embeddings}) {
    const std::string name(name_of(kind));
    schemas[name] = body_schema(kind);
    jobs.push_back(
        {{"type", "object"},
         {"properties", {{"kind", {{"const", name}}}, {"request", reference_to("schemas/" + name)}}},
         {"required", {"kind", "request"}},
         {"additionalProperties", false}});
  }
  schemas["texts"] = texts_schema();
  schemas["job"] = {{"oneOf", std::move(jobs)}};
  schemas["job_state"] = job_state_schema();
  const OrderedJson text{{"type", "string"}};
  schemas["Error"] = {{"type", "object"},
                      {"properties", {{"error", text}, {"type", text}, {"hint", text}}},
                      {"required", {"error", "type", "hint"}}};
  const auto describe = [&](int status) {
    responses[error_type(status)] = {
        {"description", error_type(status)},
        {"content", {{"application/json", {{"schema", reference_to("schemas/Error")}}}}}};
  };
  for (const int status : kErrors) describe(status);
  for (const int status : kErrorsOfWork) describe(status);
  describe(409);
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "markeval"},
            {"version", version()},
            {"description", "How good is generated text? The answers are those of the command line."}}},
          {"security", OrderedJson::array({OrderedJson::object(), {{"token", OrderedJson::array()}}})},
          {"paths", std::move(paths)},
          {"components",
           {{"schemas", std::move(schemas)},
            {"responses", std::move(responses)},
            {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

/// {"type": ["integer", "null"], "minimum": 1, "maximum": 9} -> "whole number or null, 1 to 9"
std::string type_words(const OrderedJson& schema) {
  std::vector<std::string> words;
  const auto text = [](const OrderedJson& value) {
    return value.is_string() ? value.get<std::string>() : json_text(value);
  };
  for (const char* several : {"oneOf", "anyOf"}) {
    for (OrderedJson one : schema.value(several, OrderedJson::array())) {
      if (schema.contains("type") && !one.contains("type")) one["type"] = schema["type"];
      add_once(words, type_words(one));
    }
  }
  if (!words.empty()) return fmt::format("{}", fmt::join(words, " or "));
  if (schema.contains("const")) return json_text(schema["const"]);
  for (const OrderedJson& value : schema.value("enum", OrderedJson::array())) {
    if (std::string word = text(value); !word.empty()) words.push_back(std::move(word));
  }
  if (!words.empty()) return fmt::format("{}", fmt::join(words, ", "));
  if (!schema.contains("type")) return "";
  const OrderedJson& type = schema["type"];
  for (const OrderedJson& one : type.is_array() ? type : OrderedJson::array({type})) {
    const auto name = one.get<std::string>();  // the library compares JSON with text where no memory may fail
    words.push_back(name == "integer"   ? "whole number"
                    : name == "string"  ? "text"
                    : name == "boolean" ? "true or false"
                    : name == "array"   ? "list"
                                        : name);
    if (type.is_string() && name == "array") words.back() += " of " + type_words(schema["items"]);
  }
  std::string all = fmt::format("{}", fmt::join(words, " or "));
  if (!schema.contains("minimum")) return all;
  all += ", " + text(schema["minimum"]);
  return all + (schema.contains("maximum") ? " to " + text(schema["maximum"]) : " or more");
}

/// "as `markeval score`" -> "as <code>markeval score</code>"
std::string with_code(std::string_view text) {
  std::string out;
  bool inside = false;
  for (const char letter : report::escape(std::string(text))) {
    if (letter != '`') {
      out += letter;
      continue;
    }
    out += inside ? "</code>" : "<code>";
    inside = !inside;
  }
  return out;
}

/// Made once: where memory ran out halfway, the library would ask for more to take it down.
const OrderedJson& the_document() {
  static const OrderedJson made = make_document();
  return made;
}

}  // namespace

std::string openapi_json() {
  static const std::string text = json_text(the_document(), 1) + "\n";
  return text;
}

std::string docs_page(std::string_view host) {
  const OrderedJson& document = the_document();
  std::string out =
      fmt::format(fmt::runtime(asset("docs.html")), fmt::arg("version", version()),
                  fmt::arg("host", report::escape(host.empty() ? "127.0.0.1:8080" : std::string(host))));
  for (const Route& route : routes()) {
    out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", route.method,
                       report::escape(route.path), with_code(route.summary));
  }
  out += "</table></div>\n";
  for (const Route& route : routes()) {
    if (!route.work) continue;
    out += fmt::format("<h2>{} <code>{}</code></h2>\n<div class=\"wide\"><table>\n", route.method,
                       report::escape(route.path));
    const OrderedJson& schema = document["components"]["schemas"][std::string(name_of(*route.work))];
    for (const auto& [name, property] : schema["properties"].items()) {
      out += fmt::format(
          "<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n", report::escape(name),
          report::escape(type_words(property)),
          with_code(property.contains("description") ? property["description"].get<std::string>() : ""));
    }
    out += "</table></div>\n";
  }
  return out + "</main></body></html>\n";
}

}  // namespace markeval::serve
