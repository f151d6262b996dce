#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

#include "api/training.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct TrainOptions {
  TrainRequest request;
  std::string threads, seed = "12345", epochs, patience, batch, hidden, learning_rate, dropout, max_length,
                       checkpoint_every, device = "cpu", format = "text";
  bool quiet = false;
};

constexpr const char* kExamples =
    "Examples:\n"
    "  markeval train --arch esim --recipe tuned --train judged.tsv --valid held_out.tsv --ref ref --hyp hyp "
    "--gold human -o mine\n"
    "  markeval train --resume ... the same words ...          goes on after an interruption\n"
    "  markeval score -r ref.txt -s mine.txt -m esim:weights=mine\n\n"
    "Manual: docs/metrics/trained.md";

double parse_real(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    throw_usage(fmt::format("{} '{}', expected a number of 0 or more", option, text));
  return value;
}

void run_train(TrainOptions& options) {
  TrainRequest& request = options.request;
  if (request.architecture.empty())
    throw_usage("no architecture given, expected --arch bilstm, bilstm-attention or esim");
  require_choice("--arch", request.architecture, {"bilstm", "bilstm-attention", "esim"});
  if (request.train.empty()) throw_usage("no table to learn from given, expected --train TABLE");
  if (request.valid.empty())
    throw_usage("no validation data given, expected --valid TABLE: they tell when to stop");
  if (request.reference.empty() || request.hypothesis.empty() || request.gold.empty())
    throw_usage("expected all three of --ref COLUMN, --hyp COLUMN and --gold COLUMN");
  if (request.folder.empty()) throw_usage("no folder for the result given, expected -o FOLDER");
  require_choice("--recipe", request.recipe, {"published", "tuned"});
  require_choice("--pieces", request.pieces, {"all", "first"});
  require_choice("--device", options.device, {"cpu", "cuda"});
  require_choice("--format", options.format, {"text", "json", "tsv"});
  const auto number = [](const char* name, const std::string& text, auto& value, std::uint64_t most) {
    if (!text.empty()) value = parse_number(name, text, 1, most);
  };
  number("--epochs", options.epochs, request.epochs, 100'000);
  number("--patience", options.patience, request.patience, 100'000);
  number("--batch", options.batch, request.batch, 100'000);
  number("--hidden", options.hidden, request.hidden, 16'384);
  number("--max-length", options.max_length, request.encoder.max_length, 1'000'000);
  number("--checkpoint-every", options.checkpoint_every, request.checkpoint_every_s, 1'000'000);
  if (!options.learning_rate.empty())
    request.learning_rate = parse_real("--learning-rate", options.learning_rate);
  if (!options.dropout.empty()) {
    request.dropout = parse_real("--dropout", options.dropout);
    if (request.dropout >= 1)
      throw_usage(fmt::format("--dropout '{}', expected a number from 0 to below 1", options.dropout));
  }
  request.seed = parse_number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  Settings settings;
  settings.device = options.device;
  settings.threads = options.threads.empty() ? 0 : parse_number("--threads", options.threads, 1, 4096);

  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  const TrainReport report = train(request, settings, &terminal, &interrupted);
  write_report("", options.format, report);
}

}  // namespace

void add_train_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("train", "Human-scored pairs in, a trained metric out");
  const auto options = std::make_shared<TrainOptions>();
  TrainRequest& request = options->request;
  const auto add = [&](const char* names, auto& value, const char* type, const char* what) {
    return command->add_option(names, value, what)->type_name(type);
  };
  add("--arch", request.architecture, "bilstm|bilstm-attention|esim", "What to train");
  add("--train", request.train, "TABLE", "To learn from: .tsv, .csv or .jsonl, each also .gz; several: all");
  add("--valid", request.valid, "TABLE", "To stop by: its Pearson correlation chooses the epoch");
  add("--ref", request.reference, "COLUMN", "References");
  add("--hyp", request.hypothesis, "COLUMN", "Texts people judged");
  add("--gold", request.gold, "COLUMN", "Their scores");
  add("-o,--output", request.folder, "FOLDER", "The result: model.safetensors and config.json");
  add("--model", request.encoder.model, "NAME|FOLDER", "The frozen encoder (all-MiniLM-L6-v2)");
  add("--epochs", options->epochs, "N", "At most (20)");
  add("--patience", options->patience, "N", "Stop after so many epochs without a better one (4)");
  add("--batch", options->batch, "N", "Pairs per step (32)");
  add("--learning-rate", options->learning_rate, "X",
      "Of Adam, halved after an epoch without gain (0.0004; tuned, but for esim: 0.00004)");
  add("--dropout", options->dropout, "X", "Share of values dropped (0.5)");
  add("--from", request.from, "FOLDER", "Start from this trained model instead of at random");
  add("--recipe", request.recipe, "published|tuned",
      "How to learn: as in the paper, or as was found better for small encoders (published)");
  add("--pieces", request.pieces, "all|first",
      "Read every piece of a word, or its first alone as version 0.1.0 did (all)");
  add("--hidden", options->hidden, "N", "Width of an LSTM per direction and of dense layers (300)");
  add("--max-length", options->max_length, "N", "Tokens of a text (as many as the encoder takes)");
  add("--cache", request.encoder.cache, "DIR|none",
      "Where vectors are kept ($MARKEVAL_CACHE, else ~/.cache/markeval)");
  command->add_flag("--resume", request.resume, "Go on from the checkpoint in the folder");
  add("--checkpoint-every", options->checkpoint_every, "SECONDS", "Besides the one after every epoch (60)");
  command->add_flag("--replace-invalid", request.replace_invalid,
                    "U+FFFD for invalid UTF-8 instead of an error");
  add("--seed", options->seed, "N", "For everything random (12345)");
  add("--threads", options->threads, "N", "How many (all cores)");
  add("--device", options->device, "cpu|cuda", "Where to compute (cpu)");
  add("--format", options->format, "text|json|tsv", "Of the report (text)");
  command->add_flag("-q,--quiet", options->quiet, "No progress, no warnings");
  command->allow_extras();
  command->footer(kExamples);
  command->callback([command, options] {
    require_no_leftovers(*command);
    run_train(*options);
  });
}

}  // namespace markeval::cli
