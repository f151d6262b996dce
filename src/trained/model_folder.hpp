// The folders of trained networks of Mathur et al. (training_files.hpp has what all trainings share).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trained/network.hpp"
#include "trained/trainer.hpp"
#include "trained/training_files.hpp"

namespace markeval::trained {

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

/// As a JSON object.
std::string description(const TrainingPlan& plan);

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
