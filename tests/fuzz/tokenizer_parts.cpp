#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "fuzz/fuzz.hpp"
#include "text/utf8.hpp"
#include "token/tokenizer.hpp"

namespace {

using namespace markeval;
using nlohmann::json;

/// Parts of a tokenizer as the bytes choose them: each is right for itself, together they need not be.
class Parts {
 public:
  explicit Parts(fuzz::Input& input) : input_(input) {}

  json tokenizer() {
    json root{{"version", "1.0"}, {"model", model()}};
    root["normalizer"] = sequence("normalizers", [&] { return normalizer(); });
    root["pre_tokenizer"] = sequence("pretokenizers", [&] { return pre_tokenizer(); });
    root["post_processor"] = template_parts();
    root["added_tokens"] = json::array();
    for (int count = input_.byte() % 4; count > 0; --count) root["added_tokens"].push_back(added_token());
    return root;
  }

 private:
  std::string word() {
    static constexpr std::array kWords{"a",      " ",  "  ", "aa", "ab",     "\u00e9",
                                       "\u2581", "##", "b",  ".",  "\u0301", "[CLS]"};
    return kWords[input_.byte() % kWords.size()];
  }
  bool flag() { return input_.byte() % 2 == 1; }

  template <typename Make>
  json sequence(const char* key, const Make& make) {
    json parts = json::array();
    for (int count = input_.byte() % 40; count > 0; --count) parts.push_back(make());
    return {{"type", "Sequence"}, {key, parts}};
  }

  json pattern() {
    static constexpr std::array kExpressions{
        R"(\s+)",     R"(a(?=[^b]*$))", R"(\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+)",
        R"((?<=a)b)", R"([^\s]{2,})",   R"((?:a|aa)+b)"};
    const std::uint8_t choice = input_.byte();
    if (choice % 2 == 0) return {{"String", word()}};
    return {{"Regex", kExpressions[choice / 2 % kExpressions.size()]}};
  }

  json normalizer() {
    static constexpr std::array kPlain{"NFC",       "NFD",          "NFKC", "NFKD",
                                       "Lowercase", "StripAccents", "Nmt",  "ByteLevel"};
    const std::size_t choice = input_.byte() % 12;
    if (choice < kPlain.size()) return {{"type", kPlain[choice]}};
    if (choice == 8) return {{"type", "Strip"}, {"strip_left", flag()}, {"strip_right", flag()}};
    if (choice == 9) return {{"type", "Prepend"}, {"prepend", word()}};
    if (choice == 10) return {{"type", "Replace"}, {"pattern", pattern()}, {"content", word() + word()}};
    return {{"type", "BertNormalizer"},
            {"clean_text", flag()},
            {"handle_chinese_chars", flag()},
            {"lowercase", flag()}};
  }

  json pre_tokenizer() {
    static constexpr std::array kPlain{"BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation"};
    static constexpr std::array kBehaviors{"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext",
                                           "Contiguous"};
    const std::size_t choice = input_.byte() % 9;
    if (choice < kPlain.size()) return {{"type", kPlain[choice]}};
    if (choice == 4) return {{"type", "ByteLevel"}, {"add_prefix_space", flag()}, {"use_regex", flag()}};
    if (choice == 5)
      return {{"type", "Metaspace"}, {"replacement", flag() ? "\u2581" : " "}, {"split", flag()}};
    if (choice == 6) return {{"type", "Digits"}, {"individual_digits", flag()}};
    if (choice == 7) return {{"type", "CharDelimiterSplit"}, {"delimiter", flag() ? "a" : " "}};
    return {{"type", "Split"},
            {"pattern", pattern()},
            {"behavior", kBehaviors[input_.byte() % kBehaviors.size()]},
            {"invert", flag()}};
  }

