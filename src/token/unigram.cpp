// Unigram language model (Kudo 2018): the segmentation of highest total score, found by Viterbi from left to
// right.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/cancellation.hpp"
#include "text/utf8.hpp"
#include "token/json_fields.hpp"
#include "token/model.hpp"

namespace markeval::token {
namespace {

constexpr double kUnknownPenalty = 10.0;
constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

class Unigram : public TokenModel {
 public:
  Unigram(const json& component, const JsonPath& where)
      : byte_fallback_(read_bool(component, "byte_fallback", false, where)) {
    const json& entries = require_array(component, "vocab", where);
    double lowest = std::numeric_limits<double>::infinity();
    for (const json& entry : entries) {
      const auto id = static_cast<std::int32_t>(scores_.size());
      if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number()) {
        where.fail(fmt::format("vocab entry {} must be a piece and its score", id));
      }
      const double score = entry[1].get<double>();
      if (!std::isfinite(score)) where.fail(fmt::format("the score of vocab entry {} is not finite", id));
      vocabulary_.add(entry[0].get_ref<const std::string&>(), id, where);
      scores_.push_back(score);
      lowest = std::min(lowest, score);
    }
    unknown_score_ = lowest - kUnknownPenalty;
    if (find_field(component, "unk_id") == nullptr)
      where.fail("no 'unk_id': unknown characters would have no token");
    unknown_id_ = read_count(component, "unk_id", std::nullopt, where);
    if (static_cast<std::size_t>(unknown_id_) >= scores_.size()) {
      where.fail(fmt::format("unk_id is {}, but the vocabulary has {} entries", unknown_id_, scores_.size()));
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
      bytes_[byte] = vocabulary_.trie().find(fmt::format("<0x{:02X}>", byte));
    }
  }

  void tokenize(std::string_view word, ModelScratch& scratch, std::vector<Token>& out) const override {
    find_path(word, scratch.path);
    // From the end; neighbouring unknowns are one token.
    std::vector<Token>& reversed = scratch.reversed;
    reversed.clear();
    bool after_unknown = false;
    for (std::size_t end = word.size(); end > 0;) {
      const ModelScratch::PathNode& node = scratch.path[end];
      const bool unknown = node.id == unknown_id_;
      if (unknown && after_unknown) {
        reversed.back().begin = node.begin;
      } else {
        reversed.push_back({node.id, node.begin, static_cast<std::uint32_t>(end)});
      }
      after_unknown = unknown;
      end = node.begin;
    }
    for (auto token = reversed.rbegin(); token != reversed.rend(); ++token) {
      if (token->id != unknown_id_) {
        out.push_back(*token);
      } else {
        append_unknown(word, *token, out);
      }
    }
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<std::int32_t> unknown_id() const override { return unknown_id_; }

 private:
  void find_path(std::string_view word, std::vector<ModelScratch::PathNode>& path) const {
    const PieceTrie& trie = vocabulary_.trie();
    path.assign(word.size() + 1, {0.0, kUnreached, 0});
    const auto offer = [&](std::size_t begin, std::size_t end, std::int32_t id, double score) {
      ModelScratch::PathNode& node = path[end];
      const double total = score + path[begin].score;
      if (node.begin == kUnreached || total > node.score)
        node = {total, static_cast<std::uint32_t>(begin), id};
    };
    for (std::size_t begin = 0; begin < word.size();) {
      check_cancelled();
      const std::size_t next = begin + text::character_bytes(word[begin]);
      bool covered = false;  // by a piece of just this character
      std::uint32_t node = PieceTrie::kRoot;
      for (std::size_t end = begin; end < word.size();) {
        node = trie.child(node, word[end]);
        if (node == PieceTrie::kNowhere) break;
        ++end;
        const std::int32_t id = trie.value(node);
        if (id == PieceTrie::kNoValue) continue;
        offer(begin, end, id, scores_[static_cast<std::size_t>(id)]);
        covered = covered || end == next;
      }
      if (!covered) offer(begin, next, unknown_id_, unknown_score_);
      begin = next;
    }
  }

  void append_unknown(std::string_view word, const Token& token, std::vector<Token>& out) const {
    const std::string_view piece = word.substr(token.begin, token.end - token.begin);
    const std::int32_t id = vocabulary_.trie().find(piece);
    if (id != PieceTrie::kNoValue) {
      out.push_back({id, token.begin, token.end});
      return;
    }
    const bool spelled = byte_fallback_ && std::all_of(piece.begin(), piece.end(), [&](char byte) {
                           return bytes_[static_cast<unsigned char>(byte)] >= 0;
                         });
    if (!spelled) {
      out.push_back({unknown_id_, token.begin, token.end});
      return;
    }
    for (const char byte : piece)
      out.push_back({bytes_[static_cast<unsigned char>(byte)], token.begin, token.end});
  }

  Vocabulary vocabulary_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  std::int32_t unknown_id_ = 0;
  bool byte_fallback_;
  std::array<std::int32_t, 256> bytes_{};
};

}  // namespace

std::unique_ptr<TokenModel> make_unigram(const json& component, const JsonPath& where) {
  return std::make_unique<Unigram>(component, where);
}

std::unique_ptr<TokenModel> make_model(const json& component, const JsonPath& where) {
  std::string type = read_string(component, "type", "", where);
  if (type.empty()) {  // files of before 2020 leave it out
    type = find_field(component, "merges") != nullptr                      ? "BPE"
           : find_field(component, "continuing_subword_prefix") != nullptr ? "WordPiece"
           : find_field(component, "unk_id") != nullptr                    ? "Unigram"
                                                                           : "";
    if (type.empty()) where.fail("no field 'type'");
  }
  if (type == "WordPiece") return make_wordpiece(component, where / type);
  if (type == "BPE") return make_bpe(component, where / type);
  if (type == "Unigram") return make_unigram(component, where / type);
  fail_unknown_type(type, {"WordPiece", "BPE", "Unigram"}, where);
}

}  // namespace markeval::token
