#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include "base/json.hpp"
#include "fuzz/fuzz.hpp"
#include "text/utf8.hpp"
#include "token/tokenizer.hpp"

namespace {

using namespace markeval;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

nlohmann::json golden_document(const std::string& name) {
  return nlohmann::json::parse(read(std::string(MARKEVAL_TOKEN_GOLDEN) + "/" + name + ".json"))
      .at("tokenizer");
}

token::Tokenizer golden(const std::string& name) {
  return token::Tokenizer::from_json(golden_document(name).dump(), name);
}

/// WordPiece of plain ASCII, written as its paper tells it: words at white space and punctuation, the longest
/// piece first, "[UNK]" for a word that cannot be made of pieces or is longer than `longest`.
std::vector<std::int32_t> plain_wordpiece(const token::Tokenizer& tokenizer, const std::string& text,
                                          std::size_t longest) {
  std::vector<std::int32_t> ids;
  const auto add_word = [&](const std::string& word) {
    std::vector<std::int32_t> pieces;
    for (std::size_t begin = 0; begin < word.size();) {
      std::size_t end = word.size();
      std::optional<std::int32_t> id;
      for (; end > begin && !id; --end)
        id = tokenizer.id((begin > 0 ? "##" : "") + word.substr(begin, end - begin));
      if (!id || word.size() > longest) {
        pieces = {*tokenizer.id("[UNK]")};
        break;
      }
      pieces.push_back(*id);
      begin = end + 1;
    }
    ids.insert(ids.end(), pieces.begin(), pieces.end());
  };
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) add_word(word);
    word.clear();
  };
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r') {  // BERT drops other controls
      flush();
    } else if (std::ispunct(byte) != 0) {
      flush();
      add_word(std::string(1, letter));
    } else if (byte >= 0x20 && byte < 0x7F) {
      word += static_cast<char>(std::tolower(byte));
    }
  }
  flush();
  return ids;
}

void check(const token::Tokenizer& tokenizer, std::string_view text, std::size_t limit) {
  static token::TokenizerScratch scratch;
  static token::Encoding encoding;
  tokenizer.encode(text, limit, scratch, encoding);
  fuzz::require(encoding.ids.size() <= limit, "more tokens than the limit");
  fuzz::require(
      encoding.offsets.size() == encoding.ids.size() && encoding.words.size() == encoding.ids.size(),
      "lists of unequal length");
  for (std::size_t token = 0; token < encoding.ids.size(); ++token) {
    const auto& range = encoding.offsets[token];
    fuzz::require(range.begin <= range.end && range.end <= text.size(), "an offset outside the text");
    fuzz::require(static_cast<std::size_t>(encoding.ids[token]) < tokenizer.id_limit(),
                  "an id beyond the limit");
  }
  token::PackedBatch batch;
  const auto counts = tokenizer.append(text, limit, scratch, batch);
  fuzz::require(std::ranges::equal(batch.ids, encoding.ids), "append and encode disagree");
  fuzz::require(counts.cut_tokens == encoding.counts.cut_tokens && counts.unknown == encoding.counts.unknown,
                "counts disagree");
}

}  // namespace

// Any bytes, made valid, through one tokenizer of each kind; ASCII also through a plain WordPiece.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<token::Tokenizer> tokenizers = [] {
    std::vector<token::Tokenizer> all;
    for (const char* name :
         {"wordpiece_uncased", "wordpiece_accents", "byte_bpe_prefix", "byte_bpe_split", "bpe_continuing",
          "unigram_words", "unigram_quotes", "added_tokens", "forms_nfkc"})
      all.push_back(golden(name));
    return all;
  }();
  static const token::Tokenizer wordpiece = golden("wordpiece_uncased");
  static const std::size_t longest =
      golden_document("wordpiece_uncased").at("model").at("max_input_chars_per_word").get<std::size_t>();
  fuzz::Input input(data, size);
  const std::size_t limit = 8 + input.byte();
  std::string text;
  text::append_replacing_invalid(input.rest(), text);
  for (const auto& tokenizer : tokenizers) fuzz::answer_or_error([&] { check(tokenizer, text, limit); });
  const bool plain =
      std::ranges::all_of(text, [](char letter) { return letter > 0 && letter != '[' && letter != ']'; });
  if (!plain) return 0;
  static token::TokenizerScratch scratch;
  token::Encoding encoding;
  wordpiece.encode(text, token::kNoLimit, scratch, encoding);
  std::vector<std::int32_t> found;
  for (std::size_t token = 0; token < encoding.ids.size(); ++token)
    if (encoding.special[token] == 0) found.push_back(encoding.ids[token]);
  fuzz::require(found == plain_wordpiece(wordpiece, text, longest),
                "another answer than the plain WordPiece");
  return 0;
}
