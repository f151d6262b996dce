#include "embed/static_vectors.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  fuzz::bound_unpacking();
  const std::string path = folder.write("vectors", {reinterpret_cast<const char*>(data), size});
  fuzz::answer_or_error([&] { embed::StaticVectors::load(path, nullptr); });
  return 0;
}
