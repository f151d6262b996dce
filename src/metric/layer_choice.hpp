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

/// The one layer that "last", "4" or "-2" names. Throws Error(usage) naming `metric` and the layers there
/// are.
std::size_t choose_layer(std::string_view metric, std::string_view text, std::size_t last);
/// Before a model is known: throws Error(usage) for what can be no layer. "tuned" is one too.
void check_layer(std::string_view metric, std::string_view text);

/// The layer tuned for token-level metrics on WMT16 (src/metric/default_layers.tsv), where the model is
/// known.
std::optional<std::size_t> tuned_layer(std::string_view model_name);

}  // namespace markeval::metric
