// Writing and reading of the file with its description, and the heads embedded in the program.
#include "trained/match_head.hpp"

#include <fmt/format.h>

#include <array>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "trained/training_json.hpp"

namespace markeval::trained {
namespace {

constexpr const char* kShipped = "a head inside the program";  ///< its name in messages

using Json = nlohmann::ordered_json;
using encoder::SafetensorsFile;

/// What a head is made of, and for which encoder.
Json describe_head(const MatchPlan& plan) {
  return {{"encoder", describe_encoder(plan.encoder, plan.shape.layers, plan.shape.width)},
          {"heads", plan.shape.heads},
          {"width", plan.shape.head_width},
          {"hidden", plan.shape.hidden}};
}

Json describe(const MatchPlan& plan) {
  const MatchOptions& options = plan.options;
  Json description{{"architecture", "match"}};
  description.update(describe_head(plan));
  description["training"] = {{"from", plan.from},
                             {"train", describe_files(plan.train)},
                             {"valid", describe_files(plan.valid)},
                             {"columns", plan.columns},
                             {"seed", options.seed},
                             {"learning_rate", options.learning_rate},
                             {"weight_decay", options.weight_decay},
                             {"warm_up", options.warm_up},
                             {"batch", options.batch},
                             {"dropout", options.dropout},
                             {"gradient_norm", options.gradient_norm},
                             {"epochs", options.epochs}};
  return description;
}

/// What the file says of itself.
nlohmann::json description_in(const SafetensorsFile& file) {
  const auto found = file.metadata().find("head");
  if (found == file.metadata().end()) damaged(file.path(), "it has no 'head', so it is no head of match");
  return parse_json_object(found->second, file.path() + ": damaged: its head");
}

MatchHead read(const SafetensorsFile& file, std::string hash) {
  const std::string& path = file.path();
  file.require_checksum();
  const nlohmann::json config = description_in(file);
  MatchHead head;
  head.hash = std::move(hash);
  take_encoder(config, path, head.encoder);
  take(config, path, "encoder.layers", head.shape.layers);
  take(config, path, "encoder.width", head.shape.width);
  take(config, path, "heads", head.shape.heads);
  take(config, path, "width", head.shape.head_width);
  take(config, path, "hidden", head.shape.hidden);
  take(config, path, "scale.offset", head.scale.offset);
  take(config, path, "scale.factor", head.scale.factor);
  const auto sane = [](std::size_t extent) { return extent > 0 && extent <= 65536; };
  const std::size_t heads = head.shape.heads;
  if (!sane(head.shape.layers) || !sane(head.shape.width) || !sane(heads) || heads > 256 ||
      !sane(head.shape.head_width) || !sane(head.shape.hidden + 1))
    damaged(path, "a size of the head is 0 or absurd");
  head.network = std::make_unique<MatchNetwork<float>>(head.shape);
  head.values = std::make_unique<Parameters<float>>(head.network->layout());
  take_parameters(file, *head.values);
  return head;
}

}  // namespace

std::string MatchPlan::description() const {
  return json_text(describe(*this));
}

std::string write_head(const std::string& folder, const MatchPlan& plan, const MatchScale& scale,
                       const TrainingState& state, const JudgeScale& human) {
  require_finite(state, std::array{scale.offset, scale.factor, human.offset, human.slope});
  const std::string weights = in_folder(folder, kWeightsFile);
  const Json scaled{{"offset", scale.offset}, {"factor", scale.factor}};
  Json head = describe_head(plan);
  head["scale"] = scaled;
  encoder::write_safetensors(weights, named_tensors(state.best),
                             {{"architecture", "match"}, {"head", json_text(head)}});
  const std::string hash = sha256_of_file(weights);
  const std::string signature = fmt::format("match|head:{}|{}|seed:{}|version:{}", hash.substr(0, 8),
                                            plan.encoder.signature(), plan.options.seed, version());
  Json config = describe(plan);
  config["scale"] = scaled;
  config["human_scale"] = {{"offset", human.offset}, {"slope", human.slope}, {"low", human.low},
                           {"high", human.high},     {"error", human.error}, {"pearson", human.pearson}};
  write_config(folder, config, state, hash, signature);
  return signature;
}

MatchHead read_head(const std::string& folder) {
  require_architecture(folder, "match");
  const std::string weights = in_folder(folder, kWeightsFile);
  return read(SafetensorsFile(weights), sha256_of_file(weights));
}

MatchHead read_head(const std::string& name, std::span<const std::byte> file) {
  Digest digest(Digest::HashKind::sha256);
  digest.add({reinterpret_cast<const char*>(file.data()), file.size()});
  return read(SafetensorsFile(name, file), digest.hex());
}

std::vector<EncoderIdentity> shipped_encoders() {
  std::vector<EncoderIdentity> encoders;
  for (const std::span<const std::byte> file : shipped_heads())
    take_encoder(description_in(SafetensorsFile(kShipped, file)), kShipped, encoders.emplace_back());
  return encoders;
}

MatchHead shipped_head(const EncoderIdentity& encoder) {
  const std::vector<EncoderIdentity> encoders = shipped_encoders();
  std::string known;
  for (std::size_t i = 0; i < encoders.size(); ++i) {
    if (encoders[i].hash == encoder.hash) return read_head(kShipped, shipped_heads()[i]);
    known += (known.empty() ? "" : ", ") + encoders[i].name;
  }
  throw_usage(fmt::format(
      "match has no head for {}@{}{}: make one with markeval train, then match:weights=FOLDER", encoder.name,
      encoder.hash.substr(0, 8), known.empty() ? std::string() : fmt::format(", only for {}", known)));
}

}  // namespace markeval::trained
