#include "vectors/npy.hpp"

#include "base/parallel.hpp"
#include "fuzz/fuzz.hpp"
#include "vectors/vectors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  static ThreadPool pool(1);
  const std::string path = folder.write("a.npy", {reinterpret_cast<const char*>(data), size});
  fuzz::answer_or_error([&] {
    const vectors::Vectors found = vectors::read_npy(path);
    fuzz::require(found.rows() > 0 && found.columns() > 0, "a matrix without rows or columns");
    require_finite(found, pool);
  });
  return 0;
}
