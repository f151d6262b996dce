// A request and its answer, as the routes see them: nothing here knows which library speaks HTTP.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/byte_budget.hpp"

namespace markeval::serve {

struct HttpRequest {
  std::string method{};                          ///< "GET", "POST", ...
  std::string path{};                            ///< decoded, without the query
  std::map<std::string, std::string> headers{};  ///< names in lower case
  std::string body{};
  ByteLease bytes{};  ///< those of the body
  /// Whether the client has hung up; for those who wait long. May be empty.
  std::function<bool()> client_gone{};

  /// "" where there is no such header.
  std::string_view header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

/// Writes a piece of an answer that is made while it is sent; false: the client is gone.
using PieceWriter = std::function<bool(std::string_view piece)>;

struct HttpAnswer {
  int status = 200;
  std::string body{};
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers{};
  /// Instead of `body`: writes the answer piece by piece and returns at its end.
  std::function<void(const PieceWriter& write)> stream{};
};

/// Who answers. Called from many threads.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// Before the body is read: an answer where the request is refused, nothing where it may go on.
  virtual std::optional<HttpAnswer> refuse(const HttpRequest& head) = 0;
  /// May take the body out of the request.
  virtual HttpAnswer answer(HttpRequest& request) = 0;
  /// While the body arrives: whether there is room for `bytes` more of it.
  virtual bool make_room(HttpRequest&, std::size_t /*bytes*/) { return true; }
  /// Whether this path is answered even where all connections are taken.
  virtual bool is_sign_of_life(const std::string& /*path*/) { return false; }
  /// For what is no HTTP, or beyond a limit of the transport.
  virtual HttpAnswer failure(int status) = 0;
  /// For a client whom no thread can serve.
  virtual HttpAnswer overload() { return failure(503); }
  /// What every answer carries.
  virtual std::vector<std::pair<std::string, std::string>> common_headers(const HttpRequest& request) = 0;
};

}  // namespace markeval::serve
