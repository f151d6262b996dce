// `markeval embed`: texts become vectors in a .npy file; --tokens prints how a text is split.
#include <fmt/format.h>

#include <memory>

#include "api/embedding.hpp"
#include "api/markeval.hpp"
#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct EmbedOptions {
  EmbedRequest request;
  Settings settings;
  bool tokens = false, quiet = false;
};

constexpr const char* kEmbedExamples =
    "Examples:\n"
    "  markeval embed lines.txt -o vectors.npy\n"
    "  markeval embed table.tsv.gz:hypothesis -o layer3.npy --layer 3 --pool cls --normalize\n"
    "  markeval embed lines.txt -o tokens.npy --pool none      also writes tokens.tokens.tsv\n"
    "  markeval embed --tokens lines.txt";

void tell(const EmbedReport& report, const std::string& message, Terminal& terminal) {
  std::string text = message;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : "; ", count, what);
  };
  add(report.empty, "empty");
  add(report.counts.cut_texts, "truncated");
  add(report.counts.unknown, "unknown tokens");
  add(report.replaced, "characters replaced");
  if (!text.empty()) terminal.info(text);
}

void print_tokens(const EmbedOptions& options, const std::atomic<bool>& interrupted) {
  if (!is_standard_output(options.request.output))
    throw_usage("--tokens prints to standard output; -o is for vectors");
  Terminal terminal(options.quiet);
  std::string text;
  const EmbedReport report = tokenize_texts(
      options.request,
      [&](std::span<const std::int32_t> ids) {
        for (std::size_t index = 0; index < ids.size(); ++index) {
          if (index > 0) text += ' ';
          fmt::format_to(std::back_inserter(text), "{}", ids[index]);
        }
        text += '\n';
        if (text.size() > (1 << 20)) {
          write_results("", text);
          text.clear();
        }
      },
      options.settings, &terminal, &interrupted);
  write_results("", text);
  tell(report, "", terminal);
}

void check_files(const EmbedRequest& request) {
  std::vector<NamedPath> outputs{{"-o", request.output}};
  if (request.pool == "none") {
    for (const std::string& path : paths_beside_tokens(request.output)) outputs.push_back({"-o", path});
  }
  check_outputs(outputs, std::vector<NamedPath>{{"INPUT", request.input}}, request.encoder.model);
}

void run_embed(const EmbedOptions& options) {
  const EmbedRequest& request = options.request;
  if (request.input.empty()) throw_usage("no input given, expected FILE, FILE:COLUMN or -");
  const std::atomic<bool>& interrupted = catch_interrupts();
  if (options.tokens) return print_tokens(options, interrupted);
  if (request.output.empty()) throw_usage("no output given, expected -o FILE.npy");
  if (request.output == "-")
    throw_usage("-o '-', expected a file: vectors cannot be written to standard output");
  check_files(request);
  Terminal terminal(options.quiet);
  const EmbedReport report = embed_texts(request, options.settings, &terminal, &interrupted);
  tell(report,
       fmt::format("{} lines, {} rows, {} of {} texts from the cache", report.segments, report.rows,
                   report.hits, report.counts.texts),
       terminal);
  terminal.info(report.signature);
}

}  // namespace

void add_embed_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("embed", "Texts in, vectors (.npy) out");
  const auto options = std::make_shared<EmbedOptions>();
  options->request.layer = -1;
  std::vector<Field> fields = fields_of(options->request);
  add_fields(fields, {{"tokens", &options->tokens, "", "Print the token ids of every line instead"}},
             "model");
  add_fields(fields, fields_of(options->settings));
  add_fields(fields,
             {Field{"quiet", &options->quiet, "", "No progress, no warnings, no counts"}.as("-q,--quiet")});
  command->footer(kEmbedExamples);
  run_when_chosen(*command, fields, [options] { run_embed(*options); });
}

}  // namespace markeval::cli
