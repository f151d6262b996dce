#include "embed/idf.hpp"

#include <algorithm>
#include <cassert>

#include "base/elementary.hpp"

namespace markeval::embed {

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
  return std::all_of(texts_with_.begin(), texts_with_.end(),
                     [this](std::uint32_t with) { return with == 0 || with == texts_; });
}

}  // namespace markeval::embed
