#include "lexical/wordnet.hpp"
#include "fuzz/fuzz.hpp"

// index.noun, data.noun and noun.exc with '\0' between them; the other parts of speech are empty.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  static const bool empty_ones = [] {
    for (const char* name : {"verb", "adj", "adv"}) {
      for (const std::string& file :
           {std::string("index.") + name, std::string("data.") + name, name + std::string(".exc")})
        folder.write(file, "");
    }
    return true;
  }();
  fuzz::require(empty_ones, "no folder");
  fuzz::Input input(data, size);
  for (const char* name : {"index.noun", "data.noun", "noun.exc"}) folder.write(name, input.part());
  fuzz::answer_or_error([&] {
    const lexical::WordNet wordnet(folder.path());
    for (const char* word : {"cat", "cats", "mice", "a"})
      fuzz::answer_or_error([&] { wordnet.synonyms(word); });
  });
  return 0;
}
