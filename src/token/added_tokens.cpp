// Tokens are found by two tries, one for the raw and one for the normalised text; the longest match counts.
#include "token/added_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/cancellation.hpp"
#include "base/json_reader.hpp"
#include "base/quotation.hpp"
#include "token/json_fields.hpp"
#include "token/unicode.hpp"

namespace markeval::token {
namespace {

char32_t character_before(std::string_view text, std::size_t position) {
  do {
    --position;
  } while ((static_cast<unsigned char>(text[position]) & 0xC0) == 0x80);
  return text::decode(text, position);
}

char32_t character_at(std::string_view text, std::size_t position) {
  return text::decode(text, position);
}

}  // namespace

void AddedTokens::Finder::add(std::string_view pattern, std::int32_t id) {
  if (trie.find(pattern) != PieceTrie::kNoValue) return;  // the first one of a name counts
  trie.insert(pattern, id);
  starts[static_cast<unsigned char>(pattern[0])] = true;
  any = true;
}

AddedTokens::AddedTokens(const json& list, const Vocabulary& vocabulary, const Normalizer* normalizer,
                         const JsonPath& where) {
  if (!list.is_array()) where.fail(fmt::format("{}, expected a list", kind_of(list)));
  auto next_id = static_cast<std::int32_t>(vocabulary.size());
  std::vector<AddedToken> entries;
  for (const json& item : list) {
    AddedToken entry;
    entry.content = read_string(item, "content", std::nullopt, where);
    entry.single_word = read_bool(item, "single_word", std::nullopt, where);
    entry.lstrip = read_bool(item, "lstrip", std::nullopt, where);
    entry.rstrip = read_bool(item, "rstrip", std::nullopt, where);
    entry.normalized = read_bool(item, "normalized", std::nullopt, where);
    entry.special = read_bool(item, "special", std::nullopt, where);
    if (entry.content.empty()) continue;
    require_piece_length(entry.content, where);
    if (ids_.find(entry.content) != PieceTrie::kNoValue)
      where.fail(fmt::format("the token {} comes twice", in_quotes(entry.content)));
    entry.id = vocabulary.id(entry.content).value_or(-1);
    if (entry.id < 0) entry.id = next_id++;
    ids_.insert(entry.content, entry.id);
    by_id_[entry.id] = entry;
    id_limit_ = std::max(id_limit_, static_cast<std::size_t>(entry.id) + 1);
    entries.push_back(std::move(entry));
  }
  std::stable_partition(entries.begin(), entries.end(),
                        [](const AddedToken& entry) { return entry.special; });
  NormalizerScratch scratch;
  for (const AddedToken& entry : entries) {
    if (!entry.normalized) {
      raw_.add(entry.content, entry.id);
      continue;
    }
    AlignedText pattern;
    pattern.text = entry.content;
    if (normalizer != nullptr) normalizer->apply(pattern, scratch);
    require_piece_length(pattern.text, where);
    if (pattern.text.empty())
      where.fail(fmt::format("the token {} is nothing once normalised", in_quotes(entry.content)));
    normalized_.add(pattern.text, entry.id);
  }
}

void AddedTokens::split(std::string_view text, std::uint32_t begin, std::uint32_t end, bool normalized,
                        std::vector<Piece>& out) const {
  const Finder& finder = normalized ? normalized_ : raw_;
  const UnicodeData& unicode = UnicodeData::get();
  const std::string_view sentence = text.substr(begin, end - begin);
  std::size_t last = 0;  // behind the last token found
  const auto put = [&](std::size_t from, std::size_t to, std::int32_t id) {
    if (from < to)
      out.push_back({begin + static_cast<std::uint32_t>(from), begin + static_cast<std::uint32_t>(to), id});
  };
  for (std::size_t position = 0; finder.any && position < sentence.size();) {
    check_cancelled();
    if (!finder.starts[static_cast<unsigned char>(sentence[position])]) {
      ++position;
      continue;
    }
    std::int32_t id = PieceTrie::kNoValue;
    std::size_t stop = position;
    std::uint32_t node = PieceTrie::kRoot;
    for (std::size_t i = position; i < sentence.size();) {
      node = finder.trie.child(node, sentence[i]);
      if (node == PieceTrie::kNowhere) break;
      ++i;
      if (finder.trie.value(node) != PieceTrie::kNoValue) {
        id = finder.trie.value(node);
        stop = i;
      }
    }
    if (id == PieceTrie::kNoValue) {
      ++position;
      continue;
    }
    const AddedToken& token = by_id_.at(id);
    std::size_t start = position;
    position = stop;
    if (token.single_word && ((start > 0 && unicode.has(character_before(sentence, start), kWord)) ||
                              (stop < sentence.size() && unicode.has(character_at(sentence, stop), kWord)))) {
      continue;
    }
    if (token.lstrip) {
      std::size_t blank = start;
      while (blank > last && unicode.has(character_before(sentence, blank), kWhiteSpace)) {
        do {
          --blank;
        } while ((static_cast<unsigned char>(sentence[blank]) & 0xC0) == 0x80);
      }
      start = std::max(blank, last);
    }
    if (token.rstrip) {
      stop = std::max(stop, last);  // blanks before that place went to the token before
      while (stop < sentence.size() && unicode.has(character_at(sentence, stop), kWhiteSpace)) {
        stop += text::character_bytes(sentence[stop]);
      }
    }
    put(last, start, -1);
    put(start, stop, id);
    last = stop;
  }
  put(last, sentence.size(), -1);
}

std::optional<std::int32_t> AddedTokens::id(std::string_view content) const {
  const std::int32_t found = ids_.find(content);
  return found < 0 ? std::nullopt : std::optional(found);
}

std::string_view AddedTokens::content(std::int32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? std::string_view() : std::string_view(found->second.content);
}

}  // namespace markeval::token
