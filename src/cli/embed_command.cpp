#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "api/embedding.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/output_check.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

struct EmbedOptions {
  std::string input, output, layer = "-1", pool, threads, device = "cpu";
  EncoderWords encoder;
  bool normalize = false, tokens = false, replace_invalid = false, quiet = false;
};

constexpr const char* kExamples =
    "Examples:\n"
    "  markeval embed lines.txt -o vectors.npy\n"
    "  markeval embed table.tsv.gz:hypothesis -o layer3.npy --layer 3 --pool cls --normalize\n"
    "  markeval embed lines.txt -o tokens.npy --pool none      also writes tokens.tokens.tsv\n"
    "  markeval embed --tokens lines.txt";

std::optional<int> parse_layer(const std::string& text) {
  if (text == "all") return std::nullopt;
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) {
    throw_usage(fmt::format("--layer '{}', expected a layer's number, -1 for the last, or all", text));
  }
  return number;
}

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

void print_tokens(const EmbedRequest& request, const EmbedOptions& options,
                  const std::atomic<bool>& interrupted) {
  if (!is_standard_output(options.output))
    throw_usage("--tokens prints to standard output; -o is for vectors");
  Terminal terminal(options.quiet);
  std::string text;
  const EmbedReport report = tokenize_texts(
      request,
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
      &terminal, &interrupted);
  write_results("", text);
  tell(report, "", terminal);
}

void check_files(const EmbedOptions& options) {
  std::vector<NamedPath> outputs{{"-o", options.output}};
  if (options.pool == "none") outputs.push_back({"-o", token_table_path(options.output)});
  check_outputs(outputs, std::vector<NamedPath>{{"INPUT", options.input}});
}

void run_embed(const EmbedOptions& options) {
  if (options.input.empty()) throw_usage("no input given, expected FILE, FILE:COLUMN or -");
  require_choice("--device", options.device, {"cpu", "cuda"});
  if (options.device == "cuda") throw_usage("--device cuda: this build computes on the CPU only");
  if (!options.pool.empty()) require_choice("--pool", options.pool, {"mean", "cls", "max", "none"});
  EmbedRequest request;
  request.input = options.input;
  request.output = options.output;
  request.encoder = parse_encoder_options(options.encoder);
  request.layer = parse_layer(options.layer);
  request.pool = options.pool;
  request.normalize = options.normalize;
  request.replace_invalid = options.replace_invalid;
  request.threads = options.threads.empty() ? 0 : parse_number("--threads", options.threads, 1, 4096);
  const std::atomic<bool>& interrupted = catch_interrupts();
  if (options.tokens) return print_tokens(request, options, interrupted);
  if (options.output.empty()) throw_usage("no output given, expected -o FILE.npy");
  if (options.output == "-")
    throw_usage("-o '-', expected a file: vectors cannot be written to standard output");
  check_files(options);
  Terminal terminal(options.quiet);
  const EmbedReport report = embed_texts(request, &terminal, &interrupted);
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
  command
      ->add_option("INPUT", options->input,
                   "FILE[:COLUMN]: text, .tsv, .csv, .jsonl, each also .gz; - for standard input")
      ->type_name("");
  const auto add = [&](const char* name, std::string& value, const char* type, const char* what) {
    command->add_option(name, value, what)->type_name(type);
  };
  add("-o,--output", options->output, "FILE", "Where the vectors go, float32, whole or not at all");
  add("--layer", options->layer, "N|all",
      "0: embedding output, N: block N, -1: the last; all: a third dimension (-1)");
  add("--pool", options->pool, "mean|cls|max|none",
      "How tokens become one row; none: a row per token (as the model does it)");
  command->add_flag("--normalize", options->normalize, "Rows to length 1");
  command->add_flag("--tokens", options->tokens, "Print the token ids of every line instead");
  add_encoder_options(*command, options->encoder);
  command->add_flag("--replace-invalid", options->replace_invalid,
                    "Put U+FFFD for invalid UTF-8 instead of failing");
  add("--threads", options->threads, "N", "How many (all cores)");
  add("--device", options->device, "cpu|cuda", "Where to compute (cpu)");
  command->add_flag("-q,--quiet", options->quiet, "No progress, no warnings, no counts");
  command->allow_extras();
  command->footer(kExamples);
  command->callback([command, options] {
    require_no_leftovers(*command);
    run_embed(*options);
  });
}

}  // namespace markeval::cli
