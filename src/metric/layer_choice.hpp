// Which layers of a model a metric reads: "last", "4", "-2", "last5", "2-6", "1+3+6".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace markeval::metric {

/// Layers between 0 (before the first block) and `last`, ascending, each once. "lastN" takes the N last
/// blocks, all blocks where there are fewer. Throws Error(usage) saying which layers there are.
std::vector<std::size_t> choose_layers(std::string_view text, std::size_t last);

/// The layer tuned for token-level metrics on WMT16 (src/metric/default_layers.tsv), where the model is
/// known.
std::optional<std::size_t> tuned_layer(std::string_view model_name);

}  // namespace markeval::metric
