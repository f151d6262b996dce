#include "embed/static_vectors.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/limits.hpp"
#include "embed/token_set.hpp"

namespace markeval::embed {
namespace {

constexpr std::size_t kLongestWord = 4096;  ///< bytes; a longer one means the file is something else
constexpr std::size_t kWidest = 1 << 20;    ///< numbers of a vector; more cannot be right

/// The bytes of the file, as lines, words or numbers.
class Source {
 public:
  explicit Source(const std::string& path) : bytes_(path) {}

  /// False at the end. The line's end is not part of it.
  bool line(std::string& out) {
    out.clear();
    while (true) {
      if (!fill()) return !out.empty();
      const char* begin = buffer_.data() + at_;
      const void* end = std::memchr(begin, '\n', size_ - at_);
      const std::size_t count =
          end == nullptr ? size_ - at_ : static_cast<std::size_t>(static_cast<const char*>(end) - begin);
      if (out.size() + count > most_line_) throw_beyond(Limit::line_bytes, bytes_.name() + ": a line");
      out.append(begin, count);
      at_ += count;
      if (end != nullptr) {
        ++at_;
        if (out.ends_with('\r')) out.pop_back();
        return true;
      }
    }
  }
  /// The bytes before `stop`, which is passed over. False at the end of the file, with what was left in
  /// `out`.
  bool until(char stop, std::string& out) {
    out.clear();
    while (fill()) {
      const char c = buffer_[at_++];
      if (c == stop) return true;
      out += c;
      if (out.size() > kLongestWord)
        throw_invalid(fmt::format("{}: no word after {} bytes", bytes_.name(), kLongestWord));
    }
    return false;
  }
  bool bytes(char* out, std::size_t count) {
    while (count > 0) {
      if (!fill()) return false;
      const std::size_t part = std::min(count, size_ - at_);
      std::memcpy(out, buffer_.data() + at_, part);
      at_ += part;
      out += part;
      count -= part;
    }
    return true;
  }
  /// Looks ahead without moving: the line that comes next, or what of it is in reach.
  std::string_view peek_line() {
    if (!fill()) return {};
    const std::string_view rest(buffer_.data() + at_, size_ - at_);
    return rest.substr(0, std::min(rest.find('\n'), rest.size()));
  }

 private:
  bool fill() {
    if (at_ < size_) return true;
    at_ = 0;
    size_ = bytes_.read(buffer_);
    return size_ > 0;
  }
  InputBytes bytes_;
  std::uint64_t most_line_ = limit_of(Limit::line_bytes);
  std::vector<char> buffer_ = std::vector<char>(1 << 18);
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

bool read_float(std::string_view field, float& out) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), out);
  return error == std::errc() && end == field.data() + field.size() && std::isfinite(out);
}

std::string_view strip_right(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// "the 0.1 0.2" with the last `width` fields as numbers, the rest as the word (it may hold blanks).
bool read_text_vector(std::string_view line, std::string_view& word, std::vector<float>& values) {
  line = strip_right(line);
  for (std::size_t column = values.size(); column > 0; --column) {
    const std::size_t blank = line.find_last_of(" \t");
    if (blank == std::string_view::npos || !read_float(line.substr(blank + 1), values[column - 1]))
      return false;
    line = strip_right(line.substr(0, blank));
  }
  word = line;
  return !word.empty();
}

std::size_t count_numbers(std::string_view line) {
  std::size_t count = 0;
  float value = 0;
  while (true) {
    line = strip_right(line);
    const std::size_t blank = line.find_last_of(" \t");
    if (blank == std::string_view::npos || !read_float(line.substr(blank + 1), value)) return count;
    line = line.substr(0, blank);
    ++count;
  }
}

struct WordFileHeader {
  std::size_t words = 0;
  std::size_t width = 0;
};

/// "3000000 300"; anything else is no header.
std::optional<WordFileHeader> read_header(std::string_view line) {
  line = strip_right(line);
  WordFileHeader header;
  const auto first = std::from_chars(line.data(), line.data() + line.size(), header.words);
  if (first.ec != std::errc() || first.ptr == line.data() + line.size() || *first.ptr != ' ')
    return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, line.data() + line.size(), header.width);
  if (second.ec != std::errc() || second.ptr != line.data() + line.size() || header.width == 0)
    return std::nullopt;
  return header;
}

void check_count(const std::string& path, std::size_t found, const WordFileHeader& header) {
  if (found == header.words) return;
  throw_invalid(fmt::format("{}: {} words found, its first line promises {}", path, found, header.words));
}

}  // namespace

