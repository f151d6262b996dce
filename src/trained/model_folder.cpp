// The description of a plan as JSON, and the writing, reading and checking of a model.
#include "trained/model_folder.hpp"

#include <fmt/format.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "trained/training_json.hpp"

namespace markeval::trained {
namespace {

using Json = nlohmann::ordered_json;
using encoder::SafetensorsFile;

Json describe(const TrainingPlan& plan) {
  const TrainingOptions& options = plan.options;
  return {{"architecture", name(plan.shape.architecture)},
          {"encoder", describe_encoder(plan.encoder, plan.shape.layers, plan.shape.width)},
          {"pieces", name(plan.pieces)},
          {"hidden", plan.shape.hidden},
          {"dense", plan.shape.dense},
          {"standardised", plan.shape.standardised},
          {"training",
           {{"from", plan.from},
            {"train", describe_files(plan.train)},
            {"valid", describe_files(plan.valid)},
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

}  // namespace

std::string description(const TrainingPlan& plan) {
  return json_text(describe(plan));
}

void write_checkpoint(const std::string& folder, const TrainingPlan& plan, const TrainingState& state) {
  write_checkpoint(folder, description(plan), state);
}

TrainingState read_checkpoint(const std::string& folder, const TrainingPlan& plan,
                              const ParameterLayout& layout) {
  return read_checkpoint(folder, description(plan), layout);
}

void write_model(const std::string& folder, const TrainingPlan& plan, const GoldScale& scale,
                 const TrainingState& state) {
  const std::string weights = in_folder(folder, kWeightsFile);
  require_finite(state);
  encoder::write_safetensors(weights, named_tensors(state.best),
                             {{"architecture", std::string(name(plan.shape.architecture))}});
  const std::string hash = sha256_of_file(weights);
  const std::string signature = fmt::format(
      "{}|weights:{}|pieces:{}|{}|seed:{}|version:{}", name(plan.shape.architecture), hash.substr(0, 8),
      name(plan.pieces), plan.encoder.signature(), plan.options.seed, version());
  Json config = describe(plan);
  config["gold"] = {{"mean", scale.mean}, {"deviation", scale.deviation}};
  write_config(folder, config, state, hash, signature);
}

TrainedModel read_model(const std::string& folder) {
  const std::string path = in_folder(folder, kConfigFile), weights = in_folder(folder, kWeightsFile);
  const std::string architecture = architecture_of(folder);
  if (architecture == "match")
    throw_invalid(
        fmt::format("{} holds a model of the kind match: score with match:weights={}", folder, folder));
  const nlohmann::json config = read_config(folder);
  TrainedModel model;
  std::string pieces(name(Pieces::first)), hash;
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
  take_encoder(config, path, model.encoder);
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
  take_parameters(file, *model.values);
  return model;
}

void check_fits(const std::string& folder, const TrainedModel& model, Architecture kind,
                const EncoderIdentity& encoder) {
  if (model.shape.architecture != kind) {
    throw_invalid(fmt::format("{} holds a model of the kind {}, expected {}", folder,
                              name(model.shape.architecture), name(kind)));
  }
  check_same_vectors(folder, model.encoder, encoder);
  if (model.encoder.precision != encoder.precision) {
    throw_usage(fmt::format("{} was trained on vectors of precision {}, not {}", folder,
                            model.encoder.precision, encoder.precision));
  }
}

}  // namespace markeval::trained
