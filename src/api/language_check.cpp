#include "api/language_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "lexical/letters.hpp"
#include "text/utf8.hpp"

namespace markeval {
namespace {

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

/// A count for every text, added up; each worker has its own sum.
template <typename Count, typename OfText>
Count add_up(const TextSide& side, const RunContext& context, OfText&& of_text) {
  std::vector<Count> sums(context.pool.size());
  context.pool.for_each(side.texts.size(), [&](std::size_t text, std::size_t worker) {
    context.check_cancelled();
    sums[worker] += of_text(side.texts[text], worker);
  });
  Count sum;
  for (const Count& part : sums) sum += part;
  return sum;
}

bool has_option(const metric::MetricInfo& info, std::string_view name) {
  return std::any_of(info.options.begin(), info.options.end(),
                     [&](const metric::OptionSpec& option) { return option.name == name; });
}

/// The option that tells words in such text, where the metric has one: "tokenize=zh takes ...; ".
std::string remedy(const metric::MetricInfo& info, const LetterCounts& found) {
  const bool chinese = found.unspaced * 5 < found.han;  // else Japanese, Thai, ...
  if (has_option(info, "tokenize")) {
    return chinese ? "tokenize=zh takes every Chinese character for a word; "
                   : "tokenize=char takes every character for a word; ";
  }
  if (has_option(info, "asian_support") && chinese)
    return "normalized=yes,asian_support=yes takes every Chinese character for a word; ";
  return "";
}

/// Empty where the metric can read the text.
std::string complaint(const metric::MetricRequest& request, Reads reads, const TextSide& side,
                      const LetterCounts& found) {
  if (reads == Reads::ascii && (found.letters - found.ascii) * 2 > found.letters) {
    return fmt::format(
        "{}: {} of {} letters of {} are dropped, since ROUGE counts a to z only; chrf reads every script",
        request.text, found.letters - found.ascii, found.letters, side.name);
  }
  if (reads == Reads::all || reads == Reads::ascii) return "";
  const std::size_t joined = found.unspaced + (reads == Reads::spaced ? found.han : 0);
  if (joined * 2 <= found.letters) return "";
  return fmt::format(
      "{}: {} of {} letters of {} are of a script without blanks between words, so whole phrases are taken "
      "for "
      "one word; {}chrf needs no words",
      request.text, joined, found.letters, side.name, remedy(*request.info, found));
}

LetterCounts letters_of(const TextSide& side, const RunContext& context) {
  return add_up<LetterCounts>(
      side, context, [](std::string_view text, std::size_t) { return lexical::count_letters(text); });
}

/// Mostly in a script whose words have several letters, and not Latin: Cyrillic, Greek, Arabic, ... A model
/// that knows it has longer pieces than one letter. Accents make a letter of Latin text none of a to z, too,
/// but never of most letters.
bool is_foreign(const LetterCounts& found) {
  return (found.letters - found.ascii - found.han - found.unspaced - found.hangul) * 2 > found.letters;
}

}  // namespace

void warn_of_unread_letters(const TextInputs& inputs, std::span<const metric::MetricRequest> requests,
                            std::span<const std::shared_ptr<const metric::LexicalMetric>> metrics,
                            const RunContext& context) {
  if (std::all_of(metrics.begin(), metrics.end(), [](const auto& one) { return one->reads() == Reads::all; }))
    return;
  for (const TextSide& side : sides_of(inputs)) {
    const auto found = add_up<LetterCounts>(
        side, context, [](std::string_view text, std::size_t) { return lexical::count_letters(text); });
    for (std::size_t index = 0; index < requests.size(); ++index) {
      const std::string message = complaint(requests[index], metrics[index]->reads(), side, found);
      if (!message.empty()) context.warn(message);
    }
  }
}

void warn_of_unread_tokens(const TextInputs& inputs, const embed::RunCounts& counts, const std::string& model,
                           const RunContext& context) {
  const auto read = [](const embed::FileCounts& file) {
    return file.tokens.texts > 0 ? file.tokens : file.sentences;
  };
  std::vector<TextCounts> found(1);  // as sides_of() has them: all references, then the systems
  for (const embed::FileCounts& file : counts.references) found.front() += read(file);
  for (const embed::FileCounts& file : counts.systems) found.push_back(read(file));
  const std::vector<TextSide> sides = sides_of(inputs);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const auto letters = letters_of(sides[i], context);
    std::string fault;
    if (found[i].unknown * 100 > found[i].tokens) {
      fault = fmt::format("{} of {} tokens ({:.0f} %) are unknown to {}", found[i].unknown, found[i].tokens,
                          100 * static_cast<double>(found[i].unknown) / static_cast<double>(found[i].tokens),
                          model);
    } else if (is_foreign(letters) && letters.letters * 2 < found[i].tokens * 3) {
      fault = fmt::format("{} spells these texts almost letter by letter, {} letters in {} tokens", model,
                          letters.letters, found[i].tokens);
    } else {
      continue;
    }
    context.warn(fmt::format(
        "{}: {}; a --model for the language of the texts, or a multilingual one, may serve better, "
        "and chrf needs no model",
        sides[i].name, fault));
  }
}

void warn_of_cut_texts(const TextInputs& inputs, const embed::RunCounts& counts,
                       const EncoderOptions& options, const RunContext& context) {
  const auto warn = [&](const std::string& name, const embed::FileCounts& file) {
    const TextCounts& cut = file.tokens.cut_texts > 0 ? file.tokens : file.sentences;
    if (cut.cut_texts == 0) return;
    const double share =
        static_cast<double>(cut.cut_tokens) / static_cast<double>(cut.tokens + cut.cut_tokens);
    context.warn(fmt::format(
        "{}: {} of {} texts are longer than {} and were cut ({:.0f} % of all tokens); --long window "
        "reads them whole",
        name, cut.cut_texts, cut.texts,
        options.max_length > 0 ? fmt::format("--max-length {}", options.max_length) : "the model takes",
        100 * share));
  };
  for (std::size_t file = 0; file < counts.references.size(); ++file)
    warn(inputs.references[file].name, counts.references[file]);
  for (std::size_t system = 0; system < counts.systems.size(); ++system)
    warn(inputs.systems[system].name, counts.systems[system]);
}

}  // namespace markeval
