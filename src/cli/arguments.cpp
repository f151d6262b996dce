// Registration of the commands, the help format, and answers to unknown commands and to options of other
// programs.
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "api/markeval.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/suggestion.hpp"
#include "cli/commands.hpp"
#include "cli/words.hpp"

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
constexpr std::string_view kSystems = "systems are given with -s";
constexpr std::string_view kNoTestSets = "test sets are not fetched; give the reference as a file";
constexpr std::string_view kHuman =
    "human scores are a column of a table: markeval correlate TABLE --gold COLUMN";
constexpr std::string_view kDigits = "digits after the point are --digits N";
constexpr std::string_view kScoreAlone = "the score alone is --format tsv";
constexpr std::string_view kTextByText = "scores of single texts are --segments";
constexpr std::string_view kIntervals = "intervals are --ci N, with the number of resamples (1000)";
constexpr std::string_view kResamples = "the number of resamples is --resamples N of markeval compare";
constexpr std::string_view kBootstrap = "markeval compare tests by the paired bootstrap; that is its default";
constexpr std::string_view kRandomisation = "that is markeval compare --test randomisation";
constexpr std::string_view kK = "k is an option of the metric: -m me:k=3";
constexpr std::string_view kTokenize = "it is an option of the metric: -m bleu:tokenize=zh";
constexpr std::string_view kLanguage = "choose how words are found by the metric: -m bleu:tokenize=zh";
constexpr std::string_view kSmooth = "it is an option of the metric: -m bleu:smooth=floor";
constexpr std::string_view kSmoothValue =
    "it is an option of the metric: -m bleu:smooth=floor,smooth_value=0.1";
