// `markeval model`: lists, describes, downloads, verifies and converts models.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "api/models.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"
#include "cli/terminal.hpp"
#include "request/lookup.hpp"

namespace markeval::cli {
namespace {

using nlohmann::ordered_json;

struct ModelOptions : CommonOptions {
  std::string name = std::string(default_model());
  std::string to;
  std::string revision = "main";
  std::string endpoint;
  bool no_checksum = false;
};

ordered_json as_json(const ModelDescription& model) {
  ordered_json entry{{"name", model.name}, {"folder", model.folder}};
  if (!model.problem.empty()) {
    entry["problem"] = model.problem;
    return entry;
  }
  entry.update({{"architecture", model.architecture},
                {"layers", model.layers},
                {"hidden", model.hidden},
                {"vocabulary", model.vocabulary},
                {"weight_bytes", model.weight_bytes},
                {"weight_sha256", model.weight_hash},
                {"signature", model.signature},
                {"default_layer", model.default_layer},
                {"default_layer_source", model.default_layer_source.empty()
                                             ? ordered_json(nullptr)
                                             : ordered_json(model.default_layer_source)}});
  if (!model.repository.empty())
    entry.update({{"repository", model.repository}, {"revision", model.revision}});
  return entry;
}

std::string in_megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

/// Which layer bertscore reads of it, and who says so.
std::string default_layer_text(const ModelDescription& model) {
  if (!model.default_layer_source.empty())
    return fmt::format("{} ({})", model.default_layer, model.default_layer_source);
  return fmt::format("{}, the last one: no table has this model; bertscore:layer=N chooses another",
                     model.default_layer);
}

void run_list(const ModelOptions& options) {
  const std::vector<ModelDescription> models = list_models();
  if (options.format == "json") {
    ordered_json list = ordered_json::array();
    for (const ModelDescription& model : models) list.push_back(as_json(model));
    write_results(options.output, json_text(ordered_json{{"models", list}}, 1) + "\n");
    return;
  }
  std::string text;
  if (options.format == "tsv") text = "signature\tarchitecture\tlayers\thidden\tfolder\tproblem\n";
  std::size_t width = 0;
  for (const ModelDescription& model : models)
    width = std::max(width, std::max(model.signature.size(), model.name.size()));
  for (const ModelDescription& model : models) {
    const std::string& name = model.problem.empty() ? model.signature : model.name;
    if (options.format == "tsv") {
      text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", name, model.architecture, model.layers, model.hidden,
                          model.folder, model.problem);
    } else if (model.problem.empty()) {
      text += fmt::format("{:<{}}  {}, {} layers of {}, {}  {}\n", name, width, model.architecture,
                          model.layers, model.hidden, in_megabytes(model.weight_bytes), model.folder);
    } else {
      text += fmt::format("{:<{}}  unusable: {}\n", name, width, model.problem);
    }
  }
  if (models.empty() && options.format == "text") {
    text = fmt::format("no models yet; `markeval model pull {}` fetches the default one\n", default_model());
  }
  write_results(options.output, text);
}

void run_info(const ModelOptions& options) {
  const ModelDescription model = describe_model(options.name);
  if (options.format == "json") {
    write_results(options.output, json_text(as_json(model), 1) + "\n");
    return;
  }
  std::vector<std::pair<std::string, std::string>> lines{{"name", model.name},
                                                         {"folder", model.folder},
                                                         {"architecture", model.architecture},
                                                         {"layers", std::to_string(model.layers)},
                                                         {"hidden", std::to_string(model.hidden)},
                                                         {"vocabulary", std::to_string(model.vocabulary)},
                                                         {"weights", in_megabytes(model.weight_bytes)},
                                                         {"sha256", model.weight_hash},
                                                         {"signature", model.signature},
                                                         {"default layer", default_layer_text(model)}};
  if (!model.repository.empty()) lines.emplace_back("from", model.repository + " at " + model.revision);
  std::string text;
  for (const auto& [key, value] : lines) {
    text += options.format == "tsv" ? key + "\t" + value + "\n" : fmt::format("{:<13}  {}\n", key, value);
  }
  write_results(options.output, text);
}

void run_verify(const ModelOptions& options) {
  const std::vector<ModelFile> files = verify_model(options.name);
  std::string text;
  ordered_json list = ordered_json::array();
  std::string faulty;
  for (const ModelFile& file : files) {
    list.push_back(
        {{"name", file.name}, {"state", file.state}, {"found", file.found}, {"expected", file.expected}});
    if (options.format == "tsv") {
      text += fmt::format("{}\t{}\t{}\t{}\n", file.name, file.state, file.found, file.expected);
    } else {
      text += fmt::format("{:<8}  {}  {}\n", file.state,
                          file.found.empty() ? std::string(64, '-') : file.found, file.name);
    }
    if (file.state == "wrong" || file.state == "missing") faulty += (faulty.empty() ? "" : ", ") + file.name;
  }
  if (options.format == "tsv") text = "file\tstate\tfound\texpected\n" + text;
  if (options.format == "json")
    text = json_text(ordered_json{{"model", options.name}, {"files", list}}, 1) + "\n";
  write_results(options.output, text);
  if (!faulty.empty()) {
    throw_invalid(fmt::format("{}: not as it was published: {}; pull it again", options.name, faulty));
  }
}

void run_pull(const ModelOptions& options) {
  if (options.name.empty())
    throw_usage(
        fmt::format("which model? `markeval model pull {}` fetches the default one", default_model()));
  const std::atomic<bool>& interrupted = catch_interrupts();
  Terminal terminal(options.quiet);
  ModelRequest request;
  request.name = options.name;
  request.revision = options.revision;
  request.endpoint = options.endpoint;
  request.require_checksums = !options.no_checksum;
  const PulledModel pulled = pull_model(request, &terminal, &interrupted);
  if (pulled.already_there) terminal.info(fmt::format("{} was there already", options.name));
  const std::string text =
      options.format == "json"
          ? json_text(ordered_json{{"folder", pulled.folder}, {"revision", pulled.revision}}, 1) + "\n"
          : pulled.folder + (options.format == "tsv" ? "\t" : "  ") + pulled.revision + "\n";
  write_results(options.output, text);
}

void run_convert(const ModelOptions& options) {
  const ConvertedModel model = convert_model(options.name, options.to);
  std::string text;
  if (options.format == "json") {
    const ordered_json made{
        {"folder", model.folder}, {"tensors", model.tensors}, {"weight_bytes", model.weight_bytes}};
    text = json_text(made, 1) + "\n";
  } else if (options.format == "tsv") {
    text = fmt::format("{}\t{}\t{}\n", model.folder, model.tensors, model.weight_bytes);
  } else {
    text = fmt::format("{}  {} tensors, {}\n", model.folder, model.tensors, in_megabytes(model.weight_bytes));
  }
  write_results(options.output, text);
}

}  // namespace

