// Several requests with the same model and settings, made one after the other, whose texts are to be encoded
// together: what a server does with clients that wait at the same time. Not installed.
//
//   const SharedTexts together(evaluator, texts_of_all_requests);
//   for (const ScoreRequest& request : requests) reports.push_back(evaluator.score(request));
#pragma once

#include <string>
#include <vector>

#include "api/markeval.hpp"

namespace markeval {

/// While it lives, the first call that encodes any of the texts encodes all of them. No result changes by it.
/// One at a time for an evaluator. `texts` are valid UTF-8.
class SharedTexts {
 public:
  SharedTexts(Evaluator& evaluator, std::vector<std::string> texts);
  ~SharedTexts();
  SharedTexts(const SharedTexts&) = delete;
  SharedTexts& operator=(const SharedTexts&) = delete;

 private:
  Evaluator& evaluator_;
};

}  // namespace markeval
