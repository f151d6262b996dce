// Lines are cut from a buffer of blocks; each is checked for length and valid UTF-8.
#include "text/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/limits.hpp"
#include "text/utf8.hpp"

namespace markeval::text {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

/// How a compressed file begins, and what unpacks it.
struct Compressed {
  std::string_view magic, format, program;
};
constexpr Compressed kCompressed[] = {
    {{"\xFD"
      "7zXZ\0",
      6},
     "xz",
     "xz -d"},
    {"\x28\xB5\x2F\xFD", "zstd", "zstd -d"},
    {"BZh91AY&SY", "bzip2", "bzip2 -d"},
    {"PK\x03\x04", "zip", "unzip"},
};

}  // namespace

struct LineReader::State {
  State(const std::string& path, ReadOptions read_options)
      : bytes(std::in_place, path), name(bytes->name()), options(read_options) {}
  State(const std::string& text_name, std::string_view text, ReadOptions read_options)
      : rest(text), name(text_name), options(read_options) {}

  std::optional<InputBytes> bytes;  // or
  std::string_view rest;            // not yet read of a text in memory
  std::string name;
  ReadOptions options;
  std::uint64_t most_bytes = limit_of(Limit::line_bytes);  // longest line
  std::uint64_t most_lines = limit_of(Limit::lines);
  std::string buffer;  // bytes [begin, end) are read but not yet given out
  std::size_t begin = 0;
  std::size_t end = 0;
  bool at_end = false;
  std::size_t line_number = 0;
  std::size_t replaced = 0;
  std::string repaired;  // the line last returned, where invalid parts had to be replaced

  void fill() {
    if (begin > 0) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
    }
    if (end == buffer.size()) buffer.resize(2 * buffer.size() + kBlockBytes);
    const std::size_t got = read(std::span(buffer).subspan(end));
    at_end = got == 0;
    const bool first = end == 0;
    end += got;
    if (first && line_number == 0) refuse_compressed();
  }

  /// gzip is unpacked on the way; of other formats the message says how.
  void refuse_compressed() const {
    const std::string_view start(buffer.data(), end);
    for (const auto& [magic, format, program] : kCompressed) {
      if (start.starts_with(magic))
        throw_invalid(fmt::format("{}: compressed with {}, expected text or gzip; unpack it with {} {}", name,
                                  format, program, name));
    }
  }

  std::size_t read(std::span<char> out) {
    if (bytes) return bytes->read(out);
    const std::size_t got = rest.copy(out.data(), out.size());
    rest.remove_prefix(got);
    return got;
  }

  [[noreturn]] void throw_too_long() const {
    throw_beyond(Limit::line_bytes, fmt::format("{}:{}: a line", name, line_number + 1));
  }

  std::string_view checked(std::string_view line) {
    const std::size_t good = valid_prefix(line);
    if (good == line.size()) return line;
    if (!options.replace_invalid) {
      const auto byte = static_cast<unsigned char>(line[good]);
      const bool utf16 = line_number == 1 && good == 0 && line.size() > 1 &&
                         (line.substr(0, 2) == "\xFF\xFE" || line.substr(0, 2) == "\xFE\xFF");
      throw_invalid(fmt::format(
          "{}:{}: invalid UTF-8 at byte {} (0x{:02x}){}", name, line_number, good + 1, byte,
          utf16 ? "; this looks like UTF-16, expected UTF-8"
                : "; convert the file with iconv, or replace such parts by U+FFFD with --replace-invalid"));
    }
    repaired.clear();
    replaced += append_replacing_invalid(line, repaired);
    return repaired;
  }
};

LineReader::LineReader(const std::string& path, ReadOptions options)
    : state_(std::make_unique<State>(path, options)) {}
LineReader::LineReader(const std::string& name, std::string_view text, ReadOptions options)
    : state_(std::make_unique<State>(name, text, options)) {}

LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

bool LineReader::next(std::string_view& line) {
  State& state = *state_;
  std::size_t searched = 0;
  const char* newline = nullptr;
  while (true) {
    const char* start = state.buffer.data() + state.begin;
    const std::size_t waiting = state.end - state.begin;
    if (waiting > searched) {
      newline = static_cast<const char*>(std::memchr(start + searched, '\n', waiting - searched));
    }
    if (newline != nullptr || state.at_end) break;
    searched = waiting;
    if (waiting > state.most_bytes) state.throw_too_long();
    state.fill();
  }
  const char* start = state.buffer.data() + state.begin;
  if (newline == nullptr && state.begin == state.end) return false;
  std::size_t size = newline != nullptr ? static_cast<std::size_t>(newline - start) : state.end - state.begin;
  if (size > state.most_bytes) state.throw_too_long();
  state.begin += size + (newline != nullptr ? 1 : 0);
  if (++state.line_number > state.most_lines)
    throw_beyond(Limit::lines, fmt::format("{}: {} lines", state.name, state.line_number));
  std::string_view found(start, size);
  if (state.line_number == 1 && found.starts_with("\xEF\xBB\xBF")) {
    found.remove_prefix(3);
    if (newline == nullptr && found.empty()) return false;
  }
  if (found.ends_with('\r')) found.remove_suffix(1);
  line = state.checked(found);
  return true;
}

std::string_view LineReader::peek(std::size_t most) {
  State& state = *state_;
  while (state.end - state.begin < most && !state.at_end) state.fill();
  return {state.buffer.data() + state.begin, std::min(most, state.end - state.begin)};
}

std::size_t LineReader::line_number() const {
  return state_->line_number;
}
std::size_t LineReader::replaced() const {
  return state_->replaced;
}
const std::string& LineReader::name() const {
  return state_->name;
}

}  // namespace markeval::text
