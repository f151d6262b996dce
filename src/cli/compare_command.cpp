// `markeval compare`: several systems are scored, tested in pairs and ranked.
#include <memory>

#include "api/compare.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/score_options.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct ComparisonOptions : ScoreOptions {
  CompareOptions compare;
};

constexpr const char* kCompareExamples =
    "Examples:\n"
    "  markeval compare -r refs.txt -s baseline=base.txt -s mine=out.txt -m bleu -m chrf\n"
    "  markeval compare -r refs.txt -s base.txt -s a.txt -s b.txt -m bleu --test randomisation --format "
    "json\n"
    "  markeval compare -r refs.txt -s base.txt -s mine.txt -m rougeL --test t\n"
    "  markeval compare -r reference.npy -s base.npy -s mine.npy -m me:k=3 --resamples 200\n\n"
    "The first system is the baseline. `markeval metrics` lists the metrics and their options.";

void run_compare(ComparisonOptions& options) {
  choose_format(options, &options.report);
  Terminal terminal(options.quiet);
  complete_request(options, terminal);
  options.request.page = !options.report.empty();
  options.request.ceiling = true;
  options.request.keep_finished = is_standard_output(options.output) && !options.request.page;
  check_files(options);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Evaluator evaluator(options.settings);
  const ComparisonReport report =
      evaluator.compare(options.request, options.compare, &terminal, &interrupted);
  const FinishScope finishing;
  if (options.request.page) write_results(options.report, report.html(command_words()));
  write_report(options.output, options.format, report, options.text);
  require_all_metrics(report);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("compare", "Several systems in, scores, intervals, paired tests and ranks out");
  const auto options = std::make_shared<ComparisonOptions>();
  std::vector<Field> fields = score_fields(*options);
  remove_fields(fields, {"resamples", "segments", "source_text"});  // the test's own; nothing to show them in
  add_fields(fields, fields_of(options->compare), "format");
  add_fields(fields, {report_field(options->report)}, "format");
  command->footer(kCompareExamples);
  run_when_chosen(*command, fields, [options] { run_compare(*options); });
}

}  // namespace markeval::cli
