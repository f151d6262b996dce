// Compiling and matching with bounds on steps and memory, and a hand-written matcher for GPT-2's pattern.
#define PCRE2_CODE_UNIT_WIDTH 8
#include "token/text_pattern.hpp"

#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/per_thread.hpp"
#include "base/quotation.hpp"
#include "text/utf8.hpp"
#include "token/json_fields.hpp"
#include "token/pattern_dialect.hpp"
#include "token/unicode.hpp"

namespace markeval::token {
namespace {

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// What a match may cost. An expression that tries one way after the other would otherwise take longer than
// anybody waits; those of real tokenizers need a few steps per byte.
constexpr std::uint64_t kStepsPerByte = 16;  // beside Limit::pattern_steps
constexpr std::uint64_t kMostSteps = std::numeric_limits<std::uint32_t>::max();
// What a match looks at first. Only one that comes to the end of it is shown more, so that a text of n bytes
// is not gone through n times where an expression looks ahead to its end.
constexpr std::size_t kFirstWindow = 256;
constexpr std::uint32_t kHeapKibibytes = 32 << 10;
constexpr std::size_t kMachineStack = std::size_t{32} << 10, kMostMachineStack = std::size_t{1} << 20;

// White space, letter, number or anything else: the four kinds of GPT-2's pattern.
enum class CharacterKind { space, letter, number, rest };

CharacterKind character_kind(char32_t character) {
  const std::uint16_t properties = UnicodeData::get()[character].properties;
  if ((properties & kLetter) != 0) return CharacterKind::letter;
  if ((properties & kNumber) != 0) return CharacterKind::number;
  return (properties & kSpace) != 0 ? CharacterKind::space : CharacterKind::rest;
}

std::size_t contraction_bytes(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(ending)) return ending.size();
  }
  return 0;
}

}  // namespace

std::size_t gpt2_piece_end(std::string_view text, std::size_t position) {
  if (text[position] == '\'') {
    if (const std::size_t bytes = contraction_bytes(text.substr(position))) return position + bytes;
  }
  const std::size_t start = position;
  CharacterKind kind = character_kind(text::decode(text, position));
  if (text[start] == ' ' && position < text.size()) {
    std::size_t next = position;
    const CharacterKind following = character_kind(text::decode(text, next));
    if (following != CharacterKind::space) {  // one blank belongs to what follows
      kind = following;
      position = next;
    }
  }
  std::size_t last = start;  // where the last character of the run starts
  if (kind != CharacterKind::space) last = position;
  while (position < text.size()) {
    std::size_t next = position;
    if (character_kind(text::decode(text, next)) != kind) break;
    last = position;
    position = next;
  }
  // White space before a word leaves its last character to the word.
  if (kind == CharacterKind::space && position < text.size() && last > start) return last;
  return position;
}

namespace {

struct Free {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

/// What a thread needs to match, made once.
struct MatchRoom {
  Owned<pcre2_match_context> context{pcre2_match_context_create(nullptr)};
  Owned<pcre2_match_data> data{pcre2_match_data_create(1, nullptr)};
  Owned<pcre2_jit_stack> stack{pcre2_jit_stack_create(kMachineStack, kMostMachineStack, nullptr)};

