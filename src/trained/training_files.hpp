// What training leaves behind, whatever network learned: FOLDER/model.safetensors and FOLDER/config.json,
// and, while it runs, FOLDER/checkpoint.safetensors. Every file is written whole or not at all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "embed/text_encoder.hpp"
#include "embed/token_vector_source.hpp"
#include "trained/training_loop.hpp"

namespace markeval::trained {

inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";

/// The encoder whose vectors a model was trained on. Another one's make no sense to it.
struct EncoderIdentity {
  std::string name;  ///< "all-MiniLM-L6-v2"; of given vectors whoever made them
  std::string hash;  ///< sha256 of the weights; of given vectors that of the name
  std::string precision = "f32";
  std::size_t max_length = 0;  ///< tokens of a text
  bool given = false;          ///< the vectors came from files: there is no encoder to ask

  /// For a signature: "model:all-MiniLM-L6-v2@53aa5117", "input:token-vectors@0f3c1a2b".
  std::string signature() const;
};

EncoderIdentity identity_of(embed::TextEncoder& encoder);
/// Throws Error(invalid_input) where a file does not say who made its vectors.
EncoderIdentity identity_of(const embed::TokenVectorSource& vectors);

/// Throws Error(invalid_input) unless what `folder` holds was made for the vectors there are.
void check_same_vectors(const std::string& folder, const EncoderIdentity& made_for,
                        const EncoderIdentity& found);

/// Throws Error(invalid_input): what `folder` holds reads vectors of other layers or columns than there are.
[[noreturn]] void refuse_shape(const std::string& folder, std::size_t layers, std::size_t columns,
                               const embed::VectorSource& found, const EncoderIdentity& identity);

struct DataFile {
  std::string name;  ///< without folder
  std::string hash;  ///< sha256 of its bytes
  std::size_t pairs = 0;
};

/// FOLDER/checkpoint.safetensors. `plan`: everything that decides what training ends with, as a JSON object.
void write_checkpoint(const std::string& folder, const std::string& plan, const TrainingState& state);
/// Throws Error(invalid_input) where the file is damaged, or was made for another plan: naming what differs.
TrainingState read_checkpoint(const std::string& folder, const std::string& plan,
                              const ParameterLayout& layout);

/// What FOLDER/config.json says was trained: "esim", "match". Throws Error(io) where there is none, and
/// Error(invalid_input) where it is damaged or the training is not finished.
std::string architecture_of(const std::string& folder);

}  // namespace markeval::trained
