// Pages of 256 characters filled from compressed tables, arithmetic for Hangul, and grapheme clusters.
#include "token/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>

#include "text/utf8.hpp"

namespace markeval::token {
namespace {

constexpr char32_t kHangulFirst = 0xAC00;
constexpr char32_t kHangulLast = 0xD7A3;
constexpr char32_t kHangulL = 0x1100;
constexpr char32_t kHangulV = 0x1161;
constexpr char32_t kHangulT = 0x11A7;

std::uint64_t pair_key(char32_t first, char32_t second) {
  return (static_cast<std::uint64_t>(first) << 32) | second;
}

template <typename Visit>
void for_each_in(std::span<const std::uint32_t> steps, Visit visit) {
  char32_t position = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); i += 2) {
    position += steps[i];
    for (std::uint32_t count = 0; count < steps[i + 1]; ++count) visit(position++);
  }
}

}  // namespace

const UnicodeData& UnicodeData::get() {
  static const UnicodeData data;
  return data;
}

CharacterInfo& UnicodeData::at(char32_t character) {
  std::uint16_t& page = page_of_[character >> 8];
  if (page == 0) {
    page = static_cast<std::uint16_t>(pages_.size());
    pages_.emplace_back();
  }
  return pages_[page][character & 0xFF];
}

void UnicodeData::add(std::span<const std::uint32_t> steps, Property property) {
  for_each_in(steps, [&](char32_t character) {
    CharacterInfo& info = at(character);
    info.properties = static_cast<std::uint16_t>(info.properties | property);
  });
}

UnicodeData::UnicodeData() {
  pages_.reserve(1024);
  pages_.emplace_back();  // page 0: characters without any property
  for (const PropertySteps& table : kPropertySteps) add(table.steps, table.property);
  add(kPictographSteps, kPictograph);
  add(kConjunctConsonantSteps, kConjunctConsonant);
  add(kConjunctLinkerSteps, kConjunctLinker);
  for (const ClusterSteps& table : kClusterSteps) {
    for_each_in(table.steps, [&](char32_t character) { at(character).cluster = table.cluster; });
  }
  for (const LowerRun& run : kLowerRuns) {
    for (std::uint32_t i = 0; i < run.count; ++i) at(run.first + i * run.stride).lower_delta = run.delta;
  }
  for (char32_t syllable = kHangulFirst; syllable <= kHangulLast; ++syllable) {
    at(syllable).cluster = (syllable - kHangulFirst) % 28 == 0 ? Cluster::kLV : Cluster::kLVT;
  }
  // What decomposes, reorders and composes is in the tables; how, is the same in every version of Unicode.
  for (const PropertySteps& table : kPropertySteps) {
    if (table.property == kReorders) {
      for_each_in(table.steps, [&](char32_t character) {
        const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(character));
        at(character).combining_class = static_cast<std::uint8_t>(property->combining_class);
      });
    } else if (table.property == kComposes) {
      // Shorter ones first: all but the last part compose to the character one step down.
      for (std::size_t length = 2; length <= 4; ++length) {
        std::vector<Composition> found;
        for_each_in(table.steps, [&](char32_t character) {
          std::array<char32_t, kMaxDecomposition> parts{};
          if (decompose(character, false, parts) != length) return;
          char32_t first = parts[0];
          for (std::size_t i = 1; i + 1 < length; ++i) first = compose(first, parts[i]).value_or(first);
          found.push_back({pair_key(first, parts[length - 1]), character});
        });
        compositions_.insert(compositions_.end(), found.begin(), found.end());
        std::sort(compositions_.begin(), compositions_.end(),
                  [](const Composition& a, const Composition& b) { return a.pair < b.pair; });
      }
    }
  }
}

std::optional<char32_t> UnicodeData::compose(char32_t first, char32_t second) const {
  if (first >= kHangulL && first < kHangulL + 19 && second >= kHangulV && second < kHangulV + 21) {
    return kHangulFirst + ((first - kHangulL) * 21 + (second - kHangulV)) * 28;
  }
  if (first >= kHangulFirst && first <= kHangulLast && (first - kHangulFirst) % 28 == 0 &&
      second > kHangulT && second < kHangulT + 28) {
    return first + (second - kHangulT);
  }
  const std::uint64_t key = pair_key(first, second);
  const auto found = std::lower_bound(compositions_.begin(), compositions_.end(), key,
                                      [](const Composition& a, std::uint64_t b) { return a.pair < b; });
  if (found == compositions_.end() || found->pair != key) return std::nullopt;
  return found->composed;
}

