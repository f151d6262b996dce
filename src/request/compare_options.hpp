// How systems are compared: test, resamples, correction. Installed as a part of <markeval/compare.hpp>.
#pragma once

#include <cstddef>
#include <string>

namespace markeval {

struct CompareOptions {
  std::string test =
      "bootstrap";            ///< "randomisation", "t"; for set metrics a bootstrap is splitting in halves
  std::size_t resamples = 0;  ///< of the test; 0: 1,000, for randomisation 10,000, or as many as holm needs
  std::string correction = "holm";  ///< "none", "bh": for the number of pairs of systems
  double alpha = 0.05;              ///< systems whose adjusted p-value is larger share a rank
};

}  // namespace markeval
