// Checks of the Host, Origin and Authorization headers; tokens are compared as digests in constant time.
#include "serve/access.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/plain_text.hpp"
#include "serve/error_answer.hpp"

namespace markeval::serve {
namespace {

constexpr std::size_t kShortestToken = 16;
constexpr std::string_view kVisible = " \t\r\n";

std::string read_token(const std::string& file) {
  std::string token, source = "MARKEVAL_TOKEN";
  if (!file.empty()) {
    source = file;
    std::ifstream stream(file);
    if (!stream) throw_io(file, "read the token");
    std::getline(stream, token);
  } else if (const char* told = std::getenv("MARKEVAL_TOKEN"); told != nullptr) {
    token = told;
  } else {
    return token;
  }
  token.erase(token.find_last_not_of(kVisible) + 1);
  token.erase(0, token.find_first_not_of(kVisible));
  if (token.size() < kShortestToken) {
    throw_usage(fmt::format("{}: the token has {} characters, expected {} or more", source, token.size(),
                            kShortestToken));
  }
  return token;
}

/// Takes the same time wherever the two differ. Both are digests, so neither does their length tell anything.
bool same_digest(const std::string& one, const std::string& other) {
  if (one.size() != other.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]));
  return difference == 0;
}

/// "LocalHost:8080" -> localhost, "[::1]:8080" -> [::1]; empty where a port follows that is none.
std::string host_name(std::string_view header) {
  std::string name(header.substr(0, header.starts_with('[') ? header.find(']') + 1 : header.find(':')));
  if (const std::string_view rest = header.substr(name.size()); !rest.empty() && rest != ":") {
    const auto port = read_number<std::uint16_t>(rest.substr(1));
    if (rest.front() != ':' || !port || *port == 0) return {};
  }
  for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

/// "192.168.0.7", "[fe80::1]": no name that a page elsewhere could give another address.
bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  if (host.starts_with('['))
    return ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), bytes.data()) == 1;
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1;
}

std::string name_of_this_machine() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return host_name(name.data());
}

}  // namespace

Access::Access(const ServeSettings& settings)
    : local_only_(is_loopback(settings.host)), hosts_(settings.hosts), origins_(settings.origins) {
  if (const std::string token = read_token(settings.token_file); !token.empty())
    token_digest_ = sha256_of(token);
  if (asks_for_token() && settings.no_token) throw_usage("--no-token and a token, expected one of them");
  if (!local_only_ && !asks_for_token() && !settings.no_token) {
    throw_usage(
        fmt::format("--host {} lets other machines use the server: add --token-file FILE, which requires a "
                    "token, or --no-token",
                    settings.host));
  }
  if (!local_only_) hosts_.insert(hosts_.end(), {host_name(settings.host), name_of_this_machine()});
}

bool Access::is_own_name(const std::string& host) const {
  return !host.empty() && (is_loopback(host) || (!local_only_ && is_address(host)) ||
                           std::ranges::find(hosts_, host) != hosts_.end());
}

bool Access::has_token(const HttpRequest& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view header = request.header("authorization");
  return header.starts_with(kScheme) && same_digest(sha256_of(header.substr(kScheme.size())), token_digest_);
}

bool Access::is_listed(const std::string& origin) const {
  return std::ranges::find(origins_, origin) != origins_.end();
}

std::optional<HttpAnswer> Access::refuse(const HttpRequest& request, bool open) const {
  // A page elsewhere can give its own name this machine's address; the browser then sends that name.
  const std::string host = host_name(request.header("host"));
  if (!asks_for_token() && !is_own_name(host))
    return error_answer(403, "the server was asked by another name than that of this machine");
  if (asks_for_token() && !open && !has_token(request)) return error_answer(401, "no token, or a wrong one");
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> Access::origin_headers(const HttpRequest& request) const {
  const std::string origin(request.header("origin"));
  if (origin.empty() || !is_listed(origin)) return {};
  return {{"Access-Control-Allow-Origin", origin},
          {"Access-Control-Allow-Methods", "GET, POST, DELETE"},
          {"Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key"},
          {"Access-Control-Expose-Headers", "Location, Retry-After"},
          {"Vary", "Origin"}};
}

}  // namespace markeval::serve
