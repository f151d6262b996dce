#include "encoder/safetensors.hpp"

#include "encoder/weight_files.hpp"
#include "fuzz/fuzz.hpp"

// The file itself and, behind a first byte that is odd, the index of a model in several files.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  fuzz::Input input(data, size);
  if (input.byte() % 2 == 1) {
    folder.write("model-1.safetensors", "");
    folder.write("model.safetensors.index.json", input.rest());
    fuzz::answer_or_error([&] { encoder::open_weights(folder.path()); });
    return 0;
  }
  const std::string path = folder.write("tensors", input.rest());
  fuzz::answer_or_error([&] {
    const encoder::SafetensorsFile file(path);
    for (const auto& [name, tensor] : file.tensors()) {
      if (!encoder::is_float_type(tensor.dtype)) continue;
      fuzz::require(tensor.elements() <= size, "more numbers than bytes");
      std::vector<float> values(tensor.elements());
      file.read(tensor, 0, values);
    }
    file.require_checksum();
  });
  return 0;
}
