#include <fmt/format.h>

#include <limits>
#include <memory>

#include "api/markeval.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/output_check.hpp"
#include "cli/score_options.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  markeval score -r reference.npy -s good.npy -s poor.npy -m me\n"
    "  markeval score -r reference.npy -s mine=run7.npy -m me:k=3 -m prdc -m fid --format json -o "
    "scores.json\n"
    "  markeval score -r reference.npy -s mine.npy -m me --explain outside.json\n"
    "  markeval score -r refs.txt -s mine=out.txt -s other=base.txt -m bleu -m chrf --ci 1000\n"
    "  markeval score -r refs.txt -s out.txt -m me:k=3 -m bertscore -m chrf\n"
    "  markeval score -r refs.tsv:ref -s refs.tsv:hyp -m me:samples=word,scope=segment --segments\n\n"
    "`markeval metrics` lists the metrics and their options.";

// "good=runs/7.npy" -> name and file; a path with a folder before the '=' is a path.
Input parse_system(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || text.find('/') < equals) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void run_score(const ScoreOptions& options) {
  ScoreRequest request = score_request(options);
  const Settings settings = evaluator_settings(options);
  request.explain = !options.explain.empty();
  request.page = !options.report.empty();
  request.segments = options.segments;
  if (!options.ci.empty()) request.resamples = parse_number("--ci", options.ci, 2, 10'000'000);
  check_files(options, request);

  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  Evaluator evaluator(settings);
  const Report report = evaluator.score(request, &terminal, &interrupted);
  if (request.page) write_results(options.report, report.html(command_words()));
  if (request.explain) write_results(options.explain, report.explanation_json());
  write_report(options.output, options.format, report);
}

}  // namespace

Settings evaluator_settings(const ScoreOptions& options) {
  Settings settings;
  settings.threads = options.threads.empty() ? 0 : parse_number("--threads", options.threads, 1, 4096);
  settings.device = options.device;
  return settings;
}

ScoreRequest score_request(const ScoreOptions& options) {
  if (options.references.empty()) throw_usage("no reference given, expected -r FILE");
  if (options.systems.empty()) throw_usage("no system given, expected -s FILE or -s NAME=FILE");
  if (options.metrics.empty()) throw_usage("no metric given, expected -m NAME, for example -m me");
  require_choice("--format", options.format, {"text", "json", "tsv"});
  require_choice("--device", options.device, {"cpu", "cuda"});
  require_choice("--compat", options.compat, {"none", "prdc"});
  ScoreRequest request;
  std::size_t streams = 0;
  for (const std::string& file : options.references) streams += file == "-" ? 1 : 0;
  for (const std::string& file : options.systems) streams += file == "-" || file.ends_with("=-") ? 1 : 0;
  if (streams > 1)
    throw_usage(fmt::format("standard input can be given once, but {} inputs are '-'", streams));
  request.seed = parse_number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  request.metrics = options.metrics;
  request.clamp_k = options.clamp_k;
  request.compat = options.compat;
  request.encoder = parse_encoder_options(options.encoder);
  request.replace_invalid = options.replace_invalid;
  for (const std::string& file : options.references) request.references.push_back({"", file});
  for (const std::string& text : options.systems) request.systems.push_back(parse_system(text));
  return request;
}

void check_files(const ScoreOptions& options, const ScoreRequest& request) {
  std::vector<NamedPath> inputs = metric_files(options.metrics), outputs{{"-o", options.output}};
  for (const std::string& file : options.references) inputs.push_back({"-r", file});
  for (const Input& system : request.systems) inputs.push_back({"-s", std::get<std::string>(system.source)});
  if (!options.report.empty()) outputs.push_back({"--report", options.report});
  if (!options.explain.empty()) outputs.push_back({"--explain", options.explain});
  check_outputs(outputs, inputs);
}

void add_input_options(CLI::App& app, ScoreOptions& given) {
  CLI::App* command = &app;
  ScoreOptions* options = &given;
  const auto repeated = [&](const char* names, std::vector<std::string>& values, const char* type,
                            const char* what) {
    command->add_option(names, values, what)->type_name(type)->allow_extra_args(false);
  };
  repeated(
      "-r,--reference", options->references, "FILE",
      "Reference: text, .tsv:COLUMN, .csv:COLUMN, .jsonl:FIELD or vectors .npy (.gz, - for standard input); "
      "repeated: several "
      "references per segment, or one set of all");
  repeated("-s,--system", options->systems, "[NAME=]FILE",
           "What a system made, as the reference; repeated: one result for each");
  repeated("-m,--metric", options->metrics, "METRIC", "me, prdc:k=3, ...; repeated: all of them in one pass");
  command->add_flag("--clamp-k", options->clamp_k, "Let k shrink where a set has too few rows");
  command->add_option("--compat", options->compat, "prdc: open balls, as the package of that name (none)")
      ->type_name("none|prdc");
  command->add_option("--seed", options->seed, "For everything random (12345)")->type_name("N");
  command->add_option("--threads", options->threads, "How many (all cores)")->type_name("N");
  command->add_option("--device", options->device, "Where to compute (cpu)")->type_name("cpu|cuda");
  add_encoder_options(*command, options->encoder);
  command->add_flag("--replace-invalid", options->replace_invalid,
                    "Replace invalid UTF-8 instead of failing (texts)");
}

void add_score_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("score", "Texts or vectors in, scores out");
  const auto options = std::make_shared<ScoreOptions>();
  add_input_options(*command, *options);
  command
      ->add_option("--explain", options->explain, "Write what stands behind the scores to this file (JSON)")
      ->type_name("FILE");
  add_report_option(*command, options->report);
  command
      ->add_option("--ci", options->ci,
                   "95 % intervals from N bootstrap resamples; set metrics: from N splits in halves")
      ->type_name("N");
  command->add_flag("--segments", options->segments, "Also the score of every segment (texts)");
  add_common_options(*command, *options, {"text", "json", "tsv"});
  command->footer(kExamples);
  command->callback([command, options] {
    require_no_leftovers(*command);
    run_score(*options);
  });
}

}  // namespace markeval::cli
