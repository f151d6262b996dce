// The tables of rotary positions (Su et al. 2021) for a kind of attention: cosines and sines of position
// times frequency.
#pragma once

#include <cstddef>

#include "compute/device.hpp"
#include "compute/transformer.hpp"

namespace markeval::encoder {

struct RotaryTable {
  compute::DeviceArray<float> cosines, sines;  ///< positions x head width / 2

  compute::Rotation view() const { return {cosines.view(), sines.view()}; }
};

/// Point j of a head turns by position / theta^(2 j / head_width). `theta` >= 1, `head_width` even.
///
/// Frequencies and angles are float32, as the models were trained: far from the start of a text the rounding
/// of an angle shows. Cosine and sine are computed in double by a fixed sequence of IEEE operations and
/// rounded once: no machine's own sine is in the table. base/elementary.hpp has them to more digits, and
/// would take a second for the 8,192 positions of a model.
RotaryTable make_rotary_table(compute::Device& device, std::size_t positions, std::size_t head_width,
                              double theta);

}  // namespace markeval::encoder
