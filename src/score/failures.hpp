// What could not be computed of a request: one metric that fails does not take the others with it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "metric/registry.hpp"

namespace markeval::score {

class Failures {
 public:
  /// `keeps_cancelled`: a metric the user stopped has failed like any other.
  Failures(const std::vector<Metric>& metrics, bool keeps_cancelled)
      : metrics_(metrics), errors_(metrics.size()), keeps_cancelled_(keeps_cancelled) {}

  /// Does the work of the metrics at these places. An error becomes theirs, unless it is of the kind that
  /// ends the request: a wrong request, or the user's wish. Returns whether the work was done.
  bool attempt(std::span<const std::size_t> some, const std::function<void()>& work);
  bool attempt(std::size_t metric, const std::function<void()>& work) {
    return attempt(std::span(&metric, 1), work);
  }
  /// What went wrong with a metric; the first error of each counts.
  void add(std::size_t metric, const Error& error);
  bool failed(std::size_t metric) const { return errors_[metric].has_value(); }
  const std::optional<Error>& error(std::size_t metric) const { return errors_[metric]; }

  /// In the order of the metrics. Throws the first error where every metric failed.
  std::vector<FailedMetric> finish() const;

 private:
  const std::vector<Metric>& metrics_;
  std::vector<std::optional<Error>> errors_;
  bool keeps_cancelled_;
};

}  // namespace markeval::score
