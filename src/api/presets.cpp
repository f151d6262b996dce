#include "api/presets.hpp"

#include <algorithm>

namespace markeval {

std::span<const Preset> presets() {
  static const std::vector<Preset> list{
      {"quick", "A first look, without a model", {"bleu", "chrf"}},
      {"mt", "Translations", {"bleu", "chrf", "match", "bertscore"}},
      {"summary", "Summaries", {"rouge1", "rouge2", "moverscore", "match"}},
      {"lm", "Samples of a language model against human texts", {"me", "prdc", "fid", "fid:samples=word"}}};
  return list;
}

std::vector<std::string> preset_metrics(const Preset& preset, std::string_view model) {
  std::vector<std::string> metrics = preset.metrics;
  const auto match = std::find(metrics.begin(), metrics.end(), "match");
  if (match == metrics.end() || model.empty() || model.ends_with("all-MiniLM-L6-v2") ||
      model.ends_with("bge-small-en-v1.5"))
    return metrics;
  *match = "bertscore";
  metrics.erase(std::unique(metrics.begin(), metrics.end()), metrics.end());  // mt has both, side by side
  return metrics;
}

}  // namespace markeval