  json template_parts() {
    json single = json::array();
    for (int count = input_.byte() % 6; count > 0; --count) {
      const std::size_t choice = input_.byte() % 5;
      if (choice < 2)
        single.push_back({{"Sequence", {{"id", choice == 0 ? "A" : "B"}, {"type_id", 0}}}});
      else
        single.push_back({{"SpecialToken", {{"id", choice == 2 ? "[CLS]" : "[SEP]"}, {"type_id", 0}}}});
    }
    json many = json::array();
    for (int count = input_.byte() % 9; count > 0; --count) many.push_back(2);
    json specials{{"[CLS]", {{"id", "[CLS]"}, {"ids", json::array({1})}, {"tokens", {"[CLS]"}}}}};
    specials["[SEP]"] = {{"id", "[SEP]"}, {"ids", many}, {"tokens", json::array()}};
    return {{"type", "TemplateProcessing"}, {"single", single}, {"special_tokens", specials}};
  }

  json added_token() {
    return {{"id", 0},          {"content", word()},    {"single_word", flag()}, {"lstrip", flag()},
            {"rstrip", flag()}, {"normalized", flag()}, {"special", flag()}};
  }

  json model() {
    const std::array<std::string, 12> pieces{"[UNK]", "[CLS]", "[SEP]", "a",      "b",       "ab",
                                             "##a",   "##b",   "aa",    "\u2581", "\u2581a", "\u00e9"};
    const std::size_t kind = input_.byte() % 3;
    json vocabulary = kind == 2 ? json::array() : json::object();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (kind == 2)
        vocabulary.push_back({pieces[i], -1.0 - static_cast<double>(i)});
      else
        vocabulary[pieces[i]] = i;
    }
    if (kind == 2)
      return {{"type", "Unigram"}, {"vocab", vocabulary}, {"unk_id", 0}, {"byte_fallback", flag()}};
    if (kind == 1) {
      json bpe{{"type", "BPE"}, {"vocab", vocabulary}, {"merges", {"a b", "a a"}}, {"fuse_unk", flag()}};
      if (flag()) bpe["unk_token"] = "[UNK]";
      return bpe;
    }
    return {{"type", "WordPiece"},
            {"vocab", vocabulary},
            {"unk_token", "[UNK]"},
            {"continuing_subword_prefix", "##"},
            {"max_input_chars_per_word", 1 + 50 * (input_.byte() % 3)}};
  }

  fuzz::Input& input_;
};

}  // namespace

// A tokenizer put together from known parts, from the template to the normalisers, used on the rest of the
// input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool bounded = ::setenv("MARKEVAL_MAX_NORMALIZED", "100K", 1) == 0;
  fuzz::require(bounded, "no limit");
  fuzz::Input input(data, size);
  const std::size_t limit = 1 + input.byte() % 64;
  const std::string described = Parts(input).tokenizer().dump();
  std::string text;
  text::append_replacing_invalid(input.rest(), text);
  fuzz::answer_or_error([&] {
    const auto tokenizer = token::Tokenizer::from_json(described, "tokenizer.json");
    token::TokenizerScratch scratch;
    token::Encoding encoding;
    tokenizer.encode(text, limit, scratch, encoding);
    fuzz::require(encoding.ids.size() <= limit, "more tokens than the limit");
    fuzz::require(encoding.ids.size() == encoding.offsets.size() &&
                      encoding.ids.size() == encoding.words.size() &&
                      encoding.ids.size() == encoding.special.size(),
                  "lists of unequal length");
    const auto specials = std::ranges::count(encoding.special, 1);
    fuzz::require(static_cast<std::size_t>(specials) == tokenizer.special_count(),
                  "another number of special tokens");
    std::size_t runs = 0;  // of tokens of the text: rows are cut and joined as if there were one
    for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
      runs += encoding.special[i] == 0 && (i == 0 || encoding.special[i - 1] != 0);
      fuzz::require(encoding.ids[i] >= 0 && static_cast<std::size_t>(encoding.ids[i]) < tokenizer.id_limit(),
                    "an id beyond the limit");
      fuzz::require(
          encoding.offsets[i].begin <= encoding.offsets[i].end && encoding.offsets[i].end <= text.size(),
          "an offset outside the text");
    }
    fuzz::require(runs <= 1, "special tokens inside the text");
    token::PackedBatch batch;
    tokenizer.append(text, limit, scratch, batch);
    fuzz::require(std::ranges::equal(batch.ids, encoding.ids), "append and encode disagree");
  });
  return 0;
}
