// Who may ask: the token, the name the client used for the server, and pages of other origins.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "serve/http.hpp"
#include "serve/settings.hpp"

namespace markeval::serve {

class Access {
 public:
  /// Reads the token from the file or $MARKEVAL_TOKEN. Throws Error(io, usage) where it cannot be used, or
  /// where other machines could come in without one and nobody said so.
  explicit Access(const ServeSettings& settings);

  bool asks_for_token() const { return !token_digest_.empty(); }
  /// An answer where the request may not come in; `open`: its route needs no token.
  std::optional<HttpAnswer> refuse(const HttpRequest& request, bool open) const;
  /// For pages of origins that are listed.
  std::vector<std::pair<std::string, std::string>> origin_headers(const HttpRequest& request) const;

 private:
  bool has_token(const HttpRequest& request) const;
  bool is_listed(const std::string& origin) const;
  bool is_own_name(const std::string& host) const;

  std::string token_digest_;
  bool local_only_;
  std::vector<std::string> hosts_;  ///< names the server may be asked by
  std::vector<std::string> origins_;
};

}  // namespace markeval::serve
