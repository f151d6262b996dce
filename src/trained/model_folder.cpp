#include "trained/model_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "base/open_file.hpp"
#include "base/output_file.hpp"
#include "base/version.hpp"
#include "encoder/safetensors.hpp"

namespace markeval::trained {
namespace {

using Json = nlohmann::ordered_json;
using encoder::NamedTensor;
using encoder::SafetensorsFile;
namespace fs = std::filesystem;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // of a configuration

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
std::string difference(const nlohmann::json& found, const Json& expected, const std::string& place) {
  if (found.is_object() && expected.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      if (!found.contains(key) || found[key] != nlohmann::json(value)) {
        return difference(found.contains(key) ? found[key] : nlohmann::json(), value,
                          place.empty() ? key : place + "." + key);
      }
    }
  }
  return fmt::format("{} is {}, expected {}", place, brief(found), brief(expected));
}

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw_invalid(fmt::format("{}: damaged: {}", path, what));
}

/// The value at "encoder.layers": a number, a whole number or a string, by the type of `to`.
template <typename T>
void take(const nlohmann::json& object, const std::string& path, std::string place, T& to) {
  const std::string name = place;
  std::ranges::replace(place, '.', '/');
  const nlohmann::json::json_pointer pointer("/" + place);
  if (!object.contains(pointer)) damaged(path, fmt::format("it has no '{}'", name));
  const nlohmann::json& value = object.at(pointer);
  constexpr bool kText = std::is_same_v<T, std::string>, kReal = std::is_floating_point_v<T>;
  if (!(kText ? value.is_string() : kReal ? value.is_number() : value.is_number_unsigned())) {
    damaged(path, fmt::format("'{}' is {}, expected {}", name, brief(value),
                              kText   ? "a string"
                              : kReal ? "a number"
                                      : "a whole number"));
  }
  value.get_to(to);
}

void take_values(const SafetensorsFile& file, const std::string& name, std::span<float> values) {
  const encoder::Tensor* const tensor = file.find(name);
  if (tensor == nullptr) damaged(file.path(), fmt::format("it has no tensor '{}'", name));
  if (tensor->dtype != "F32" || tensor->elements() != values.size()) {
    damaged(file.path(), fmt::format("tensor '{}' has {} numbers of type {}, expected {} of type F32", name,
                                     tensor->elements(), tensor->dtype, values.size()));
  }
  file.read(*tensor, 0, values);
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
  encoder::write_safetensors(in_folder(folder, kCheckpointFile), tensors,
                             {{"plan", describe(plan).dump()}, {"state", position.dump()}});
}

TrainingState read_checkpoint(const std::string& folder, const TrainingPlan& plan,
                              const ParameterLayout& layout) {
  const std::string path = in_folder(folder, kCheckpointFile);
  const SafetensorsFile file(path);
  file.require_checksum();
  const auto object = [&](const char* name) {
    const auto found = file.metadata().find(name);
    if (found == file.metadata().end())
      damaged(path, fmt::format("it has no '{}', so it is no checkpoint", name));
    return parse_json_object(found->second, fmt::format("{}: damaged: its {}", path, name));
  };
  nlohmann::json made_for = object("plan");
  const nlohmann::json position = object("state");
  made_for.emplace("pieces", name(Pieces::first));  // where it is silent: made by version 0.1.0
  if (const Json expected = describe(plan); made_for != nlohmann::json(expected)) {
    throw_invalid(fmt::format("{}: made by another training: {}", path, difference(made_for, expected, "")));
  }
  TrainingState state(layout);
  take_values(file, "values", state.values.values());
  take_values(file, "first_moment", state.first_moment.values());
  take_values(file, "second_moment", state.second_moment.values());
  take_values(file, "best", state.best.values());
  take(position, path, "step", state.step);
  take(position, path, "batch", state.batch);
  take(position, path, "learning_rate", state.learning_rate);
  take(position, path, "loss_sum", state.loss_sum);
  take(position, path, "best_epoch", state.best_epoch);
  const auto curve = position.find("curve");
  if (curve == position.end() || !curve->is_array()) damaged(path, "it has no list 'curve'");
  for (const nlohmann::json& record : *curve) {
    EpochRecord& epoch = state.curve.emplace_back();
    take(record, path, "loss", epoch.loss);
    take(record, path, "pearson", epoch.pearson);
    take(record, path, "learning_rate", epoch.learning_rate);
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
  encoder::write_safetensors(weights, tensors,
                             {{"architecture", std::string(name(plan.shape.architecture))}});
  const std::string hash = sha256_of_file(weights);
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
  const nlohmann::json config = parse_json_object(OpenFile(path).read_all(kMostBytes), path);
  TrainedModel model;
  std::string architecture, pieces(name(Pieces::first)), hash;
  take(config, path, "architecture", architecture);
  if (config.contains("pieces")) take(config, path, "pieces", pieces);  // version 0.1.0 had none
  try {
    model.shape.architecture = parse_architecture(architecture);
    model.pieces = parse_pieces(pieces);
  } catch (const Error& error) {
    damaged(path, error.what());
  }
  take(config, path, "encoder.layers", model.shape.layers);
  take(config, path, "encoder.width", model.shape.width);
  take(config, path, "hidden", model.shape.hidden);
  take(config, path, "dense", model.shape.dense);
  take(config, path, "encoder.name", model.encoder.name);
  take(config, path, "encoder.sha256", model.encoder.hash);
  take(config, path, "encoder.precision", model.encoder.precision);
  take(config, path, "encoder.max_length", model.encoder.max_length);
  take(config, path, "gold.mean", model.scale.mean);
  take(config, path, "gold.deviation", model.scale.deviation);
  take(config, path, "weights_sha256", hash);
  take(config, path, "signature", model.signature);
  const auto standardised = config.find("standardised");
  model.shape.standardised = standardised != config.end() && *standardised == true;
  const auto sane = [](std::size_t extent) { return extent > 0 && extent <= 65536; };
  if (!sane(model.shape.layers) || !sane(model.shape.width) || !sane(model.shape.hidden) ||
      !sane(model.shape.dense)) {
    damaged(path, "a size of the network is 0 or absurd");
  }
  const SafetensorsFile file(weights);
  file.require_checksum();
  model.weights_hash = sha256_of_file(weights);
  if (model.weights_hash != hash)
    throw_invalid(fmt::format("{}: its weights are not those {} was written for", weights, kConfigFile));
  model.network = std::make_unique<Network<float>>(model.shape);
  model.values = std::make_unique<Parameters<float>>(model.network->layout());
  const auto specs = model.network->layout().specs();
  for (std::size_t index = 0; index < specs.size(); ++index) {
    take_values(file, specs[index].name, {(*model.values)[index].data(), specs[index].size()});
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
