// The parser of the header's Python literals, conversion of order and byte order, and the writer.
#include "vectors/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/float16.hpp"
#include "base/input_bytes.hpp"
#include "base/limits.hpp"
#include "base/quotation.hpp"

namespace markeval::vectors {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// So many bytes of a file say how long its header is, or what else it is. No header is shorter.
constexpr std::size_t kPrefixBytes = 16;
constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
constexpr std::size_t kBufferedValues = std::size_t{1} << 18;
/// Size of the header we write. NumPy asks for a multiple of 64; 128 bytes hold any shape of three sizes.
constexpr std::size_t kHeaderBytes = 128;

struct NpyHeader {
  std::size_t value_bytes = 4;  ///< of a float16, float32 or float64
  bool big_endian = false;
  bool fortran_order = false;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t layers = 1;  ///< layers of a 3-D array, side by side in the columns
};

/// Reads until `bytes` holds `wanted` or the file ends. What is asked of the machine grows with what came.
void read_up_to(InputBytes& input, std::size_t wanted, ByteStore& bytes) {
  while (bytes.bytes().size() < wanted) {
    const std::size_t room = std::min(kBlockBytes, wanted - bytes.bytes().size());
    const std::span<std::byte> out = bytes.extend(room);
    const std::size_t got = input.read({reinterpret_cast<char*>(out.data()), room});
    bytes.shrink(room - got);
    if (got == 0) return;
  }
}

/// What a file without the magic most likely is.
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
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  const std::string_view start(text.begin(), end);
  if (start.size() >= 4 || start.size() == text.size())
    return fmt::format("it starts with the text '{}'", start);
  std::string bytes;
  for (const char c : text.substr(0, 6)) bytes += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  return "it starts with the bytes" + bytes;
}

/// Reads the few Python literals NumPy writes. Anything else: nullopt.
class Literals {
 public:
  explicit Literals(std::string_view text) : rest_(text) {}

  bool take(std::string_view word) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\v\f\r"), rest_.size()));
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// Whether nothing follows but blanks.
  bool at_end() { return take("") && rest_.empty(); }
  std::optional<std::string_view> string() {
    const char quote = take("'") ? '\'' : take("\"") ? '"' : '\0';
    const std::size_t end = quote == '\0' ? std::string_view::npos : rest_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view value = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return value;
  }
  std::optional<std::vector<std::size_t>> tuple() {
    if (!take("(")) return std::nullopt;
    std::vector<std::size_t> values;
    while (!take(")")) {
      std::size_t& value = values.emplace_back();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc()) return std::nullopt;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take("L");  // written by Python 2
      if (!take(",") && !rest_.starts_with(")")) return std::nullopt;
    }
    return values;
  }

 private:
  std::string_view rest_;
};

/// "<i8" in words: "int64".
std::string type_in_words(std::string_view code) {
  if (code.size() < 2 || code.find_first_not_of("0123456789", 2) != std::string_view::npos)
    return "of unknown type";
  std::uint8_t bytes = 0;
  std::from_chars(code.data() + 2, code.data() + code.size(), bytes);
  for (const auto& [letter, name] :
       {std::pair{'i', "int"}, {'u', "uint"}, {'f', "float"}, {'c', "complex"}}) {
    if (code[1] == letter) return fmt::format("{}{}", name, bytes * 8);
  }
  if (code[1] == 'b') return "bool";
  if (code[1] == 'O') return "Python objects (pickled)";
  return code[1] == 'U' || code[1] == 'S' || code[1] == 'a' ? "strings" : "of unknown type";
}

void apply_type(NpyHeader& header, std::string_view code, const std::string& path) {
  const std::string_view kind = code.substr(code.empty() ? 0 : 1);
  if (kind != "f2" && kind != "f4" && kind != "f8") {
    throw_invalid(fmt::format("{}: its values are {} ({}), expected float16, float32 or float64", path,
                              type_in_words(code), in_quotes(code)));
  }
  if (code[0] != '<' && code[0] != '>' && code[0] != '=') {
    throw_invalid(
        fmt::format("{}: unknown byte order in the type {}, expected '<' or '>'", path, in_quotes(code)));
  }
  header.value_bytes = static_cast<std::size_t>(kind[1] - '0');
  header.big_endian = code[0] == '>';
}