void StaticVectors::add(std::string_view word, std::span<const float> values) {
  const auto row = static_cast<std::int32_t>(rows_.size());
  const auto [entry, added] = rows_.emplace(word, row);
  if (!added) return;
  names_.push_back(&entry->first);
  values_.insert(values_.end(), values.begin(), values.end());
}

StaticVectors StaticVectors::load(const std::string& path, const std::unordered_set<std::string>* wanted) {
  Source source(path);
  StaticVectors result;
  std::string line;
  if (!source.line(line)) throw_invalid(fmt::format("{}: empty, expected word vectors", path));
  const std::optional<WordFileHeader> header = read_header(line);
  result.width_ = header ? header->width : count_numbers(line);
  if (result.width_ == 0) {
    throw_invalid(fmt::format("{}:1: neither 'WORDS WIDTH' nor a word and its numbers", path));
  }
  if (result.width_ > kWidest) {
    throw_invalid(
        fmt::format("{}:1: vectors of {} numbers, expected at most {}", path, result.width_, kWidest));
  }
  std::vector<float> values(result.width_);
  const auto is_wanted = [&](std::string_view word) {
    return wanted == nullptr || wanted->contains(std::string(word));
  };
  std::string_view word;
  std::size_t words = 0;
  if (header && !read_text_vector(source.peek_line(), word, values)) {
    std::string name;
    while (source.until(' ', name)) {
      if (name.starts_with('\n')) name.erase(0, 1);  // some writers end a vector with a line break
      if (!source.bytes(reinterpret_cast<char*>(values.data()), values.size() * sizeof(float))) {
        throw_invalid(fmt::format("{}: the vector of '{}' is cut short, expected {} numbers", path, name,
                                  values.size()));
      }
      for (const float value : values) {
        if (!std::isfinite(value))
          throw_invalid(fmt::format("{}: the vector of '{}' is not finite", path, name));
      }
      ++words;
      if (is_wanted(name)) result.add(name, values);
    }
    check_count(path, words, *header);
    if (!name.empty() && name != "\n")
      throw_invalid(fmt::format("{}: {} bytes after the last of its {} words", path, name.size(), words));
    return result;
  }
  std::size_t number = header ? 1 : 0;
  bool more = header ? source.line(line) : true;
  for (; more; more = source.line(line)) {
    ++number;
    if (strip_right(line).empty()) continue;
    if (!read_text_vector(line, word, values)) {
      throw_invalid(fmt::format("{}:{}: no word with {} numbers", path, number, values.size()));
    }
    ++words;
    if (is_wanted(word)) result.add(word, values);
  }
  if (header) check_count(path, words, *header);
  return result;
}

std::optional<std::int32_t> StaticVectors::find(std::string_view word) const {
  auto found = rows_.find(std::string(word));
  if (found == rows_.end()) found = rows_.find(lower_case(word));
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<WordSpan> split_words(std::string_view text) {
  std::vector<WordSpan> words;
  std::size_t begin = 0;
  while ((begin = text.find_first_not_of(kBlanks, begin)) != std::string_view::npos) {
    std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    const std::size_t next = end;
    while (begin < end && is_punctuation(text.substr(begin, 1))) {
      words.push_back({begin, begin + 1});
      ++begin;
    }
    std::size_t tail = end;
    while (tail > begin && is_punctuation(text.substr(tail - 1, 1))) --tail;
    if (begin < tail) words.push_back({begin, tail});
    for (; tail < end; ++tail) words.push_back({tail, tail + 1});
    begin = next;
  }
  return words;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

StaticTokens static_tokens(const StaticVectors& vectors, std::string_view text, bool punctuation) {
  StaticTokens tokens;
  for (const WordSpan& span : split_words(text)) {
    const std::string_view word = text.substr(span.begin, span.end - span.begin);
    if (is_punctuation(word) && !punctuation) continue;
    if (const auto row = vectors.find(word)) {
      tokens.rows.push_back(*row);
      tokens.spans.push_back(span);
      continue;
    }
    std::size_t found = 0;
    std::size_t begin = 0;
    while (begin < word.size()) {
      std::size_t end = begin;
      while (end < word.size() && !is_punctuation(word.substr(end, 1))) ++end;
      const auto row = end > begin && end - begin < word.size()
                           ? vectors.find(word.substr(begin, end - begin))
                           : std::nullopt;
      if (row) {
        tokens.rows.push_back(*row);
        tokens.spans.push_back({span.begin + begin, span.begin + end});
        ++found;
      }
      begin = end + 1;
    }
    if (found == 0 && !is_punctuation(word)) ++tokens.unknown;
  }
  return tokens;
}

}  // namespace markeval::embed
