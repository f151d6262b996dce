// The fields of an ExperimentRequest, as those of the other requests: api/request_fields.
#pragma once

#include <vector>

#include "api/request_fields.hpp"
#include "study/experiment.hpp"

namespace markeval {

std::vector<Field> fields_of(ExperimentRequest& request);

}  // namespace markeval
