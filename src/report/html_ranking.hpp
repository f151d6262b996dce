// Systems compared by one number: ranked with their intervals, those no test separates kept together, and who
// is surely better than whom. For the page of `markeval compare`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/html_page.hpp"
#include "report/svg_scale.hpp"

namespace markeval::report {

struct RankedSystem {
  std::string name;
  double score = 0;
  std::optional<Range> interval{};
  std::size_t rank = 1;                           ///< the same for systems that are not separated
  std::optional<double> difference{}, p_value{};  ///< from the baseline; absent for the baseline itself
  std::optional<double> p_adjusted{};             ///< for the number of pairs
  std::optional<Range> difference_interval{};
};

struct RankedPair {
  std::size_t first = 0, second = 0;  ///< places in `systems`
  double difference = 0;              ///< second - first
  std::optional<double> p_value;      ///< adjusted
};

struct Ranking {
  std::string title;                  ///< "bertscore, f1"
  std::string note{};                 ///< "paired bootstrap, adjusted by bh"
  std::vector<RankedSystem> systems;  ///< as given: the baseline first
  std::vector<RankedPair> pairs;
  bool lower_is_better = false;
  std::string signature;  ///< may be empty
};

/// Charts, a table and the signature.
std::string ranking_html(const Ranking& ranking);

}  // namespace markeval::report
