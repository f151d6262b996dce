// Readers for the text and binary formats of word vectors, splitting of texts into words, and lookup of a
// word as it is, in lower case or in parts.
#include "embed/static_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"
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
  std::string digest() { return digest_.hex().substr(0, 8); }  ///< of all bytes, once at the end

 private:
  bool fill() {
    if (at_ < size_) return true;
    at_ = 0;
    size_ = bytes_.read(buffer_);
    digest_.add({buffer_.data(), size_});
    return size_ > 0;
  }
  InputBytes bytes_;
  Digest digest_{Digest::HashKind::sha256};
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

/// Takes the last field off the line where it is a number.
bool take_number(std::string_view& line, float& out) {
  const std::string_view whole = strip_right(line);
  const std::size_t blank = whole.find_last_of(" \t");
  if (blank == std::string_view::npos || !read_float(whole.substr(blank + 1), out)) return false;
  line = whole.substr(0, blank);
  return true;
}

/// "the 0.1 0.2" with the last `width` fields as numbers, the rest as the word (it may hold blanks).
bool read_text_vector(std::string_view line, std::string_view& word, std::vector<float>& values) {
  for (std::size_t column = values.size(); column > 0; --column) {
    if (!take_number(line, values[column - 1])) return false;
  }
  word = strip_right(line);
  return !word.empty();
}

std::size_t count_numbers(std::string_view line) {
  std::size_t count = 0;
  for (float value = 0; take_number(line, value);) ++count;
  return count;
}

/// "the 1 2", "cat nan": a word of numbers, where a vector was longer than others or has a damaged number.
bool ends_in_numbers(std::string_view word) {
  std::size_t blank = word.find_first_of(" \t");
  if (blank == std::string_view::npos) return false;
  while (blank != std::string_view::npos) {
    const std::string_view rest = word.substr(blank + 1);
    blank = rest.find_first_of(" \t");
    const std::string_view field = rest.substr(0, blank);
    float value = 0;
    if (std::from_chars(field.data(), field.data() + field.size(), value).ptr != field.data() + field.size())
      return false;
    word = rest;
  }
  return true;
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

/// A to Z become a to z; other bytes stay.
std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// Calls `visit(begin, end)` for the parts of a word between punctuation; some may be empty.
template <typename Visit>
void for_parts(std::string_view word, const Visit& visit) {
  for (std::size_t begin = 0, end = 0; begin < word.size(); begin = end + 1) {
    for (end = begin; end < word.size() && !is_punctuation(word.substr(end, 1));) ++end;
    visit(begin, end);
  }
}

/// Only the words of these texts, and their parts, each as it is and in lower case.
StaticVectors load_words_of(const std::string& file, std::span<const text::Corpus> references,
                            std::span<const text::Corpus> systems) {
  std::unordered_set<std::string> wanted;
  const auto add = [&](std::string_view word) {
    wanted.emplace(word);
    wanted.insert(lower_case(word));
  };
  for (const auto files : {references, systems}) {
    for (const text::Corpus& corpus : files) {
      for (const std::string& text : corpus.texts) {
        for (const TextRange& range : split_words(text)) {
          const std::string_view word = std::string_view(text).substr(range.begin, range.end - range.begin);
          add(word);
          for_parts(word, [&](std::size_t begin, std::size_t end) { add(word.substr(begin, end - begin)); });
        }
      }
    }
  }
  return StaticVectors::load(file, &wanted);
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
    result.digest_ = source.digest();
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
    if (ends_in_numbers(word)) {
      throw_invalid(fmt::format("{}:{}: the word {} has numbers in it, expected one word and {} numbers",
                                path, number, in_quotes(word), values.size()));
    }
    ++words;
    if (is_wanted(word)) result.add(word, values);
  }
  if (header) check_count(path, words, *header);
  result.digest_ = source.digest();
  return result;
}

std::optional<std::int32_t> StaticVectors::find(std::string_view word) const {
  auto found = rows_.find(std::string(word));
  if (found == rows_.end()) found = rows_.find(lower_case(word));
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<TextRange> split_words(std::string_view text) {
  std::vector<TextRange> words;
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

TextTokens static_tokens(const StaticVectors& vectors, std::string_view text, std::size_t& unknown) {
  TextTokens tokens;
  const auto add = [&](std::size_t begin, std::size_t end) {
    const auto row = vectors.find(text.substr(begin, end - begin));
    if (!row) return false;
    tokens.ids.push_back(*row);
    tokens.facts.push_back({vectors.word(*row), false, true});
    tokens.offsets.push_back({begin, end});
    return true;
  };
  unknown = 0;
  for (const TextRange& range : split_words(text)) {
    if (add(range.begin, range.end)) continue;
    const std::string_view word = text.substr(range.begin, range.end - range.begin);
    bool found = false;
    for_parts(word, [&](std::size_t begin, std::size_t end) {
      if (end > begin && end - begin < word.size() && add(range.begin + begin, range.begin + end))
        found = true;
    });
    if (!found && !is_punctuation(word)) ++unknown;
  }
  return tokens;
}

WordVectorSource::WordVectorSource(const std::string& file, std::span<const text::Corpus> references,
                                   std::span<const text::Corpus> systems, std::size_t limit)
    : vectors_(load_words_of(file, references, systems)),
      name_(file.substr(file.find_last_of('/') + 1)),
      limit_(limit) {}

TextTokens WordVectorSource::tokens(std::string_view text, TextCounts& counts) const {
  std::size_t unknown = 0;
  TextTokens found = static_tokens(vectors_, text, unknown);
  const std::size_t kept = std::min(found.size(), limit_);
  counts = TextCounts::of_text(kept, found.size() - kept, unknown);
  found.ids.resize(kept);
  found.facts.resize(kept);
  found.offsets.resize(kept);
  return found;
}

std::vector<TokenIds> WordVectorSource::token_ids(std::span<const std::string_view> texts,
                                                  const RunContext& context) {
  std::vector<TokenIds> found(texts.size());
  context.pool.for_each(texts.size(), [&](std::size_t text, std::size_t) {
    found[text].ids = tokens(texts[text], found[text].counts).ids;
  });
  return found;
}

EncodedTexts WordVectorSource::encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                                      const TokenNeed& /*need*/, const RunContext& context) {
  assert(request.sentences.empty() && request.layers == std::vector<std::size_t>{0});
  EncodedTexts out(texts, request, width());
  context.pool.for_each(out.distinct(), [&](std::size_t slot, std::size_t) {
    EncodedTexts::TextEntry& entry = out.entry(slot);
    entry.tokens = tokens(entry.text, entry.counts);
  });
  out.allocate();
  context.pool.for_each(out.distinct(), [&](std::size_t slot, std::size_t) {
    const std::vector<std::int32_t>& rows = out.entry(slot).tokens.ids;
    const MatrixView<float> states = out.states(slot, 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::ranges::copy(vectors_.vectors().row(static_cast<std::size_t>(rows[i])), states.row(i).begin());
  });
  return out;
}

}  // namespace markeval::embed
