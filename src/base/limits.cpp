// The table of limits with their variables and defaults, and the reading of sizes such as "16G".
#include "base/limits.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include "base/error.hpp"
#include "base/quotation.hpp"

namespace markeval {
namespace {

constexpr std::uint64_t kKiB = 1 << 10, kMiB = 1 << 20, kGiB = 1 << 30;

// In the order of the enumeration.
constexpr std::array<LimitInfo, 21> kLimits{{
    {Limit::unpacked_bytes, "unpacked", "MARKEVAL_MAX_UNPACKED", 16 * kGiB, true,
     "bytes a gzip file unpacks to"},
    {Limit::line_bytes, "line", "MARKEVAL_MAX_LINE", 64 * kMiB, true, "bytes of one line of a text or table"},
    {Limit::columns, "columns", "MARKEVAL_MAX_COLUMNS", 10'000, false, "columns of a table"},
    {Limit::empty_texts, "empty texts", "MARKEVAL_MAX_EMPTY_TEXTS", 1'000'000, false,
     "texts without a row in a table of token vectors"},
    {Limit::json_bytes, "json", "MARKEVAL_MAX_JSON", 256 * kMiB, true,
     "bytes of a JSON document, such as tokenizer.json"},
    {Limit::json_depth, "json depth", "MARKEVAL_MAX_JSON_DEPTH", 100, false,
     "levels of brackets in a JSON document"},
    {Limit::json_values, "json values", "MARKEVAL_MAX_JSON_VALUES", 5'000'000, false,
     "numbers, texts, lists and objects in a JSON document"},
    {Limit::header_bytes, "header", "MARKEVAL_MAX_HEADER", 32 * kMiB, true,
     "bytes of the header of a .safetensors or .npy file, or of the pickle in a .bin file"},
    {Limit::model_files, "model files", "MARKEVAL_MAX_MODEL_FILES", 1000, false,
     "files the weights of a model are spread over"},
    {Limit::tensors, "tensors", "MARKEVAL_MAX_TENSORS", 100'000, false, "tensors of a .safetensors file"},
    {Limit::pickle_values, "pickle values", "MARKEVAL_MAX_PICKLE_VALUES", 1'000'000, false,
     "values that the pickle in a .bin file makes, or keeps for later"},
    {Limit::lines, "lines", "MARKEVAL_MAX_LINES", 10'000'000, false, "lines of a text or table"},
    {Limit::pattern_steps, "pattern steps", "MARKEVAL_MAX_PATTERN_STEPS", 100'000, false,
     "steps of a tokenizer's pattern for one match, and bytes that all its matches look ahead, beside 16 for "
     "each byte of the text"},
    {Limit::normalized_bytes, "normalized", "MARKEVAL_MAX_NORMALIZED", kMiB, true,
     "bytes a tokenizer makes of a text before it cuts it, beside 16 for each byte of the text"},
    {Limit::piece_bytes, "piece", "MARKEVAL_MAX_PIECE", 4 * kKiB, true,
     "bytes of one piece of a tokenizer's vocabulary, or of a string it replaces"},
    {Limit::redirects, "redirects", "MARKEVAL_MAX_REDIRECTS", 10, false, "redirects of a hub"},
    {Limit::download_bytes, "download", "MARKEVAL_MAX_DOWNLOAD", 64 * kGiB, true,
     "bytes of one file from a hub"},
    {Limit::resampled_scores, "resampled scores", "MARKEVAL_MAX_RESAMPLED", 50'000'000, false,
     "scores of resamples that are kept together: resamples x systems x results"},
    {Limit::pair_differences, "pair differences", "MARKEVAL_MAX_PAIR_DIFFERENCES", 2'000'000'000, false,
     "differences that tests of pairs look at: resamples x pairs x results"},
    {Limit::ngrams, "n-grams", "MARKEVAL_MAX_NGRAMS", 1 << 24, false,
     "n-grams of the references of one segment: their words or characters x the longest n"},
    {Limit::metrics, "metrics", "MARKEVAL_MAX_METRICS", 1000, false, "metrics of one request"},
}};

const LimitInfo& info_of(Limit limit) {
  return kLimits[static_cast<std::size_t>(limit)];
}

}  // namespace

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t value = 0, unit = 1;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || value == 0) return std::nullopt;
  const std::string_view rest(read.ptr, end);
  if (rest == "K" || rest == "k")
    unit = kKiB;
  else if (rest == "M" || rest == "m")
    unit = kMiB;
  else if (rest == "G" || rest == "g")
    unit = kGiB;
  else if (!rest.empty())
    return std::nullopt;
  if (__builtin_mul_overflow(value, unit, &value)) return std::nullopt;
  return value;
}

std::span<const LimitInfo> all_limits() {
  return kLimits;
}

std::uint64_t limit_of(Limit limit) {
  const LimitInfo& info = info_of(limit);
  const std::string_view told = environment(info.variable.data());
  if (told.empty()) return info.standard;
  const auto value = parse_size(told);
  if (!value)
    throw_usage(fmt::format("{} is {}, expected a whole number above 0, as in 5000, 64M or 2G", info.variable,
                            in_quotes(told)));
  return *value;
}

std::string shown_limit(Limit limit) {
  const std::uint64_t value = limit_of(limit);
  if (!info_of(limit).in_bytes) return std::to_string(value);
  if (value % kGiB == 0) return fmt::format("{} GiB", value / kGiB);
  if (value % kMiB == 0) return fmt::format("{} MiB", value / kMiB);
  if (value % kKiB == 0) return fmt::format("{} KiB", value / kKiB);
  return fmt::format("{} bytes", value);
}

void throw_beyond(Limit limit, const std::string& what, std::string_view advice) {
  throw_invalid(fmt::format("{}, more than {} ({} sets this limit){}{}", what, shown_limit(limit),
                            info_of(limit).variable, advice.empty() ? "" : "; ", advice));
}

}  // namespace markeval
