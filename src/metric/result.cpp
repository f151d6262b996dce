#include "metric/result.hpp"

namespace markeval::metric {

std::string signature_text(const MetricResult& result) {
  std::string text = result.metric;
  for (const auto& [key, value] : result.signature) text += "|" + key + ":" + value;
  return text;
}

}  // namespace markeval::metric
