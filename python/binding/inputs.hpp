// What Python hands over to be scored: paths, texts, rows of arrays. Arrays are looked at where they are.
#pragma once

#include <nanobind/nanobind.h>

#include <deque>
#include <string>
#include <vector>

#include "api/markeval.hpp"

namespace markeval::binding {

/// A list of str as UTF-8. `name` is what messages call it. Throws TypeError for other things in it and
/// Error(invalid_input) for text that is not Unicode (lone surrogates).
std::vector<std::string> text_list(nanobind::handle list, const std::string& name);

/// Keeps alive what the inputs of a request refer to.
class InputKeeper {
 public:
  /// (name, source) pairs. A source is a path (str), a C-contiguous array of two dimensions, float32 or
  /// float64, or texts: a pair of a list of str, or of ArrowTexts (markeval/_inputs.py), and the starts of
  /// segments (a list of int, or None).
  std::vector<Input> inputs(nanobind::handle pairs);
  /// Bytes of the texts, or a lot where there is more than texts.
  std::size_t text_bytes() const { return bytes_; }

 private:
  struct HeldTexts {
    std::vector<std::string> lines;
    std::vector<std::size_t> starts;
  };
  Source source(const std::string& name, nanobind::handle source);

  std::deque<HeldTexts> texts_;
  std::size_t bytes_ = 0;
};

}  // namespace markeval::binding
