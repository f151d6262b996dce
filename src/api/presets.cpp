#include "api/presets.hpp"

namespace markeval {

std::span<const Preset> presets() {
  static const std::vector<Preset> list{
      {"quick", "A first look, without a model", {"bleu", "chrf"}},
      {"mt", "Translations", {"bleu", "chrf", "match", "bertscore"}},
      {"summary", "Summaries", {"rouge1", "rouge2", "moverscore", "match"}},
      {"lm", "Samples of a language model against human texts", {"me", "prdc", "fid", "fid:samples=word"}}};
  return list;
}

}  // namespace markeval
