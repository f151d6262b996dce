// One lexical metric on a few texts.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metric/lexical_metric.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {

using Segments = std::vector<std::vector<std::string_view>>;

inline Result rated(const std::string& metric, const Segments& references,
                    std::vector<std::string_view> texts) {
  const Metric request = Metric(metric);
  const std::shared_ptr<const LexicalMetric> made =
      std::get<LexicalMetricFactory>(request.info->factory)(request.options);
  ThreadPool pool(1);
  LexicalSettings settings;
  settings.segments = true;
  return score_texts(made, request.info->results, {references, {std::move(texts)}}, settings,
                     RunContext{pool})[0];
}

inline double rate_of(const std::string& metric, const Segments& references,
                      std::vector<std::string_view> texts) {
  return rated(metric, references, std::move(texts)).scores[0].second;
}

}  // namespace markeval::metric
