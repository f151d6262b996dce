#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>

#include "api/markeval.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/output_check.hpp"
#include "cli/terminal.hpp"
#include "study/experiment.hpp"

namespace markeval::cli {
namespace {

struct ExperimentOptions : CommonOptions {
  ExperimentRequest request;
  EncoderWords encoder;
  std::string size, repeats, max_k, threads, seed = "12345", folder, report;
};

constexpr const char* kExamples =
    "Studies:\n"
    "  k-sweep        scores as K grows                             (Mark-Evaluate, Figure 2)\n"
    "  mode-collapse  scores as genres are missing                  (Figure 3)\n"
    "  word-swap      scores as words change places                 (Figure 4)\n"
    "  wmt17          agreement with judgements of translations     (all three papers)\n"
    "  tac            agreement with judgements of summaries        (MoverScore, Mark-Evaluate)\n"
    "  data-to-text   agreement with judgements of utterances       (MoverScore)\n\n"
    "Examples:\n"
    "  markeval experiment k-sweep --data data --max-k 40 --out studies\n"
    "  markeval experiment wmt17 --data data -m bertscore -m me:samples=word,scope=segment --best-k\n"
    "  markeval experiment tac --data data --part 2009 --without-humans\n\n"
    "Where the data come from and how they lie in the folder: docs/data.md. Figures seen: docs/studies.md";

/// The options that only some studies have, and which.
struct OwnOption {
  const char* name;
  std::vector<std::string> studies;
};
const std::vector<OwnOption> kOwnOptions{
    {"-m", {"mode-collapse", "word-swap", "wmt17", "tac", "data-to-text"}},
    {"--size", {"k-sweep", "mode-collapse", "word-swap"}},
    {"--repeats", {"mode-collapse"}},
    {"--max-k", {"k-sweep", "wmt17", "tac", "data-to-text"}},
    {"--part", {"wmt17", "tac", "data-to-text"}},
    {"--best-k", {"wmt17", "tac", "data-to-text"}},
    {"--also", {"wmt17", "tac", "data-to-text"}},
    {"--level", {"wmt17"}},
    {"--without-humans", {"tac"}},
};

/// Throws Error(usage) for an option the study would not look at.
void require_own_options(const CLI::App& command, const ExperimentRequest& request) {
  const std::vector<std::string> known = study_names();
  if (std::find(known.begin(), known.end(), request.study) == known.end()) return;  // said later
  for (const auto& [name, studies] : kOwnOptions) {
    if (command.count(name) == 0 || std::find(studies.begin(), studies.end(), request.study) != studies.end())
      continue;
    throw_usage(
        fmt::format("{} is no option of {}, only of {}", name, request.study, fmt::join(studies, ", ")));
  }
  if (command.count("--max-k") > 0 && request.study != "k-sweep" && !request.best_k)
    throw_usage(fmt::format("--max-k of {} needs --best-k", request.study));
  if (request.best_k && request.level == "system")
    throw_usage("--best-k is for --level segment, not for systems");
}

/// What can go wrong with them goes wrong before the study runs.
void prepare_outputs(const ExperimentOptions& options) {
  std::vector<NamedPath> inputs = metric_files(options.request.metrics), outputs{{"-o", options.output}};
  if (!options.report.empty()) outputs.push_back({"--report", options.report});
  if (!options.folder.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(options.folder, failed);
    if (failed)
      throw Error(ErrorCode::io,
                  fmt::format("--out {}: cannot make the folder: {}", options.folder, failed.message()));
    // The study's name starts the names of all it writes there.
    std::set<std::string> names{options.request.study + ".json"};
    for (const std::string& file : {options.output, options.report}) {
      const std::string name = std::filesystem::path(file).filename().string();
      if (name.starts_with(options.request.study + "-")) names.insert(name);
    }
    for (const std::string& name : names) outputs.push_back({"--out", options.folder + "/" + name});
  }
  std::error_code unreadable;  // the study says what is wrong with its data
  for (std::filesystem::recursive_directory_iterator file(options.request.data, unreadable), end;
       !unreadable && file != end; file.increment(unreadable)) {
    if (file->is_regular_file(unreadable)) inputs.push_back({"--data", file->path().string()});
  }
  check_outputs(outputs, inputs);
}

void run(const CLI::App& command, ExperimentOptions& options) {
  ExperimentRequest& request = options.request;
  if (request.study.empty()) {
    throw_usage(fmt::format("no study given, expected one of {}", fmt::join(study_names(), ", ")));
  }
  if (request.data.empty()) throw_usage("no data given, expected --data FOLDER");
  require_choice("--format", options.format, {"text", "json", "tsv"});
  require_choice("--level", request.level, {"segment", "system"});
  require_own_options(command, request);
  const auto number = [](const char* name, const std::string& text, std::size_t least, std::size_t& value) {
    if (!text.empty()) value = parse_number(name, text, least, 1'000'000);
  };
  number("--size", options.size, 2, request.size);
  number("--repeats", options.repeats, 1, request.repeats);
  number("--max-k", options.max_k, 1, request.max_k);
  request.seed = parse_number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  request.encoder = parse_encoder_options(options.encoder);
  Settings settings;
  settings.threads = options.threads.empty() ? 0 : parse_number("--threads", options.threads, 1, 4096);

  prepare_outputs(options);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  request.page = !options.report.empty();
  const StudyReport report = run_experiment(request, settings, &terminal, &interrupted);
  if (!options.folder.empty()) {
    for (const auto& [name, contents] : report.files()) write_results(options.folder + "/" + name, contents);
    write_results(fmt::format("{}/{}.json", options.folder, request.study), report.json());
  }
  if (request.page) write_results(options.report, report.html(command_words()));
  write_report(options.output, options.format, report);
}

}  // namespace

void add_experiment_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("experiment", "The papers' studies, remade with the model at hand");
  const auto options = std::make_shared<ExperimentOptions>();
  ExperimentRequest& request = options->request;
  const auto add = [&](const char* names, auto& value, const char* type, const char* what) {
    return command->add_option(names, value, what)->type_name(type);
  };
  add("STUDY", request.study, "", "k-sweep, mode-collapse, word-swap, wmt17, tac or data-to-text");
  add("--data", request.data, "FOLDER", "Where the data lie: mnli/, wmt17/, tac/, d2t/");
  add("--out", options->folder, "FOLDER",
      "Also write every table as .tsv, curves as .svg, and all of it as .json");
  add("-m,--metric", request.metrics, "METRIC",
      "Instead of the study's own, but of k-sweep; repeated: all of them")
      ->allow_extra_args(false);
  add("--part", request.parts, "NAME",
      "wmt17, tac, data-to-text: only this one (cs-en, 2009, BAGEL, ...); repeated: all of them")
      ->allow_extra_args(false);
  add("--size", options->size, "N",
      "k-sweep, mode-collapse, word-swap: sentences of each set (as in the paper, or as many as there are)");
  add("--repeats", options->repeats, "N", "mode-collapse: orders to average over (5)");
  add("--max-k", options->max_k, "N", "The largest K of k-sweep and --best-k (40)");
  command->add_flag("--best-k", request.best_k,
                    "wmt17, tac, data-to-text: the K where agreement first drops");
  add("--level", request.level, "segment|system", "wmt17: what was judged (segment)");
  add("--also", request.also, "NAME|FOLDER",
      "wmt17, tac, data-to-text: rows of this model too; repeated: all of them")
      ->allow_extra_args(false);
  command->add_flag("--without-humans", request.without_humans, "tac: leave out summaries written by people");
  add_report_option(*command, options->report);
  add_encoder_options(*command, options->encoder);
  add("--seed", options->seed, "N", "For everything random (12345)");
  add("--threads", options->threads, "N", "How many (all cores)");
  add_common_options(*command, *options, {"text", "json", "tsv"});
  command->footer(kExamples);
  command->callback([command, options] {
    require_no_leftovers(*command);
    run(*command, *options);
  });
}

}  // namespace markeval::cli
