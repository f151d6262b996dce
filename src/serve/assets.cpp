// The files of src/serve/page, inside the program.
#include "serve/assets.hpp"

#include "base/embedded_file.hpp"

#define MARKEVAL_FILE(symbol, name, path) MARKEVAL_EMBED(symbol, path)
#include "serve/assets.inc"
#undef MARKEVAL_FILE

namespace markeval::serve {

std::string_view asset(std::string_view name) {
#define MARKEVAL_FILE(symbol, file, path) \
  if (name == file) return {symbol, symbol##_end};
#include "serve/assets.inc"
#undef MARKEVAL_FILE
  return {};
}

}  // namespace markeval::serve
