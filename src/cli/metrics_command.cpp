#include <memory>

#include "api/markeval.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace markeval::cli {

void add_metrics_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("metrics", "What can be computed: names, results, options, defaults, papers");
  const auto options = std::make_shared<CommonOptions>();
  add_common_options(*command, *options, {"text", "json"});
  command->callback([command, options] {
    require_no_leftovers(*command);
    require_choice("--format", options->format, {"text", "json"});
    write_results(options->output,
                  options->format == "json" ? describe_metrics_as_json() : describe_metrics_as_text());
  });
}

}  // namespace markeval::cli
