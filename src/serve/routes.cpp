#include "serve/routes.hpp"

#include <array>

namespace markeval::serve {
namespace {

constexpr std::array kRoutes{
    Route{"GET", "/health", RouteId::health, "Whether the server lives", true},
    Route{"GET", "/ready", RouteId::ready, "Whether it takes work: 503 while it starts or stops", true},
    Route{"GET", "/info", RouteId::info, "Version, models in use, presets, every limit"},
    Route{"GET", "/metrics", RouteId::counters, "What the server has done, for Prometheus"},
    Route{"GET", "/v1/metrics", RouteId::metrics, "What can be computed, as `markeval metrics`"},
    Route{"GET", "/v1/models", RouteId::models, "The models on this server"},
    Route{"POST", "/v1/score", RouteId::work, "Texts in, scores out, as `markeval score`", false,
          WorkKind::score},
    Route{"POST", "/v1/compare", RouteId::work,
          "Scores, intervals, paired tests and ranks, as `markeval compare`", false, WorkKind::compare},
    Route{"POST", "/v1/correlate", RouteId::work,
          "How well metrics agree with people, as `markeval correlate`", false, WorkKind::correlate},
    Route{"POST", "/v1/embeddings", RouteId::work, "Vectors of texts, in the form of OpenAI's interface",
          false, WorkKind::embeddings},
};

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
  return kRoutes;
}

RouteMatch find_route(std::string_view method, std::string_view path) {
  RouteMatch match;
  if (method == "HEAD") method = "GET";
  for (const Route& route : kRoutes) {
    std::string word;
    if (!fits(route.path, path, word)) continue;
    if (route.method == method) return {&route, std::move(word), {}};
    match.allowed += (match.allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  return match;
}

}  // namespace markeval::serve
