#include "encoder/torch_file.hpp"
#include "fuzz/fuzz.hpp"

// A file of torch.save(). Behind a first byte that is odd: the pickle alone, put into an older file, so that
// the fuzzer need not find the magic number again and again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  fuzz::Input input(data, size);
  const bool bare = input.byte() % 2 == 1;
  std::string content;
  if (bare) {
    content.assign("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
    content.append("\x80\x02M\xe9\x03.", 6).append("}.");
  }
  content += input.rest();
  const std::string path = folder.write("pytorch_model.bin", content);
  fuzz::answer_or_error([&] {
    const encoder::TensorFile file = encoder::read_torch_file(OpenFile(path));
    for (const auto& [name, tensor] : file.tensors()) {
      if (!encoder::is_float_type(tensor.dtype)) continue;
      fuzz::require(tensor.elements() <= size && tensor.bytes <= size, "more numbers than bytes");
      std::vector<float> values(tensor.elements());
      file.read(tensor, 0, values);
    }
  });
  return 0;
}
