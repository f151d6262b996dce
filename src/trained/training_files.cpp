// Safetensors with parameters and state, JSON descriptions, and messages where two of them differ.
#include "trained/training_files.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/finite.hpp"
#include "base/json_text.hpp"
#include "base/open_file.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "base/version.hpp"
#include "trained/training_json.hpp"

namespace markeval::trained {
namespace {

using Json = nlohmann::ordered_json;
using encoder::NamedTensor;
using encoder::SafetensorsFile;
namespace fs = std::filesystem;

/// "training.seed is 1, expected 2": the first place where two descriptions differ.
std::string difference(const nlohmann::json& found, const Json& expected, const std::string& field) {
  if (found.is_object() && expected.is_object()) {
    for (const auto& [key, value] : expected.items()) {
      if (!found.contains(key) || found[key] != nlohmann::json(value)) {
        return difference(found.contains(key) ? found[key] : nlohmann::json(), value,
                          field.empty() ? key : field + "." + key);
      }
    }
  }
  return fmt::format("{} is {}, expected {}", field, brief(found), brief(expected));
}

Json curve_of(const TrainingState& state) {
  Json list = Json::array();
  for (const EpochRecord& record : state.curve) {
    list.push_back(
        {{"loss", record.loss}, {"pearson", record.pearson}, {"learning_rate", record.learning_rate}});
  }
  return list;
}

}  // namespace

std::string in_folder(const std::string& folder, const char* file) {
  return (fs::path(folder) / file).string();
}

nlohmann::json read_config(const std::string& folder) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  const std::string path = in_folder(folder, kConfigFile);
  return parse_json_object(OpenFile(path).read_all(kMostBytes), path);
}

void require_architecture(const std::string& folder, std::string_view wanted) {
  if (const std::string found = architecture_of(folder); found != wanted)
    throw_invalid(fmt::format("{} holds a model of the kind {}, expected {}", folder, found, wanted));
}

Json describe_files(const std::vector<DataFile>& files) {
  Json list = Json::array();
  for (const DataFile& file : files)
    list.push_back({{"file", file.name}, {"sha256", file.hash}, {"pairs", file.pairs}});
  return list;
}

Json describe_encoder(const EncoderIdentity& encoder, std::size_t layers, std::size_t width) {
  Json described{{"name", encoder.name},
                 {"sha256", encoder.hash},
                 {"precision", encoder.precision},
                 {"max_length", encoder.max_length},
                 {"layers", layers},
                 {"width", width}};
  if (encoder.given) described["given"] = true;
  return described;
}

void take_encoder(const nlohmann::json& config, const std::string& path, EncoderIdentity& encoder) {
  take(config, path, "encoder.name", encoder.name);
  take(config, path, "encoder.sha256", encoder.hash);
  take(config, path, "encoder.precision", encoder.precision);
  take(config, path, "encoder.max_length", encoder.max_length);
  encoder.given = config["encoder"].value("given", nlohmann::json()) == true;
}

void require_finite(const TrainingState& state, std::span<const double> numbers) {
  const bool scaled = std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
  if (!scaled || !all_finite(state.best.values()))
    throw_invalid("the training did not stay finite: try a smaller learning rate");
}

void write_config(const std::string& folder, const Json& config, const TrainingState& state,
                  const std::string& weights_hash, const std::string& signature) {
  Json written{{"markeval", version()}};
  written.update(config);
  written["curve"] = curve_of(state);
  written["best_epoch"] = state.best_epoch;
  written["weights_sha256"] = weights_hash;
  written["signature"] = signature;
  write_whole_file(in_folder(folder, kConfigFile), json_text(written, 2) + "\n");
}

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw_invalid(fmt::format("{}: damaged: {}", path, what));
}

void take_values(const SafetensorsFile& file, const std::string& name, std::span<float> values) {
  const encoder::Tensor* const tensor = file.find(name);
  if (tensor == nullptr) damaged(file.path(), fmt::format("it has no tensor '{}'", name));
  if (tensor->dtype != "F32" || tensor->elements() != values.size()) {
    damaged(file.path(), fmt::format("tensor '{}' has {} numbers of type {}, expected {} of type F32", name,
                                     tensor->elements(), tensor->dtype, values.size()));
  }
  file.read(*tensor, 0, values);
  if (!all_finite(values)) damaged(file.path(), fmt::format("tensor '{}' holds NaN or infinity", name));
}

