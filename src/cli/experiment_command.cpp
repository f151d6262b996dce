// `markeval experiment`: one of the papers' studies is run and written to files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "api/markeval.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"
#include "cli/terminal.hpp"
#include "study/experiment.hpp"
#include "study/experiment_fields.hpp"

namespace markeval::cli {
namespace {

struct ExperimentOptions : CommonOptions {
  ExperimentRequest request;
  Settings settings;
  TextOptions text;
  std::string folder, report;
};

constexpr const char* kExperimentExamples =
    "Studies:\n"
    "  k-sweep        scores as K grows                             (Mark-Evaluate, Figure 2)\n"
    "  mode-collapse  scores as genres are missing                  (Figure 3)\n"
    "  word-swap      scores as words change places                 (Figure 4)\n"
    "  wmt17          agreement with judgements of translations     (all three papers)\n"
    "  wmt19          better/worse pairs of translations\n"
    "  tac            agreement with judgements of summaries        (MoverScore, Mark-Evaluate)\n"
    "  data-to-text   agreement with judgements of utterances       (MoverScore)\n"
    "  language-generation  samples of language models and texts of people (in the manner of Table 1)\n"
    "  own            the same questions for your own texts and judgements\n\n"
    "Examples:\n"
    "  markeval experiment k-sweep --data data --max-k 40 --out studies\n"
    "  markeval experiment wmt17 --data data -m bertscore -m me:samples=word,scope=segment --best-k\n"
    "  markeval experiment tac --data data --part 2009 -m rouge1:multi=mean chrf\n"
    "  markeval experiment own --data judged.tsv --gold human --ref ref --hyp hyp --group lp -m bertscore "
    "chrf\n\n"
    "Where the data come from and the layout of the folder: docs/reference/data.md. Published figures: "
    "docs/background/studies.md";

/// The options that only some studies have, and which.
struct OwnOption {
  const char* name;
  std::vector<std::string> studies;
};
const std::vector<OwnOption> kOwnOptions{
    {"-m",
     {"mode-collapse", "word-swap", "wmt17", "wmt19", "tac", "data-to-text", "language-generation", "own"}},
    {"--size", {"k-sweep", "mode-collapse", "word-swap", "language-generation"}},
    {"--repeats", {"mode-collapse", "word-swap", "language-generation"}},
    {"--max-k", {"k-sweep", "wmt17", "tac", "data-to-text", "own"}},
    {"--part", {"wmt17", "wmt19", "tac", "data-to-text", "own"}},
    {"--best-k", {"wmt17", "tac", "data-to-text", "own"}},
    {"--also", {"wmt17", "wmt19", "tac", "data-to-text"}},
    {"--level", {"wmt17", "own"}},
    {"--texts", {"wmt17"}},
    {"--gold", {"own"}},
    {"--ref", {"own"}},
    {"--hyp", {"own"}},
    {"--system", {"own"}},
    {"--group", {"own"}},
    {"--coefficient", {"own"}},
    {"--test", {"own"}},
};

/// `markeval experiment own --help` lists what own takes.
void hide_options_of_others(CLI::App& command) {
  const std::vector<std::string> known = study_names();
  const std::vector<std::string>& words = command_words();
  const auto study = std::find_first_of(words.begin(), words.end(), known.begin(), known.end());
  if (study == words.end()) return;
  for (const auto& [name, studies] : kOwnOptions) {
    if (std::ranges::find(studies, *study) == studies.end()) command.get_option(name)->group("");
  }
}

/// Throws Error(usage) for an option the study would not look at.
void require_own_options(const CLI::App& command, const ExperimentRequest& request) {
  const std::vector<std::string> known = study_names();
  if (std::ranges::find(known, request.study) == known.end()) return;  // said later
  for (const auto& [name, studies] : kOwnOptions) {
    if (command.count(name) == 0 || std::ranges::find(studies, request.study) != studies.end()) continue;
    throw_usage(
        fmt::format("{} is no option of {}, only of {}", name, request.study, fmt::join(studies, ", ")));
  }
  if (command.count("--max-k") > 0 && request.study != "k-sweep" && !request.best_k)
    throw_usage(fmt::format("--max-k of {} needs --best-k", request.study));
}

/// What can go wrong with them goes wrong before the study runs.
void prepare_outputs(const ExperimentOptions& options) {
  std::vector<NamedPath> inputs = metric_files(options.request.metrics), outputs;
  if (options.format != "html") outputs.push_back({"-o", options.output});
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
  if (std::filesystem::is_regular_file(options.request.data, unreadable))
    inputs.push_back({"--data", options.request.data});
  for (std::filesystem::recursive_directory_iterator file(options.request.data, unreadable), end;
       !unreadable && file != end; file.increment(unreadable)) {
    if (file->is_regular_file(unreadable)) inputs.push_back({"--data", file->path().string()});
  }
  check_outputs(outputs, inputs, options.request.encoder.model);
}

void run(const CLI::App& command, ExperimentOptions& options) {
  ExperimentRequest& request = options.request;
  if (request.study.empty()) {
    throw_usage(fmt::format("no study given, expected one of {}", fmt::join(study_names(), ", ")));
  }
  if (request.data.empty()) throw_usage("no data given, expected --data FOLDER or, for own, --data TABLE");
  require_own_options(command, request);
  choose_format(options, &options.report);
  prepare_outputs(options);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  request.page = !options.report.empty();
  const StudyReport report = run_experiment(request, options.settings, &terminal, &interrupted);
  if (!options.folder.empty()) {
    for (const auto& [name, contents] : report.files()) write_results(options.folder + "/" + name, contents);
    write_results(fmt::format("{}/{}.json", options.folder, request.study), report.json());
  }
  if (request.page) write_results(options.report, report.html(command_words()));
  write_report(options.output, options.format, report, options.text);
}

}  // namespace

void add_experiment_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("experiment", "The papers' studies, remade with the model at hand");
  const auto options = std::make_shared<ExperimentOptions>();
  std::vector<Field> fields = fields_of(options->request);
  const Field folder = Field{"out", &options->folder, "FOLDER",
                             "Also write every table as .tsv, curves as .svg, and all of it as .json"}
                           .naming_a_file();
  add_fields(fields, {folder}, "metrics");
  add_fields(fields, {report_field(options->report)}, "model");
  add_fields(fields, {fields_of(options->settings).front()});  // --threads
  add_fields(fields, fields_of(*options, "text|json|tsv|csv|markdown|latex|html"));
  add_fields(
      fields,
      {Field{"signatures", &options->text.signatures, "", "Print the signatures below the tables (text)"}},
      "output");
  command->footer(kExperimentExamples);
  command->preparse_callback([command](std::size_t) { hide_options_of_others(*command); });
  run_when_chosen(*command, fields, [command, options] { run(*command, *options); });
}

}  // namespace markeval::cli
