// Registration of the commands, the help format, and answers to unknown commands and to options of other
// programs.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "api/markeval.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/suggestion.hpp"
#include "cli/commands.hpp"

namespace markeval::cli {
namespace {

std::vector<std::string>& remembered_words() {
  static std::vector<std::string> words;
  return words;
}

std::vector<std::string> option_names_of(const CLI::App& command) {
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    for (const std::string& name : option->get_snames()) options.push_back("-" + name);
  }
  return options;
}

/// Help without the empty line that CLI11 leaves for options that are taken but not listed.
class HelpFormatter : public CLI::Formatter {
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string help = Formatter::make_help(app, std::move(name), mode);
    const std::size_t twice = help.find("\n\n\n");
    return twice == std::string::npos ? help : help.erase(twice, 1);
  }
};

/// Words of other programs, and what they are called here.
struct Habit {
  std::string_view word, answer;
};
constexpr std::array kHabits{
    Habit{"-i", "systems are given with -s"},
    Habit{"--input", "systems are given with -s"},
    Habit{"--human", "human scores are given with --gold COLUMN"},
    Habit{"--humans", "human scores are given with --gold COLUMN"},
    Habit{"--baseline", "the baseline of compare is the first system that -s names"},
    Habit{"--output-format", "that is --format"},
    Habit{"--out", "that is -o, --output FILE"},
    Habit{"-w", "digits after the point are --digits N"},
    Habit{"--width", "digits after the point are --digits N"},
    Habit{"-b", "the score alone is --format tsv"},
    Habit{"--score-only", "the score alone is --format tsv"},
    Habit{"--json", "that is --format json"},
    Habit{"--tsv", "that is --format tsv"},
    Habit{"-t", "test sets are not fetched; give the reference as a file"},
    Habit{"--test-set", "test sets are not fetched; give the reference as a file"},
    Habit{"--paired-bs", "markeval compare tests by the paired bootstrap; that is its default"},
    Habit{"--paired-ar", "that is markeval compare --test randomisation"},
    Habit{"--ci", "compare always has intervals; the number of resamples is --resamples N"},
    Habit{"--confidence", "intervals are --ci N, with the number of resamples (1000)"},
    Habit{"--k", "k is an option of the metric: -m me:k=3"},
    Habit{"-k", "k is an option of the metric: -m me:k=3"},
    Habit{"--tokenize", "it is an option of the metric: -m bleu:tokenize=zh"},
    Habit{"-tok", "it is an option of the metric: -m bleu:tokenize=zh"},
    Habit{"-l", "choose how words are found by the metric: -m bleu:tokenize=zh"},
    Habit{"--language-pair", "choose how words are found by the metric: -m bleu:tokenize=zh"},
    Habit{"--lang",
          "choose a model for the language with --model, and how words are found by the metric: "
          "-m bleu:tokenize=zh"},
    Habit{"-lc", "it is an option of the metric: -m bleu:lowercase=yes"},
    Habit{"--lowercase", "it is an option of the metric: -m bleu:lowercase=yes"},
    Habit{"--word-order", "it is an option of the metric: -m chrf:word_order=2, or chrf++"},
    Habit{"--chrf-word-order", "it is an option of the metric: -m chrf:word_order=2, or chrf++"},
    Habit{"--idf", "it is an option of the metric: -m bertscore:idf=yes"},
    Habit{"--layer", "it is an option of the metric: -m bertscore:layer=5"},
    Habit{"--num-layers", "it is an option of the metric: -m bertscore:layer=5"},
    Habit{"--rescale-with-baseline", "it is an option of the metric: -m bertscore:rescale=FILE"},
    Habit{"--batch-size", "batches are chosen by the program; scores do not depend on them"},
    Habit{"--gpu", "this program computes on the CPU"},
    Habit{"--html", "a page is written with --report FILE"},
    Habit{"--verbose", "details of every metric are shown with --details"},
    Habit{"-v", "details of every metric are shown with --details; the version with --version"},
};

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() {
  return std::make_shared<HelpFormatter>();
}

bool is_metric(const std::string& word) {
  const std::vector<std::string> names = metric_names();
  return std::ranges::find(names, word) != names.end();
}

void refuse_files_among_metrics(const std::vector<std::string>& metrics) {
  for (const std::string& word : metrics) {
    if (is_ordinary_file(word) && !is_metric(word))
      throw_usage(fmt::format("{0} is a file, but all words after -m are metrics: put {0} before -m", word));
  }
}

const std::vector<std::string>& command_words() {
  return remembered_words();
}

std::string how_to_go_on() {
  const std::vector<std::string>& words = remembered_words();
  return words.size() > 1 && words[1] == "train" ? "; the same words with --resume go on" : "";
}

void add_commands(CLI::App& app, std::string_view first_word) {
  const auto is_named = [&](const Command& command) { return command.name == first_word; };
  const bool one = std::any_of(std::begin(kCommands), std::end(kCommands), is_named);
  for (const Command& command : kCommands) {
    if (!one || is_named(command)) command.add(app);
  }
}

void require_known_command(const CLI::App& app, int argc, const char* const* argv) {
  remembered_words().assign(argv, argv + argc);
  if (argc > 0) remembered_words().front() = "markeval";  // wherever it is installed
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
  }
  if (argc < 2) return;
  const bool help = std::string_view(argv[1]) == "help";
  if (help && argc == 2) return;
  const std::string word = argv[help ? 2 : 1];
  if (word == "version" || word == "-v") return;
  if (word.starts_with("-")) {
    const std::vector<std::string> options = option_names_of(app);
    if (std::ranges::find(options, word) == options.end()) {
      throw_usage(fmt::format("unknown option '{}'{} (options of a command come after it)", word,
                              suggestion(word, options)));
    }
  } else if (std::ranges::find(commands, word) == commands.end() && !(help && is_metric(word))) {
    throw_usage(fmt::format("unknown command '{}'{}", word, suggestion(word, commands)));
  }
}

void require_no_leftovers(const CLI::App& command) {
  const std::vector<std::string> leftovers = command.remaining();
  if (leftovers.empty()) return;
  const std::string word = leftovers.front().substr(0, leftovers.front().find('='));
  if (!word.starts_with("-")) throw_usage(fmt::format("unexpected argument '{}'", word));
  const std::vector<std::string> options = option_names_of(command);
  const auto habit = std::ranges::find(kHabits, word, &Habit::word);
  if (habit != kHabits.end()) throw_usage(fmt::format("unknown option '{}': {}", word, habit->answer));
  const auto close =
      word.size() > 2 ? closest_word(word, options) : std::nullopt;  // one letter is near to any
  throw_usage(fmt::format("unknown option '{}'{}", word,
                          close ? fmt::format("; did you mean '{}'?", *close)
                                : fmt::format("; 'markeval help {}' lists them", command.get_name())));
}

}  // namespace markeval::cli
