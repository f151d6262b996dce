#include <limits>
#include <memory>

#include "api/markeval.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/output_check.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct BaselineOptions {
  std::string input;
  std::string output;
  EncoderWords encoder;
  std::string pairs = "2000";
  std::string seed = "12345";
  std::string threads;
  bool replace_invalid = false;
  bool quiet = false;
};

void run_baseline(const BaselineOptions& options) {
  if (options.input.empty()) throw_usage("no text given, expected markeval baseline FILE[:COLUMN]");
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  Settings settings;
  settings.threads = options.threads.empty() ? 0 : parse_number("--threads", options.threads, 1, 4096);
  BaselineRequest request;
  request.texts = {"", options.input};
  request.pairs = parse_number("--pairs", options.pairs, 1, 100'000'000);
  request.seed = parse_number("--seed", options.seed, 0, kMost);
  request.encoder = parse_encoder_options(options.encoder);
  request.replace_invalid = options.replace_invalid;
  const std::vector<NamedPath> outputs{{"-o", options.output}}, inputs{{"INPUT", options.input}};
  check_outputs(outputs, inputs);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  Evaluator evaluator(settings);
  write_results(options.output, evaluator.baseline(request, &terminal, &interrupted));
}

}  // namespace

void add_baseline_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("baseline", "Texts in, a baseline file for bertscore:rescale=FILE out");
  const auto options = std::make_shared<BaselineOptions>();
  command->add_option("input", options->input, "Any text of the language: FILE[:COLUMN]")->type_name("INPUT");
  command->add_option("-o,--output", options->output, "Write to this file, whole or not at all")
      ->type_name("FILE");
  command->add_option("--pairs", options->pairs, "Random pairs of different lines (2000)")->type_name("N");
  add_encoder_options(*command, options->encoder);
  command->add_option("--seed", options->seed, "For the pairs (12345)")->type_name("N");
  command->add_option("--threads", options->threads, "How many (all cores)")->type_name("N");
  command->add_flag("--replace-invalid", options->replace_invalid,
                    "Replace invalid UTF-8 instead of refusing it");
  command->add_flag("--quiet", options->quiet, "Say nothing but errors");
  command->callback([command, options] {
    require_no_leftovers(*command);
    run_baseline(*options);
  });
}

}  // namespace markeval::cli
