// Baselines of BERTScore: what unrelated texts score, per layer, so that scores can be rescaled to (x - b) /
// (1 - b). The public file format: a header LAYER,P,R,F and one line per layer.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "metric/greedy_match.hpp"

namespace markeval::metric {

class Baseline {
 public:
  Baseline() = default;
  /// Throws Error(io) where the file cannot be read, Error(invalid_input) with file and line where it is no
  /// baseline.
  static Baseline load(const std::string& path);
  /// `name` stands for the file in messages.
  static Baseline parse(const std::string& content, const std::string& name);
  std::string text() const;
  /// The file's name and eight digits of the sha256 of what it holds: "en.csv@1f0c2a77".
  std::string signature() const;

  void set(std::size_t layer, const PrecisionRecall& values) { layers_[layer] = values; }
  /// Throws Error(invalid_input) naming the layers there are, where this one is not among them.
  const PrecisionRecall& layer(std::size_t layer) const;

 private:
  std::string name_;
  std::string hash_;
  std::map<std::size_t, PrecisionRecall> layers_;
};

/// Each column on its own: F1 is rescaled by its own baseline, not made from the rescaled P and R.
PrecisionRecall rescale(const PrecisionRecall& values, const PrecisionRecall& baseline);

}  // namespace markeval::metric
