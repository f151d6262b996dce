// What training leaves behind: FOLDER/model.safetensors and FOLDER/config.json, and, while it runs,
// FOLDER/checkpoint.safetensors. Every file is written whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "embed/text_encoder.hpp"
#include "trained/network.hpp"
#include "trained/trainer.hpp"

namespace markeval::trained {

inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";

/// The encoder whose vectors a model was trained on. Another one's make no sense to it.
struct EncoderIdentity {
  std::string name;  ///< "all-MiniLM-L6-v2"
  std::string hash;  ///< sha256 of the weights
  std::string precision = "f32";
  std::size_t max_length = 0;  ///< tokens of a text
};

EncoderIdentity identity_of(embed::TextEncoder& encoder);

struct DataFile {
  std::string name;  ///< without folder
  std::string hash;  ///< sha256 of its bytes
  std::size_t pairs = 0;
};

/// Everything that decides what training ends with.
struct TrainingPlan {
  NetworkShape shape;
  EncoderIdentity encoder;
  Pieces pieces = Pieces::all;
  TrainingOptions options;
  std::vector<DataFile> train, valid;
  std::string from;     ///< sha256 of the weights it starts from; empty: none
  std::string columns;  ///< "ref ref, hyp hyp, gold human"
};

/// FOLDER/checkpoint.safetensors.
void write_checkpoint(const std::string& folder, const TrainingPlan& plan, const TrainingState& state);
/// Throws Error(invalid_input) where the file is damaged, or was made for another plan: naming what differs.
TrainingState read_checkpoint(const std::string& folder, const TrainingPlan& plan,
                              const ParameterLayout& layout);

/// Weights of the best epoch, then the configuration.
void write_model(const std::string& folder, const TrainingPlan& plan, const GoldScale& scale,
                 const TrainingState& state);

struct TrainedModel {
  NetworkShape shape;
  EncoderIdentity encoder;
  Pieces pieces = Pieces::first;  ///< those of version 0.1.0 do not say
  GoldScale scale;
  std::string weights_hash;  ///< sha256 of model.safetensors
  std::string signature;     ///< of the training
  std::unique_ptr<Network<float>> network;
  std::unique_ptr<Parameters<float>> values;
};

/// Throws Error(io) and Error(invalid_input) naming the file and what is wrong with it.
TrainedModel read_model(const std::string& folder);
/// Throws unless the model of `folder` is of this kind and made for vectors of this encoder and precision.
void check_fits(const std::string& folder, const TrainedModel& model, Architecture kind,
                const EncoderIdentity& encoder);

}  // namespace markeval::trained
