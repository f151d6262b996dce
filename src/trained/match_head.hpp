// A trained head of `match`: one safetensors file that says of itself what it is made of and for which
// encoder. `markeval train` writes it into a folder, with a config.json for people to read; the program
// carries some.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trained/match_trainer.hpp"
#include "trained/training_files.hpp"

namespace markeval::trained {

/// Everything that decides what training ends with.
struct MatchPlan {
  MatchShape shape;
  EncoderIdentity encoder;
  MatchOptions options;
  std::vector<DataFile> train, valid;
  std::string from;     ///< sha256 of the head it starts from; empty: none
  std::string columns;  ///< "ref ref, hyp hyp, gold human, group lp"

  /// As a JSON object.
  std::string description() const;
};

struct MatchHead {
  MatchShape shape;
  EncoderIdentity encoder;
  MatchScale scale;
  std::string hash;  ///< sha256 of its file
  std::unique_ptr<MatchNetwork<float>> network;
  std::unique_ptr<Parameters<float>> values;
};

/// The head of the best epoch, then the configuration, which has the judges' scale for people to read. Gives
/// back the training's signature.
std::string write_head(const std::string& folder, const MatchPlan& plan, const MatchScale& scale,
                       const TrainingState& state, const JudgeScale& human = {});

/// Throws Error(io) and Error(invalid_input) naming the file and what is wrong with it.
MatchHead read_head(const std::string& folder);
/// `name` is for messages.
MatchHead read_head(const std::string& name, std::span<const std::byte> file);

/// The heads inside the program: the bytes of their files.
std::vector<std::span<const std::byte>> shipped_heads();
/// The pairs they learned from: a file as score/learned_pairs.hpp writes it.
std::span<const std::byte> shipped_pairs();
/// The encoders they were made for, in the same order.
std::vector<EncoderIdentity> shipped_encoders();
/// The shipped head made for this encoder. Throws Error(usage) naming `markeval train` where there is none.
MatchHead shipped_head(const EncoderIdentity& encoder);

}  // namespace markeval::trained
