#include "serve/openapi.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "report/html_text.hpp"
#include "serve/error_answer.hpp"
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

OrderedJson answer_of(const Route& route) {
  OrderedJson schema{{"type", "object"}};
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
  const std::string name = fmt::format("{}{}", route.method, route.path);
  std::string id;
  for (const char letter : name) id += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  operation["operationId"] = id;
  if (route.open) operation["security"] = OrderedJson::array();
  if (route.path.find('{') != std::string_view::npos) {
    const std::size_t open = route.path.find('{') + 1;
    operation["parameters"] = {{{"name", route.path.substr(open, route.path.find('}') - open)},
                                {"in", "path"},
                                {"required", true},
                                {"schema", {{"type", "string"}}}}};
  }
  if (route.method == "POST") {
    const std::string schema = route.work ? std::string(name_of(*route.work)) : "job";
    operation["requestBody"] = {
        {"required", true},
        {"content", {{"application/json", {{"schema", reference_to("schemas/" + schema)}}}}}};
  }
  OrderedJson& answers = operation["responses"];
  answers[route.id == RouteId::job_post ? "202" : "200"] = answer_of(route);
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
  schemas["job"] = {{"oneOf", std::move(jobs)}};
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

/// "string, one of f32, bf16"
std::string type_words(const OrderedJson& property) {
  std::string words =
      property.contains("type") && property["type"].is_string() ? property["type"].get<std::string>() : "";
  if (property.contains("enum")) words += ": " + property["enum"].dump();
  if (property.contains("minimum") && property.contains("maximum"))
    words += fmt::format(", {} to {}", property["minimum"].dump(), property["maximum"].dump());
  if (property.contains("default")) words += "; default " + property["default"].dump();
  return words;
}

}  // namespace

std::string openapi_json() {
  static const std::string text = make_document().dump(1) + "\n";
  return text;
}

std::string docs_page() {
  const OrderedJson document = make_document();
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>markeval {0}: interface</title><link rel=\"stylesheet\" "
      "href=\"/style.css\"></head><body><main>\n<h1>markeval {0}</h1>\n<p>How good is generated text? The "
      "answers are "
      "those of the command line. For programs: <a href=\"/openapi.json\">openapi.json</a>. With a token: "
      "<code>"
      "Authorization: Bearer TOKEN</code>. Errors are <code>{{\"error\", \"type\", \"hint\"}}</code>.</p>\n"
      "<pre>curl -s http://127.0.0.1:8080/v1/score -H 'Content-Type: application/json' -d '{{\n"
      "  \"references\": [\"the cat sat\"], \"systems\": [{{\"name\": \"mine\", \"texts\": [\"a cat "
      "sat\"]}}],\n"
      "  \"metrics\": [\"bleu\", \"bertscore.f1\"]}}'</pre>\n<div class=\"wide\"><table>\n",
      version());
  for (const Route& route : routes()) {
    out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", route.method,
                       report::escape(route.path), report::escape(route.summary));
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
          report::escape(property.contains("description") ? property["description"].get<std::string>() : ""));
    }
    out += "</table></div>\n";
  }
  return out + "</main></body></html>\n";
}

}  // namespace markeval::serve
