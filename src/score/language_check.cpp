// Letters and frequent small words are counted per side; a warning follows where a metric or model does not
// read them.
#include "score/language_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "lexical/language_words.hpp"
#include "lexical/letters.hpp"
#include "text/utf8.hpp"

namespace markeval::score {
namespace {

using lexical::LanguageCounts;
using lexical::LetterCounts;
using metric::Reads;

struct TextSide {
  std::string name;
  std::vector<std::string_view> texts{};

  void add(const text::Corpus& file) { texts.insert(texts.end(), file.texts.begin(), file.texts.end()); }
};

/// The references together, then one system after the other. Columns of one file have its name, so that is
/// not used.
std::vector<TextSide> sides_of(const TextInputs& inputs) {
  std::vector<TextSide> sides{{"the references"}};
  for (const text::Corpus& file : inputs.references) sides.front().add(file);
  for (std::size_t system = 0; system < inputs.systems.size(); ++system) {
    sides.push_back({"system " + inputs.system_names[system]});
    sides.back().add(inputs.systems[system]);
  }
  return sides;
}

/// The option that tells words in such text, where the metric has one: "tokenize=zh takes ...; ".
std::string remedy(const metric::MetricInfo& info, bool chinese) {
  if (info.has_option("tokenize")) {
    return chinese ? "tokenize=zh takes every Chinese character for a word; "
                   : "tokenize=char takes every character for a word; ";
  }
  if (info.has_option("asian_support") && chinese)
    return "normalized=yes,asian_support=yes takes every Chinese character for a word; ";
  return "";
}

const char* word_for(Reads reads) {
  if (reads == Reads::ascii) return kReadsAscii;
  return reads == Reads::spaced ? kReadsSpaced : kReadsHan;
}

void append(std::vector<std::uint64_t>& counts, const LetterCounts& found) {
  counts.insert(counts.end(), {found.letters, found.ascii, found.han, found.unspaced, found.hangul});
}

LetterCounts letters_of(const TextSide& side, const RunContext& context) {
  std::vector<LetterCounts> sums(context.pool.size());  // one for each worker
  context.pool.for_each(side.texts.size(), [&](std::size_t text, std::size_t worker) {
    context.check_cancelled();
    sums[worker] += lexical::count_letters(side.texts[text]);
  });
  LetterCounts sum;
  for (const LetterCounts& part : sums) sum += part;
  return sum;
}

constexpr std::size_t kTextsRead = 1000;  ///< tell the language of a side as well as all of them
constexpr std::size_t kBytesRead = 4096;  ///< of each text

/// Texts spread over the whole side are enough: all of them would cost as much as BLEU.
LanguageCounts small_words_of(const TextSide& side) {
  LanguageCounts sum;
  const std::size_t step = std::max<std::size_t>(1, side.texts.size() / kTextsRead);
  for (std::size_t text = 0; text < side.texts.size(); text += step)
    sum += lexical::count_small_words(side.texts[text].substr(0, kBytesRead));
  return sum;
}

constexpr std::size_t kEnglishIndex = 0;    ///< among the languages
constexpr std::uint64_t kFewestWords = 40;  ///< fewer do not tell a language
constexpr double kSmallWordShare = 0.15;    ///< of the words of a text, at least

/// Which language the words are of; absent: it is not clear.
std::optional<std::size_t> language_of(const LanguageCounts& counts) {
  const auto most = std::ranges::max_element(counts.found);
  if (counts.words < kFewestWords ||
      static_cast<double>(*most) < kSmallWordShare * static_cast<double>(counts.words))
    return std::nullopt;
  return static_cast<std::size_t>(most - counts.found.begin());
}

/// By what English models are called; a name that is not known may be of any language.
bool reads_english_alone(std::string_view model) {
  static constexpr std::array<std::string_view, 20> kEnglish{"all-minilm",
                                                             "all-mpnet",
                                                             "all-distilroberta",
                                                             "all-roberta",
                                                             "bert-base-cased",
                                                             "bert-base-uncased",
                                                             "bert-large-cased",
                                                             "bert-large-uncased",
                                                             "roberta-base",
                                                             "roberta-large",
                                                             "distilbert-base-cased",
                                                             "distilbert-base-uncased",
                                                             "distilroberta",
                                                             "deberta-",
                                                             "mpnet-base",
                                                             "e5-small",
                                                             "e5-base",
                                                             "e5-large",
                                                             "gte-small",
                                                             "bge-small-en"};
  std::string name(model.substr(model.rfind('/') + 1));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name.find("multilingual") == std::string::npos &&
         std::ranges::any_of(kEnglish, [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

void warn_of_other_language(const TextInputs& inputs, const RunContext& context) {
  const std::vector<TextSide> sides = sides_of(inputs);
  const LanguageCounts references = small_words_of(sides.front());
  const auto expected = language_of(references);
  if (!expected) return;
  for (std::size_t i = 1; i < sides.size(); ++i) {
    const LanguageCounts system = small_words_of(sides[i]);
    const auto found = language_of(system);
    // Near languages share small words, so a language is another only where it has twice as many.
    if (!found || references.found[*expected] < 2 * references.found[*found] ||
        system.found[*found] < 2 * system.found[*expected])
      continue;
    context.find(
        {FindingKind::other,
         {fmt::format("{} looks {}, but the references look {}: is it the right file?", sides[i].name,
                      lexical::language_names()[*found], lexical::language_names()[*expected])},
         {}});
  }
}

void warn_of_unread_letters(const TextInputs& inputs, std::span<const Metric> requests,
                            std::span<const std::shared_ptr<const metric::LexicalMetric>> metrics,
                            const RunContext& context) {
  const auto reads_all = [](const auto& one) { return one == nullptr || one->reads() == Reads::all; };
  if (std::ranges::all_of(metrics, reads_all)) return;
  for (const TextSide& side : sides_of(inputs)) {
    std::vector<std::uint64_t> letters;
    append(letters, letters_of(side, context));
    for (std::size_t index = 0; index < requests.size(); ++index) {
      if (reads_all(metrics[index])) continue;
      const metric::MetricInfo& info = *requests[index].info;
      context.find({FindingKind::unread_letters,
                    {requests[index].text, side.name, word_for(metrics[index]->reads()), remedy(info, true),
                     remedy(info, false)},
                    letters});
    }
  }
}

namespace {

/// As sides_of() has them: all references, then the systems.
std::vector<embed::FileCounts> counts_of_sides(const embed::RunCounts& counts) {
  std::vector<embed::FileCounts> found(1);
  for (const embed::FileCounts& file : counts.references) found.front() += file;
  for (const embed::FileCounts& file : counts.systems) found.push_back(file);
  return found;
}

}  // namespace

void warn_of_unread_tokens(const TextInputs& inputs, const embed::RunCounts& counts, const std::string& model,
                           const RunContext& context) {
  const std::vector<embed::FileCounts> found = counts_of_sides(counts);
  const std::vector<TextSide> sides = sides_of(inputs);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    Finding finding{FindingKind::unread_tokens, {sides[i].name, model}, {}};
    for (const TextCounts* read : {&found[i].tokens, &found[i].sentences})
      finding.counts.insert(finding.counts.end(), {read->texts, read->unknown, read->tokens});
    append(finding.counts, letters_of(sides[i], context));
    context.find(finding);
    if (!reads_english_alone(model)) continue;
    const LanguageCounts words = small_words_of(sides[i]);
    const auto language = language_of(words);
    if (!language || words.found[*language] < 2 * words.found[kEnglishIndex]) continue;
    context.find(
        {FindingKind::other,
         {fmt::format("{}: the texts look {}, but {} was trained on English; a multilingual --model reads "
                      "them, and chrf needs no model",
                      sides[i].name, lexical::language_names()[*language], model)},
         {}});
  }
}

void warn_of_unread_words(const TextInputs& inputs, const embed::RunCounts& counts, const std::string& file,
                          const RunContext& context) {
  const std::vector<embed::FileCounts> found = counts_of_sides(counts);
  const std::vector<TextSide> sides = sides_of(inputs);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const TextCounts& read = found[i].tokens;
    context.find({FindingKind::unread_words,
                  {sides[i].name, file, "are left out"},
                  {read.unknown, read.tokens + read.cut_tokens}});
  }
}

void warn_of_cut_texts(const TextInputs& inputs, const embed::RunCounts& counts,
                       const EncoderOptions& options, const RunContext& context) {
  const std::string limit =
      options.max_length > 0 ? fmt::format("--max-length {}", options.max_length) : "the model takes";
  const auto look = [&](const std::string& name, const embed::FileCounts& file) {
    Finding finding{FindingKind::cut_texts, {name, limit}, {}};
    for (const TextCounts* cut : {&file.tokens, &file.sentences})
      finding.counts.insert(finding.counts.end(), {cut->cut_texts, cut->texts, cut->cut_tokens, cut->tokens});
    context.find(finding);
  };
  for (std::size_t file = 0; file < counts.references.size(); ++file)
    look(inputs.references[file].name, counts.references[file]);
  for (std::size_t system = 0; system < counts.systems.size(); ++system)
    look(inputs.systems[system].name, counts.systems[system]);
}

}  // namespace markeval::score
