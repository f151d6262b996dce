// The list of routes, and the search for the one that fits a path.
#include "serve/routes.hpp"

#include <vector>

namespace markeval::serve {
namespace {

constexpr std::string_view kSvg = "image/svg+xml";
constexpr std::string_view kPlain = "text/plain; version=0.0.4";

Route work_route(std::string_view path, WorkKind kind, std::string_view summary) {
  return {"POST", path, RouteId::work, summary, false, kJson, kind, {}};
}
Route asset_route(std::string_view path, std::string_view type, std::string_view file,
                  std::string_view summary) {
  return {"GET", path, RouteId::asset, summary, true, type, {}, file};
}
Route job_route(std::string_view method, std::string_view path, RouteId id, std::string_view summary,
                std::string_view type = kJson) {
  return {method, path, id, summary, false, type, {}, {}};
}

const std::vector<Route>& all_routes() {
  static const std::vector<Route> list{
      {"GET", "/health", RouteId::health, "Whether the server runs", true},
      {"GET", "/ready", RouteId::ready, "Whether it takes work: 503 while it starts or stops", true},
      {"GET", "/info", RouteId::info, "Version, default model, presets, every limit"},
      {"GET", "/metrics", RouteId::counters, "What the server has done, for Prometheus", false, kPlain},
      {"GET", "/v1/metrics", RouteId::metrics, "What can be computed, as `markeval metrics`"},
      {"GET", "/v1/models", RouteId::models, "The models on this server"},
      work_route("/v1/score", WorkKind::score, "Texts in, scores out, as `markeval score`"),
      work_route("/v1/compare", WorkKind::compare,
                 "Scores, intervals, paired tests and ranks, as `markeval compare`"),
      work_route("/v1/correlate", WorkKind::correlate,
                 "How well metrics agree with people, as `markeval correlate`"),
      work_route("/v1/embeddings", WorkKind::embeddings,
                 "Vectors of texts, in the form of OpenAI's interface"),
      {"POST", "/v1/texts", RouteId::texts, "Texts of a file's content, or its columns and first rows"},
      job_route("POST", "/v1/jobs", RouteId::job_post,
                "Long work: taken now (202), done later; Location names it"),
      job_route("GET", "/v1/jobs/{id}", RouteId::job_state, "State and progress of a job"),
      job_route("DELETE", "/v1/jobs/{id}", RouteId::job_delete, "Stop a job; forget one that has ended"),
      job_route("GET", "/v1/jobs/{id}/events", RouteId::job_events, "Its progress as server-sent events",
                "text/event-stream"),
      job_route("GET", "/v1/jobs/{id}/result", RouteId::job_result,
                "Its result, the same as from the direct path"),
      job_route("GET", "/v1/jobs/{id}/table", RouteId::job_table, "Its result as a table (TSV)",
                "text/tab-separated-values; charset=utf-8"),
      {"GET", "/reports/{key}", RouteId::report, "The report of a job as a page; the job names the key", true,
       kHtml},
      {"GET", "/openapi.json", RouteId::openapi, "This description", true},
      {"GET", "/docs", RouteId::docs, "The same for people", true, kHtml},
      asset_route("/", kHtml, "index.html", "A page for people: paste texts, see a report"),
      asset_route("/page.js", "text/javascript; charset=utf-8", "page.js", "What the page does"),
      asset_route("/icon.svg", kSvg, "icon.svg", "The sign of the pages"),
      asset_route("/favicon.ico", kSvg, "icon.svg", "The same, at the path that browsers try by themselves"),
      asset_route("/style.css", "text/css; charset=utf-8", "style.css", "Looks of the pages"),
  };
  return list;
}

/// Whether a path fits a pattern; `word` is what stands for the braces.
bool fits(std::string_view pattern, std::string_view path, std::string& word) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return pattern == path;
  const std::string_view after = pattern.substr(pattern.find('}') + 1);
  if (path.size() <= open + after.size() || !path.starts_with(pattern.substr(0, open)) ||
      !path.ends_with(after))
    return false;
  word = path.substr(open, path.size() - open - after.size());
  return word.find('/') == std::string::npos;
}

}  // namespace

std::span<const Route> routes() {
  return all_routes();
}

RouteMatch find_route(std::string_view method, std::string_view path) {
  RouteMatch match;
  if (method == "HEAD") method = "GET";
  for (const Route& route : all_routes()) {
    std::string word;
    if (!fits(route.path, path, word)) continue;
    if (route.method == method) return {&route, std::move(word), {}};
    match.allowed += (match.allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  return match;
}

}  // namespace markeval::serve