void apply_shape(NpyHeader& header, std::vector<std::size_t> shape, const std::string& path,
                 NpyShape expected) {
  if (expected == NpyShape::layered && shape.size() == 3 && shape[1] > 0 &&
      shape[2] <= std::numeric_limits<std::size_t>::max() / shape[1]) {
    header.layers = shape[1];
    shape = {shape[0], shape[1] * shape[2]};
  }
  if (shape.size() != 2) {
    throw_invalid(fmt::format(
        "{}: a {}-D array{}{}, expected {}", path, shape.size(), shape.empty() ? "" : " of ",
        fmt::join(shape, " x "),
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

/// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
NpyHeader parse_dictionary(std::string_view text, const std::string& path, NpyShape expected) {
  NpyHeader header;
  Literals literals(text);
  bool seen_type = false, seen_order = false, seen_shape = false;
  const auto damaged = [&](const std::string& where) {
    throw_invalid(
        fmt::format("{}: damaged .npy header, {}; expected descr, fortran_order and shape", path, where));
  };
  const auto see = [&](bool& seen, std::string_view key) {
    if (std::exchange(seen, true)) damaged(fmt::format("'{}' comes twice", key));
  };
  if (!literals.take("{")) damaged("no '{'");
  while (!literals.take("}")) {
    const auto key = literals.string();
    if (!key || !literals.take(":")) {
      damaged("no key where one should be");
    } else if (*key == "descr") {
      see(seen_type, *key);
      const auto code = literals.string();
      if (!code)
        throw_invalid(path +
                      ": its values are records (a structured type), expected float16, float32 or float64");
      apply_type(header, *code, path);
    } else if (*key == "fortran_order") {
      see(seen_order, *key);
      header.fortran_order = literals.take("True");
      if (!header.fortran_order && !literals.take("False"))
        damaged("fortran_order is neither True nor False");
    } else if (*key == "shape") {
      see(seen_shape, *key);
      const auto shape = literals.tuple();
      if (!shape) damaged("shape is no tuple of sizes");
      apply_shape(header, *shape, path, expected);
    } else {
      damaged("unknown key " + in_quotes(*key));
    }
    literals.take(",");
  }
  if (!seen_type || !seen_order || !seen_shape) damaged("a key is missing");
  if (!literals.at_end()) damaged("more follows its '}'");
  if (header.layers > 1 && header.fortran_order)
    throw_invalid(path + ": a 3-D array in Fortran order, expected C order");
  return header;
}

/// Magic, version, length, dictionary.
NpyHeader read_header(InputBytes& input, NpyShape expected) {
  const std::string& path = input.name();
  const auto truncated = [&] { throw_invalid(path + ": truncated inside the .npy header"); };
  ByteStore bytes{""};
  const auto text = [&] {
    return std::string_view(reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size());
  };
  const auto byte = [&](std::size_t index) {
    if (index >= text().size()) truncated();
    return std::size_t{static_cast<unsigned char>(text()[index])};
  };
  read_up_to(input, kPrefixBytes, bytes);
  if (!text().starts_with(kMagic)) {
    if (!text().empty() && kMagic.starts_with(text())) truncated();
    throw_invalid(fmt::format("{}: not a .npy file: {}", path, foreign(text())));
  }
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    throw_invalid(fmt::format("{}: .npy version {}.{}, expected 1.0, 2.0 or 3.0", path, version, byte(7)));
  std::size_t begin = 10, length = byte(8) | byte(9) << 8;
  if (version > 1) {
    begin = 12;
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (length > limit_of(Limit::header_bytes))
    throw_beyond(Limit::header_bytes, fmt::format("{}: the .npy header claims {} bytes", path, length));
  read_up_to(input, begin + length, bytes);
  if (text().size() < begin + length) truncated();
  return parse_dictionary(text().substr(begin, length), path, expected);
}

template <typename Bits>
Bits load(const std::byte* from, bool swap) {
  std::array<std::byte, sizeof(Bits)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Bits));
  if (swap) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Bits>(bytes);
}

/// `bytes`: what follows the header, as many as it tells of. They stay where they are if they can.
template <typename T>
Vectors as_rows(const NpyHeader& header, ByteStore bytes, const std::string& path) {
  const std::size_t rows = header.rows, columns = header.columns;
  const bool swap = header.big_endian;  // machines are little endian (encoder/safetensors.cpp)
  const bool by_columns = header.fortran_order && columns > 1;
  if (header.value_bytes != sizeof(T) || swap || by_columns) {
    const std::byte* const data = bytes.bytes().data();
    ByteStore converted("");
    T* const out = reinterpret_cast<T*>(converted.extend(rows * columns * sizeof(T)).data());
    // Values in C order are one long column.
    const std::size_t across = by_columns ? columns : 1, down = rows * columns / across;
    constexpr std::size_t kBlock = 64;  // rows, so that a block of columns stays in the cache
    for (std::size_t first = 0; first < down; first += kBlock) {
      check_cancelled();
      const std::size_t end = std::min(down, first + kBlock);
      for (std::size_t column = 0; column < across; ++column) {
        for (std::size_t row = first; row < end; ++row) {
          const std::byte* const at = data + (column * down + row) * header.value_bytes;
          out[row * across + column] =
              header.value_bytes == sizeof(Half) ? from_half(load<Half>(at, swap)) : load<T>(at, swap);
        }
      }
    }
    bytes = std::move(converted);
  }
  const MatrixView<const T> view(reinterpret_cast<const T*>(bytes.bytes().data()), rows, columns);
  return {path, view, std::move(bytes), header.layers};
}

/// Empty: in memory. Rows that would take half of it go to a file without a name. The header tells how many
/// bytes there are, but no file holds more than its size allows: gzip packs 1,032 bytes into one at most.
std::string folder_for(std::size_t bytes, const std::string& path) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown && size < bytes / 1032) return {};
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return {};
  const std::size_t memory = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  return bytes > memory / 2 ? temporary_folder() : std::string{};
}

std::string header_of(std::uint64_t rows, const std::vector<std::size_t>& inner) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows);
  for (const std::size_t size : inner) text += ", " + std::to_string(size);
  text += "), }";
  text.resize(kHeaderBytes - 11, ' ');
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(kHeaderBytes - 10) + '\0' + text + '\n';
}

}  // namespace

