#include <array>

#include "fuzz/fuzz.hpp"
#include "text/corpus.hpp"
#include "text/score_columns.hpp"

// Texts and tables. The first byte chooses the kind of file and whether invalid UTF-8 is replaced; content
// that starts like gzip is unpacked, whatever its kind.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  fuzz::bound_unpacking();
  fuzz::Input input(data, size);
  const std::uint8_t choice = input.byte();
  static constexpr std::array kNames{"a.txt", "a.tsv", "a.csv", "a.jsonl", "a.txt.gz"};
  static constexpr std::array kColumns{"", ":text", ":text", ":text", ""};
  const std::size_t kind = choice % kNames.size();
  const std::string path = folder.write(kNames[kind], input.rest());
  const text::ReadOptions options{.replace_invalid = choice >= 128};
  fuzz::answer_or_error([&] {
    const text::Corpus corpus = text::read_corpus(path + kColumns[kind], options);
    fuzz::require(corpus.segments() > 0 && corpus.starts.back() == corpus.texts.size(),
                  "segments without texts");
  });
  if (kind == 0 || kind == 4) return 0;
  fuzz::answer_or_error([&] {
    const std::array requests{text::ColumnRequest{"score", text::ColumnKind::number},
                              text::ColumnRequest{"system", text::ColumnKind::label},
                              text::ColumnRequest{"text", text::ColumnKind::texts}};
    const auto columns = text::read_columns(path, requests, options);
    fuzz::require(columns[0].numbers.size() == columns[1].labels.size(), "columns of unequal length");
  });
  return 0;
}
