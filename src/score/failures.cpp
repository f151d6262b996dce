// Errors are caught per metric; usage errors pass through, and all metrics failing is an error.
#include "score/failures.hpp"

#include <algorithm>

namespace markeval::score {

bool Failures::attempt(std::span<const std::size_t> some, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) throw;
    if (error.code() == ErrorCode::cancelled && !keeps_cancelled_) throw;
    for (const std::size_t metric : some) add(metric, error);
    return false;
  }
}

void Failures::add(std::size_t metric, const Error& error) {
  if (!errors_[metric]) errors_[metric] = error;
}

std::vector<FailedMetric> Failures::finish() const {
  std::vector<FailedMetric> failed;
  for (std::size_t metric = 0; metric < metrics_.size(); ++metric) {
    if (!errors_[metric]) continue;
    std::string reason = errors_[metric]->what();
    const std::string prefix = metrics_[metric].info->name + ": ";  // who it is stands beside it
    if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
    failed.push_back({metrics_[metric].info->name, metrics_[metric].text, std::move(reason),
                      errors_[metric]->code() == ErrorCode::cancelled});
  }
  if (!failed.empty() && failed.size() == metrics_.size()) throw *errors_.front();
  return failed;
}

}  // namespace markeval::score
