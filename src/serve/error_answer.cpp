// The table of HTTP statuses with type and hint, and the status of each kind of error.
#include "serve/error_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/quotation.hpp"

namespace markeval::serve {
namespace {

struct StatusInfo {
  int status;
  std::string_view type, hint;
};

constexpr std::array<StatusInfo, 16> kStatuses{{
    {400, "wrong_request", "/openapi.json lists the fields of every request, /v1/metrics the metrics."},
    {401, "unauthorized", "Send the server's token: Authorization: Bearer TOKEN."},
    {403, "forbidden", "Use the address the server was started for, or start it with --host and a token."},
    {404, "not_found", "/docs lists what there is."},
    {405, "method_not_allowed", "The header Allow names the methods of this path."},
    {408, "slow_request", "/info shows how long a request may take to arrive."},
    {409, "conflict", "Ask for the state of the job first."},
    {413, "too_large", "/info shows every limit; POST smaller parts."},
    {414, "too_large", "Texts belong into the body."},
    {422, "cannot_score",
     "The request was understood, but its texts cannot be scored; the error names the place."},
    {429, "busy", "Wait for the seconds in Retry-After, or POST the work to /v1/jobs."},
    {431, "too_large", "/info shows every limit."},
    {500, "internal", "A fault of markeval: please report the request that shows it."},
    {501, "wrong_request", "/docs lists what there is."},
    {503, "unavailable", "The server is starting, stopping or has too much to do: try again soon."},
    {505, "wrong_request", "Use HTTP/1.1."},
}};

const StatusInfo& info_of(int status) {
  const auto found = std::ranges::find(kStatuses, status, &StatusInfo::status);
  return found == kStatuses.end() ? kStatuses.front() : *found;
}

/// Where a client's request met a file of the server: its name, not its folders.
///   "/srv/models/tiny/config.json: cannot open" -> "config.json: cannot open"
std::string without_folders(std::string_view message) {
  constexpr std::string_view kEnds = " '\"(),;:";
  std::string out;
  for (std::size_t i = 0; i < message.size();) {
    const bool starts = message[i] == '/' &&
                        (i == 0 || kEnds.find(message[i - 1]) != std::string_view::npos) &&
                        !message.substr(i).starts_with("//");
    const std::string_view path =
        starts ? message.substr(i, std::min(message.find_first_of(kEnds, i), message.size()) - i)
               : message.substr(i, 1);
    out += starts ? path.substr(path.rfind('/') + 1) : path;
    i += path.size();
  }
  return out;
}

}  // namespace

std::string error_type(int status) {
  return std::string(info_of(status).type);
}

HttpAnswer error_answer(int status, const std::string& message, const std::string& type,
                        const std::string& hint) {
  const auto quoted = [](std::string text) { return json_text(nlohmann::json(std::move(text))); };
  HttpAnswer answer;
  answer.status = status;
  // Not an object of the library's, which would ask for memory where it is taken down.
  answer.body = fmt::format("{{\"error\":{},\"type\":{},\"hint\":{}}}\n", quoted(harmless(message)),
                            quoted(type), quoted(hint));
  if (status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (status == 429 || status == 503) answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

HttpAnswer error_answer(int status, const std::string& message) {
  const StatusInfo& info = info_of(status);
  return error_answer(status, message, std::string(info.type), std::string(info.hint));
}

HttpAnswer error_answer(const Error& error) {
  switch (error.code()) {
    case ErrorCode::usage:
      return error_answer(400, without_folders(error.what()));
    case ErrorCode::invalid_input:
      return error_answer(422, without_folders(error.what()));
    case ErrorCode::cancelled:
      return error_answer(503, error.what());
    case ErrorCode::io:
      break;
  }
  return error_answer(503, without_folders(error.what()), error_type(503),
                      "The server's machine has no room or lacks a file: ask whoever runs it.");
}

HttpAnswer error_answer(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error_answer(error);
  } catch (const std::bad_alloc&) {
    return error_answer(422, "not enough memory for this request");
  } catch (const std::exception&) {
    return error_answer(500, "unexpected failure");
  }
}

}  // namespace markeval::serve