void add_model_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("model", "list | info | pull | verify | convert");
  command->footer(
      "A model is a folder as Hugging Face makes them; any folder works as a name. Other names are searched "
      "under\n"
      "$MARKEVAL_MODELS (else ~/.local/share/markeval/models) and under models/ of the working folder.");
  const auto add = [&](const char* name, const char* what, void (*run)(const ModelOptions&), int names) {
    CLI::App* action = command->add_subcommand(name, what);
    const auto options = std::make_shared<ModelOptions>();
    if (names == 2) options->name.clear();  // nothing is fetched unnamed
    std::vector<Field> fields;
    if (names == 1)
      fields = {Field{"name", &options->name, "", "Name or folder (all-MiniLM-L6-v2)"}.as("NAME")};
    if (names == 2) {
      fields = {
          Field{"name", &options->name, "",
                "OWNER/NAME on the Hugging Face hub; all-MiniLM-L6-v2, roberta-large, ... need no owner"}
              .as("NAME"),
          {"revision", &options->revision, "REVISION", "Branch, tag or commit (main)"},
          {"endpoint", &options->endpoint, "URL", "Another hub ($HF_ENDPOINT, else https://huggingface.co)"},
          {"no_checksum", &options->no_checksum, "",
           "Take files the hub lists without a checksum as they come"}};
    }
    if (names == 3) {
      fields = {Field{"name", &options->name, "", "Name or folder of the model"}.as("FOLDER"),
                Field{"to", &options->to, "", "The folder to write, which must not be there yet"}.as("TO")};
    }
    add_fields(fields, fields_of(*options, "text|json|tsv"));
    run_when_chosen(*action, fields, [options, run] {
      choose_format(*options);
      check_outputs(std::vector<NamedPath>{{"-o", options->output}}, {}, options->name);
      run(*options);
    });
    if (names == 3) {
      action->get_option("FOLDER")->required();
      action->get_option("TO")->required();
    }
  };
  add("list", "The models on this machine", run_list, 0);
  add("info", "What a model is", run_info, 1);
  add("pull", "Fetch a model, checked and whole; an interrupted pull goes on where it stopped", run_pull, 2);
  add("verify", "Compare a model's files with what was published", run_verify, 1);
  add("convert", "Write a model once more as config.json, model.safetensors and tokenizer files", run_convert,
      3);
  command->allow_extras();
  command->callback([command] {
    if (!command->get_subcommands().empty()) return;
    const std::vector<std::string> words = command->remaining();
    const std::vector<std::string> actions{"list", "info", "pull", "verify", "convert"};
    if (words.empty()) throw_usage("no action given, expected one of list, info, pull, verify, convert");
    request::require_known("model action", words.front(), actions);
  });
}

}  // namespace markeval::cli
