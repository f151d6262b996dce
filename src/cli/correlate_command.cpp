// `markeval correlate`: how well metrics agree with human scores in a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "api/correlate.hpp"
#include "api/markeval.hpp"
#include "base/suggestion.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct CorrelateOptions : CommonOptions {
  CorrelateRequest request;
  Settings settings;
  TextOptions text;
  std::string report;
};

constexpr const char* kCorrelateExamples =
    "Examples:\n"
    "  markeval correlate scores.tsv --gold human --predicted bleu chrf --group lp\n"
    "  markeval correlate texts.tsv --gold fluency relevance --ref ref --hyp hyp -m chrf bertscore\n"
    "  markeval correlate scores.jsonl.gz --gold human --predicted a --predicted b --test perm-both --format "
    "json\n"
    "  markeval correlate scores.tsv --gold human --predicted bleu --system system --level system\n"
    "  markeval correlate texts.tsv --gold human --predicted mine --ref ref --hyp hyp -m chrf bertscore.f1 "
    "--test "
    "williams\n"
    "  markeval correlate darr.jsonl --better better --worse worse --ref ref --segment source -m chrf --ci "
    "1000\n\n"
    "Coefficients: pearson, spearman, kendall (tau-b), kendall-c, kendall-like, accuracy, soft-accuracy.\n"
    "Manual: docs/how-to/correlate.md";

/// What is missing of the three options that score texts, and the whole of them with what is there.
void check_texts(const CorrelateRequest& request) {
  std::vector<std::string> missing;
  if (request.reference.empty()) missing.emplace_back("--ref COLUMN");
  if (request.hypothesis.empty()) missing.emplace_back("--hyp COLUMN");
  if (request.metrics.empty()) missing.emplace_back("-m METRIC");
  if (missing.empty()) return;
  const auto given = [](const std::string& word, const char* example) {
    return word.empty() ? example : word;
  };
  std::vector<std::string> metrics;
  for (const Metric& metric : request.metrics) metrics.push_back(metric.typed);
  if (metrics.empty()) metrics = {"chrf", "rouge1.f1"};
  throw_usage(fmt::format("expected {} too, as in --ref {} --hyp {} -m {}", fmt::join(missing, " and "),
                          given(request.reference, "ref"), given(request.hypothesis, "hyp"),
                          fmt::join(metrics, " ")));
}

void check_usage(const CorrelateRequest& request, bool by_group) {
  if (request.table.empty())
    throw_usage("no table given, expected markeval correlate TABLE --gold COLUMN ...");
  const bool two_texts = !request.better.empty() || !request.worse.empty();
  if (request.gold.empty() && request.pairs.empty() && !two_texts) {
    throw_usage(
        "no human scores given, expected --gold COLUMN, or --pairs FILE or --better COLUMN --worse COLUMN");
  }
  const bool texts = !request.reference.empty() || !request.hypothesis.empty() || !request.metrics.empty();
  if (request.predicted.empty() && !texts) {
    throw_usage(
        "no metric scores given, expected --predicted COLUMN, or --ref COLUMN --hyp COLUMN -m METRIC");
  }
  if (texts && !two_texts) check_texts(request);
  for (const std::string& column : request.lower_is_better) {
    if (std::ranges::find(request.predicted, column) == request.predicted.end())
      throw_usage(fmt::format("--lower-is-better '{}' is no column of --predicted{}", column,
                              suggestion(column, request.predicted)));
  }
  if (request.level == "system" && request.system.empty())
    throw_usage("--level system needs --system COLUMN");
  if (by_group && request.group.empty()) throw_usage("--by-group needs --group COLUMN");
}

void run_correlate(CorrelateOptions& options) {
  CorrelateRequest& request = options.request;
  check_usage(request, options.text.details);
  choose_format(options, &options.report);
  std::vector<NamedPath> inputs = metric_files(request.metrics), outputs;
  if (options.format != "html") outputs.push_back({"-o", options.output});
  inputs.push_back({"TABLE", request.table});
  if (!request.pairs.empty()) inputs.push_back({"--pairs", request.pairs});
  if (!options.report.empty()) outputs.push_back({"--report", options.report});
  check_outputs(outputs, inputs, request.encoder.model);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  request.page = !options.report.empty();
  const CorrelationReport report = correlate(request, options.settings, &terminal, &interrupted);
  if (request.page) write_results(options.report, report.html(command_words()));
  write_report(options.output, options.format, report, options.text);
}

}  // namespace

void add_correlate_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "correlate", "A table with human scores in, correlations and their significance out");
  const auto options = std::make_shared<CorrelateOptions>();
  std::vector<Field> fields = fields_of(options->request);
  add_fields(fields, {report_field(options->report)}, "seed");
  add_fields(fields, fields_of(options->settings));
  add_fields(fields, fields_of(*options, "text|json|tsv|csv|markdown|latex|html"));
  add_fields(
      fields,
      {Field{"by_group", &options->text.details, "", "Every group of --group too, not only means (text)"},
       Field{"signatures", &options->text.signatures, "", "Print the signatures below the tables (text)"},
       Field{"digits", &options->text.digits, "N", "Digits after the point (4)"}.between(0, 15)},
      "output");
  command->footer(kCorrelateExamples);
  run_when_chosen(*command, fields, [options] { run_correlate(*options); });
}

}  // namespace markeval::cli
