// What a user says about the encoder behind a score: the same in every request.
#pragma once

#include <cstddef>
#include <string>

namespace markeval {

struct EncoderOptions {
  std::string model = "all-MiniLM-L6-v2";  ///< a name, or a folder as Hugging Face makes them
  std::string precision = "f32";           ///< or bf16, where the CPU has it
  std::size_t max_length = 0;              ///< tokens of a text; 0: as many as the model takes
  bool windows = false;                    ///< longer texts in overlapping windows instead of cut
  std::string cache{};                     ///< where vectors are kept: a folder or "none"; empty: the default
};

}  // namespace markeval
