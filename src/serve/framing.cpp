// Checks of a request's head, and the state machine that reads chunked bodies.
#include "serve/framing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace markeval::serve {
namespace {

constexpr std::size_t kChunkBytes = 16384;                   ///< read at once
constexpr std::size_t kLargestChunk = std::size_t{1} << 40;  ///< no body is as large

/// Headers that say where a request ends, whom it is for and who asks: one of each.
constexpr std::array<std::string_view, 7> kOnce{"content-length", "transfer-encoding", "host",
                                                "content-type",   "authorization",     "idempotency-key",
                                                "expect"};

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// A letter of a header's name (RFC 9110, 5.6.2).
bool is_token(char letter) {
  constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
  return (letter >= '0' && letter <= '9') || (lower(letter) >= 'a' && lower(letter) <= 'z') ||
         kSigns.find(letter) != std::string_view::npos;
}

bool is_control(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return (code < 0x20 && letter != '\t') || code == 0x7f;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::size_t> digit(char sign) {
  if (sign >= '0' && sign <= '9') return static_cast<std::size_t>(sign - '0');
  if (lower(sign) >= 'a' && lower(sign) <= 'f') return static_cast<std::size_t>(lower(sign) - 'a' + 10);
  return std::nullopt;
}

}  // namespace

std::string fault_of_head(std::string_view head) {
  std::array<bool, kOnce.size()> found{};
  bool first = true;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    if (end == std::string_view::npos) return "a line of the head does not end with CR LF";
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (std::ranges::any_of(line, is_control)) return "a control character in the head";
    if (first) {
      first = false;
      continue;
    }
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return "a header line without a colon";
    std::string name(line.substr(0, colon));
    if (name.empty() || !std::ranges::all_of(name, is_token)) return "a header whose name is no word";
    std::transform(name.begin(), name.end(), name.begin(), lower);
    const auto known = std::ranges::find(kOnce, name);
    if (known == kOnce.end()) continue;
    bool& before = found[static_cast<std::size_t>(known - kOnce.begin())];
    if (before) return fmt::format("the header {} comes twice", name);
    before = true;
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "content-length" &&
        (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos))
      return "Content-Length is no number";
    if (name == "transfer-encoding") {
      std::string coding(value);
      std::transform(coding.begin(), coding.end(), coding.begin(), lower);
      if (coding != "chunked") return "Transfer-Encoding, expected chunked";
    }
  }
  if (found[0] && found[1]) return "both Content-Length and Transfer-Encoding, expected one of them";
  return {};
}

std::size_t ChunkReader::wanted() const {
  if (state_ == State::end) return 0;
  return state_ == State::data ? std::min(left_, kChunkBytes) : 1;
}

bool ChunkReader::take(std::string_view bytes, std::string& body) {
  while (!bytes.empty()) {
    if (state_ == State::data) {
      const std::size_t count = std::min(left_, bytes.size());
      body.append(bytes.substr(0, count));
      left_ -= count;
      bytes.remove_prefix(count);
      if (left_ == 0) state_ = State::data_return;
      continue;
    }
    if (!take_sign(bytes.front())) return false;
    bytes.remove_prefix(1);
  }
  return true;
}

bool ChunkReader::take_sign(char sign) {
  const auto expect = [&](char expected, State next) {
    state_ = next;
    return sign == expected;
  };
  switch (state_) {
    case State::first_digit:
    case State::size: {
      if (state_ == State::size && sign == '\r') return expect('\r', State::size_end);
      const std::optional<std::size_t> value = digit(sign);
      if (!value || left_ > kLargestChunk) return false;
      left_ = left_ * 16 + *value;
      state_ = State::size;
      return true;
    }
    case State::size_end:
      return expect('\n', left_ == 0 ? State::last_return : State::data);
    case State::data_return:
      return expect('\r', State::data_end);
    case State::data_end:
      return expect('\n', State::first_digit);
    case State::last_return:
      return expect('\r', State::last_end);
    case State::last_end:
      return expect('\n', State::end);
    case State::data:
    case State::end:
      break;
  }
  return false;
}

}  // namespace markeval::serve