constexpr std::string_view kWordOrder = "it is an option of the metric: -m chrf:word_order=2, or chrf++";
constexpr std::string_view kRescale = "it is an option of the metric: -m bertscore:rescale=FILE";
constexpr std::string_view kLayer = "it is an option of the metric: -m bertscore:layer=5";
constexpr std::string_view kBatches = "batches are chosen by the program; scores do not depend on them";
constexpr std::string_view kThreads = "that is --threads N";
constexpr std::string_view kCpu = "this program computes on the CPU";
constexpr std::string_view kDetails = "details of every metric are shown with --details";
constexpr std::string_view kUtf8 = "texts are UTF-8; iconv makes it of another encoding";
constexpr std::string_view kReferences = "several references are -r A -r B";
constexpr std::string_view kPlain = "no colours are printed";
constexpr Habit kHabits[] = {
    {"-i", kSystems},
    {"--input", kSystems},
    {"-c", kSystems},
    {"--cand", kSystems},
    {"--cands", kSystems},
    {"--predictions", kSystems},
    {"--human", kHuman},
    {"--humans", kHuman},
    {"--baseline", "the baseline of compare is the first system that -s names"},
    {"--output-format", "that is --format"},
    {"--out", "that is -o, --output FILE"},
    {"-w", kDigits},
    {"--width", kDigits},
    {"-b", kScoreAlone},
    {"--score-only", kScoreAlone},
    {"-sl", kTextByText},
    {"--sentence-level", kTextByText},
    {"--seg-level", kTextByText},
    {"--json", "that is --format json"},
    {"--tsv", "that is --format tsv"},
    {"-t", kNoTestSets},
    {"--test-set", kNoTestSets},
    {"-ol", kNoTestSets},
    {"--origlang", kNoTestSets},
    {"--subset", kNoTestSets},
    {"--echo", kNoTestSets},
    {"--download", kNoTestSets},
    {"--list", kNoTestSets},
    {"--cite", kNoTestSets},
    {"--force", "not needed: what looks like a mistake is a warning, not an error"},
    {"-nr", kReferences},
    {"--num-refs", kReferences},
    {"-e", kUtf8},
    {"--encoding", kUtf8},
    {"--paired-bs", kBootstrap},
    {"--paired-ar", kRandomisation},
    {"--paired-bs-n", kResamples},
    {"--paired-ar-n", kResamples},
    {"--paired-jobs", kThreads},
    {"-j", kThreads},
    {"--nthreads", kThreads},
    {"--ci", "compare always has intervals; the number of resamples is --resamples N"},
    {"-ci", kIntervals},
    {"--confidence", kIntervals},
    {"-cin", kIntervals},
    {"--confidence-n", kIntervals},
    {"--k", kK},
    {"-k", kK},
    {"--nearest-k", kK},
    {"--tokenize", kTokenize},
    {"-tok", kTokenize},
    {"-l", kLanguage},
    {"--langpair", kLanguage},
    {"--language-pair", kLanguage},
    {"--lang",
     "choose a model for the language with --model, and how words are found by the metric: -m "
     "bleu:tokenize=zh"},
    {"-lc", "it is an option of the metric: -m bleu:lowercase=yes"},
    {"--lowercase", "it is an option of the metric: -m bleu:lowercase=yes"},
    {"--smooth", kSmooth},
    {"--smooth-method", kSmooth},
    {"--bleu-smooth-method", kSmooth},
    {"-sv", kSmoothValue},
    {"--smooth-value", kSmoothValue},
    {"--bleu-smooth-value", kSmoothValue},
    {"--word-order", kWordOrder},
    {"--chrf-word-order", kWordOrder},
    {"--char-order", "it is an option of the metric: -m chrf:char_order=6"},
    {"--chrf-char-order", "it is an option of the metric: -m chrf:char_order=6"},
    {"--chrf-beta", "it is an option of the metric: -m chrf:beta=2"},
    {"--chrf-whitespace", "it is an option of the metric: -m chrf:whitespace=yes"},
    {"--chrf-lowercase", "it is an option of the metric: -m chrf:lowercase=yes"},
    {"--chrf-eps-smoothing", "it is an option of the metric: -m chrf:eps_smoothing=yes"},
    {"--ter-case-sensitive", "it is an option of the metric: -m ter:case_sensitive=yes"},
    {"--ter-asian-support", "it is an option of the metric: -m ter:asian_support=yes"},
    {"--ter-no-punct", "it is an option of the metric: -m ter:no_punct=yes"},
    {"--ter-normalized", "it is an option of the metric: -m ter:normalized=yes"},
    {"--use-stemmer", "it is an option of the metric: -m rouge1:stem=yes"},
    {"--rouge-types", "each is a metric: -m rouge1 rouge2 rougeL"},
    {"--idf", "it is an option of the metric: -m bertscore:idf=yes"},
    {"--layer", kLayer},
    {"--num-layers", kLayer},
    {"--rescale-with-baseline", kRescale},
    {"--baseline-path", kRescale},
    {"--model-type", "that is --model NAME"},
    {"--batch-size", kBatches},
    {"--gpu", kCpu},
    {"--gpus", kCpu},
    {"--html", "a page is written with --report FILE"},
    {"-d", kDetails},
    {"--verbose", kDetails},
    {"-v", "details of every metric are shown with --details; the version with --version"},
    {"-V", "the version is shown with --version"},
    {"--no-color", kPlain},
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

void refuse_habit(const std::string& word) {
  std::string spelled = word;  // bert_score has --num_layers
  std::replace(spelled.begin(), spelled.end(), '_', '-');
  const auto habit = std::ranges::find(kHabits, spelled, &Habit::word);
  if (habit != std::end(kHabits)) throw_usage(fmt::format("unknown option '{}': {}", word, habit->answer));
}

void require_no_leftovers(const CLI::App& command) {
  const std::vector<std::string> leftovers = command.remaining();
  if (leftovers.empty()) return;
  const std::string given = as_typed(leftovers.front()), word = given.substr(0, given.find('='));
  if (!word.starts_with("-") || word.starts_with("-:"))
    throw_usage(fmt::format("unexpected argument '{}'", word));
  const std::vector<std::string> options = option_names_of(command);
  refuse_habit(word);
  const auto close =
      word.size() > 2 ? closest_word(word, options) : std::nullopt;  // one letter is near to any
  throw_usage(fmt::format("unknown option '{}'{}", word,
                          close ? fmt::format("; did you mean '{}'?", *close)
                                : fmt::format("; 'markeval help {}' lists them", command.get_name())));
}

}  // namespace markeval::cli
