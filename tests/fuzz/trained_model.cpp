#include "fuzz/fuzz.hpp"
#include "trained/model_folder.hpp"

// A trained metric: config.json, '\0', model.safetensors.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  fuzz::Input input(data, size);
  folder.write(trained::kConfigFile, input.part());
  folder.write(trained::kWeightsFile, input.rest());
  fuzz::answer_or_error([&] { trained::read_model(folder.path()); });
  return 0;
}
