// A set of rows of a run, as the parts of scoring hand it on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "metric/score_sets.hpp"

namespace markeval::score {

struct SampleSet : metric::NamedSet {
  std::size_t rows = 0;
  /// Where rows belong together, as the words of a segment do: the first row of each unit, rising from 0. An
  /// interval splits whole units. Empty: every row stands for itself.
  std::vector<std::size_t> unit_begins{};
  /// The line each unit came from, where that is known, and how many lines the file has: line i of one file
  /// may belong to line i of another that has equally many.
  std::vector<std::uint32_t> lines{};
  std::size_t file_lines = 0;

  /// Rows, or where rows belong together (the words of a text) the groups of them.
  std::size_t units() const { return unit_begins.empty() ? rows : unit_begins.size(); }
};

}  // namespace markeval::score
