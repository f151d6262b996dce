// The words that stand for the values of an enumeration, in one table: a word of a value, and back.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/suggestion.hpp"

namespace markeval::meta {

template <typename Value, std::size_t size>
using WordTable = std::array<std::pair<Value, std::string_view>, size>;

template <typename Value, std::size_t size>
std::vector<std::string> words_of(const WordTable<Value, size>& table) {
  std::vector<std::string> words;
  for (const auto& entry : table) words.emplace_back(entry.second);
  return words;
}

/// Empty where the table has no such value.
template <typename Value, std::size_t size>
std::string_view word_of(const WordTable<Value, size>& table, Value wanted) {
  for (const auto& [value, word] : table) {
    if (value == wanted) return word;
  }
  return "";
}

/// Throws Error(usage) with the closest word: "unknown test 'boot'; did you mean 'bootstrap'?".
template <typename Value, std::size_t size>
Value value_named(const WordTable<Value, size>& table, std::string_view what, std::string_view text) {
  for (const auto& [value, word] : table) {
    if (word == text) return value;
  }
  throw_usage(fmt::format("unknown {} '{}'{}", what, text, suggestion(text, words_of(table))));
}

}  // namespace markeval::meta
