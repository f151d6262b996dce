// `markeval metrics`: a list of all metrics, or one metric in detail.
#include <memory>

#include "api/markeval.hpp"
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
      app.add_subcommand("metrics", "What can be computed; of one metric: results, options, paper");
  const auto options = std::make_shared<MetricsOptions>();
  std::vector<Field> fields{
      Field{"names", &options->names, "", "These only (all)"}.as("NAME").of_several_words()};
  add_fields(fields, fields_of(*options, "text|json"));
  run_when_chosen(*command, fields, [options] {
    choose_format(*options);
    check_outputs(std::vector<NamedPath>{{"-o", options->output}}, {});
    const bool all = options->names.empty();
    if (options->format == "json") {
      write_results(options->output, describe_as_json(all ? metric_names() : options->names));
    } else {
      write_results(options->output, all ? metrics_overview() : describe_as_text(options->names));
    }
  });
}

}  // namespace markeval::cli
