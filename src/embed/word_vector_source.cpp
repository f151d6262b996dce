#include "embed/word_vector_source.hpp"

#include <algorithm>
#include <cassert>
#include <unordered_set>

namespace markeval::embed {
namespace {

/// The word, and its parts between inner punctuation, each as it is and in lower case.
void add_spellings(std::string_view word, std::unordered_set<std::string>& wanted) {
  const auto add = [&](std::string_view part) {
    wanted.emplace(part);
    wanted.insert(lower_case(part));
  };
  for (std::size_t begin = 0; begin < word.size();) {
    std::size_t end = begin;
    while (end < word.size() && !is_punctuation(word.substr(end, 1))) ++end;
    add(word.substr(begin, end - begin));
    begin = end + 1;
  }
  add(word);
}

StaticVectors load_words_of(const std::string& file, std::span<const text::Corpus> references,
                            std::span<const text::Corpus> systems) {
  std::unordered_set<std::string> wanted;
  for (const auto files : {references, systems}) {
    for (const text::Corpus& corpus : files) {
      for (const std::string& text : corpus.texts) {
        for (const WordSpan& span : split_words(text))
          add_spellings(std::string_view(text).substr(span.begin, span.end - span.begin), wanted);
      }
    }
  }
  return StaticVectors::load(file, &wanted);
}

}  // namespace

WordVectorSource::WordVectorSource(const std::string& file, std::span<const text::Corpus> references,
                                   std::span<const text::Corpus> systems, std::size_t limit)
    : WordVectorSource(load_words_of(file, references, systems), file.substr(file.find_last_of('/') + 1),
                       limit) {}

WordVectorSource::WordVectorSource(StaticVectors vectors, std::string name, std::size_t limit)
    : vectors_(std::move(vectors)), name_(std::move(name)), limit_(limit) {}

std::vector<std::pair<std::string, std::string>> WordVectorSource::signature() {
  return {{"embeddings", name_}, {"unknown", "skip"}};
}

StaticTokens WordVectorSource::tokens(std::string_view text, std::size_t& cut) const {
  StaticTokens found = static_tokens(vectors_, text, true);
  cut = found.rows.size() > limit_ ? found.rows.size() - limit_ : 0;
  found.rows.resize(found.rows.size() - cut);
  found.spans.resize(found.rows.size());
  return found;
}

std::vector<TokenIds> WordVectorSource::token_ids(std::span<const std::string_view> texts,
                                                  const RunContext& context) {
  std::vector<TokenIds> found(texts.size());
  context.pool.for_each(texts.size(), [&](std::size_t text, std::size_t) {
    std::size_t cut = 0;
    StaticTokens words = tokens(texts[text], cut);
    found[text].counts = TextCounts::of_text(words.rows.size(), cut, words.unknown);
    found[text].ids = std::move(words.rows);
  });
  return found;
}

EncodedTexts WordVectorSource::encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                                      const TokenNeed& /*need*/, const RunContext& context) {
  assert(request.sentences.empty() && request.layers == std::vector<std::size_t>{0});
  EncodedTexts out(texts, request, width());
  context.pool.for_each(out.distinct(), [&](std::size_t place, std::size_t) {
    EncodedTexts::TextEntry& entry = out.entry(place);
    std::size_t cut = 0;
    const StaticTokens found = tokens(entry.text, cut);
    entry.tokens.ids = found.rows;
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      entry.tokens.facts.push_back({vectors_.word(found.rows[i]), false, true});
      entry.tokens.offsets.push_back({found.spans[i].begin, found.spans[i].end});
    }
    entry.counts = TextCounts::of_text(found.rows.size(), cut, found.unknown);
  });
  out.allocate();
  context.pool.for_each(out.distinct(), [&](std::size_t place, std::size_t) {
    const std::vector<std::int32_t>& rows = out.entry(place).tokens.ids;
    const MatrixView<float> states = out.states(place, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto vector = vectors_.vectors().row(static_cast<std::size_t>(rows[i]));
      std::copy(vector.begin(), vector.end(), states.row(i).begin());
    }
  });
  return out;
}

}  // namespace markeval::embed
