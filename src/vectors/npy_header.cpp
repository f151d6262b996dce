#include "vectors/npy_header.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace markeval::vectors {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// What a file without the magic most likely is.
std::string foreign(std::string_view text) {
  if (text.empty()) return "the file is empty";
  if (text.starts_with("PK\x03\x04")) return "this is a zip archive (.npz?); save one array with numpy.save";
  if (text.starts_with("\x80") && text.size() > 1 && text[1] >= 2 && text[1] <= 5) {
    return "this is a Python pickle; save the array with numpy.save";
  }
  if (text.starts_with("\x89HDF")) return "this is an HDF5 file";
  for (const std::string_view start : {"BZh", "\3757zXZ", "\x28\xb5\x2f\xfd"}) {
    if (text.starts_with(start)) return "this is compressed, but not by gzip";
  }
  std::string start;
  for (const char c : text.substr(0, 16)) {
    if (static_cast<unsigned char>(c) >= 0x80 || std::isprint(static_cast<unsigned char>(c)) == 0) break;
    start += c;
  }
  if (start.size() >= 4 || start.size() == text.size())
    return fmt::format("it starts with the text '{}'", start);
  std::string bytes;
  for (const char c : text.substr(0, 6)) bytes += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  return "it starts with the bytes" + bytes;
}

// Reads the few Python literals numpy writes. Anything else: nullopt.
class Literals {
 public:
  explicit Literals(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::string> string() {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }
  std::optional<bool> boolean() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    return std::nullopt;
  }
  std::optional<std::size_t> number() {
    skip_blanks();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);  // written by Python 2
    return value;
  }
  std::optional<std::vector<std::size_t>> tuple() {
    if (!take('(')) return std::nullopt;
    std::vector<std::size_t> values;
    while (!take(')')) {
      const auto value = number();
      if (!value) return std::nullopt;
      values.push_back(*value);
      if (!take(',')) {
        if (!take(')')) return std::nullopt;
        break;
      }
    }
    return values;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

// "'<i8'" in words: "int64".
std::string type_in_words(const std::string& code) {
  if (code.size() < 2) return "of unknown type";
  const char kind = code[1];
  int bytes = 0;
  for (const char digit : std::string_view(code).substr(2)) {
    if (digit < '0' || digit > '9' || bytes > 9) return "of unknown type";
    bytes = bytes * 10 + (digit - '0');
  }
  for (const auto& [letter, name] :
       {std::pair{'i', "int"}, {'u', "uint"}, {'f', "float"}, {'c', "complex"}}) {
    if (kind == letter) return fmt::format("{}{}", name, bytes * 8);
  }
  if (kind == 'b') return "bool";
  if (kind == 'O') return "Python objects (pickled)";
  return kind == 'U' || kind == 'S' || kind == 'a' ? "strings" : "of unknown type";
}

void apply_type(NpyHeader& header, const std::string& code, const std::string& path) {
  const std::string_view kind = std::string_view(code).substr(code.empty() ? 0 : 1);
  const char order = code.empty() ? '?' : code.front();
  if (kind != "f2" && kind != "f4" && kind != "f8") {
    throw_invalid(fmt::format("{}: its values are {} ('{}'), expected float16, float32 or float64", path,
                              type_in_words(code), code));
  }
  header.value_bytes = static_cast<std::size_t>(kind[1] - '0');
  if (order != '<' && order != '>' && order != '=') {
    throw_invalid(fmt::format("{}: unknown byte order in the type '{}', expected '<' or '>'", path, code));
  }
  header.big_endian = order == '>';
}

void apply_shape(NpyHeader& header, std::vector<std::size_t> shape, const std::string& path,
                 NpyShape expected) {
  if (expected == NpyShape::layered && shape.size() == 3 && shape[1] > 0 &&
      shape[2] <= std::numeric_limits<std::size_t>::max() / shape[1]) {
    header.layers = shape[1];
    shape = {shape[0], shape[1] * shape[2]};
  }
  if (shape.size() != 2) {
    std::string sizes;
    for (const std::size_t size : shape) sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
    throw_invalid(fmt::format(
        "{}: a {}-D array{}{}, expected {}", path, shape.size(), sizes.empty() ? "" : " of ", sizes,
        expected == NpyShape::rows ? "2-D: one row per sample" : "rows x layers x width, or rows x width"));
  }
  if (shape[0] == 0 || shape[1] == 0) {
    throw_invalid(
        fmt::format("{}: {} rows of {} columns, expected at least one of each", path, shape[0], shape[1]));
  }
  if (shape[0] > std::numeric_limits<std::size_t>::max() / 8 / shape[1]) {
    throw_invalid(fmt::format("{}: an impossible shape, {} x {}", path, shape[0], shape[1]));
  }
  header.rows = shape[0];
  header.columns = shape[1];
}

void parse_dictionary(NpyHeader& header, std::string_view text, const std::string& path, NpyShape expected) {
  Literals literals(text);
  bool seen_type = false, seen_order = false, seen_shape = false;
  const auto damaged = [&](const std::string& where) {
    throw_invalid(
        fmt::format("{}: damaged .npy header, {}; expected descr, fortran_order and shape", path, where));
  };
  if (!literals.take('{')) damaged("no '{'");
  while (!literals.take('}')) {
    const auto key = literals.string();
    if (!key || !literals.take(':')) {
      damaged("no key where one should be");
    } else if (*key == "descr") {
      const auto code = literals.string();
      if (!code)
        throw_invalid(path +
                      ": its values are records (a structured type), expected float16, float32 or float64");
      apply_type(header, *code, path);
      seen_type = true;
    } else if (*key == "fortran_order") {
      const auto value = literals.boolean();
      if (!value) damaged("fortran_order is neither True nor False");
      header.fortran_order = *value;
      seen_order = true;
    } else if (*key == "shape") {
      const auto shape = literals.tuple();
      if (!shape) damaged("shape is no tuple of sizes");
      apply_shape(header, *shape, path, expected);
      seen_shape = true;
    } else {
      damaged("unknown key '" + *key + "'");
    }
    literals.take(',');
  }
  if (!seen_type || !seen_order || !seen_shape) damaged("a key is missing");
}

/// Bytes before the dictionary.
std::size_t prefix_of(std::size_t version) {
  return version == 1 ? 10 : 12;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] void truncated(const std::string& path) {
  throw_invalid(path + ": truncated inside the .npy header");
}

}  // namespace

