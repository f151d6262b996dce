// The paths of the server, written down once: the service answers them, /openapi.json describes them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "serve/work_request.hpp"

namespace markeval::serve {

/// What a route does, for the service to choose by.
enum class RouteId {
  asset,
  openapi,
  docs,
  health,
  ready,
  info,
  counters,
  metrics,
  models,
  texts,
  work,
  job_post,
  job_state,
  job_events,
  job_result,
  job_table,
  job_delete,
  report,
};

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kHtml = "text/html; charset=utf-8";

struct Route {
  std::string_view method;
  std::string_view path;  ///< "/v1/jobs/{id}": a word in braces stands for one part of the path
  RouteId id;
  std::string_view summary;
  bool open = false;  ///< answered without a token
  std::string_view answer_type = kJson;
  std::optional<WorkKind> work{};  ///< the work its body asks for
  std::string_view asset{};        ///< the file of the page it gives
};

std::span<const Route> routes();

/// A route, and the part of the path that stands for its word in braces.
struct RouteMatch {
  const Route* route = nullptr;  ///< nullptr: none
  std::string word{};
  std::string allowed{};  ///< methods the path has, where it has others only: "GET, POST"
};
RouteMatch find_route(std::string_view method, std::string_view path);

}  // namespace markeval::serve
