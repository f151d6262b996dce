// Random data with ties, brute-force counts and golden files for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "meta/kendall.hpp"

namespace markeval::meta {

inline double to_double(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) ADD_FAILURE() << "not a number: " << text;
  return value;
}

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

inline std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) values.push_back(to_double(part));
  return values;
}

/// "-" is an absent value.
inline std::optional<double> maybe_number(const std::string& text) {
  return text == "-" ? std::nullopt : std::optional(to_double(text));
}

/// The rows of tests/meta/golden/<name>.tsv without comment and header.
inline std::vector<std::vector<std::string>> golden_rows(const std::string& name) {
  std::ifstream file(std::string(MARKEVAL_META_GOLDEN) + "/" + name + ".tsv");
  if (!file) ADD_FAILURE() << "no golden file " << name;
  std::vector<std::vector<std::string>> rows;
  bool header = true;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    if (!header) rows.push_back(split(line, '\t'));
    header = false;
  }
  if (rows.empty()) ADD_FAILURE() << "empty golden file " << name;
  return rows;
}

/// `levels` different values at most, so ties; 0: normal values.
inline std::vector<double> random_values(RandomStream& stream, std::size_t rows, std::uint64_t levels) {
  std::vector<double> values(rows);
  for (double& value : values) {
    value = levels > 0 ? static_cast<double>(stream.below(levels)) / 8 : stream.normal();
  }
  return values;
}

inline PairCounts brute_force_pairs(const std::vector<double>& gold, const std::vector<double>& predicted,
                                    double tie_threshold = 0) {
  PairCounts counts;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    for (std::size_t j = i + 1; j < gold.size(); ++j) {
      const double g = gold[i] - gold[j], p = predicted[i] - predicted[j];
      const bool gold_tie = g == 0, predicted_tie = std::fabs(p) <= tie_threshold;
      if (gold_tie && predicted_tie)
        ++counts.tied_both;
      else if (gold_tie)
        ++counts.tied_gold;
      else if (predicted_tie)
        ++counts.tied_predicted;
      else if ((g > 0) == (p > 0))
        ++counts.concordant;
      else
        ++counts.discordant;
    }
  }
  return counts;
}

}  // namespace markeval::meta
