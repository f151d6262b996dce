#include "fuzz/fuzz.hpp"
#include "token/tokenizer.hpp"

// The old files of a tokenizer with '\0' between them: vocab.txt, vocab.json, merges.txt,
// tokenizer_config.json. Those that are empty are not there.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  fuzz::Input input(data, size);
  fuzz::write_parts(input, folder, {"vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json"});
  fuzz::answer_or_error([&] {
    const auto tokenizer = token::Tokenizer::load(folder.path());
    token::TokenizerScratch scratch;
    token::Encoding encoding;
    tokenizer.encode("The cat sat on the mat, didn't it?", 64, scratch, encoding);
  });
  return 0;
}
