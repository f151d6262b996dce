#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "embed/token_vector_source.hpp"
#include "fuzz/fuzz.hpp"

// Vectors of tokens made elsewhere: the table, '\0', the array.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  static ThreadPool pool(1);
  static const bool bounded = ::setenv("MARKEVAL_MAX_EMPTY_TEXTS", "1000", 1) == 0;
  fuzz::require(bounded, "no limit");
  fuzz::bound_unpacking();
  fuzz::Input input(data, size);
  folder.write("a.tokens.tsv", input.part());
  const std::string array = folder.write("a.npy", input.rest());
  fuzz::answer_or_error([&] {
    embed::TokenVectorSource source;
    const text::Corpus corpus = source.read(array, pool);
    const std::vector<std::string_view> texts(corpus.texts.begin(), corpus.texts.end());
    const embed::EncodedTexts encoded = source.encode(texts, {{source.last_layer()}, {}}, {}, {pool});
    fuzz::require(encoded.distinct() == texts.size(), "texts of one file that were taken for one");
  });
  return 0;
}
