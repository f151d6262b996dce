#include "api/presets.hpp"

namespace markeval {

std::span<const Preset> presets() {
  static const std::vector<Preset> list{
      {"quick", "A first look, without a model", {"bleu", "chrf"}},
      {"mt", "Translations", {"bleu", "chrf++", "ter", "bertscore"}},
      {"summary", "Summaries", {"rouge1", "rouge2", "rougeL", "bertscore"}},
      {"lm", "Samples of a language model against human texts", {"me", "prdc", "fid"}}};
  return list;
}

}  // namespace markeval
