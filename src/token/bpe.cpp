// Byte pair encoding (Sennrich 2016): characters first, then the merge of lowest rank, leftmost, until none
// applies. Byte-level models (GPT-2, RoBERTa) are this model on the alphabet of token/byte_alphabet.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/cancellation.hpp"
#include "base/json_reader.hpp"
#include "base/quotation.hpp"
#include "text/utf8.hpp"
#include "token/json_fields.hpp"
#include "token/merge_table.hpp"
#include "token/model.hpp"

namespace markeval::token {
namespace {

class Bpe : public TokenModel {
 public:
  Bpe(const json& component, const JsonPath& where)
      : vocabulary_(require_field(component, "vocab", where), where),
        prefix_(read_string(component, "continuing_subword_prefix", "", where)),
        suffix_(read_string(component, "end_of_word_suffix", "", where)),
        fuse_unknown_(read_bool(component, "fuse_unk", false, where)),
        byte_fallback_(read_bool(component, "byte_fallback", false, where)),
        ignore_merges_(read_bool(component, "ignore_merges", false, where)) {
    if (const json* dropout = find_field(component, "dropout"); dropout != nullptr && *dropout != 0.0) {
      where.fail("dropout makes ids random, expected none");
    }
    if (find_field(component, "unk_token") != nullptr) {
      const std::string unknown = read_string(component, "unk_token", std::nullopt, where);
      unknown_id_ = vocabulary_.id(unknown);
      if (!unknown_id_) where.fail(fmt::format("unk_token {} is not in the vocabulary", in_quotes(unknown)));
    }
    read_merges(require_array(component, "merges", where), where);
    for (char32_t c = 0; c < characters_.size(); ++c) {
      char bytes[4];
      characters_[c] = vocabulary_.trie().find(std::string_view(bytes, text::encode(c, bytes)));
    }
  }

  void tokenize(std::string_view word, ModelScratch& scratch, std::vector<Token>& out) const override {
    if (ignore_merges_) {
      if (const auto id = vocabulary_.id(word)) {
        out.push_back({*id, 0, static_cast<std::uint32_t>(word.size())});
        return;
      }
    }
    start_symbols(word, scratch.symbols);
    merge_symbols(scratch);
    std::uint32_t begin = 0;
    for (const ModelScratch::Symbol& symbol : scratch.symbols) {
      if (symbol.bytes == 0) continue;
      out.push_back({symbol.id, begin, begin + symbol.bytes});
      begin += symbol.bytes;
    }
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<std::int32_t> unknown_id() const override { return unknown_id_; }
  std::string_view continuation_prefix() const override { return prefix_; }

 private:
  std::int32_t require_piece(const std::string& piece, std::size_t rank, const JsonPath& where) const {
    const auto id = vocabulary_.id(piece);
    if (!id)
      where.fail(
          fmt::format("merge {} names {}, which is not in the vocabulary", rank + 1, in_quotes(piece)));
    return *id;
  }

  void read_merges(const json& merges, const JsonPath& where) {
    rules_.reserve(merges.size());
    std::uint32_t rank = 0;
    for (const json& merge : merges) {
      check_cancelled();
      std::string left;
      std::string right;
      if (merge.is_string()) {
        const auto& line = merge.get_ref<const std::string&>();
        if (line.starts_with("#version")) continue;
        const std::size_t blank = line.find(' ');
        if (blank == std::string::npos || line.find(' ', blank + 1) != std::string::npos) {
          where.fail(fmt::format("merge {} is {}, expected two pieces", rank + 1, in_quotes(line)));
        }
        left = line.substr(0, blank);
        right = line.substr(blank + 1);
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        left = merge[0].get<std::string>();
        right = merge[1].get<std::string>();
      } else {
        where.fail(fmt::format("merge {} is {}, expected two pieces", rank + 1, kind_of(merge)));
      }
      const std::int32_t left_id = require_piece(left, rank, where);
      const std::int32_t right_id = require_piece(right, rank, where);
      if (right.size() < prefix_.size())
        where.fail(fmt::format("merge {}: {} lacks the prefix", rank + 1, in_quotes(right)));
      const std::int32_t id = require_piece(left + right.substr(prefix_.size()), rank, where);
      rules_.insert(left_id, right_id, {rank, id});
      ++rank;
    }
  }

  std::int32_t character_id(std::string_view word, std::size_t begin, std::size_t end,
                            std::string& name) const {
    const bool prefixed = begin > 0 && !prefix_.empty();
    const bool suffixed = end == word.size() && !suffix_.empty();
    if (!prefixed && !suffixed) {
      std::size_t position = begin;
      const char32_t character = text::decode(word, position);
      if (character < characters_.size()) return characters_[character];
      return vocabulary_.trie().find(word.substr(begin, end - begin));
    }
    name = prefixed ? prefix_ : "";
    name.append(word.substr(begin, end - begin));
    if (suffixed) name.append(suffix_);
    return vocabulary_.trie().find(name);
  }

  // The ids of the bytes of an unknown character, where the vocabulary has them all.
  bool add_bytes(std::string_view character, std::vector<ModelScratch::Symbol>& symbols) const {
    const std::size_t first = symbols.size();
    for (const char byte : character) {
      const auto id = vocabulary_.id(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte)));
      if (!id) {
        symbols.resize(first);
        return false;
      }
      symbols.push_back({*id, 0, 0, 1});
    }
    return true;
  }

