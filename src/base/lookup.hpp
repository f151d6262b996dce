// Values found by a name or another key, in lists that keep the order in which they are to be shown.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace markeval {

/// The value under that name; null where there is none.
template <typename Value>
const Value* find_named(const Named<Value>& values, std::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) return &value;
  }
  return nullptr;
}

/// The value of that key, added at the end where there is none yet.
template <typename Key, typename Value>
Value& value_of(std::vector<std::pair<Key, Value>>& list, const Key& key) {
  for (auto& [known, value] : list) {
    if (known == key) return value;
  }
  return list.emplace_back(key, Value()).second;
}

/// At the end, unless the list has it already.
template <typename Value>
void add_once(std::vector<Value>& list, const Value& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

}  // namespace markeval
