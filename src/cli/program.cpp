// Makes the commands of the program, reads the words of the command line and turns every error into an exit
// code.
#include "cli/program.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "api/markeval.hpp"
#include "cli/arguments.hpp"
#include "cli/interrupt.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"

namespace markeval::cli {
namespace {

int complain(const std::string& message, int exit_code) {
  say("markeval: " + message);
  return exit_code;
}

int run(int argc, char** argv) {
  CLI::App app("markeval: how good is generated text?", "markeval");
  app.formatter(help_formatter());
  app.set_version_flag("-V,--version", "markeval " + std::string(version()), "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.footer("`markeval help COMMAND` explains a command. Manual: docs/reference/cli.md");
  add_commands(app, argc < 2 ? "" : argv[1]);
  if (argc < 2) return say_lines("markeval: no command given\n\n" + app.help()), 2;
  try {
    require_known_command(app, argc, argv);
    const std::vector<std::string> words = checked_words(app, argc, argv);
    app.parse(std::vector(words.rbegin(), words.rend()));  // the last first, as CLI11 wants them
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return complain(error.what(), 2);
    app.exit(error);  // --help, --version
    return std::cout.flush() ? 0 : complain("standard output: cannot write", 1);
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  end_with_a_sentence();
  ignore_file_size_signal();
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) return complain(error.what() + how_to_go_on(), 130);
    return complain(error.what(), error.code() == ErrorCode::usage ? 2 : 1);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory", 1);
  } catch (const std::exception& error) {
    return complain(std::string("unexpected failure: ") + error.what(), 1);
  }
}

}  // namespace markeval::cli
