// `markeval score`: texts or vectors are scored against references. `markeval compare` shares its options.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "api/markeval.hpp"
#include "api/presets.hpp"
#include "base/paths.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/score_options.hpp"
#include "cli/terminal.hpp"
#include "text/corpus.hpp"

namespace markeval::cli {
namespace {

constexpr const char* kScoreExamples =
    "Examples:\n"
    "  markeval score -r reference.npy -s good.npy -s poor.npy -m me\n"
    "  markeval score -r reference.npy -s mine=run7.npy -m me:k=3 -m prdc -m fid --format json -o "
    "scores.json\n"
    "  markeval score -r reference.npy -s mine.npy -m me --explain outside.json\n"
    "  markeval score refs.txt out.txt\n"
    "  markeval score -r refs.txt -s mine=out.txt other=base.txt -m bleu chrf --ci 1000\n"
    "  markeval score -r refs.txt -s out.txt -m bleu,bertscore.f1 -m words=me:samples=word\n"
    "  markeval score -r refs.tsv:ref -s refs.tsv:hyp -m me:samples=word,scope=segment --segments\n\n"
    "`markeval metrics` lists the metrics and their options.";

bool holds_vectors(const std::string& file) {
  return file.ends_with(".npy") || file.ends_with(".npy.gz");
}

/// Files without an option before them: the reference, unless -r names one, then systems.
void place_files(ScoreOptions& options) {
  auto next = options.files.begin();
  if (options.references.empty() && next != options.files.end()) options.references.push_back(*next++);
  options.systems.insert(options.systems.end(), next, options.files.end());
}

// "good=runs/7.npy" -> name and file; a path with a folder before the '=' is a path.
Input parse_system(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || text.find('/') < equals) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Where a file is missing the error says so, and what is said before would only stand in its way.
bool are_there(const ScoreOptions& options) {
  std::vector<std::string> files = options.references;
  for (const std::string& system : options.systems)
    files.push_back(std::get<std::string>(parse_system(system).source));
  return std::ranges::all_of(files, [](const std::string& file) {
    const std::string path = text::InputSpec::split(file).path;
    return path == "-" || path_exists(path);
  });
}

/// -m "bleu,chrf" is -m bleu -m chrf. Without any metric a preset is taken, and said.
void choose_metrics(ScoreOptions& options, Observer& observer) {
  std::vector<Metric>& metrics = options.request.metrics;
  const bool vectors = std::ranges::all_of(options.systems, holds_vectors);
  if (options.preset.empty() && options.metrics.empty()) {
    options.preset = vectors ? "lm" : "quick";
    if (are_there(options))
      observer.info(fmt::format("no metric given, so --preset {}; others: markeval help {}, markeval metrics",
                                options.preset, command_words().at(1)));
  }
  std::vector<std::string> chosen;
  if (!options.preset.empty()) chosen = preset_metrics(options.preset, options.request.encoder.model);
  if (vectors) std::erase_if(chosen, [](const std::string& one) { return one.ends_with(":samples=word"); });
  metrics.assign(chosen.begin(), chosen.end());
  for (const std::string& metric : split_metrics(options.metrics)) {
    if (std::ranges::find(chosen, metric) != chosen.end()) continue;
    if (!is_metric(metric) && is_ordinary_file(metric + "/model.safetensors"))
      throw_usage(fmt::format("unknown metric '{0}', but a folder of that name is here: -m match:weights={0}",
                              metric));
    const auto named = [&](const Preset& one) { return one.name == metric; };
    if (!is_metric(metric) && std::ranges::any_of(presets(), named))
      throw_usage(fmt::format("'{0}' is a preset: --preset {0}", metric));
    metrics.emplace_back(metric);
  }
}

void run_score(ScoreOptions& options) {
  choose_format(options, &options.report);
  Terminal terminal(options.quiet);
  complete_request(options, terminal);
  ScoreRequest& request = options.request;
  request.explain = !options.explain.empty();
  request.page = !options.report.empty();
  // A file that is half of what was asked for would pass for the whole.
  request.ceiling = true;
  request.keep_finished = is_standard_output(options.output) && !request.page && !request.explain;
  check_files(options);

  const std::atomic<bool>& interrupted = catch_interrupts();
  Evaluator evaluator(options.settings);
  const Report report = evaluator.score(request, &terminal, &interrupted);
  const FinishScope finishing;
  if (request.page) write_results(options.report, report.html(command_words()));
  if (request.explain) write_results(options.explain, report.explanation_json());
  write_report(options.output, options.format, report, options.text);
  require_all_metrics(report);
}

}  // namespace

std::vector<Field> score_fields(ScoreOptions& options) {
  std::vector<Field> fields{
      Field{"files", &options.files, "", "The reference, then systems, without -r and -s"}
          .as("FILES")
          .of_several_words(),
      Field{"references", &options.references, "FILE",
            "Reference: text, .tsv:COLUMN, .csv:COLUMN, .jsonl:FIELD or vectors .npy "
            "(.gz, - for standard input); "
            "several with -s: more references for each segment, or one larger set"}
          .as("-r,--reference"),
      Field{"systems", &options.systems, "[NAME=]FILE",
            "Output of a system, in a file as -r takes it; several files: several systems"}
          .as("-s,--system")
          .of_several_words()};
  add_fields(fields, fields_of(options.request));
  for (Field& field : fields) {
    if (field.name == "metrics") field.target = &options.metrics;
  }
  add_fields(fields,
             {Field{"preset", &options.preset, "mt|summary|lm|quick", "Metrics for a task (quick: bleu chrf)"}
                  .one_of_words()},
             "clamp_k");
  add_fields(fields, fields_of(options.settings), "model");
  add_fields(fields,
             fields_of(static_cast<CommonOptions&>(options), "text|json|tsv|csv|markdown|latex|html"));
  add_fields(fields,
             {Field{"details", &options.text.details, "",
                    "All results of every metric, not only the main one (text)"},
              Field{"signatures", &options.text.signatures, "",
                    "Print every signature, not only how many there are (text)"},
              Field{"digits", &options.text.digits, "N", "Digits after the point (as the intervals support)"}
                  .between(0, 15)},
             "output");
  return fields;
}

void complete_request(ScoreOptions& options, Observer& observer) {
  ScoreRequest& request = options.request;
  place_files(options);
  refuse_files_among_metrics(split_metrics(options.metrics));
  if (options.references.empty()) throw_usage("no reference given, expected -r FILE");
  if (options.systems.empty())
    throw_usage("no system given, expected -s FILE or -s NAME=FILE; - is standard input");
  choose_metrics(options, observer);
  for (const std::string& file : options.references) request.references.push_back({"", file});
  for (const std::string& text : options.systems) request.systems.push_back(parse_system(text));
}

void check_files(const ScoreOptions& options) {
  std::vector<NamedPath> inputs = metric_files(options.request.metrics), outputs;
  if (options.format != "html") outputs.push_back({"-o", options.output});
  for (const std::string& file : options.references) inputs.push_back({"-r", file});
  for (const Input& system : options.request.systems)
    inputs.push_back({"-s", std::get<std::string>(system.source)});
  if (!options.report.empty()) outputs.push_back({"--report", options.report});
  if (!options.explain.empty()) outputs.push_back({"--explain", options.explain});
  check_outputs(outputs, inputs, options.request.encoder.model);
}

void add_score_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("score", "Texts or vectors in, scores out");
  const auto options = std::make_shared<ScoreOptions>();
  std::vector<Field> fields = score_fields(*options);
  const Field explain =
      Field{"explain", &options->explain, "FILE", "Write what stands behind the scores to this file (JSON)"}
          .naming_a_file();
  add_fields(fields, {explain, report_field(options->report)}, "resamples");
  command->footer(kScoreExamples);
  run_when_chosen(*command, fields, [options] { run_score(*options); });
}

}  // namespace markeval::cli
