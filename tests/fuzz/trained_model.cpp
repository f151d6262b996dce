#include "fuzz/fuzz.hpp"
#include "trained/blend.hpp"
#include "trained/match_head.hpp"
#include "trained/model_folder.hpp"

// A trained metric: config.json, '\0', model.safetensors. A network, a head of match, or a blend.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  fuzz::Input input(data, size);
  folder.write(trained::kConfigFile, input.part());
  folder.write(trained::kWeightsFile, input.rest());
  fuzz::answer_or_error([&] { trained::read_model(folder.path()); });
  fuzz::answer_or_error([&] { trained::read_head("head", std::as_bytes(std::span(input.rest()))); });
  fuzz::answer_or_error([&] { trained::read_blend(folder.path()); });
  return 0;
}
