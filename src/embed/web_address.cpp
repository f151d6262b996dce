#include "embed/web_address.hpp"

#include <cctype>
#include <charconv>
#include <cstdlib>

namespace markeval::embed {
namespace {

std::string_view variable(const char* small, const char* capital) {
  for (const char* name : {small, capital}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

/// "https://huggingface.co:443" -> "huggingface.co"
std::string_view bare_host(std::string_view host) {
  host.remove_prefix(host.find("://") + 3);
  if (host.rfind('[', 0) == 0) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool ends_with_domain(std::string_view host, std::string_view domain) {
  if (!domain.empty() && domain.front() == '.') domain.remove_prefix(1);
  if (domain.empty() || host.size() < domain.size() || host.substr(host.size() - domain.size()) != domain)
    return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

}  // namespace

std::optional<WebAddress> split_address(std::string_view address) {
  const std::size_t scheme = address.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  if (address.substr(0, scheme) != "http" && address.substr(0, scheme) != "https") return std::nullopt;
  const std::size_t slash = address.find('/', scheme + 3);
  const std::string_view host = address.substr(0, slash);
  if (host.size() == scheme + 3) return std::nullopt;
  return WebAddress{std::string(host),
                    slash == std::string_view::npos ? "/" : std::string(address.substr(slash))};
}

std::string escape_segment(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = (byte < 128 && std::isalnum(byte) != 0) ||
                       std::string_view("-._~").find(letter) != std::string_view::npos;
    if (plain) {
      escaped += letter;
    } else {
      escaped += '%';
      escaped += "0123456789ABCDEF"[byte >> 4];
      escaped += "0123456789ABCDEF"[byte & 15];
    }
  }
  return escaped;
}

std::string escape_path(std::string_view path) {
  std::string escaped;
  while (true) {
    const std::size_t slash = path.find('/');
    escaped += escape_segment(path.substr(0, slash));
    if (slash == std::string_view::npos) return escaped;
    escaped += '/';
    path.remove_prefix(slash + 1);
  }
}

std::optional<std::pair<std::string, int>> proxy_for(const WebAddress& address) {
  const bool secure = address.host.rfind("https://", 0) == 0;
  std::string_view proxy =
      secure ? variable("https_proxy", "HTTPS_PROXY") : variable("http_proxy", "HTTP_PROXY");
  const std::string_view host = bare_host(address.host);
  if (proxy.empty() || host == "localhost" || host == "[::1]" || host.rfind("127.", 0) == 0)
    return std::nullopt;
  std::string_view exempt = variable("no_proxy", "NO_PROXY");
  while (!exempt.empty()) {
    std::string_view one = exempt.substr(0, exempt.find(','));
    exempt.remove_prefix(std::min(exempt.size(), one.size() + 1));
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    if (one == "*" || ends_with_domain(host, one)) return std::nullopt;
  }
  if (const std::size_t scheme = proxy.find("://"); scheme != std::string_view::npos)
    proxy.remove_prefix(scheme + 3);
  proxy = proxy.substr(0, proxy.find('/'));
  int port = secure ? 443 : 80;
  const std::size_t colon = proxy.rfind(':');
  if (colon != std::string_view::npos) {
    if (std::from_chars(proxy.data() + colon + 1, proxy.data() + proxy.size(), port).ec != std::errc())
      return std::nullopt;
    proxy = proxy.substr(0, colon);
  }
  return std::pair(std::string(proxy), port);
}

}  // namespace markeval::embed
