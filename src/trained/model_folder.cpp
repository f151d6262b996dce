#include "trained/model_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/version.hpp"
#include "embed/digest.hpp"
#include "trained/tensor_file.hpp"

namespace markeval::trained {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string in_folder(const std::string& folder, const char* file) {
  return (fs::path(folder) / file).string();
}

Json data_files(const std::vector<DataFile>& files) {
  Json list = Json::array();
  for (const DataFile& file : files)
    list.push_back({{"file", file.name}, {"sha256", file.hash}, {"pairs", file.pairs}});
  return list;
}

Json describe(const TrainingPlan& plan) {
  const TrainingOptions& options = plan.options;
  return {{"architecture", name(plan.shape.architecture)},
          {"encoder",
           {{"name", plan.encoder.name},
            {"sha256", plan.encoder.hash},
            {"precision", plan.encoder.precision},
            {"max_length", plan.encoder.max_length},
            {"layers", plan.shape.layers},
            {"width", plan.shape.width}}},
          {"pieces", name(plan.pieces)},
          {"hidden", plan.shape.hidden},
          {"dense", plan.shape.dense},
          {"standardised", plan.shape.standardised},
          {"training",
           {{"from", plan.from},
            {"train", data_files(plan.train)},
            {"valid", data_files(plan.valid)},
            {"columns", plan.columns},
            {"seed", options.seed},
            {"learning_rate", options.learning_rate},
            {"batch", options.batch},
            {"dropout", options.dropout},
            {"shared_dropout", options.shared_dropout},
            {"distance_start", options.distance_start},
            {"gradient_norm", options.gradient_norm},
            {"epochs", options.epochs},
            {"patience", options.patience}}}};
}

Json curve_of(const TrainingState& state) {
  Json list = Json::array();
  for (const EpochRecord& record : state.curve) {
    list.push_back(
        {{"loss", record.loss}, {"pearson", record.pearson}, {"learning_rate", record.learning_rate}});
  }
  return list;
}

/// "training.seed is 1, expected 2": the first place where two descriptions differ.
std::string difference(const Json& found, const Json& expected, const std::string& place) {
  if (found.is_object() && expected.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      if (!found.contains(key) || found[key] != value) {
        return difference(found.contains(key) ? found[key] : Json(), value,
                          place.empty() ? key : place + "." + key);
      }
    }
  }
  return fmt::format("{} is {}, expected {}", place, found.dump(), expected.dump());
}

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw_invalid(fmt::format("{}: damaged: {}", path, what));
}

void take_values(const std::string& path, const TensorFile& file, const std::string& name,
                 std::span<float> values) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) damaged(path, fmt::format("it has no tensor '{}'", name));
  if (found->second.values.size() != values.size()) {
    damaged(path, fmt::format("tensor '{}' has {} numbers, expected {}", name, found->second.values.size(),
                              values.size()));
  }
  std::copy(found->second.values.begin(), found->second.values.end(), values.begin());
}

}  // namespace

void write_checkpoint(const std::string& folder, const TrainingPlan& plan, const TrainingState& state) {
  const std::vector<std::size_t> shape{state.values.values().size()};
  const std::vector<NamedTensor> tensors{{"values", shape, state.values.values()},
                                         {"first_moment", shape, state.first_moment.values()},
                                         {"second_moment", shape, state.second_moment.values()},
                                         {"best", shape, state.best.values()}};
  const Json position{
      {"step", state.step},         {"batch", state.batch},           {"learning_rate", state.learning_rate},
      {"loss_sum", state.loss_sum}, {"best_epoch", state.best_epoch}, {"curve", curve_of(state)}};
  write_tensor_file(in_folder(folder, kCheckpointFile), tensors,
                    {{"plan", describe(plan).dump()}, {"state", position.dump()}});
}

TrainingState read_checkpoint(const std::string& folder, const TrainingPlan& plan,
                              const ParameterLayout& layout) {
  const std::string path = in_folder(folder, kCheckpointFile);
  const TensorFile file = read_tensor_file(path);
  const auto text = [&](const char* name) {
    const auto found = file.texts.find(name);
    return Json::parse(found == file.texts.end() ? std::string() : found->second, nullptr, false);
  };
  Json made_for = text("plan");
  const Json position = text("state");
  if (!made_for.is_object() || !position.is_object()) damaged(path, "it is no checkpoint");
  made_for.emplace("pieces", name(Pieces::first));  // where it is silent: made by version 0.1.0
  if (const Json expected = describe(plan); nlohmann::json(made_for) != nlohmann::json(expected)) {
    throw_invalid(fmt::format("{}: made by another training: {}", path, difference(made_for, expected, "")));
  }
  TrainingState state(layout);
  take_values(path, file, "values", state.values.values());
  take_values(path, file, "first_moment", state.first_moment.values());
  take_values(path, file, "second_moment", state.second_moment.values());
  take_values(path, file, "best", state.best.values());
  try {
    position.at("step").get_to(state.step);
    position.at("batch").get_to(state.batch);
    position.at("learning_rate").get_to(state.learning_rate);
    position.at("loss_sum").get_to(state.loss_sum);
    position.at("best_epoch").get_to(state.best_epoch);
    for (const Json& record : position.at("curve")) {
      state.curve.push_back({record.at("loss").get<double>(), record.at("pearson").get<double>(),
                             record.at("learning_rate").get<double>()});
    }
  } catch (const Json::exception&) {
    damaged(path, "it does not say how far training was");
  }
  if (state.best_epoch > state.curve.size()) damaged(path, "its best epoch is yet to come");
  return state;
}

