// The fields of an ExperimentRequest, as those of the other requests: request/fields.
#pragma once

#include <vector>

#include "request/fields.hpp"
#include "study/experiment.hpp"

namespace markeval {

std::vector<request::Field> fields_of(ExperimentRequest& request);

}  // namespace markeval
