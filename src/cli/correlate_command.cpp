#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

#include "api/correlate.hpp"
#include "base/suggestion.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/output_check.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct CorrelateOptions : CommonOptions {
  CorrelateRequest request;
  std::vector<std::string> coefficients;
  EncoderWords encoder;
  std::string report;
  std::string threads, seed = "12345", resamples = "10000", gold_threshold, tie_threshold, min_rows;
};

constexpr const char* kExamples =
    "Examples:\n"
    "  markeval correlate scores.tsv --gold human --predicted bleu --predicted chrf --group lp\n"
    "  markeval correlate scores.jsonl.gz --gold human --predicted a --predicted b --test perm-both --format "
    "json\n"
    "  markeval correlate scores.tsv --gold human --predicted bleu --system system --level system\n\n"
    "Coefficients: pearson, spearman, kendall (tau-b), kendall-c, kendall-like, accuracy, soft-accuracy.\n"
    "Manual: docs/correlate.md";

double parse_threshold(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0) {
    throw_usage(fmt::format("{} '{}', expected a number of 0 or more", option, text));
  }
  return value;
}

void check_usage(const CorrelateOptions& options) {
  const CorrelateRequest& request = options.request;
  if (request.table.empty())
    throw_usage("no table given, expected markeval correlate TABLE --gold COLUMN ...");
  if (request.gold.empty()) throw_usage("no human scores given, expected --gold COLUMN");
  const bool texts = !request.reference.empty() || !request.hypothesis.empty() || !request.metrics.empty();
  if (request.predicted.empty() && !texts) {
    throw_usage(
        "no metric scores given, expected --predicted COLUMN, or --ref COLUMN --hyp COLUMN -m METRIC");
  }
  if (!request.predicted.empty() && texts) {
    throw_usage("expected either --predicted COLUMN, or --ref COLUMN --hyp COLUMN -m METRIC, not both");
  }
  if (texts && (request.reference.empty() || request.hypothesis.empty() || request.metrics.empty())) {
    throw_usage("expected all three of --ref COLUMN, --hyp COLUMN and -m METRIC");
  }
  if (!request.lower_is_better.empty() && request.test.empty())
    throw_usage("--lower-is-better changes the test only, expected --test too");
  for (const std::string& column : request.lower_is_better) {
    if (texts)
      throw_usage("--lower-is-better is for columns of --predicted: of -m METRIC the program knows it");
    if (std::find(request.predicted.begin(), request.predicted.end(), column) == request.predicted.end())
      throw_usage(fmt::format("--lower-is-better '{}' is no column of --predicted{}", column,
                              suggestion(column, request.predicted)));
  }
  require_choice("--format", options.format, {"text", "json", "tsv"});
  require_choice("--level", request.level, {"segment", "system"});
  if (request.level == "system" && request.system.empty())
    throw_usage("--level system needs --system COLUMN");
}

void run_correlate(CorrelateOptions& options) {
  check_usage(options);
  constexpr auto kLargest = std::numeric_limits<std::uint64_t>::max();
  CorrelateRequest& request = options.request;
  if (!options.coefficients.empty()) request.coefficients = options.coefficients;
  request.seed = parse_number("--seed", options.seed, 0, kLargest);
  request.resamples = parse_number("--resamples", options.resamples, 1, 100'000'000);
  if (!options.gold_threshold.empty()) {
    request.gold_threshold = parse_threshold("--gold-threshold", options.gold_threshold);
  }
  if (!options.tie_threshold.empty())
    request.tie_threshold = parse_threshold("--tie-threshold", options.tie_threshold);
  if (!options.min_rows.empty()) request.min_rows = parse_number("--min-rows", options.min_rows, 2, kLargest);
  request.encoder = parse_encoder_options(options.encoder);
  Settings settings;
  settings.threads = options.threads.empty() ? 0 : parse_number("--threads", options.threads, 1, 4096);

  std::vector<NamedPath> inputs = metric_files(request.metrics), outputs{{"-o", options.output}};
  inputs.push_back({"TABLE", request.table});
  if (!options.report.empty()) outputs.push_back({"--report", options.report});
  check_outputs(outputs, inputs);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  request.page = !options.report.empty();
  const CorrelationReport report = correlate(request, settings, &terminal, &interrupted);
  if (request.page) write_results(options.report, report.html(command_words()));
  write_report(options.output, options.format, report);
}

}  // namespace

void add_correlate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "correlate", "A table with human scores in, correlations and their significance out");
  const auto options = std::make_shared<CorrelateOptions>();
  CorrelateRequest& request = options->request;
  const auto add = [&](const char* names, auto& value, const char* type, const char* what) {
    return command->add_option(names, value, what)->type_name(type);
  };
  add("TABLE", request.table, "FILE", ".tsv, .csv or .jsonl, each also .gz; - for .tsv from standard input");
  add("--gold", request.gold, "COLUMN", "Human scores");
  add("--predicted", request.predicted, "COLUMN", "Scores of a metric; repeated: all of them")
      ->allow_extra_args(false);
  add("--ref", request.reference, "COLUMN", "References, to score --hyp with -m");
  add("--hyp", request.hypothesis, "COLUMN", "Texts to score");
  add("-m,--metric", request.metrics, "METRIC",
      "bleu, bertscore, me:samples=word,scope=segment, ...; repeated: all of them")
      ->allow_extra_args(false);
  add("--group", request.group, "COLUMN", "One coefficient per language pair, topic, ... and their mean");
  add("--coefficient", options->coefficients, "NAME", "Repeated: all of them (pearson, spearman, kendall)")
      ->allow_extra_args(false);
  add("--test", request.test, "williams|bootstrap|perm-both",
      "Compare all pairs of metrics by the first coefficient");
  add("--lower-is-better", request.lower_is_better, "COLUMN",
      "Of --predicted: the test turns its sign; repeated: all of them")
      ->allow_extra_args(false);
  add("--correction", request.correction, "none|holm|bh", "For the number of pairs compared (holm)");
  add("--resamples", options->resamples, "N", "Of bootstrap and perm-both (10000)");
  add("--system", request.system, "COLUMN", "Whose output a row is");
  add("--segment", request.segment, "COLUMN", "Which segment a row is, for soft-accuracy");
  add("--level", request.level, "segment|system",
      "system: average the scores of each system first (segment)");
  add("--gold-threshold", options->gold_threshold, "X",
      "kendall-like: closer human scores are not judged (25)");
  add("--tie-threshold", options->tie_threshold, "X", "accuracy: closer metric scores are ties (calibrated)");
  add("--min-rows", options->min_rows, "N",
      "Leave smaller groups out instead of failing at fewer than 2 rows");
  command->add_flag("--replace-invalid", request.replace_invalid,
                    "U+FFFD for invalid UTF-8 instead of an error");
  add_encoder_options(*command, options->encoder);
  add_report_option(*command, options->report);
  add("--seed", options->seed, "N", "For everything random (12345)");
  add("--threads", options->threads, "N", "How many (all cores)");
  add_common_options(*command, *options, {"text", "json", "tsv"});
  command->footer(kExamples);
  command->callback([command, options] {
    require_no_leftovers(*command);
    run_correlate(*options);
  });
}

}  // namespace markeval::cli
