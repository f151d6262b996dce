// One function per route, the headers of every answer, the request log, and waiting for a task to end.
#include "serve/service.hpp"

#include <fmt/format.h>

#include <future>

#include "api/models.hpp"
#include "api/presets.hpp"
#include "base/cancellation.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/limits.hpp"
#include "base/plain_text.hpp"
#include "serve/assets.hpp"
#include "serve/error_answer.hpp"
#include "serve/openapi.hpp"
#include "serve/read_texts.hpp"

namespace markeval::serve {
namespace {

using Clock = std::chrono::steady_clock;
using OrderedJson = nlohmann::ordered_json;
constexpr std::chrono::milliseconds kLookAtClient{100};
/// Policy for pages: nothing from other servers, no inline script. A report may be shown in a frame.
constexpr const char* kPagePolicy =
    "default-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'self'";

HttpAnswer json_answer(const OrderedJson& document) {
  HttpAnswer answer;
  answer.body = json_text(document, 1) + "\n";
  return answer;
}

HttpAnswer status_answer(const char* status) {
  return json_answer({{"status", status}});
}

/// Weights may have to be hashed, which ends where the server does.
HttpAnswer models_answer(const std::atomic<bool>& stopping) {
  const CancelScope stoppable(&stopping);
  OrderedJson list = OrderedJson::array();
  for (const ModelDescription& model : list_models()) {
    if (!model.problem.empty()) continue;
    list.push_back({{"id", model.name},
                    {"object", "model"},
                    {"owned_by", "local"},
                    {"architecture", model.architecture},
                    {"layers", model.layers},
                    {"hidden", model.hidden},
                    {"vocabulary", model.vocabulary},
                    {"weight_bytes", model.weight_bytes},
                    {"signature", model.signature}});
  }
  return json_answer({{"object", "list"}, {"data", std::move(list)}});
}

}  // namespace

Service::Service(const ServeSettings& settings, Log log)
    : settings_(settings),
      log_(std::move(log)),
      access_(settings),
      bytes_(settings.max_waiting_mib << 20),
      bodies_(settings_),
      lanes_(settings_, counters_),
      jobs_(settings_, lanes_, counters_, bodies_),
      info_(info()),
      ready_(!settings.preload) {
  openapi_json();  // now, while there is memory
}

Service::~Service() {
  jobs_.stop();
  lanes_.close();
}

void Service::load_model() {
  if (!settings_.preload) return;
  // Through the lane, so that the evaluator that answers is the one that has it.
  nlohmann::json body{{"input", "."}};
  const auto task = std::make_shared<LaneTask>();
  task->request = read_work_request(WorkKind::embeddings, body, work_defaults(settings_));
  std::promise<void> loaded;
  task->done = [&](WorkResult, std::exception_ptr failure) {
    failure ? loaded.set_exception(failure) : loaded.set_value();
  };
  lanes_.lane_of(*task).offer(task, settings_.max_queue);
  loaded.get_future().get();
  ready_ = true;
}

void Service::begin_stop() {
  stopping_ = true;
  jobs_.stop();
}

void Service::end_work() {
  lanes_.stop();
}

HttpAnswer Service::failure(int status) {
  counters_.add(Counters::Count::failures, fmt::format("type=\"{}\"", error_type(status)));
  switch (status) {
    case 408:
      return error_answer(status, fmt::format("the request took more than {} seconds to arrive",
                                              settings_.max_receive_seconds));
    case 413:
      return error_answer(status, fmt::format("the body has more than {} MiB", settings_.max_body_mib));
    case 431:
      return error_answer(status, fmt::format("the head has more than {} KiB", settings_.max_head_kib));
    case 414:
      return error_answer(status, "the path is too long");
    case 429:
      return error_answer(status,
                          fmt::format("no room for this request now: {} MiB of requests may wait or run",
                                      settings_.max_waiting_mib));
    case 503:
      return error_answer(status, fmt::format("more than {} connections", settings_.max_connections));
    case 500:
      return error_answer(status, "unexpected failure");
    default:
      return error_answer(status, "this is no HTTP request that can be answered");
  }
}

HttpAnswer Service::overload() {
  counters_.add(Counters::Count::failures, fmt::format("type=\"{}\"", error_type(503)));
  return error_answer(503, "the machine has no thread or no memory left for another connection");
}

std::vector<std::pair<std::string, std::string>> Service::common_headers(const HttpRequest& request) {
  std::vector<std::pair<std::string, std::string>> headers{{"X-Content-Type-Options", "nosniff"},
                                                           {"X-Frame-Options", "SAMEORIGIN"},
                                                           {"Referrer-Policy", "no-referrer"},
                                                           {"Cross-Origin-Opener-Policy", "same-origin"},
                                                           {"Cache-Control", "no-store"}};
  for (auto& header : access_.origin_headers(request)) headers.push_back(std::move(header));
  return headers;
}

std::optional<HttpAnswer> Service::refuse_body(const HttpRequest& head) const {
  const std::string_view length = head.header("content-length");
  const auto bytes = read_number<std::uint64_t>(length);
  if (!length.empty() && !bytes) return error_answer(400, "Content-Length is no number");
  if (bytes.value_or(0) > settings_.max_body_mib << 20) {
    return error_answer(
        413, fmt::format("the body has {} bytes, more than {} MiB", length, settings_.max_body_mib));
  }
  if (!head.header("content-encoding").empty()) return error_answer(400, "Content-Encoding, expected none");
  const std::string_view type = head.header("content-type");
  if (type.substr(0, type.find(';')) != "application/json")
    return error_answer(400, "Content-Type is not application/json");
  return std::nullopt;
}

std::optional<HttpAnswer> Service::refuse(const HttpRequest& head) {
  const auto began = Clock::now();
  const RouteMatch match = find_route(head.method, head.path);
  std::optional<HttpAnswer> refusal;
  const bool other_method = match.route == nullptr && !match.allowed.empty();
  if (other_method && head.method == "OPTIONS") {  // a browser, before a page's request
    refusal = HttpAnswer{.status = 204, .headers = {{"Allow", match.allowed}}};
  } else if (other_method) {  // a strange method may come without the headers of token and host
    refusal = error_answer(405, "the path has no such method, expected " + match.allowed);
    refusal->headers.emplace_back("Allow", match.allowed);
  } else {
    refusal = access_.refuse(head, match.route != nullptr && match.route->open);
    if (!refusal && match.route == nullptr) refusal = error_answer(404, "no such path");
    if (!refusal && match.route->method == "POST") refusal = refuse_body(head);
  }
  if (refusal) tell(head, 0, *refusal, began);
  return refusal;
}

bool Service::is_sign_of_life(const std::string& path) {
  const RouteMatch match = find_route("GET", path);
  return match.route != nullptr && (match.route->id == RouteId::health || match.route->id == RouteId::ready);
}

HttpAnswer Service::answer(HttpRequest& request) {
  const auto began = Clock::now();
  const std::size_t bytes_in = request.body.size();
  HttpAnswer answer;
  try {
    answer = route(find_route(request.method, request.path), request);
  } catch (...) {
    answer = error_answer(std::current_exception());
  }
  tell(request, bytes_in, answer, began);
  return answer;
}

void Service::tell(const HttpRequest& request, std::size_t bytes_in, const HttpAnswer& answer,
                   Clock::time_point began) {
  const RouteMatch match = find_route(request.method, request.path);
  const std::string_view path = match.route == nullptr ? "other" : match.route->path;
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  counters_.add(Counters::Count::requests, fmt::format("route=\"{}\",status=\"{}\"", path, answer.status));
  counters_.observe_seconds(fmt::format("route=\"{}\"", path), seconds);
  if (answer.status >= 400)
    counters_.add(Counters::Count::failures, fmt::format("type=\"{}\"", error_type(answer.status)));
  if (!log_) return;
  log_(fmt::format("{} {} {} {:.1f} ms {} bytes in {} bytes out", request.method, path, answer.status,
                   seconds * 1000, bytes_in, answer.body.size()));
}

HttpAnswer Service::route(const RouteMatch& match, HttpRequest& request) {
  const std::string& word = match.word;
  const auto typed = [&](std::string body) {
    HttpAnswer answer{.body = std::move(body), .type = std::string(match.route->answer_type)};
    if (match.route->answer_type != kJson) answer.headers = {{"Content-Security-Policy", kPagePolicy}};
    return answer;
  };
  switch (match.route->id) {
    case RouteId::asset:
      return typed(std::string(asset(match.route->asset)));
    case RouteId::openapi:
      return typed(openapi_json());
    case RouteId::docs:
      return typed(docs_page(request.header("host")));
    case RouteId::health:
      return status_answer("ok");
    case RouteId::ready:
      return refuse_work().value_or(status_answer("ready"));
    case RouteId::info:
      return typed(info_);
    case RouteId::counters:
      return typed(counters());
    case RouteId::metrics:
      return typed(describe_as_json(metric_names()));
    case RouteId::models:
      return models_answer(stopping_);
    case RouteId::job_state:
      return jobs_.state(word);
    case RouteId::job_events:
      return jobs_.events(word);
    case RouteId::job_result:
      return jobs_.result(word, JobPart::json);
    case RouteId::job_table:
      return jobs_.result(word, JobPart::tsv);
    case RouteId::job_delete:
      return jobs_.remove(word);
    case RouteId::report:
      return jobs_.report(word);
    case RouteId::texts:
      if (request.body.size() > settings_.max_body_mib << 20) return failure(413);
      return texts(request);
    case RouteId::work:
    case RouteId::job_post:
      break;
  }
  if (std::optional<HttpAnswer> refusal = refuse_work()) return *refusal;
  if (request.body.size() > settings_.max_body_mib << 20) return failure(413);
  return match.route->work ? work(*match.route->work, request) : jobs_.post(request);
}

HttpAnswer Service::texts(HttpRequest& request) {
  const BodyReader::BodyDocument body(bodies_, request);
  std::string().swap(request.body);
  return json_answer(read_texts(body.json, settings_.max_texts));
}

std::optional<HttpAnswer> Service::refuse_work() const {
  if (stopping_) return error_answer(503, "the server is stopping");
  if (!ready_) return error_answer(503, "the model is being loaded");
  return std::nullopt;
}

std::string Service::info() {
  OrderedJson limits = OrderedJson::object();
  for (const Field& field : limits_of(settings_))
    limits[field.name] = {{"value", *std::get<std::uint64_t*>(field.target)}, {"what", field.meaning}};
  for (const LimitInfo& limit : all_limits())
    limits[std::string(limit.variable)] = {{"value", limit_of(limit.limit)}, {"what", limit.what}};
  OrderedJson tasks = OrderedJson::array();
  for (const Preset& preset : presets())
    tasks.push_back({{"name", preset.name}, {"task", preset.task}, {"metrics", preset.metrics}});
  return json_answer({{"version", version()},
                      {"model", settings_.model.empty() ? std::string(default_model()) : settings_.model},
                      {"device", settings_.compute.device},
                      {"token", access_.asks_for_token()},
                      {"presets", std::move(tasks)},
                      {"limits", std::move(limits)}})
      .body;
}

std::string Service::counters() {
  std::map<std::string, std::uint64_t> gauges;
  for (const auto& [lane, waiting] : lanes_.waiting())
    gauges[fmt::format("markeval_waiting_requests{{lane=\"{}\"}}", lane)] = waiting;
  if (connection_count_) gauges["markeval_open_connections"] = connection_count_();
  return counters_.text(gauges);
}

HttpAnswer Service::work(WorkKind kind, HttpRequest& request) {
  const auto task = std::make_shared<LaneTask>();
  {
    BodyReader::BodyDocument body(bodies_, request);
    std::string().swap(request.body);
    task->request = read_work_request(kind, body.json, work_defaults(settings_));
  }
  task->bytes = std::move(request.bytes);
  return wait_for(task, request);
}

HttpAnswer Service::wait_for(const std::shared_ptr<LaneTask>& task, const HttpRequest& request) {
  const auto promise = std::make_shared<std::promise<WorkResult>>();
  std::future<WorkResult> result = promise->get_future();
  task->done = [promise](WorkResult made, std::exception_ptr failure) {
    failure ? promise->set_exception(failure) : promise->set_value(std::move(made));
  };
  Lane& lane = lanes_.lane_of(*task);
  if (!lane.offer(task, settings_.max_queue)) {
    return error_answer(429, fmt::format("{} requests wait already", settings_.max_queue));
  }
  const auto deadline = Clock::now() + std::chrono::seconds(settings_.max_seconds);
  bool late = false;
  while (result.wait_for(kLookAtClient) != std::future_status::ready) {
    if (task->cancel) continue;
    late = Clock::now() >= deadline;
    if (late || (request.client_gone && request.client_gone())) lane.give_up(task);
  }
  try {
    return {.body = result.get().json};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::cancelled || !late) throw;
    return error_answer(503, fmt::format("not done after {} seconds", settings_.max_seconds), "timeout",
                        "POST the work to /v1/jobs, which have no such limit, or in smaller parts.");
  }
}

}  // namespace markeval::serve