std::size_t npy_header_bytes(std::span<const std::byte> start, const std::string& path) {
  const std::string_view text = text_of(start);
  if (!text.starts_with(kMagic)) {
    if (!text.empty() && kMagic.starts_with(text)) truncated(path);
    throw_invalid(fmt::format("{}: not a .npy file: {}", path, foreign(text)));
  }
  const auto byte = [&](std::size_t index) {
    if (index >= text.size()) truncated(path);
    return static_cast<std::size_t>(static_cast<unsigned char>(text[index]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) {
    throw_invalid(fmt::format("{}: .npy version {}.{}, expected 1, 2 or 3", path, version, byte(7)));
  }
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > limit_of(Limit::header_bytes))
    throw_beyond(Limit::header_bytes, fmt::format("{}: the .npy header claims {} bytes", path, length));
  return prefix_of(version) + length;
}

NpyHeader parse_npy_header(std::span<const std::byte> file, const std::string& path, NpyShape expected) {
  const std::size_t end = npy_header_bytes(file, path);
  if (file.size() < end) truncated(path);
  const std::string_view text = text_of(file);
  const std::size_t begin = prefix_of(static_cast<unsigned char>(text[6]));
  NpyHeader header;
  parse_dictionary(header, text.substr(begin, end - begin), path, expected);
  if (header.layers > 1 && header.fortran_order)
    throw_invalid(path + ": a 3-D array in Fortran order, expected C order");
  return header;
}

}  // namespace markeval::vectors
