// How token states become one vector of a sentence, by the names users and files know.
#pragma once

#include <string>

#include "compute/transformer.hpp"

namespace markeval::encoder {

using compute::Pooling;

/// "mean", "cls", "max"
inline std::string pooling_name(Pooling pooling) {
  switch (pooling) {
    case Pooling::mean:
      return "mean";
    case Pooling::cls:
      return "cls";
    case Pooling::max:
      break;
  }
  return "max";
}

}  // namespace markeval::encoder
