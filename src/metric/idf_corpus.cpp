#include "metric/idf_corpus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace markeval::metric {

IdfCorpus IdfCorpus::load(const OptionValues& options, std::span<const std::string> words) {
  IdfCorpus corpus;
  const std::string& value = options.text("idf");
  if (std::find(words.begin(), words.end(), value) != words.end()) return corpus;
  const std::string file = text::InputSpec::split(value).path;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) {
    throw Error(ErrorCode::io, fmt::format("{}: idf={}: no such file, expected {} or a file of texts",
                                           options.metric(), value, fmt::join(words, ", ")));
  }
  corpus.path = value;
  corpus.texts = text::read_corpus(value);
  Digest digest(Digest::HashKind::sha256);
  for (const std::string& text : corpus.texts.texts) {
    digest.add(text);
    digest.add("\n");
  }
  corpus.signature =
      fmt::format("{}@{}", std::filesystem::path(value).filename().string(), digest.hex().substr(0, 8));
  return corpus;
}

}  // namespace markeval::metric
