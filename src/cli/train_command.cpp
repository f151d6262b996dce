// `markeval train`: a metric is trained on pairs with human scores.
#include <memory>

#include "api/markeval.hpp"
#include "api/training.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct TrainOptions {
  TrainRequest request;
  Settings settings;
  CommonOptions common;
};

constexpr const char* kTrainExamples =
    "Examples:\n"
    "  markeval train --train judged.tsv --valid held_out.tsv --ref ref --hyp hyp --gold human -o mine\n"
    "  markeval train --resume ... the same words ...          goes on after an interruption\n"
    "  markeval score -r ref.txt -s mine.txt -m match:weights=mine\n"
    "  markeval train --arch blend -m match chrf --train judged.tsv --ref ref --hyp hyp --gold human -o "
    "blend\n\n"
    "Manual: docs/reference/metrics/trained.md";

void run_train(const TrainOptions& options) {
  const TrainRequest& request = options.request;
  if (request.train.empty()) throw_usage("no table to learn from given, expected --train TABLE");
  if (request.valid.empty() && request.needs_validation())
    throw_usage("no validation data given, expected --valid TABLE: they decide when training stops");
  if (request.reference.empty() || request.hypothesis.empty() || request.gold.empty())
    throw_usage("expected all three of --ref COLUMN, --hyp COLUMN and --gold COLUMN");
  if (request.folder.empty()) throw_usage("no folder for the result given, expected -o FOLDER");

  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.common.quiet);
  const TrainReport report = train(request, options.settings, &terminal, &interrupted);
  write_report("", options.common.format, report);
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("train", "Human-scored pairs in, a trained metric out");
  const auto options = std::make_shared<TrainOptions>();
  std::vector<Field> fields = fields_of(options->request), common = fields_of(options->common);
  remove_fields(common, {"output"});  // -o is the folder
  common.front().meaning = "How to write the results (text)";
  add_fields(fields, fields_of(options->settings));
  add_fields(fields, common);
  command->footer(kTrainExamples);
  run_when_chosen(*command, fields, [options] {
    choose_format(options->common);
    run_train(*options);
  });
}

}  // namespace markeval::cli
