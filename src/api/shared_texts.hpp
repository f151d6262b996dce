// Several requests with the same settings whose texts are to be encoded together: what a server does with
// clients that wait at the same time. Not installed.
//
//   SharedTexts together(evaluator, options_of_all_requests, texts_of_all_requests);
//   together.run(requests.size(), [&](std::size_t i) { reports[i] = evaluator.score(requests[i]); });
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/markeval.hpp"
#include "base/parallel.hpp"

namespace markeval {

namespace embed {
class TextsAhead;
}

/// While it lives, the first call that encodes any of the texts encodes all of them. No result changes by it.
/// One at a time for an evaluator, which nobody else uses meanwhile. `texts` are valid UTF-8.
class SharedTexts {
 public:
  SharedTexts(Evaluator& evaluator, const EncoderOptions& options, std::vector<std::string> texts);
  ~SharedTexts();
  SharedTexts(const SharedTexts&) = delete;
  SharedTexts& operator=(const SharedTexts&) = delete;

  /// Calls `request(i)` once for every i in [0, requests): one after the other until the texts are encoded,
  /// then on all threads of the evaluator at once. Requests differ in nothing but their texts.
  void run(std::size_t requests, FunctionRef<void(std::size_t i)> request);

 private:
  Evaluator& evaluator_;
  std::shared_ptr<embed::TextsAhead> ahead_;
};

}  // namespace markeval
