// `blend`: a weighted sum of other metrics, learned from human scores by ridge regression. It is a text file
// that people can read: config.json in a folder of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "metric/metric.hpp"
#include "trained/training_files.hpp"

namespace markeval::trained {

struct BlendPart {
  Metric metric;
  std::string result{};            ///< the one that counts: "f1"
  std::string signature{};         ///< it was learned with scores that have this one
  double mean = 0, deviation = 1;  ///< of its scores in the pairs learned from
  double weight = 0;               ///< of the score in units of its deviation
};

struct Blend {
  std::vector<BlendPart> parts;
  double penalty = 0;
  std::string hash;  ///< sha256 of its file; empty before it is written

  /// Score of one pair from a number per part. 0 is the mean of the pairs learned from; the scale is that of
  /// human scores of deviation 1.
  double score(std::span<const double> values) const;
};

/// Least squares on standardised values, with `penalty` times the number of pairs times the squared weights
/// added. `values[i]` has the scores of part i. A part that never changes has the weight 0.
Blend fit_blend(std::vector<BlendPart> parts, std::span<const std::vector<double>> values,
                std::span<const double> gold, double penalty);

/// How a blend was learned, for its file.
struct BlendPlan {
  std::vector<DataFile> train, valid;
  std::string columns;
  double pearson = -1;  ///< of the validation pairs; -1: none were given
};

/// FOLDER/config.json. Gives back its signature.
std::string write_blend(const std::string& folder, const BlendPlan& plan, Blend& blend);
/// Throws Error(io) and Error(invalid_input) naming the file and what is wrong with it.
Blend read_blend(const std::string& folder);

/// What of a metric's signature must be the same where a blend is learned and where it scores: all but the
/// number of references, intervals and the version.
std::string comparable_signature(const std::string& signature);

}  // namespace markeval::trained