std::size_t decompose(char32_t character, bool compatible, std::span<char32_t, kMaxDecomposition> out) {
  if (character >= kHangulFirst && character <= kHangulLast) {
    const char32_t index = character - kHangulFirst;
    out[0] = kHangulL + index / (21 * 28);
    out[1] = kHangulV + index % (21 * 28) / 28;
    out[2] = kHangulT + index % 28;
    return index % 28 == 0 ? 2 : 3;
  }
  std::array<utf8proc_int32_t, kMaxDecomposition> buffer{};
  int boundary = 0;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0));
  const utf8proc_ssize_t count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(character),
                                                         buffer.data(), buffer.size(), options, &boundary);
  if (count < 1 || static_cast<std::size_t>(count) > kMaxDecomposition) {
    out[0] = character;
    return 1;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) out[i] = static_cast<char32_t>(buffer[i]);
  return static_cast<std::size_t>(count);
}

std::size_t cluster_end(std::string_view text, std::size_t position) {
  const UnicodeData& unicode = UnicodeData::get();
  char32_t previous_character = text::decode(text, position);
  CharacterInfo previous = unicode[previous_character];
  bool after_pictograph = (previous.properties & kPictograph) != 0;  // a pictograph, then only Extend
  bool pictograph_joined = false;                                    // ... and then ZWJ
  bool conjunct = (previous.properties & kConjunctConsonant) != 0;  // a consonant, then linkers and extenders
  bool conjunct_linked = false;
  std::size_t indicators = previous.cluster == Cluster::kRegionalIndicator ? 1 : 0;
  while (position < text.size()) {
    std::size_t next = position;
    const char32_t character = text::decode(text, next);
    const CharacterInfo info = unicode[character];
    const Cluster left = previous.cluster;
    const Cluster right = info.cluster;
    const auto is_control = [](Cluster c) {
      return c == Cluster::kCR || c == Cluster::kLF || c == Cluster::kControl;
    };
    bool joined = false;
    if (left == Cluster::kCR && right == Cluster::kLF) {
      joined = true;
    } else if (is_control(left) || is_control(right)) {
      joined = false;
    } else if (left == Cluster::kL) {
      joined =
          right == Cluster::kL || right == Cluster::kV || right == Cluster::kLV || right == Cluster::kLVT;
    } else if (left == Cluster::kLV || left == Cluster::kV) {
      joined = right == Cluster::kV || right == Cluster::kT;
    } else if (left == Cluster::kLVT || left == Cluster::kT) {
      joined = right == Cluster::kT;
    }
    if (!joined && !is_control(left) && !is_control(right)) {
      joined = right == Cluster::kExtend || right == Cluster::kZWJ || right == Cluster::kSpacingMark ||
               left == Cluster::kPrepend;
      joined = joined || (conjunct && conjunct_linked && (info.properties & kConjunctConsonant) != 0);
      joined = joined || (pictograph_joined && (info.properties & kPictograph) != 0);
      joined = joined || (left == Cluster::kRegionalIndicator && right == Cluster::kRegionalIndicator &&
                          indicators % 2 == 1);
    }
    if (!joined) return position;
    pictograph_joined = after_pictograph && right == Cluster::kZWJ;
    after_pictograph =
        (info.properties & kPictograph) != 0 || (after_pictograph && right == Cluster::kExtend);
    if ((info.properties & kConjunctConsonant) != 0) {
      conjunct = true;
      conjunct_linked = false;
    } else if ((info.properties & kConjunctLinker) != 0) {
      conjunct_linked = conjunct;
    } else {
      conjunct = conjunct && (right == Cluster::kExtend || right == Cluster::kZWJ);
      conjunct_linked = conjunct_linked && conjunct;
    }
    indicators = right == Cluster::kRegionalIndicator ? indicators + 1 : 0;
    previous = info;
    position = next;
  }
  return position;
}

bool is_bert_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

}  // namespace markeval::token
