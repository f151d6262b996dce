#include <memory>

#include "api/markeval.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"

namespace markeval::cli {
namespace {

struct MetricsOptions : CommonOptions {
  std::vector<std::string> names;
};

}  // namespace

void add_metrics_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("metrics", "What can be computed: names, results, options, defaults, papers");
  const auto options = std::make_shared<MetricsOptions>();
  std::vector<Field> fields{
      Field{"names", &options->names, "", "These only (all)"}.as("NAME").of_several_words()};
  add_fields(fields, fields_of(*options, "text|json"));
  command->callback([command, options, given = RequestOptions(*command, fields)] {
    require_no_leftovers(*command);
    given.read();
    check_outputs(std::vector<NamedPath>{{"-o", options->output}}, {});
    const std::vector<std::string> names = options->names.empty() ? metric_names() : options->names;
    write_results(options->output,
                  options->format == "json" ? describe_as_json(names) : describe_as_text(names));
  });
}

}  // namespace markeval::cli
