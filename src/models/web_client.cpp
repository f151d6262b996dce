// libcurl is loaded at run time; its callbacks store exceptions until the transfer has ended.
#include "models/web_client.hpp"

#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"
#include "base/version.hpp"

namespace markeval::models {
namespace {

constexpr std::size_t kMaxHeadBytes = std::size_t{256} << 10;  // of all answers to one request

[[noreturn]] void throw_missing(const std::string& what) {
  throw Error(
      ErrorCode::io,
      what +
          ", and models come through it; the package libcurl4 has it. A model's folder copied to this "
          "machine works without it");
}

/// libcurl, loaded when the first model is pulled. Nothing else needs it, so that a program without it still
/// scores, starts without the thirty libraries behind it, and fits into a wheel.
class CurlLibrary {
  /// A function, whatever its type.
  struct CurlFunction {
    void* address;
    template <typename Function>
    operator Function*() const {  // NOLINT(google-explicit-constructor)
      return reinterpret_cast<Function*>(address);
    }
  };
  static CurlFunction find(void* handle, const char* name) {
    void* const found = dlsym(handle, name);
    if (found == nullptr) throw_missing(fmt::format("libcurl without {}", name));
    return {found};
  }
  static void* load() {
    void* handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw_missing("no libcurl.so.4 on this machine");
    constexpr unsigned kOldest = 0x075500;  // 7.85.0, the first with CURLOPT_PROTOCOLS_STR
    const decltype(&curl_version_info) version_info = find(handle, "curl_version_info");
    const curl_version_info_data* version = version_info(CURLVERSION_NOW);
    if (version->version_num < kOldest)
      throw_missing(fmt::format("libcurl {}, expected 7.85 or newer", version->version));
    return handle;
  }

  void* handle_ = load();  // for as long as the process lives: libcurl keeps state of its own

 public:
  decltype(&curl_global_init) global_init = find(handle_, "curl_global_init");
  decltype(&curl_easy_init) easy_init = find(handle_, "curl_easy_init");
  decltype(&curl_easy_cleanup) easy_cleanup = find(handle_, "curl_easy_cleanup");
  decltype(&curl_easy_setopt) easy_setopt = find(handle_, "curl_easy_setopt");
  decltype(&curl_easy_getinfo) easy_getinfo = find(handle_, "curl_easy_getinfo");
  decltype(&curl_easy_header) easy_header = find(handle_, "curl_easy_header");
  decltype(&curl_easy_perform) easy_perform = find(handle_, "curl_easy_perform");
  decltype(&curl_easy_strerror) easy_strerror = find(handle_, "curl_easy_strerror");
  decltype(&curl_easy_escape) easy_escape = find(handle_, "curl_easy_escape");
  decltype(&curl_url) url = find(handle_, "curl_url");
  decltype(&curl_url_set) url_set = find(handle_, "curl_url_set");
  decltype(&curl_url_get) url_get = find(handle_, "curl_url_get");
  decltype(&curl_url_cleanup) url_cleanup = find(handle_, "curl_url_cleanup");
  decltype(&curl_free) free = find(handle_, "curl_free");

  CurlLibrary() { global_init(CURL_GLOBAL_DEFAULT); }
};

/// Loaded and started at the first call. Throws Error(io) that names the package to install where it is
/// not there, or too old to be told which protocols it may follow.
const CurlLibrary& curl_library() {
  static const CurlLibrary library;
  return library;
}

struct Cleanup {
  void operator()(CURL* handle) const { curl_library().easy_cleanup(handle); }
  void operator()(CURLU* address) const { curl_library().url_cleanup(address); }
};

template <typename T>
std::unique_ptr<T, Cleanup> owned(T* handle) {
  if (handle == nullptr) throw std::bad_alloc();
  return std::unique_ptr<T, Cleanup>(handle);
}

/// A copy of what libcurl made for us.
std::string taken(char* text) {
  if (text == nullptr) throw std::bad_alloc();
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_library().free);
  return text;
}

/// A transfer under way. The callbacks are called by C code, so they let no exception through: it is kept and
/// thrown once the transfer has ended.
struct Transfer {
  CURL* handle;
  BodySink sink;
  const RunContext& context;
  std::string shown;     ///< its address, for messages
  std::uint64_t offset;  ///< of the first byte that was asked for
  std::size_t head_bytes = 0;
  std::uint64_t body_bytes = 0, most_bytes = limit_of(Limit::download_bytes);
  bool elsewhere = false;  ///< the body does not start at the offset
  bool enough = false;
  std::exception_ptr thrown{};

