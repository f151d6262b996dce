// The table of model types and their makers, and the numbering of positions.
#include "encoder/architecture.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/quotation.hpp"
#include "base/suggestion.hpp"
#include "encoder/encoder.hpp"

namespace markeval::encoder {
namespace {

using Maker = std::unique_ptr<ModelArchitecture> (*)(const ModelSource&);

constexpr std::pair<const char*, Maker> kArchitectures[] = {
    {"bert", make_bert},           {"roberta", make_roberta},
    {"xlm-roberta", make_roberta}, {"camembert", make_roberta},
    {"electra", make_electra},     {"distilbert", make_distilbert},
    {"mpnet", make_mpnet},         {"albert", make_albert},
    {"deberta-v2", make_deberta},  {"modernbert", make_modernbert},
};

Maker find_maker(const ConfigFile& config) {
  std::string type = config.architecture();
  if (type.empty()) type = config.text("model_type");  // says that there is none
  for (const auto& [name, maker] : kArchitectures) {
    if (type == name) return maker;
  }
  throw_invalid(fmt::format("{}: model_type {} is an architecture markeval does not have{}", config.path(),
                            in_quotes(type), suggestion(type, known_architectures())));
}

}  // namespace

void ModelArchitecture::positions(std::span<const std::int32_t> ids, std::span<std::int32_t> out) const {
  for (std::size_t token = 0; token < ids.size(); ++token) out[token] = static_cast<std::int32_t>(token);
}

void positions_after_padding(std::span<const std::int32_t> ids, std::size_t padding,
                             std::span<std::int32_t> out) {
  auto next = static_cast<std::int32_t>(padding) + 1;
  for (std::size_t token = 0; token < ids.size(); ++token) {
    const bool is_padding = ids[token] == static_cast<std::int32_t>(padding);
    out[token] = is_padding ? static_cast<std::int32_t>(padding) : next++;
  }
}

std::size_t usable_positions(const ConfigFile& config, std::size_t rows, std::size_t padding) {
  if (rows <= padding + 1) {
    throw_invalid(fmt::format("{}: max_position_embeddings is {}, expected more than the padding id {} + 1",
                              config.path(), rows, padding));
  }
  return rows - padding - 1;
}

std::vector<std::string> known_architectures() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : kArchitectures) names.emplace_back(name);
  return names;
}

void require_known_architecture(const ConfigFile& config) {
  find_maker(config);
}

std::unique_ptr<ModelArchitecture> make_architecture(const ModelSource& source) {
  return find_maker(source.config)(source);
}

}  // namespace markeval::encoder