  void start_symbols(std::string_view word, std::vector<ModelScratch::Symbol>& symbols) const {
    symbols.clear();
    std::string name;
    std::uint32_t unknown_bytes = 0;  // waiting to be put out as one unknown token
    const auto flush = [&] {
      if (unknown_bytes > 0) symbols.push_back({*unknown_id_, 0, 0, unknown_bytes});
      unknown_bytes = 0;
    };
    for (std::size_t begin = 0; begin < word.size();) {
      check_cancelled();
      const std::size_t end = begin + text::character_bytes(word[begin]);
      const auto bytes = static_cast<std::uint32_t>(end - begin);
      const std::int32_t id = character_id(word, begin, end, name);
      const std::string_view character = word.substr(begin, bytes);
      const bool plain = (begin == 0 || prefix_.empty()) && (end < word.size() || suffix_.empty());
      if (id >= 0) {
        flush();
        symbols.push_back({id, 0, 0, bytes});
      } else if (byte_fallback_ && add_bytes(plain ? character : std::string_view(name), symbols)) {
        // Waiting unknowns stay waiting, as in the model this follows.
      } else if (unknown_id_) {
        if (!fuse_unknown_) flush();
        unknown_bytes += bytes;
      }
      begin = end;
    }
    flush();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      symbols[i].previous = static_cast<std::int32_t>(i) - 1;
      symbols[i].next = i + 1 < symbols.size() ? static_cast<std::int32_t>(i) + 1 : -1;
    }
  }

  void push_rule(std::int32_t left, ModelScratch& scratch) const {
    const ModelScratch::Symbol& symbol = scratch.symbols[static_cast<std::size_t>(left)];
    if (symbol.next < 0) return;
    const MergeRule* rule = rules_.find(symbol.id, scratch.symbols[static_cast<std::size_t>(symbol.next)].id);
    if (rule == nullptr) return;
    scratch.merges.push_back({rule->rank, static_cast<std::uint32_t>(left), rule->id});
    std::push_heap(scratch.merges.begin(), scratch.merges.end(), later);
  }

  static bool later(const ModelScratch::Merge& a, const ModelScratch::Merge& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.position > b.position;
  }

  void merge_symbols(ModelScratch& scratch) const {
    std::vector<ModelScratch::Symbol>& symbols = scratch.symbols;
    scratch.merges.clear();
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) push_rule(static_cast<std::int32_t>(i), scratch);
    while (!scratch.merges.empty()) {
      check_cancelled();
      const ModelScratch::Merge merge = scratch.merges.front();
      std::pop_heap(scratch.merges.begin(), scratch.merges.end(), later);
      scratch.merges.pop_back();
      ModelScratch::Symbol& left = symbols[merge.position];
      if (left.bytes == 0 || left.next < 0) continue;
      ModelScratch::Symbol& right = symbols[static_cast<std::size_t>(left.next)];
      const MergeRule* rule = rules_.find(left.id, right.id);
      if (rule == nullptr || rule->id != merge.id) continue;  // the neighbours have changed since
      left.id = merge.id;
      left.bytes += right.bytes;
      left.next = right.next;
      right.bytes = 0;
      if (left.next >= 0)
        symbols[static_cast<std::size_t>(left.next)].previous = static_cast<std::int32_t>(merge.position);
      if (left.previous >= 0) push_rule(left.previous, scratch);
      push_rule(static_cast<std::int32_t>(merge.position), scratch);
    }
  }

  Vocabulary vocabulary_;
  std::string prefix_;
  std::string suffix_;
  bool fuse_unknown_;
  bool byte_fallback_;
  bool ignore_merges_;
  std::optional<std::int32_t> unknown_id_;
  MergeTable rules_;
  std::array<std::int32_t, 512> characters_{};  // ids of the first characters, the byte alphabet among them
};

}  // namespace

std::unique_ptr<TokenModel> make_bpe(const json& component, const JsonPath& where) {
  return std::make_unique<Bpe>(component, where);
}

}  // namespace markeval::token
