// `markeval baseline`: scores of unrelated texts, for bertscore:rescale=FILE.
#include <memory>

#include "api/markeval.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct BaselineOptions {
  BaselineRequest request;
  Settings settings;
  std::string input;
  std::string output;
  bool quiet = false;
};

void run_baseline(BaselineOptions& options) {
  if (options.input.empty()) throw_usage("no text given, expected markeval baseline FILE[:COLUMN]");
  options.request.texts = {"", options.input};
  const std::vector<NamedPath> outputs{{"-o", options.output}}, inputs{{"INPUT", options.input}};
  check_outputs(outputs, inputs, options.request.encoder.model);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  Evaluator evaluator(options.settings);
  write_results(options.output, evaluator.baseline(options.request, &terminal, &interrupted));
}

}  // namespace

void add_baseline_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("baseline", "Texts in, a baseline file for bertscore:rescale=FILE out");
  const auto options = std::make_shared<BaselineOptions>();
  std::vector<Field> fields{
      Field{"input", &options->input, "INPUT", "Any text of the language: FILE[:COLUMN]"}.as("input"),
      Field{"output", &options->output, "FILE", "Write to this file, whole or not at all"}.as("-o,--output")};
  add_fields(fields, fields_of(options->request));
  add_fields(fields, {fields_of(options->settings).front()}, "replace_invalid");  // --threads
  add_fields(fields, {{"quiet", &options->quiet, "", "Print errors only"}});
  run_when_chosen(*command, fields, [options] { run_baseline(*options); });
}

}  // namespace markeval::cli
