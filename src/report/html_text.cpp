// Escaping, thousands separators, and the estimated width of a text in pixels.
#include "report/html_text.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace markeval::report {
namespace {

/// In units of the font size, for a wide sans-serif face.
double advance(char32_t code) {
  if (code >= 0x1100) {
    const bool narrow = (code >= 0x1e00 && code < 0x2e80) || (code >= 0xfb00 && code < 0xfe30);
    return narrow ? 0.6 : 1.0;
  }
  if (code < 0x80) {
    const char c = static_cast<char>(code);
    if (std::string_view("iljt.,:;|!'I[]()/ f-r").find(c) != std::string_view::npos) return 0.36;
    if (std::string_view("<>=+~^#&").find(c) != std::string_view::npos) return 0.84;
    if (c == 'm' || c == 'w' || c == 'W' || c == 'M' || c == '@' || c == '%') return 0.93;
    if (c >= 'A' && c <= 'Z') return 0.7;
  }
  return 0.61;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at++);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4 || at + more > text.size()) return 0xfffd;
  char32_t code = lead & (0x3fu >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0xfffd;
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (code < kLeast[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0xfffd;
  at += more;
  return code;
}

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code = next_code_point(text, at);
    switch (code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\t':
      case '\n':
      case '\r':
        out += static_cast<char>(code);
        break;
      case 0x7f:
        out += "\u2421";
        break;
      case 0xfffd:
      case 0xfffe:
      case 0xffff:
        out += "\ufffd";
        break;
      default:
        if (code < 0x20) {  // its picture, U+2400 and so on
          out.append("\xe2\x90").push_back(static_cast<char>(0x80 + code));
        } else {
          out += text.substr(begin, at - begin);
        }
    }
  }
  return out;
}

std::string with_commas(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", with_commas(count), thing, count == 1 ? "" : "s");
}

double text_width(std::string_view text, double size) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) width += advance(next_code_point(text, at));
  return width * size;
}

std::string fit_text(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  const double room = width - 0.9 * size;  // less the width of the ellipsis
  // Names of experiments share their beginnings: the middle is left out.
  std::vector<std::pair<std::size_t, double>> ends;  // of characters: byte, width up to there
  double used = 0;
  for (std::size_t at = 0; at < text.size();) {
    used += advance(next_code_point(text, at)) * size;
    ends.emplace_back(at, used);
  }
  std::size_t front = 0, back = text.size();
  for (const auto& [byte, wide] : ends) {
    if (wide <= room / 2) front = byte;
  }
  for (auto one = ends.rbegin(); one != ends.rend(); ++one) {
    if (used - one->second <= room / 2) back = one->first;
  }
  return std::string(text.substr(0, front)) + "\u2026" + std::string(text.substr(back));
}

}  // namespace markeval::report
