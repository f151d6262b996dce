// markeval: how good is generated text? Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by the user.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

#include "api/markeval.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/words.hpp"

namespace {

int complain(const std::string& message, int exit_code) {
  std::fprintf(stderr, "markeval: %s\n", message.c_str());
  return exit_code;
}

/// Some functions of libraries promise not to throw and yet ask for memory. Where there is none, the program
/// ends here, with a sentence like everywhere else.
[[noreturn]] void give_up() {
  std::string_view sentence = "markeval: a library gave up, most likely for want of memory\n";
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    sentence = "markeval: not enough memory\n";
  } catch (...) {
    std::abort();  // a mistake of ours: with all that the system can tell about it
  }
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, sentence.data(), sentence.size());
  ::_exit(1);
}

int run(int argc, char** argv) {
  CLI::App app("markeval: how good is generated text?", "markeval");
  app.set_version_flag("-V,--version", "markeval " + std::string(markeval::version()), "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.footer("`markeval help COMMAND` tells more about a command. Manual: docs/cli.md");
  for (const auto add_command : markeval::cli::kCommands) add_command(app);
  if (argc < 2) return complain("no command given\n\n" + app.help(), 2);
  try {
    markeval::cli::require_known_command(app, argc, argv);
    std::vector<std::string> words = markeval::cli::checked_words(app, argc, argv);
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(std::move(words));
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      const int code = app.exit(error);
      std::cout.flush();
      return std::cout ? code : complain("standard output: cannot write", 1);
    }
    return complain(error.what(), 2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(give_up);
  try {
    return run(argc, argv);
  } catch (const markeval::Error& error) {
    switch (error.code()) {
      case markeval::ErrorCode::usage:
        return complain(error.what(), 2);
      case markeval::ErrorCode::cancelled:
        return complain(error.what() + markeval::cli::how_to_go_on(), 130);
      default:
        return complain(error.what(), 1);
    }
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", 1);
  } catch (const std::exception& error) {
    return complain(std::string("unexpected failure: ") + error.what(), 1);
  }
}
