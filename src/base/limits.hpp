// How much the program takes from those it does not know: files, models, hubs, requests. Every such bound
// stands here, with the variable of the environment that changes it, and every message about one names that
// variable. What a file claims about itself is never a reason to ask for memory: only bytes that came are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace markeval {

enum class Limit {
  unpacked_bytes,
  line_bytes,
  columns,
  empty_texts,
  json_bytes,
  json_depth,
  json_values,
  header_bytes,
  model_files,
  tensors,
  pickle_values,
  lines,
  pattern_steps,
  normalized_bytes,
  piece_bytes,
  redirects,
  download_bytes,
  resampled_scores,
  pair_differences,
  ngrams,
  metrics,
};

struct LimitInfo {
  Limit limit;
  std::string_view name;      ///< "line"
  std::string_view variable;  ///< "MARKEVAL_MAX_LINE"
  std::uint64_t standard;     ///< where the variable is not set
  bool in_bytes;              ///< else a plain count
  std::string_view what;      ///< "bytes of one line of a text or table"
};

/// A variable of the environment; empty where it is not set.
std::string_view environment(const char* name);

/// "64M", "2G", "5000" as a number of bytes; nothing for 0 and anything else.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// In the order they are to be shown.
std::span<const LimitInfo> all_limits();

/// Its value now: the variable's, where it is set ("64M", "2G", "5000"), else the standard one.
/// Throws Error(usage) for a value that is no such number.
std::uint64_t limit_of(Limit limit);

/// "64 MiB", "100": as messages and tables show it.
std::string shown_limit(Limit limit);

/// Throws Error(invalid_input): "<what>, more than 64 MiB (MARKEVAL_MAX_LINE sets this limit)". `advice`,
/// what needs less, follows after a semicolon.
[[noreturn]] void throw_beyond(Limit limit, const std::string& what, std::string_view advice = {});

}  // namespace markeval
