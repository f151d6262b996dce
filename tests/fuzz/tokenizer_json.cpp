#include "fuzz/fuzz.hpp"
#include "token/tokenizer.hpp"

// A tokenizer.json, used on a few texts where it is taken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  fuzz::answer_or_error([&] {
    const auto tokenizer =
        token::Tokenizer::from_json({reinterpret_cast<const char*>(data), size}, "tokenizer.json");
    token::TokenizerScratch scratch;
    token::Encoding encoding;
    for (const std::string_view text :
         {"", "a", "The cat sat on the mat, didn't it?", "  na\u00efve caf\u00e9 \U0001F600 1,234.5\t\n",
          "\u4e2d\u6587 \u0e44\u0e17\u0e22 \u0627\u0644\u0639\u0631\u0628\u064a\u0629"}) {
      fuzz::answer_or_error([&] {
        tokenizer.encode(text, 64, scratch, encoding);
        fuzz::require(encoding.ids.size() <= 64, "more tokens than the limit");
        for (const std::int32_t id : encoding.ids)
          fuzz::require(id >= 0 && static_cast<std::size_t>(id) < tokenizer.id_limit(),
                        "an id beyond the limit");
        for (const auto& range : encoding.offsets)
          fuzz::require(range.begin <= range.end && range.end <= text.size(), "an offset outside the text");
      });
    }
  });
  return 0;
}
