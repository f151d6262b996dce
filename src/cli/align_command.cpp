// `markeval align`: a text is cut into the lines of its reference.
#include <fmt/format.h>

#include <memory>

#include "api/align.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct AlignOptions {
  AlignRequest request;
  std::string output;
  bool quiet = false;
};

constexpr const char* kAlignExamples =
    "Examples:\n"
    "  markeval align reference.txt output.txt -o aligned.txt && markeval score reference.txt aligned.txt -m "
    "bleu\n"
    "  markeval align reference.zh.txt output.txt --unit character\n\n"
    "Manual: docs/how-to/align.md";

void run(const AlignOptions& options) {
  const AlignRequest& request = options.request;
  if (request.reference.empty() || request.text.empty())
    throw_usage("expected markeval align REFERENCE TEXT");
  const std::vector<NamedPath> outputs{{"-o", options.output}},
      inputs{{"REFERENCE", request.reference}, {"TEXT", request.text}};
  check_outputs(outputs, inputs);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  const AlignReport report = align(request, &interrupted);
  std::string lines;
  for (const std::string& line : report.lines) lines += line + "\n";
  write_results(options.output, lines);
  terminal.info(fmt::format("{} {}s on {} lines, {} error rate {:.1f} %", report.text_units, request.unit,
                            report.lines.size(), request.unit, 100 * report.error_rate()));
}

}  // namespace

void add_align_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("align", "Cut a text into the lines of its reference");
  const auto options = std::make_shared<AlignOptions>();
  AlignRequest& request = options->request;
  const std::vector<Field> fields{
      Field{"reference", &request.reference, "FILE", "A segment per line"}.as("REFERENCE"),
      Field{"text", &request.text, "FILE", "Where its lines end does not matter"}.as("TEXT"),
      Field{"output", &options->output, "FILE", "Write to this file, whole or not at all"}.as("-o,--output"),
      Field{"unit", &request.unit, "word|character",
            "What is compared; character is for scripts without blanks (word)"}
          .one_of_words(),
      Field{"ignore_case", &request.ignore_case, "", "Compare words without their case"},
      Field{"replace_invalid", &request.replace_invalid, "",
            "Put U+FFFD for invalid UTF-8 instead of failing"},
      Field{"quiet", &options->quiet, "", "Print errors only"}};
  command->footer(kAlignExamples);
  run_when_chosen(*command, fields, [options] { run(*options); });
}

}  // namespace markeval::cli
