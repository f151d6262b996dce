// Calls to the models library, with its results copied into the types of the facade.
#include "api/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/cancellation.hpp"
#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "metric/layer_choice.hpp"
#include "models/model_folder.hpp"
#include "models/pull.hpp"
#include "models/store.hpp"
#include "score/listener.hpp"

namespace markeval {
namespace {

ModelDescription from_info(const models::ModelInfo& info) {
  ModelDescription model{};
  model.name = info.name;
  model.folder = info.folder;
  model.architecture = info.architecture;
  model.layers = info.layers;
  model.hidden = info.hidden;
  model.vocabulary = info.vocabulary;
  model.weight_bytes = info.weight_bytes;
  model.weight_hash = info.weight_hash;
  model.problem = info.problem;
  if (info.problem.empty()) {
    model.signature = info.signature;
    const std::vector<std::string> names{models::model_name(info.folder), info.name_in_config};
    const auto known = metric::default_layer(names, info.layers);
    model.default_layer = known ? known->layer : info.layers;
    if (known) {
      model.default_layer_source = known->model == names.front()
                                       ? std::string(known->source)
                                       : fmt::format("{}, as {}", known->source, known->model);
    }
  }
  if (info.origin) {
    model.repository = info.origin->repository;
    model.revision = info.origin->revision;
  }
  return model;
}

}  // namespace

std::string_view default_model() {
  return models::kDefaultModel;
}

std::vector<ModelDescription> list_models() {
  std::vector<ModelDescription> models;
  for (const models::ModelInfo& info : models::list_models()) models.push_back(from_info(info));
  return models;
}

ModelDescription describe_model(const std::string& name) {
  return from_info(models::model_info(name));
}

void require_model(const std::string& name) {
  models::find_model(name);
}

bool is_model_file(const std::string& model, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<fs::path> folders{fs::absolute(path, failed).parent_path(),
                                fs::weakly_canonical(path, failed).parent_path()};
  for (std::size_t i = 0; i < 2; ++i) folders.push_back(folders[i].parent_path());  // of 0_Transformer
  const auto has_it = [&](const auto& folder_of) {
    try {
      return models::ModelFolder(folder_of()).has_file(path);
    } catch (const Error&) {
      return false;  // no model; whoever needs it says what is wrong with it
    }
  };
  return has_it([&] { return models::find_model(model.empty() ? std::string(default_model()) : model); }) ||
         std::ranges::any_of(folders,
                             [&](const fs::path& folder) { return has_it([&] { return folder.string(); }); });
}

std::vector<ModelFile> verify_model(const std::string& name) {
  std::vector<ModelFile> files;
  for (const models::FileCheck& check : models::verify_model(name)) {
    files.push_back({check.name, check.result, check.found, check.expected});
  }
  return files;
}

PulledModel pull_model(const ModelRequest& request, Observer* observer, const std::atomic<bool>* cancel) {
  ThreadPool pool(1);
  score::Listener listener(observer);
  const CancelScope stoppable(cancel);
  const RunContext context{pool, &listener, &listener};
  models::PullRequest pull;
  pull.name = request.name;
  pull.revision = request.revision;
  pull.require_checksums = request.require_checksums;
  pull.hub = models::hub_options_from_environment();
  if (!request.endpoint.empty()) pull.hub.endpoint = request.endpoint;
  const models::PullResult result = models::pull_model(pull, context);
  return {result.folder, result.revision, result.already_there, listener.take_warnings()};
}

ConvertedModel convert_model(const std::string& name, const std::string& to) {
  const models::ConvertedFolder result = models::convert_model(name, to);
  return {result.folder, result.tensors, result.weight_bytes};
}

}  // namespace markeval
