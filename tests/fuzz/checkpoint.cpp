#include "encoder/checkpoint.hpp"

#include "encoder/weight_files.hpp"
#include "fuzz/fuzz.hpp"

// The index of a checkpoint of TensorFlow, beside data of zeros.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  static const std::string numbers =
      folder.write("bert_model.ckpt.data-00000-of-00001", std::string(1 << 16, '\0'));
  fuzz::Input input(data, size);
  folder.write("bert_model.ckpt.index", input.rest());
  fuzz::answer_or_error([&] {
    for (const encoder::TensorFile& file : encoder::read_tensor_files(encoder::open_weights(folder.path()))) {
      for (const auto& [name, tensor] : file.tensors()) {
        if (!encoder::is_float_type(tensor.dtype)) continue;
        fuzz::require(tensor.elements() <= 1 << 16, "more numbers than bytes");
        std::vector<float> values(tensor.elements());
        file.read(tensor, 0, values);
      }
    }
  });
  return 0;
}
