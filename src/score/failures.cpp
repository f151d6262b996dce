// Errors are caught per metric; usage errors pass through, and all metrics failing is an error.
#include "score/failures.hpp"

#include <algorithm>

namespace markeval::score {

bool Failures::attempt(std::span<const std::size_t> places, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) throw;
    if (error.code() == ErrorCode::cancelled && !keeps_cancelled_) throw;
    for (const std::size_t place : places) add(place, error);
    return false;
  }
}

void Failures::add(std::size_t place, const Error& error) {
  if (!errors_[place]) errors_[place] = error;
}

std::vector<FailedMetric> Failures::finish() const {
  std::vector<FailedMetric> failed;
  for (std::size_t place = 0; place < metrics_.size(); ++place) {
    if (!errors_[place]) continue;
    std::string reason = errors_[place]->what();
    const std::string prefix = metrics_[place].info->name + ": ";  // who it is stands beside it
    if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
    failed.push_back({metrics_[place].info->name, metrics_[place].text, std::move(reason),
                      errors_[place]->code() == ErrorCode::cancelled});
  }
  if (!failed.empty() && failed.size() == metrics_.size()) throw *errors_.front();
  return failed;
}

}  // namespace markeval::score
