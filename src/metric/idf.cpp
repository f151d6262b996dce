// Counting of texts per token, merging of tables, and the weights.
#include "metric/idf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <filesystem>

#include "base/digest.hpp"
#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "text/utf8.hpp"

namespace markeval::metric {

IdfTable::IdfTable(std::span<const std::pair<std::int32_t, double>> weights, double other)
    : given_(true), weights_(weights.begin(), weights.end()), other_(other) {}

IdfTable::IdfTable(std::vector<std::uint32_t> texts_with, std::size_t texts)
    : texts_with_(std::move(texts_with)), texts_(texts) {}

void IdfTable::merge(const IdfTable& other) {
  texts_ += other.texts_;
  texts_with_.resize(std::max(texts_with_.size(), other.texts_with_.size()), 0);
  for (std::size_t id = 0; id < other.texts_with_.size(); ++id) texts_with_[id] += other.texts_with_[id];
}

void IdfTable::add(std::span<const std::int32_t> ids) {
  ++texts_;
  std::vector<std::int32_t> distinct(ids.begin(), ids.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const std::int32_t id : distinct) {
    assert(id >= 0);
    const auto index = static_cast<std::size_t>(id);
    if (index >= texts_with_.size()) texts_with_.resize(index + 1, 0);
    ++texts_with_[index];
  }
}

void IdfTable::add_texts(embed::VectorSource& source, const text::Corpus& file, const RunContext& context) {
  constexpr std::size_t kChunk = 4096;
  for (std::size_t begin = 0; begin < file.texts.size(); begin += kChunk) {
    std::vector<std::string_view> texts;
    for (std::size_t i = begin; i < std::min(begin + kChunk, file.texts.size()); ++i)
      texts.push_back(text::strip(file.texts[i]));
    for (const embed::TokenIds& text : source.token_ids(texts, context)) add(text.ids);
  }
}

double IdfTable::weight(std::int32_t id) const {
  if (given_) {
    const auto found = weights_.find(id);
    return found == weights_.end() ? other_ : found->second;
  }
  const auto index = static_cast<std::size_t>(id);
  const double with = id >= 0 && index < texts_with_.size() ? texts_with_[index] : 0;
  return elementary::log((static_cast<double>(texts_) + 1) / (with + 1));
}

bool IdfTable::says_nothing() const {
  if (given_) return false;
  return std::ranges::all_of(texts_with_, [this](std::uint32_t with) { return with == 0 || with == texts_; });
}

IdfCorpus IdfCorpus::load(const OptionValues& options, std::span<const std::string> words) {
  IdfCorpus corpus;
  const std::string& value = options.text("idf");
  if (std::ranges::find(words, value) != words.end()) return corpus;
  const std::string file = text::InputSpec::split(value).path;
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) {
    throw Error(ErrorCode::io, fmt::format("{}: idf={}: no such file, expected {} or a file of texts",
                                           options.metric(), value, fmt::join(words, ", ")));
  }
  if (is_stream(file))  // a metric is made several times
    throw_usage(fmt::format("{}: idf={}: expected an ordinary file, which can be read again",
                            options.metric(), value));
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
