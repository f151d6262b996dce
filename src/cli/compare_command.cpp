#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "api/compare.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/score_options.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct ComparisonOptions : ScoreOptions {
  CompareOptions compare;
  std::string resamples, alpha;
};

constexpr const char* kExamples =
    "Examples:\n"
    "  markeval compare -r refs.txt -s baseline=base.txt -s mine=out.txt -m bleu -m chrf\n"
    "  markeval compare -r refs.txt -s base.txt -s a.txt -s b.txt -m bleu --test randomisation --format "
    "json\n"
    "  markeval compare -r refs.txt -s base.txt -s mine.txt -m rougeL --test t\n"
    "  markeval compare -r reference.npy -s base.npy -s mine.npy -m me:k=3 --resamples 200\n\n"
    "The first system is the baseline. `markeval metrics` lists the metrics and their options.";

double parse_alpha(const std::string& text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !(value > 0 && value < 1)) {
    throw_usage(fmt::format("--alpha '{}', expected a number between 0 and 1", text));
  }
  return value;
}

void run_compare(ComparisonOptions& options) {
  ScoreRequest request = score_request(options);
  request.page = !options.report.empty();
  require_choice("--test", options.compare.test, {"bootstrap", "randomisation", "t"});
  require_choice("--correction", options.compare.correction, {"none", "holm", "bh"});
  if (!options.resamples.empty())
    options.compare.resamples = parse_number("--resamples", options.resamples, 2, 10'000'000);
  if (!options.alpha.empty()) options.compare.alpha = parse_alpha(options.alpha);
  check_files(options, request);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  Evaluator evaluator(evaluator_settings(options));
  const ComparisonReport report = evaluator.compare(request, options.compare, &terminal, &interrupted);
  if (request.page) write_results(options.report, report.html(command_words()));
  write_report(options.output, options.format, report);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("compare", "Several systems in, scores, intervals, paired tests and ranks out");
  const auto options = std::make_shared<ComparisonOptions>();
  add_input_options(*command, *options);
  command->add_option("--test", options->compare.test, "Of all pairs of systems (bootstrap)")
      ->type_name("bootstrap|randomisation|t");
  command->add_option("--resamples", options->resamples, "Of the test (1000; randomisation: 10000)")
      ->type_name("N");
  command->add_option("--correction", options->compare.correction, "For the number of pairs compared (holm)")
      ->type_name("none|holm|bh");
  command
      ->add_option("--alpha", options->alpha,
                   "Systems share a rank where the adjusted p-value is larger (0.05)")
      ->type_name("X");
  add_report_option(*command, options->report);
  add_common_options(*command, *options, {"text", "json", "tsv"});
  command->footer(kExamples);
  command->callback([command, options] {
    require_no_leftovers(*command);
    run_compare(*options);
  });
}

}  // namespace markeval::cli
