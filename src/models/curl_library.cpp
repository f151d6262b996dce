#include "models/curl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.hpp"

namespace markeval::models {
namespace {

constexpr const char* kNames[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
constexpr unsigned kOldest = 0x075500;  // 7.85.0, the first with CURLOPT_PROTOCOLS_STR

[[noreturn]] void throw_missing(const std::string& what) {
  throw Error(
      ErrorCode::io,
      what +
          ", and models come through it; the package libcurl4 has it. A model's folder copied to this "
          "machine works without it");
}

class Loaded {
 public:
  Loaded() {
    for (const char* name : kNames) {
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (handle_ == nullptr) throw_missing(fmt::format("no {} on this machine", kNames[0]));
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  template <typename Function>
  void find(const char* name, Function& function) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) throw_missing(fmt::format("libcurl without {}", name));
    function = reinterpret_cast<Function>(found);
  }

 private:
  void* handle_ = nullptr;  // for as long as the process lives: libcurl keeps state of its own
};

CurlLibrary load() {
  const Loaded loaded;
  decltype(&curl_version_info) version_info;
  loaded.find("curl_version_info", version_info);
  const curl_version_info_data* version = version_info(CURLVERSION_NOW);
  if (version->version_num < kOldest)
    throw_missing(fmt::format("libcurl {}, expected 7.85 or newer", version->version));
  CurlLibrary library;
  loaded.find("curl_global_init", library.global_init);
  loaded.find("curl_easy_init", library.easy_init);
  loaded.find("curl_easy_cleanup", library.easy_cleanup);
  loaded.find("curl_easy_setopt", library.easy_setopt);
  loaded.find("curl_easy_getinfo", library.easy_getinfo);
  loaded.find("curl_easy_perform", library.easy_perform);
  loaded.find("curl_easy_strerror", library.easy_strerror);
  loaded.find("curl_url", library.url);
  loaded.find("curl_url_set", library.url_set);
  loaded.find("curl_url_get", library.url_get);
  loaded.find("curl_url_cleanup", library.url_cleanup);
  loaded.find("curl_free", library.free);
  library.global_init(CURL_GLOBAL_DEFAULT);
  return library;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary library = load();
  return library;
}

}  // namespace markeval::models
