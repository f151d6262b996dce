#include "embed/cached_encoding.hpp"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <utility>

namespace markeval::embed {

CachedEncoding::CachedEncoding(cache::VectorCache& cache, CacheContext context, std::size_t columns,
                               ThreadPool& pool)
    : cache_(&cache), context_(std::move(context)), columns_(columns), pool_(&pool) {}

void CachedEncoding::run(std::span<const std::string_view> texts, EncodeTexts encode, RowsSink sink) {
  keys_.resize(texts.size());
  if (slots_.size() < texts.size()) slots_.resize(texts.size());
  for (std::size_t index = 0; index < texts.size(); ++index) {
    keys_[index] = context_.key(texts[index]);
    slots_[index].filled = false;
  }
  const auto fill = [](Slot& slot, std::size_t rows, std::size_t columns, const TextNote& counts) {
    slot.values.resize(rows * columns);
    slot.rows = rows;
    slot.counts = counts;
    slot.filled = true;
  };
  cache_->read(keys_, *pool_, [&](std::size_t index, MatrixView<const float> rows, std::uint64_t note) {
    if (rows.columns() != columns_) return false;
    fill(slots_[index], rows.rows(), columns_, TextNote::unpacked(note));
    std::copy_n(rows.data(), rows.rows() * columns_, slots_[index].values.data());
    return true;
  });

  // Which slot holds the matrix of a text: its own, or that of the same text earlier in the window.
  std::vector<std::size_t> source(texts.size());
  std::vector<std::size_t> missing;
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t index = 0; index < texts.size(); ++index) {
    source[index] = index;
    if (slots_[index].filled) continue;
    const auto [entry, is_new] = first.emplace(texts[index], index);
    source[index] = entry->second;
    if (is_new) missing.push_back(index);
  }
  if (!missing.empty()) {
    std::vector<std::string_view> wanted;
    for (const std::size_t index : missing) wanted.push_back(texts[index]);
    encode(wanted, [&](std::size_t number, MatrixView<const float> rows, const TextNote& counts) {
      Slot& slot = slots_[missing[number]];
      assert(rows.columns() == columns_);
      fill(slot, rows.rows(), columns_, counts);
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        std::copy_n(rows.row(row).data(), columns_, slot.values.data() + row * columns_);
      }
      cache_->write(keys_[missing[number]], rows, counts.packed());
    });
  }
  for (std::size_t index = 0; index < texts.size(); ++index) {
    const Slot& slot = slots_[source[index]];
    assert(slot.filled);
    sink(index, MatrixView<const float>(slot.values.data(), slot.rows, columns_), slot.counts);
  }
}

}  // namespace markeval::embed
