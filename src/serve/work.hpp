// A request for work, done: the same calls and the same writers as the command line's.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "serve/work_request.hpp"

namespace markeval::serve {

/// What came out of it, in the forms a client may ask for.
struct WorkResult {
  std::string json{};
  std::string tsv{};                                           ///< empty: there is no such form
  std::string page{};                                          ///< HTML; only where it was asked for
  std::uint64_t tokens = 0, cache_hits = 0, cache_misses = 0;  ///< counted for embeddings
};

/// `all`: also make the lines and the page of a report, which only jobs have. Throws what the library throws.
WorkResult do_work(Evaluator& evaluator, WorkRequest& request, bool all, Observer* observer,
                   const std::atomic<bool>* cancel);

}  // namespace markeval::serve
