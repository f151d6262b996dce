// Which layers of a model a metric reads: "last", "4", "-2", "last5", "2-6", "1+3+6".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embed/vector_source.hpp"

namespace markeval::metric {

/// Layers between 0 (before the first block) and `last`, ascending, each once. "lastN" takes the N last
/// blocks, all blocks where there are fewer. Throws Error(usage) saying which layers there are.
std::vector<std::size_t> choose_layers(std::string_view text, std::size_t last);

/// The one layer that "last", "4" or "-2" names. Throws Error(usage) naming `metric` and the layers there
/// are.
std::size_t choose_layer(std::string_view metric, std::string_view text, std::size_t last);
/// Before a model is known: throws Error(usage) for what can be no layer. "tuned" is one too.
void check_layer(std::string_view metric, std::string_view text);

/// A line of src/metric/default_layers.tsv: the layer token-level metrics read where none is named.
struct DefaultLayer {
  std::string_view model;  ///< "microsoft/mpnet-base", as the Hugging Face hub spells it
  std::size_t layer;
  std::string_view source;  ///< who chose it: "bert_score 0.3.13"
};
std::span<const DefaultLayer> default_layers();

/// Default layer of the first of `names` in the table, with or without its owner: "FacebookAI/roberta-large"
/// is "roberta-large". Absent where the table has none of them, or where its layer is beyond `last`, the
/// model's last one: then the model is another one of that name.
std::optional<DefaultLayer> default_layer(std::span<const std::string> names, std::size_t last);
std::optional<DefaultLayer> default_layer(const embed::VectorSource& source);

}  // namespace markeval::metric
