#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "embed/token_vector_source.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace markeval;

/// A .npy file with this dictionary: its length and as many numbers as one of its shapes asks for are right,
/// so that a changed header is not a cut file only.
std::string npy_with(std::string dictionary, std::uint8_t which_shape) {
  std::vector<std::size_t> sizes;
  for (std::size_t at = dictionary.find('('); at != std::string::npos; at = dictionary.find('(', at + 1)) {
    std::size_t values = 1;
    for (std::size_t i = at + 1; i < dictionary.size() && dictionary[i] != ')'; ++i) {
      std::size_t extent = 0;
      const char* const begin = dictionary.data() + i;
      const auto [end, error] = std::from_chars(begin, dictionary.data() + dictionary.size(), extent);
      if (error != std::errc()) continue;
      if (__builtin_mul_overflow(values, extent, &values)) values = 0;
      i += static_cast<std::size_t>(end - begin) - 1;
    }
    sizes.push_back(values);
  }
  std::size_t bytes = sizes.empty() ? 0 : sizes[which_shape % sizes.size()];
  bytes *= dictionary.find("f8") != std::string::npos   ? 8
           : dictionary.find("f2") != std::string::npos ? 2
                                                        : 4;
  dictionary.resize(std::min<std::size_t>(dictionary.size(), 60'000));
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(length & 0xff);
  file += static_cast<char>(length >> 8);
  file += dictionary;
  for (std::size_t i = 0; i < std::min<std::size_t>(bytes, 1 << 16); ++i) file += static_cast<char>(i % 61);
  return file;
}

}  // namespace

// Vectors of tokens made elsewhere: a choice, the table, '\0', then the array or (an odd choice) its
// dictionary.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Folder folder;
  static ThreadPool pool(1);
  static const bool bounded = ::setenv("MARKEVAL_MAX_EMPTY_TEXTS", "1000", 1) == 0;
  fuzz::require(bounded, "no limit");
  fuzz::bound_unpacking();
  fuzz::Input input(data, size);
  const std::uint8_t choice = input.byte();
  folder.write("a.tokens.tsv", input.part());
  const std::string content =
      choice % 2 == 1 ? npy_with(std::string(input.rest()), choice >> 4) : std::string(input.rest());
  const std::string array = folder.write("a.npy", content);
  fuzz::answer_or_error([&] {
    embed::TokenVectorSource source;
    const text::Corpus corpus = source.read(array, pool);
    // Metrics divide by the width. Without this line the fault that two shapes in one header cause is not
    // found.
    fuzz::require(source.width() > 0, "vectors without width");
    const std::vector<std::string_view> texts(corpus.texts.begin(), corpus.texts.end());
    std::vector<std::size_t> layers(source.last_layer() + 1);
    std::iota(layers.begin(), layers.end(), std::size_t{0});
    const embed::EncodedTexts encoded = source.encode(texts, {layers, {}}, {}, {pool});
    fuzz::require(encoded.distinct() == texts.size(), "texts of one file that were taken for one");
  });
  return 0;
}
