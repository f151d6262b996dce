// Base64, the walk through the double array, and the replacement of clusters with their alignment.
#include "token/precompiled.hpp"

#include <cstring>

#include "token/json_fields.hpp"
#include "token/unicode.hpp"

namespace markeval::token {
namespace {

std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::uint32_t bits = 0;
  int count = 0;
  std::int8_t values[256];
  std::memset(values, -1, sizeof values);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  out.reserve(text.size() / 4 * 3);
  for (const char character : text) {
    const std::int8_t value = values[static_cast<unsigned char>(character)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(static_cast<unsigned char>(bits >> count)));
    }
  }
  return out;
}

std::uint32_t read_u32(std::string_view bytes, std::size_t position) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data()) + position;
  return static_cast<std::uint32_t>(at[0]) | (static_cast<std::uint32_t>(at[1]) << 8) |
         (static_cast<std::uint32_t>(at[2]) << 16) | (static_cast<std::uint32_t>(at[3]) << 24);
}

// The fields of a unit of the double array (darts-clone).
bool has_leaf(std::uint32_t unit) {
  return ((unit >> 8) & 1) != 0;
}
std::uint32_t value_of(std::uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
std::uint32_t label_of(std::uint32_t unit) {
  return unit & 0x800000FF;
}
std::size_t offset_of(std::uint32_t unit) {
  return static_cast<std::size_t>(unit >> 10) << ((unit & 0x200) >> 6);
}

}  // namespace

PrecompiledNormalizer::PrecompiledNormalizer(const std::string& encoded, const JsonPath& where) {
  const auto bytes = decode_base64(encoded);
  if (!bytes) where.fail("precompiled_charsmap is not base64");
  if (bytes->size() < 4) where.fail("precompiled_charsmap is shorter than its own length field");
  const std::size_t trie_bytes = read_u32(*bytes, 0) / 4 * std::size_t{4};
  if (trie_bytes == 0 || trie_bytes > bytes->size() - 4) {
    where.fail("precompiled_charsmap names a table that does not fit into it");
  }
  for (std::size_t i = 0; i < trie_bytes / 4; ++i) units_.push_back(read_u32(*bytes, 4 + 4 * i));
  replacements_ = bytes->substr(4 + trie_bytes);
  if (text::valid_prefix(replacements_) != replacements_.size()) {
    where.fail("precompiled_charsmap holds invalid UTF-8");
  }
  for (unsigned c = 0; c < 128; ++c) {
    const char character = static_cast<char>(c);
    ascii_changes_[c] = find(std::string_view(&character, 1)).has_value();
  }
}

std::optional<std::string_view> PrecompiledNormalizer::find(std::string_view chunk) const {
  std::size_t node = offset_of(units_[0]);
  for (const char character : chunk) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte == 0) return std::nullopt;
    node ^= byte;
    if (node >= units_.size() || label_of(units_[node]) != byte) return std::nullopt;
    const std::uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (node >= units_.size()) return std::nullopt;
    const std::size_t begin = value_of(units_[node]);
    if (begin > replacements_.size()) return std::nullopt;
    if (begin < replacements_.size() && (static_cast<unsigned char>(replacements_[begin]) & 0xC0) == 0x80) {
      return std::nullopt;
    }
    const std::size_t end = replacements_.find('\0', begin);
    return std::string_view(replacements_)
        .substr(begin, (end == std::string::npos ? replacements_.size() : end) - begin);
  }
  return std::nullopt;
}

void PrecompiledNormalizer::apply(AlignedText& text, NormalizerScratch& scratch) const {
  std::vector<Change>& changes = scratch.changes;
  std::string& direct = scratch.spare.text;  // where nobody asks for offsets, the result itself
  changes.clear();
  direct.clear();
  bool modified = false;
  const std::string_view in = text.text;
  const auto replace = [&](std::string_view old_part, std::string_view new_part) {
    modified = true;
    if (!text.tracked) {
      direct.append(new_part);
      return;
    }
    // Extra characters belong to the last one replaced; what vanishes, vanishes behind the last one put out.
    auto left = static_cast<std::int32_t>(text::count_characters(old_part));
    for (std::size_t position = 0; position < new_part.size();) {
      changes.push_back({text::decode(new_part, position), left > 0 ? 0 : 1});
      --left;
    }
    if (left > 0 && !changes.empty()) changes.back().change -= left;
  };
  const auto keep = [&](std::string_view part) {
    if (!text.tracked) {
      direct.append(part);
      return;
    }
    for (std::size_t position = 0; position < part.size();)
      changes.push_back({text::decode(part, position), 0});
  };
  for (std::size_t position = 0; position < in.size();) {
    const bool ascii = (in[position] & 0x80) == 0;
    if (ascii && in[position] != '\r' && (position + 1 == in.size() || (in[position + 1] & 0x80) == 0) &&
        !ascii_changes_[static_cast<unsigned char>(in[position])]) {
      keep(in.substr(position, 1));
      ++position;
      continue;
    }
    const std::size_t end = cluster_end(in, position);
    const std::string_view cluster = in.substr(position, end - position);
    position = end;
    if (cluster.size() < 6) {
      if (const auto found = find(cluster)) {
        replace(cluster, *found);
        continue;
      }
    }
    for (std::size_t inside = 0; inside < cluster.size();) {
      const std::string_view part = cluster.substr(inside, text::character_bytes(cluster[inside]));
      inside += part.size();
      if (const auto found = find(part)) {
        replace(part, *found);
      } else {
        keep(part);
      }
    }
  }
  if (!modified) return;
  if (text.tracked) {
    apply_changes(text, changes, 0, scratch.spare);
  } else {
    std::swap(text.text, direct);
  }
}

}  // namespace markeval::token
