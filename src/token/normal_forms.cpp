// Decomposition, canonical order and composition, with the source of each character.
#include "token/normal_forms.hpp"

#include <algorithm>

#include "token/unicode.hpp"

namespace markeval::token {
namespace {

// Canonical decomposition with the marks behind each starter in canonical order.
void decompose_all(std::string_view text, bool compatible, std::vector<Change>& out) {
  const UnicodeData& unicode = UnicodeData::get();
  out.clear();
  std::size_t run = 0;  // where the current run of marks starts in `out`
  const auto sort_run = [&] {
    if (out.size() - run > 1) {
      std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(run), out.end(),
                       [&](const Change& a, const Change& b) {
                         return unicode[a.character].combining_class < unicode[b.character].combining_class;
                       });
    }
  };
  std::array<char32_t, kMaxDecomposition> parts;
  for (std::size_t position = 0; position < text.size();) {
    parts[0] = text::decode(text, position);
    std::size_t count = 1;
    if ((parts[0] >= 0xAC00 && parts[0] <= 0xD7A3) || unicode.has(parts[0], kDecomposes)) {
      count = decompose(parts[0], compatible, parts);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (unicode[parts[i]].combining_class == 0) {
        sort_run();
        out.push_back({parts[i], i > 0});
        run = out.size();
      } else {
        out.push_back({parts[i], i > 0});
      }
    }
  }
  sort_run();
}

// UAX 15, composition: a mark joins the last starter unless one of the same or a higher class stands between.
void compose_all(const std::vector<Change>& in, std::vector<Change>& out) {
  const UnicodeData& unicode = UnicodeData::get();
  out.clear();
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t starter = kNone;
  int last_class = -1;  // of the last mark kept behind the starter; -1: none
  for (const Change& next : in) {
    const int next_class = unicode[next.character].combining_class;
    if (starter != kNone && last_class < next_class) {
      if (const auto composed = unicode.compose(out[starter].character, next.character)) {
        out[starter].character = *composed;
        out[starter].change += next.change - 1;
        continue;
      }
    }
    if (next_class == 0) {
      starter = out.size();
      last_class = -1;
    } else {
      last_class = next_class;
    }
    out.push_back(next);
  }
}

}  // namespace

void apply_changes(AlignedText& text, const std::vector<Change>& changes, std::size_t removed,
                   AlignedText& spare) {
  spare.clear();
  spare.tracked = text.tracked;
  if (!text.tracked) {
    for (const Change& change : changes) text::append(spare.text, change.character);
    std::swap(text, spare);
    return;
  }
  std::size_t position = 0;  // in text
  const auto skip = [&](std::size_t count) {
    for (; count > 0 && position < text.text.size(); --count)
      position += text::character_bytes(text.text[position]);
  };
  skip(removed);
  for (const Change& change : changes) {
    SourceRange range;
    if (change.change > 0) {
      if (position > 0) range = text.source[position - 1];
    } else {
      range = position < text.text.size() ? text.source[position] : text.source[text.text.size() - 1];
      skip(1 + static_cast<std::size_t>(-change.change));
    }
    spare.append(change.character, range);
  }
  std::swap(text, spare);
}

void apply_normal_form(AlignedText& text, NormalForm form, NormalizerScratch& scratch) {
  const bool ascii = std::none_of(text.text.begin(), text.text.end(), [](char c) { return (c & 0x80) != 0; });
  if (ascii) return;
  decompose_all(text.text, form == NormalForm::nfkc || form == NormalForm::nfkd, scratch.changes);
  if (form == NormalForm::nfd || form == NormalForm::nfkd) {
    apply_changes(text, scratch.changes, 0, scratch.spare);
  } else {
    compose_all(scratch.changes, scratch.composed);
    apply_changes(text, scratch.composed, 0, scratch.spare);
  }
}

}  // namespace markeval::token
