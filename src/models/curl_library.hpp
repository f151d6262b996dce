// libcurl, loaded when the first model is pulled. Nothing else needs it, so that a program without it still
// scores, starts without the thirty libraries behind it, and fits into a wheel.
#pragma once

#include <curl/curl.h>

namespace markeval::models {

/// The functions of libcurl that are used here, under their own names.
struct CurlLibrary {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_perform) easy_perform;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_url) url;
  decltype(&curl_url_set) url_set;
  decltype(&curl_url_get) url_get;
  decltype(&curl_url_cleanup) url_cleanup;
  decltype(&curl_free) free;
};

/// Loaded and started at the first call. Throws Error(io) that names the package to install where it is
/// not there, or too old to be told which protocols it may follow.
const CurlLibrary& curl_library();

}  // namespace markeval::models
