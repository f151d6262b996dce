#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.hpp"
#include "base/suggestion.hpp"

namespace markeval::cli {
namespace {

std::vector<std::string>& remembered_words() {
  static std::vector<std::string> words;
  return words;
}

}  // namespace

const std::vector<std::string>& command_words() {
  return remembered_words();
}

std::string how_to_go_on() {
  const std::vector<std::string>& words = remembered_words();
  return words.size() > 1 && words[1] == "train" ? "; the same words with --resume go on" : "";
}

void add_common_options(CLI::App& command, CommonOptions& options, const std::vector<std::string>& formats) {
  std::string choices;
  for (const std::string& format : formats) choices += (choices.empty() ? "" : "|") + format;
  command.add_option("--format", options.format, "How to write the results (text)")->type_name(choices);
  command
      .add_option("-o,--output", options.output,
                  "Write the results here, whole or not at all (standard output)")
      ->type_name("FILE");
  command.add_flag("-q,--quiet", options.quiet, "No progress, no warnings");
  command.allow_extras();  // require_no_leftovers answers them
}

void add_report_option(CLI::App& command, std::string& file) {
  command.add_option("--report", file, "Write a page with charts to this file (HTML)")->type_name("FILE");
}

void add_encoder_options(CLI::App& command, EncoderWords& options) {
  const auto add = [&](const char* name, std::string& value, const char* type, const char* what) {
    command.add_option(name, value, what)->type_name(type);
  };
  add("--model", options.model, "NAME|FOLDER", "Whose vectors texts get (all-MiniLM-L6-v2)");
  add("--max-length", options.max_length, "N", "Tokens of a text, specials included (the model's limit)");
  add("--long", options.long_text, "truncate|window",
      "Longer texts: cut, or in overlapping windows (truncate)");
  add("--precision", options.precision, "f32|bf16", "Of the matrix products (f32)");
  add("--cache", options.cache, "DIR|none",
      "Where vectors are kept ($MARKEVAL_CACHE, else ~/.cache/markeval)");
}

EncoderOptions parse_encoder_options(const EncoderWords& words) {
  require_choice("--precision", words.precision, {"f32", "bf16"});
  require_choice("--long", words.long_text, {"truncate", "window"});
  EncoderOptions options;
  options.model = words.model;
  options.precision = words.precision;
  options.windows = words.long_text == "window";
  options.cache = words.cache;
  if (!words.max_length.empty())
    options.max_length = parse_number("--max-length", words.max_length, 3, 1'000'000);
  return options;
}

void require_known_command(const CLI::App& app, int argc, const char* const* argv) {
  remembered_words().assign(argv, argv + argc);
  if (argc > 0) remembered_words().front() = "markeval";  // wherever it is installed
  std::vector<std::string> commands, options;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
  }
  for (const CLI::Option* option : app.get_options()) {
    options.push_back("--" + option->get_lnames().front());
    for (const std::string& name : option->get_snames()) options.push_back("-" + name);
  }
  if (argc < 2) return;
  const bool help = std::string_view(argv[1]) == "help";
  if (help && argc == 2) return;
  const std::string word = argv[help ? 2 : 1];
  if (word.starts_with("-")) {
    if (std::find(options.begin(), options.end(), word) == options.end()) {
      throw_usage(fmt::format("unknown option '{}'{} (options of a command come after it)", word,
                              suggestion(word, options)));
    }
  } else if (std::find(commands.begin(), commands.end(), word) == commands.end()) {
    throw_usage(fmt::format("unknown command '{}'{}", word, suggestion(word, commands)));
  }
}

void require_no_leftovers(const CLI::App& command) {
  const std::vector<std::string> leftovers = command.remaining();
  if (leftovers.empty()) return;
  const std::string word = leftovers.front().substr(0, leftovers.front().find('='));
  if (!word.starts_with("-")) throw_usage(fmt::format("unexpected argument '{}'", word));
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    for (const std::string& name : option->get_snames()) options.push_back("-" + name);
  }
  throw_usage(fmt::format("unknown option '{}'{}", word, suggestion(word, options)));
}

std::uint64_t parse_number(const std::string& option, const std::string& text, std::uint64_t minimum,
                           std::uint64_t maximum) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value < minimum || value > maximum) {
    throw_usage(
        fmt::format("{} '{}', expected a whole number from {} to {}", option, text, minimum, maximum));
  }
  return value;
}

void require_choice(const std::string& option, const std::string& value,
                    const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  throw_usage(fmt::format("unknown {} '{}'{}", option, value, suggestion(value, choices)));
}

}  // namespace markeval::cli
