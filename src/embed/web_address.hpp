// Addresses of the web, as far as a client needs them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace markeval::embed {

struct WebAddress {
  std::string host;  ///< with scheme and port: "https://huggingface.co", "http://127.0.0.1:8080"
  std::string path;  ///< from the first '/' on, "/" where there is none
};

/// split_address("http://127.0.0.1:80/a?b") -> {"http://127.0.0.1:80", "/a?b"}; nothing for other schemes.
std::optional<WebAddress> split_address(std::string_view address);

/// Everything but letters, digits and -._~ as %XX.
std::string escape_segment(std::string_view text);
/// The same for each part between slashes.
std::string escape_path(std::string_view path);

/// Host and port of the proxy $https_proxy or $http_proxy (also in capitals) names for it, unless $no_proxy
/// lists the host or it is this machine.
std::optional<std::pair<std::string, int>> proxy_for(const WebAddress& address);

}  // namespace markeval::embed
