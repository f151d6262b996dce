// The presets, and which of their metrics a model can serve.
#include "api/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "metric/registry.hpp"
#include "models/store.hpp"
#include "trained/match_head.hpp"

namespace markeval {
namespace {

/// By its name alone: no model is opened to choose metrics.
bool has_head(std::string_view model) {
  if (model.empty()) model = models::kDefaultModel;
  while (model.ends_with('/')) model.remove_suffix(1);
  const std::string_view name = model.substr(model.rfind('/') + 1);
  const auto encoders = trained::shipped_encoders();
  return std::ranges::any_of(encoders, [&](const auto& one) { return one.name == name; });
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> list{
      {"quick", "A first look, without a model", {"bleu", "chrf"}},
      {"mt", "Translations", {"bleu", "chrf", "match", "bertscore"}},
      {"summary", "Summaries", {"rouge1", "rouge2", "moverscore", "match"}},
      {"lm", "Samples of a language model against human texts", {"me", "prdc", "fid", "fid:samples=word"}}};
  return list;
}

std::vector<std::string> preset_metrics(std::string_view name, std::string_view model) {
  const auto all = presets();
  const auto preset = std::ranges::find(all, name, &Preset::name);
  if (preset == all.end()) {
    std::vector<std::string_view> names;
    for (const Preset& one : all) names.push_back(one.name);
    throw_usage(fmt::format("unknown preset '{}' (presets: {})", name, fmt::join(names, ", ")));
  }
  std::vector<std::string> metrics = preset->metrics;
  if (has_head(model)) return metrics;
  for (std::string& metric : metrics) {
    const std::string& stand_in = Metric(metric).info->stand_in;
    if (!stand_in.empty()) metric = stand_in;
  }
  metrics.erase(std::unique(metrics.begin(), metrics.end()), metrics.end());  // mt has both, side by side
  return metrics;
}

}  // namespace markeval