void write_model(const std::string& folder, const TrainingPlan& plan, const GoldScale& scale,
                 const TrainingState& state) {
  std::vector<NamedTensor> tensors;
  const auto specs = state.best.layout().specs();
  for (std::size_t index = 0; index < specs.size(); ++index) {
    tensors.push_back({specs[index].name,
                       {specs[index].rows, specs[index].columns},
                       {state.best[index].data(), specs[index].size()}});
  }
  const std::string weights = in_folder(folder, kWeightsFile);
  write_tensor_file(weights, tensors, {{"architecture", std::string(name(plan.shape.architecture))}});
  const std::string hash = embed::sha256_of_file(weights);
  Json config{{"markeval", version()}};
  config.update(describe(plan));
  config["gold"] = {{"mean", scale.mean}, {"deviation", scale.deviation}};
  config["curve"] = curve_of(state);
  config["best_epoch"] = state.best_epoch;
  config["weights_sha256"] = hash;
  config["signature"] =
      fmt::format("{}|weights:{}|pieces:{}|model:{}@{}|seed:{}|version:{}", name(plan.shape.architecture),
                  hash.substr(0, 8), name(plan.pieces), plan.encoder.name, plan.encoder.hash.substr(0, 8),
                  plan.options.seed, version());
  write_whole_file(in_folder(folder, kConfigFile), config.dump(2) + "\n");
}

TrainedModel read_model(const std::string& folder) {
  const std::string path = in_folder(folder, kConfigFile), weights = in_folder(folder, kWeightsFile);
  if (!fs::exists(path) && fs::exists(in_folder(folder, kCheckpointFile))) {
    throw_invalid(
        fmt::format("{}: training is not finished, continue it with markeval train --resume", folder));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw_io(path, "read");
  const Json config = Json::parse(in, nullptr, false);
  if (!config.is_object()) damaged(path, "it is no JSON object");
  TrainedModel model;
  std::string hash;
  try {
    model.shape.architecture = parse_architecture(config.at("architecture").get<std::string>());
    model.shape.layers = config.at("encoder").at("layers").get<std::size_t>();
    model.shape.width = config.at("encoder").at("width").get<std::size_t>();
    model.shape.hidden = config.at("hidden").get<std::size_t>();
    model.shape.dense = config.at("dense").get<std::size_t>();
    model.shape.standardised = config.value("standardised", false);
    model.pieces = parse_pieces(config.value("pieces", std::string(name(Pieces::first))));
    config.at("encoder").at("name").get_to(model.encoder.name);
    config.at("encoder").at("sha256").get_to(model.encoder.hash);
    config.at("encoder").at("precision").get_to(model.encoder.precision);
    config.at("encoder").at("max_length").get_to(model.encoder.max_length);
    config.at("gold").at("mean").get_to(model.scale.mean);
    config.at("gold").at("deviation").get_to(model.scale.deviation);
    config.at("weights_sha256").get_to(hash);
    config.at("signature").get_to(model.signature);
  } catch (const Json::exception& error) {
    damaged(path, error.what());
  } catch (const Error& error) {
    damaged(path, error.what());
  }
  const auto sane = [](std::size_t extent) { return extent > 0 && extent <= 65536; };
  if (!sane(model.shape.layers) || !sane(model.shape.width) || !sane(model.shape.hidden) ||
      !sane(model.shape.dense)) {
    damaged(path, "a size of the network is 0 or absurd");
  }
  const TensorFile file = read_tensor_file(weights);
  model.weights_hash = embed::sha256_of_file(weights);
  if (model.weights_hash != hash)
    throw_invalid(fmt::format("{}: its weights are not those {} was written for", weights, kConfigFile));
  model.network = std::make_unique<Network<float>>(model.shape);
  model.values = std::make_unique<Parameters<float>>(model.network->layout());
  const auto specs = model.network->layout().specs();
  for (std::size_t index = 0; index < specs.size(); ++index) {
    take_values(weights, file, specs[index].name, {(*model.values)[index].data(), specs[index].size()});
  }
  return model;
}

EncoderIdentity identity_of(embed::TextEncoder& encoder) {
  return {encoder.model_name(), encoder.model().weight_hash(), encoder.precision(), encoder.limit()};
}

void check_fits(const std::string& folder, const TrainedModel& model, Architecture kind,
                const EncoderIdentity& encoder) {
  if (model.shape.architecture != kind) {
    throw_invalid(fmt::format("{} holds a model of the kind {}, expected {}", folder,
                              name(model.shape.architecture), name(kind)));
  }
  if (model.encoder.hash != encoder.hash) {
    throw_invalid(
        fmt::format("{} was trained on vectors of {}@{}, but the model is {}@{}: expected --model {}", folder,
                    model.encoder.name, model.encoder.hash.substr(0, 8), encoder.name,
                    encoder.hash.substr(0, 8), model.encoder.name));
  }
  if (model.encoder.precision != encoder.precision) {
    throw_usage(fmt::format("{} was trained on vectors of precision {}, not {}", folder,
                            model.encoder.precision, encoder.precision));
  }
}

}  // namespace markeval::trained
