// The parts of a corpus, put together: what measure_texts() would have found in all of its texts.
#pragma once

#include <vector>

#include "api/text_scoring.hpp"

namespace markeval {

/// Of ScoreRequest::gathered. Throws Error(invalid_input) where parts do not fit together.
MeasuredTexts measure_gathered(const ScoreRequest& request, const std::vector<metric::MetricRequest>& metrics,
                               PageBuilder& page, const RunContext& context, Failures& failures,
                               Report::Data& data);

}  // namespace markeval
