// The embedded files are stripped once, at first use, and hashed for the content security policy.
#include "report/page_files.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/digest.hpp"
#include "base/embedded_file.hpp"

#define MARKEVAL_FILE(symbol, name, path) MARKEVAL_EMBED(symbol, path)
#include "report/page_files.inc"
#undef MARKEVAL_FILE

namespace markeval::report {
namespace {

struct PageFile {
  std::string text, hash;
};

/// Lines without the blanks before them; lines of a comment are left out.
std::string without_indents(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty() || line.starts_with("//") || line.starts_with("/*")) continue;
    out.append(line).append("\n");
  }
  return out;
}

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto nibble = [](char c) { return static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 6) {  // three bytes
    std::uint32_t bits = 0;
    for (std::size_t j = i; j < i + 6; ++j) bits = bits << 4 | (j < hex.size() ? nibble(hex[j]) : 0);
    const std::size_t digits = (std::min<std::size_t>(6, hex.size() - i) * 4 + 5) / 6;
    for (std::size_t j = 0; j < 4; ++j) out += j < digits ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

const PageFile& find_file(std::string_view wanted) {
  static const std::map<std::string, PageFile, std::less<>> files = [] {
    std::map<std::string, PageFile, std::less<>> made;
#define MARKEVAL_FILE(symbol, name, path) made[name].text = without_indents({symbol, symbol##_end});
#include "report/page_files.inc"
#undef MARKEVAL_FILE
    for (auto& [name, file] : made) file.hash = "sha256-" + base64_of_hex(sha256_of(file.text));
    return made;
  }();
  return files.find(wanted)->second;
}

}  // namespace

const std::string& page_file(std::string_view name) {
  return find_file(name).text;
}
const std::string& script_hash(std::string_view name) {
  return find_file(name).hash;
}

}  // namespace markeval::report