  int status() const {
    long status = 0;
    curl_library().easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return static_cast<int>(status);
  }
  /// A header of the last answer; empty where it has none.
  std::string header(const char* name) const {
    curl_header* found = nullptr;
    const auto code = curl_library().easy_header(handle, name, 0, CURLH_HEADER, -1, &found);
    return code == CURLHE_OK ? found->value : std::string();
  }

  /// False where `work` throws.
  template <typename Work>
  bool guarded(Work work) noexcept {
    try {
      work();
      return true;
    } catch (...) {
      thrown = std::current_exception();
      return false;
    }
  }

  void take_body(std::string_view bytes) {
    body_bytes += bytes.size();
    if (body_bytes > most_bytes) throw_beyond(Limit::download_bytes, shown + ": its answer");
    const bool whole = status() == 200, part = status() == 206;
    elsewhere = (whole && offset > 0) ||
                (part && !header("content-range").starts_with(fmt::format("bytes {}-", offset)));
    enough = (!whole && !part) || elsewhere || !sink(bytes);
  }
};

// Who gives back fewer bytes than came, or not 0 to progress, ends the transfer.
extern "C" {
std::size_t markeval_curl_header(char*, std::size_t size, std::size_t count, void* transfer) {
  std::size_t& bytes = static_cast<Transfer*>(transfer)->head_bytes;
  bytes += size * count;
  return bytes > kMaxHeadBytes ? 0 : size * count;
}
std::size_t markeval_curl_body(char* data, std::size_t size, std::size_t count, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  return self.guarded([&] { self.take_body({data, size * count}); }) && !self.enough ? size * count : 0;
}
int markeval_curl_progress(void* transfer, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& self = *static_cast<Transfer*>(transfer);
  return self.guarded([&] { self.context.check_cancelled(); }) ? 0 : 1;
}
}

/// Certificates besides those of the system, where the user names some, as curl's own program takes them.
const char* certificates() {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (const std::string_view file = environment(name); !file.empty()) return file.data();
  }
  return nullptr;
}

constexpr std::pair<CURLcode, const char*> kReasons[] = {
    {CURLE_COULDNT_CONNECT, "no connection"},
    {CURLE_COULDNT_RESOLVE_HOST, "the host is not found, or there is no network"},
    {CURLE_OPERATION_TIMEDOUT, "no answer in time"},
    {CURLE_PARTIAL_FILE, "the connection broke"},
    {CURLE_GOT_NOTHING, "the connection broke"},
    {CURLE_PEER_FAILED_VERIFICATION, "its certificate is not trusted here"},
    {CURLE_SSL_CACERT_BADFILE,  // a bare container
     "the file of trusted certificates cannot be read; the package ca-certificates has one"},
    {CURLE_URL_MALFORMAT, "it redirects to an address that is none"},
    {CURLE_UNSUPPORTED_PROTOCOL, "it redirects to something else than https"}};

/// What is the same however often one asks.
bool is_final(CURLcode code) {
  return code == CURLE_TOO_MANY_REDIRECTS || code == CURLE_URL_MALFORMAT ||
         code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_PEER_FAILED_VERIFICATION ||
         code == CURLE_SSL_CACERT_BADFILE;
}

