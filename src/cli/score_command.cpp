#include <fmt/format.h>

#include <memory>

#include "api/markeval.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
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

void run_score(ScoreOptions& options) {
  complete_request(options);
  ScoreRequest& request = options.request;
  request.explain = !options.explain.empty();
  request.page = !options.report.empty();
  check_files(options);

  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  Evaluator evaluator(options.settings);
  const Report report = evaluator.score(request, &terminal, &interrupted);
  if (request.page) write_results(options.report, report.html(command_words()));
  if (request.explain) write_results(options.explain, report.explanation_json());
  write_report(options.output, options.format, report);
}

}  // namespace

std::vector<Field> score_fields(ScoreOptions& options) {
  std::vector<Field> fields{Field{"references", &options.references, "FILE",
                                  "Reference: text, .tsv:COLUMN, .csv:COLUMN, .jsonl:FIELD or vectors .npy "
                                  "(.gz, - for standard input); "
                                  "repeated: several references per segment, or one set of all"}
                                .as("-r,--reference"),
                            Field{"systems", &options.systems, "[NAME=]FILE",
                                  "What a system made, as the reference; repeated: one result for each"}
                                .as("-s,--system")};
  add_fields(fields, fields_of(options.request));
  add_fields(fields, fields_of(options.settings), "model");
  return fields;
}

void complete_request(ScoreOptions& options) {
  ScoreRequest& request = options.request;
  if (options.references.empty()) throw_usage("no reference given, expected -r FILE");
  if (options.systems.empty()) throw_usage("no system given, expected -s FILE or -s NAME=FILE");
  if (request.metrics.empty()) throw_usage("no metric given, expected -m NAME, for example -m me");
  std::size_t streams = 0;
  for (const std::string& file : options.references) streams += file == "-" ? 1 : 0;
  for (const std::string& file : options.systems) streams += file == "-" || file.ends_with("=-") ? 1 : 0;
  if (streams > 1)
    throw_usage(fmt::format("standard input can be given once, but {} inputs are '-'", streams));
  for (const std::string& file : options.references) request.references.push_back({"", file});
  for (const std::string& text : options.systems) request.systems.push_back(parse_system(text));
}

void check_files(const ScoreOptions& options) {
  std::vector<NamedPath> inputs = metric_files(options.request.metrics), outputs{{"-o", options.output}};
  for (const std::string& file : options.references) inputs.push_back({"-r", file});
  for (const Input& system : options.request.systems)
    inputs.push_back({"-s", std::get<std::string>(system.source)});
  if (!options.report.empty()) outputs.push_back({"--report", options.report});
  if (!options.explain.empty()) outputs.push_back({"--explain", options.explain});
  check_outputs(outputs, inputs);
}

void add_score_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("score", "Texts or vectors in, scores out");
  const auto options = std::make_shared<ScoreOptions>();
  std::vector<Field> fields = score_fields(*options);
  const Field explain{"explain", &options->explain, "FILE",
                      "Write what stands behind the scores to this file (JSON)"};
  add_fields(fields, {explain, report_field(options->report)}, "resamples");
  add_fields(fields, fields_of(*options));
  command->footer(kExamples);
  command->callback([command, options, given = RequestOptions(*command, fields)] {
    require_no_leftovers(*command);
    given.read();
    run_score(*options);
  });
}

}  // namespace markeval::cli
