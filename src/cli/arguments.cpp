#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
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

void require_choice(const std::string& option, const std::string& value,
                    const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  throw_usage(fmt::format("unknown {} '{}'{}", option, value, suggestion(value, choices)));
}

}  // namespace markeval::cli