// The file is copied, not mapped: whoever cuts or rewrites it during a long run changes nothing here, and who
// does so while it is being read meets an error (base/input_bytes).
Vectors read_npy(const std::string& path, NpyShape expected) {
  InputBytes input(path);
  const std::string& name = input.name();
  const NpyHeader header = read_header(input, expected);
  const std::size_t needed = header.rows * header.columns * header.value_bytes;
  const std::string what =
      fmt::format("{} x {} float{}", header.rows, header.columns, header.value_bytes * 8);
  ByteStore data(folder_for(needed, path));
  read_up_to(input, needed, data);
  if (const std::size_t found = data.bytes().size(); found < needed)
    throw_invalid(fmt::format("{}: truncated: {} need {} bytes, found {}", name, what, needed, found));
  std::array<char, 4096> rest;
  std::size_t more = 0;
  while (const std::size_t got = input.read(rest)) more += got;
  if (more > 0)
    throw_invalid(
        fmt::format("{}: {} bytes after the array of {}, expected one array only", name, more, what));
  return header.value_bytes == sizeof(double) ? as_rows<double>(header, std::move(data), name)
                                              : as_rows<float>(header, std::move(data), name);
}

NpyWriter::NpyWriter(const std::string& path, std::vector<std::size_t> inner)
    : inner_(std::move(inner)), file_(path) {
  if (!file_.replaces()) throw_usage(path + ": not an ordinary file, which vectors need");
  for (const std::size_t size : inner_) row_values_ *= size;
  buffer_.reserve(kBufferedValues + row_values_);
  file_.write(std::as_bytes(std::span<const char>(header_of(0, inner_))));
}

void NpyWriter::write(std::span<const float> values) {
  values_ += values.size();
  buffer_.insert(buffer_.end(), values.begin(), values.end());
  if (buffer_.size() >= kBufferedValues) flush();
}

void NpyWriter::flush() {
  file_.write(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
}

void NpyWriter::commit() {
  flush();
  file_.write_at(0, std::as_bytes(std::span<const char>(header_of(rows(), inner_))));
  file_.commit();
}

}  // namespace markeval::vectors
