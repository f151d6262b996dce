// `markeval limits`: a table of all limits and of the variables that change them.
#include <fmt/format.h>

#include "base/limits.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace markeval::cli {

void add_limits_command(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("limits", "The limits on files and downloads, and how to change them");
  command->set_help_flag("-h,--help", "Print this help");
  command->footer(
      "A variable of the environment changes a limit: MARKEVAL_MAX_LINE=1G markeval score ...\n"
      "Manual: docs/background/security.md");
  command->callback([command] {
    require_no_leftovers(*command);
    std::string table = fmt::format("{:<10}  {:<29}  {}\n", "limit", "variable", "of what");
    for (const LimitInfo& info : all_limits())
      table += fmt::format("{:<10}  {:<29}  {}\n", shown_limit(info.limit), info.variable, info.what);
    write_results("-", table);
  });
}

}  // namespace markeval::cli