  MatchRoom() {
    if (!context || !data) throw std::bad_alloc();
    pcre2_set_heap_limit(context.get(), kHeapKibibytes);
    if (stack) pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
  }
};

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 200> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

PCRE2_SPTR bytes_of(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

struct TextPattern::Expression {
  Expression(const std::string& expression, const JsonPath& expression_where)
      : shown(in_quotes(expression)), where(expression_where) {
    const std::string translated = to_pcre2(expression, where);
    const Owned<pcre2_compile_context> context(pcre2_compile_context_create(nullptr));
    if (!context) throw std::bad_alloc();
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    int error = 0;
    PCRE2_SIZE offset = 0;
    code.reset(pcre2_compile(bytes_of(translated), translated.size(),
                             PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error,
                             &offset, context.get()));
    if (!code)
      where.fail(fmt::format("the regular expression {} is not supported: {}", shown, message_of(error)));
    std::uint32_t matches_nothing = 0;
    pcre2_pattern_info(code.get(), PCRE2_INFO_MATCHEMPTY, &matches_nothing);
    if (matches_nothing != 0)
      where.fail(fmt::format("the regular expression {} matches the empty string", shown));
    // Where it cannot, matching takes longer.
    pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD);
  }

  /// `looked`: bytes that matches of this text have looked at beyond their first windows.
  std::optional<PatternMatch> find(std::string_view text, std::size_t position, std::uint64_t& looked) const {
    thread_local PerThread<MatchRoom> kept;
    const MatchRoom& room = *kept;
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(room.data.get());
    for (std::size_t window = kFirstWindow;; window *= 2) {
      check_cancelled();
      const std::string_view shown_part = text.substr(0, window_end(text, position, window));
      const bool is_all = shown_part.size() == text.size();
      const int found = match(shown_part, position, is_all ? 0 : PCRE2_PARTIAL_HARD, room);
      if (found == PCRE2_ERROR_NOMATCH && is_all) return std::nullopt;
      if (found >= 0) return PatternMatch{ends[0], ends[1]};
      if (found != PCRE2_ERROR_NOMATCH && found != PCRE2_ERROR_PARTIAL) fail(text, message_of(found));
      looked += shown_part.size() - position;
      if (looked > most_steps + kStepsPerByte * text.size()) fail(text, "it looks ahead too often");
      // What begins before this place cannot match, whatever follows.
      position = found == PCRE2_ERROR_PARTIAL ? std::max<std::size_t>(position, ends[0]) : shown_part.size();
    }
  }

  static std::size_t window_end(std::string_view text, std::size_t position, std::size_t window) {
    std::size_t end = text.size() - position > window ? position + window : text.size();
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    return end;
  }

  int match(std::string_view text, std::size_t position, std::uint32_t options, const MatchRoom& room) const {
    const std::uint64_t steps = most_steps + kStepsPerByte * (text.size() - position);
    pcre2_set_match_limit(room.context.get(), static_cast<std::uint32_t>(std::min(steps, kMostSteps)));
    const auto run = [&](std::uint32_t more) {
      return pcre2_match(code.get(), bytes_of(text), text.size(), position,
                         options | PCRE2_NO_UTF_CHECK | more, room.data.get(), room.context.get());
    };
    const int found = run(0);
    return found == PCRE2_ERROR_JIT_STACKLIMIT ? run(PCRE2_NO_JIT) : found;
  }

  [[noreturn]] void fail(std::string_view text, const std::string& reason) const {
    where.fail(fmt::format("the regular expression {} takes too long on a text of {} bytes, {}: {}", shown,
                           text.size(), in_quotes(text), reason));
  }

  std::uint64_t most_steps = limit_of(Limit::pattern_steps);
  std::string shown;
  JsonPath where;
  Owned<pcre2_code> code;
};

TextPattern::TextPattern(const json& description, const JsonPath& where) {
  if (const json* literal = find_field(description, "String"); literal != nullptr && literal->is_string()) {
    literal_ = literal->get<std::string>();
    if (literal_.empty()) where.fail("an empty string as pattern");
    require_piece_length(literal_, where);
  } else if (const json* regex = find_field(description, "Regex"); regex != nullptr && regex->is_string()) {
    const auto& expression = regex->get_ref<const std::string&>();
    if (expression != kGpt2) expression_ = std::make_unique<Expression>(expression, where);
  } else {
    where.fail("a pattern must be {\"String\": ...} or {\"Regex\": ...}");
  }
}
TextPattern::~TextPattern() = default;
TextPattern::TextPattern(TextPattern&&) noexcept = default;
TextPattern& TextPattern::operator=(TextPattern&&) noexcept = default;

std::optional<TextPattern::PatternMatch> TextPattern::find(std::string_view text, std::size_t position,
                                                           std::uint64_t& looked) const {
  if (position >= text.size()) return std::nullopt;
  if (expression_) return expression_->find(text, position, looked);
  if (literal_.empty()) return PatternMatch{position, gpt2_piece_end(text, position)};
  const std::size_t found = text.find(literal_, position);
  if (found == std::string_view::npos) return std::nullopt;
  return PatternMatch{found, found + literal_.size()};
}

std::optional<TextPattern::PatternMatch> PatternSearch::next() {
  const auto match = pattern_.find(text_, position_, looked_);
  if (match) position_ = match->end;
  return match;
}

}  // namespace markeval::token