std::string reason(CURLcode code, const char* details) {
  if (code == CURLE_TOO_MANY_REDIRECTS)
    return fmt::format("it redirects more than {} times", shown_limit(Limit::redirects));
  for (const auto& [known, text] : kReasons) {
    if (code == known) return text;
  }
  return shortened(*details != '\0' ? details : curl_library().easy_strerror(code));
}

}  // namespace

std::optional<WebAddress> parse_address(const std::string& address) {
  const auto parts = owned(curl_library().url());
  if (address.find_first_of(" \n\r\t") != std::string::npos ||
      curl_library().url_set(parts.get(), CURLUPART_URL, address.c_str(), 0) != CURLUE_OK)
    return std::nullopt;
  const auto part = [&](CURLUPart which) {
    char* text = nullptr;
    const bool found = curl_library().url_get(parts.get(), which, &text, 0) == CURLUE_OK;
    return found ? taken(text) : std::string();
  };
  const std::string scheme = part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return std::nullopt;
  curl_library().url_set(parts.get(), CURLUPART_USER, nullptr, 0);
  curl_library().url_set(parts.get(), CURLUPART_PASSWORD, nullptr, 0);
  std::string shown = part(CURLUPART_URL);
  while (shown.ends_with('/')) shown.pop_back();
  return WebAddress{scheme == "https", shown};
}

std::string escape_segment(const std::string& text) {
  return taken(curl_library().easy_escape(nullptr, text.c_str(), static_cast<int>(text.size())));
}

WebAnswer web_get(const WebRequest& request, BodySink sink, const RunContext& context) {
  context.check_cancelled();
  const CurlLibrary& library = curl_library();
  const auto handle = owned(library.easy_init());
  CURL* const curl = handle.get();
  const std::optional<WebAddress> address = parse_address(request.address);
  if (!address) return {0, "its address is none", {}, false};
  Transfer transfer{
      .handle = curl, .sink = sink, .context = context, .shown = address->shown, .offset = request.offset};
  std::array<char, CURL_ERROR_SIZE> details{};
  const std::string agent = "markeval/" + std::string(version());
  const std::string range = std::to_string(request.offset) + "-";

  const auto set = [&](CURLoption option, auto value) { library.easy_setopt(curl, option, value); };
  set(CURLOPT_URL, request.address.c_str());
  set(CURLOPT_USERAGENT, agent.c_str());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_ERRORBUFFER, details.data());
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, static_cast<long>(limit_of(Limit::redirects)));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, address->encrypted ? "https" : "http,https");
  set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(request.timeout_s));
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.timeout_s));
  // Not CURLOPT_RESUME_FROM: its error has been seen under two codes, 33 and 56.
  if (request.offset > 0) set(CURLOPT_RANGE, range.c_str());
  if (const char* file = certificates()) set(CURLOPT_CAINFO, file);
  if (!request.token.empty() && address->encrypted) {
    set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    set(CURLOPT_XOAUTH2_BEARER, request.token.c_str());
  }
  set(CURLOPT_HEADERFUNCTION, markeval_curl_header);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_WRITEFUNCTION, markeval_curl_body);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, markeval_curl_progress);
  set(CURLOPT_XFERINFODATA, &transfer);

  const CURLcode code = library.easy_perform(curl);
  if (transfer.thrown) std::rethrow_exception(transfer.thrown);
  WebAnswer answer{transfer.elsewhere ? 416 : transfer.status(), {}, transfer.header("x-error-code"), true};
  if (code == CURLE_OK || transfer.enough) return answer;
  answer.status = 0;
  answer.may_change = !is_final(code);
  answer.problem = transfer.head_bytes > kMaxHeadBytes
                       ? fmt::format("the head of its answer is longer than {} KiB", kMaxHeadBytes >> 10)
                       : reason(code, details.data());
  return answer;
}

}  // namespace markeval::models