void take_parameters(const SafetensorsFile& file, Parameters<float>& values) {
  const auto specs = values.layout().specs();
  for (std::size_t index = 0; index < specs.size(); ++index)
    take_values(file, specs[index].name, {values[index].data(), specs[index].size()});
}

std::vector<NamedTensor> named_tensors(const Parameters<float>& values) {
  std::vector<NamedTensor> tensors;
  const auto specs = values.layout().specs();
  for (std::size_t index = 0; index < specs.size(); ++index) {
    tensors.push_back({specs[index].name,
                       {specs[index].rows, specs[index].columns},
                       {values[index].data(), specs[index].size()}});
  }
  return tensors;
}

void write_checkpoint(const std::string& folder, const std::string& plan, const TrainingState& state) {
  const std::vector<std::size_t> shape{state.values.values().size()};
  const std::vector<NamedTensor> tensors{{"values", shape, state.values.values()},
                                         {"first_moment", shape, state.first_moment.values()},
                                         {"second_moment", shape, state.second_moment.values()},
                                         {"best", shape, state.best.values()}};
  const Json position{
      {"step", state.step},         {"batch", state.batch},           {"learning_rate", state.learning_rate},
      {"loss_sum", state.loss_sum}, {"best_epoch", state.best_epoch}, {"curve", curve_of(state)}};
  encoder::write_safetensors(in_folder(folder, kCheckpointFile), tensors,
                             {{"plan", plan}, {"state", json_text(position)}});
}

TrainingState read_checkpoint(const std::string& folder, const std::string& plan,
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
  const Json expected = Json::parse(plan);
  if (expected.contains("pieces")) made_for.emplace("pieces", "first");  // silent: made by version 0.1.0
  if (made_for != nlohmann::json(expected)) {
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

std::string architecture_of(const std::string& folder) {
  const std::string path = in_folder(folder, kConfigFile);
  if (!path_exists(path) && path_exists(in_folder(folder, kCheckpointFile))) {
    throw_invalid(
        fmt::format("{}: training is not finished, continue it with markeval train --resume", folder));
  }
  std::string architecture;
  take(read_config(folder), path, "architecture", architecture);
  return architecture;
}

std::string EncoderIdentity::signature() const {
  return fmt::format("{}@{}", given ? "input:token-vectors" : "model:" + name, hash.substr(0, 8));
}

EncoderIdentity identity_of(embed::TextEncoder& encoder) {
  return {encoder.model_name(), encoder.model().folder().weight_hash(), encoder.numerics(), encoder.limit(),
          false};
}

EncoderIdentity identity_of(const embed::TokenVectorSource& vectors) {
  return {vectors.maker(), sha256_of(vectors.maker()), "f32", 0, true};
}

void check_same_vectors(const std::string& folder, const EncoderIdentity& made_for,
                        const EncoderIdentity& found) {
  if (made_for.given && !found.given) {
    throw_invalid(
        fmt::format("{} was trained on token vectors made by '{}': expected files of such vectors, not texts",
                    folder, made_for.name));
  }
  if (!made_for.given && found.given) {
    throw_invalid(fmt::format("{} was trained on texts, read by {}: expected texts, not token vectors",
                              folder, made_for.name));
  }
  if (made_for.hash == found.hash) return;
  if (made_for.given) {
    throw_invalid(fmt::format("{} was trained on token vectors made by '{}', but these are made by '{}'",
                              folder, made_for.name, found.name));
  }
  throw_invalid(fmt::format(
      "{} was trained on vectors of {}@{}, but the model is {}@{}: expected --model {}, or train one for {}",
      folder, made_for.name, made_for.hash.substr(0, 8), found.name, found.hash.substr(0, 8), made_for.name,
      found.name));
}

void refuse_shape(const std::string& folder, std::size_t layers, std::size_t columns,
                  const embed::VectorSource& found, const EncoderIdentity& identity) {
  throw_invalid(fmt::format("{}: made for vectors of {} layers and {} columns, the {} {} and {}", folder,
                            layers, columns, identity.given ? "token vectors have" : "model gives",
                            found.last_layer() + 1, found.width()));
}

}  // namespace markeval::trained
