// One GET over HTTP, by libcurl: TLS, redirects and proxies ($https_proxy, $http_proxy, $all_proxy, with user
// and password; $no_proxy) are its own. Answers are bounded in every part. Used by the hub client alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/parallel.hpp"
#include "base/run_context.hpp"

namespace markeval::models {

/// An address of the web taken apart.
struct WebAddress {
  bool encrypted = false;  ///< https
  std::string shown;       ///< for messages: without user and password
};
/// Nothing where it is no http:// or https:// address with a host.
std::optional<WebAddress> parse_address(const std::string& address);

/// A part of a path between slashes, all but letters, digits and -._~ as %XX.
std::string escape_segment(const std::string& text);

struct WebRequest {
  std::string address;
  /// Goes to the host of `address` only, never to where that redirects, and never over plain http.
  std::string token;
  std::uint64_t offset = 0;  ///< the first byte wanted
  int timeout_s = 30;        ///< without a byte
};

struct WebAnswer {
  int status = 0;          ///< 0: there was none, or it broke off; 416 also where it is another part
  std::string problem;     ///< then: why
  std::string error_code;  ///< the header x-error-code, a hub's own word for what is wrong
  bool may_change = true;  ///< where there was no answer: whether another attempt may end otherwise
};

/// Given a piece of the body; false where no more of it is wanted. May throw.
using BodySink = FunctionRef<bool(std::string_view bytes)>;

/// Follows up to 10 redirects, from https to https only, and gives the last answer's body to `sink` where its
/// status is 200 or 206. Throws what the sink throws, and Error(cancelled).
WebAnswer web_get(const WebRequest& request, BodySink sink, const RunContext& context);

}  // namespace markeval::models
