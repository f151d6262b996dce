// What trained networks do with a word between two products. Plain data: kernels include it.
// Every operation rounds by itself, nothing is fused.
#pragma once

#include <cstddef>

namespace markeval::compute {

/// A word of an LSTM, once its products are there. Gates stand in the order i f g o:
///   i, f, o = sigmoid(x), g = tanh(x) of x = gates + (recurrent + bias);  c = i g + f c';  h = o tanh(c)
template <typename T>
struct LstmStep {
  std::size_t hidden;
  T* gates;                ///< 4 hidden numbers: what the input gives, later the gates
  const T* recurrent;      ///< 4 hidden numbers: what h of the word before gives; null at the first word
  const T* bias;           ///< 4 hidden numbers
  const T* memory_before;  ///< c of the word before; null at the first word
  T* memory;               ///< c; may be `memory_before`
  T* squashed;             ///< tanh(c); null where nobody looks at it again: then `gates` keep what they were
  T* state;                ///< h
  const T* ahead;          ///< `gates` of the step that comes next: may be fetched meanwhile
};

/// All layers of an encoder mixed: the sum over layers, in order, of
///   weight * ((state rounded to float16 - offset) * factor)
struct MixedWord {
  std::size_t layers, width;
  const float* const* states;    ///< of each layer, `width` numbers
  const float* weights;          ///< of each layer
  const float *offset, *factor;  ///< layers x width
  float* mixed;                  ///< `width` numbers
};

}  // namespace markeval::compute
