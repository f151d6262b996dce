// How far the work is within one of several blocks, told as how far all of it is.
#pragma once

#include <string>
#include <utility>

#include "base/run_context.hpp"

namespace markeval {

class BlockProgress : public ProgressSink {
 public:
  /// The block has the things [begin, end) of `all`; for `stage` the caller's name of the whole work.
  BlockProgress(const RunContext& context, std::string stage, std::uint64_t begin, std::uint64_t end,
                std::uint64_t all)
      : whole_(context), inner_(context), stage_(std::move(stage)), begin_(begin), end_(end), all_(all) {
    whole_.report_progress(stage_, begin_, all_);
    if (context.progress != nullptr) inner_.progress = this;
  }
  BlockProgress(const BlockProgress&) = delete;
  BlockProgress& operator=(const BlockProgress&) = delete;

  /// For the work on the block.
  const RunContext& context() const { return inner_; }

  void update(std::string_view /*stage*/, std::uint64_t done, std::uint64_t total) override {
    if (total > 0) whole_.report_progress(stage_, begin_ + (end_ - begin_) * done / total, all_);
  }

 private:
  RunContext whole_, inner_;
  std::string stage_;
  std::uint64_t begin_, end_, all_;
};

}  // namespace markeval
