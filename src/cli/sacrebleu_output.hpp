// What sacrebleu 2.6 prints, made of our results: https://github.com/mjpost/sacrebleu
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace markeval::cli {

/// One system's score of one metric.
struct SacrebleuScore {
  double score = 0;
  std::optional<double> mean, half_width;  ///< of the bootstrap
  std::optional<double> p_value;           ///< against the baseline
};

struct SacrebleuMetric {
  std::string name;                    ///< "BLEU", "chrF2"
  std::string signature;               ///< "nrefs:1|case:mixed|...|version:2.6.0+markeval.0.1.0"
  std::string verbose;                 ///< only for BLEU: "48.2/4.0/1.1/0.7 (BP = ..."
  std::vector<SacrebleuScore> scores;  ///< by system
};

struct SacrebleuStyle {
  std::size_t width = 1;  ///< digits after the point
  bool json = true, score_only = false;
  std::string paired;            ///< "bs", "ar" or empty
  std::size_t trials = 0;        ///< of the paired test
  bool latex = false;            ///< the table of several systems
  bool short_signature = false;  ///< "#:1|c:mixed"
};

/// The name and the parts of a signature that sacrebleu has, with `trials` ("bs:1000|seed:12345") in their
/// place. `brief`: short names of the parts.
SacrebleuMetric sacrebleu_metric(const Result& result, const std::string& trials, bool brief = false);

/// One system: a line or an object for each metric. Several systems: a table.
std::string sacrebleu_text(const std::vector<std::string>& systems,
                           const std::vector<SacrebleuMetric>& metrics, const SacrebleuStyle& style);

}  // namespace markeval::cli
