// Results as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "api/embedding.hpp"
#include "api/markeval.hpp"

namespace markeval::binding {

/// One dict per result: names and signature as str, scores, details, segments (arrays), intervals (pairs),
/// resampled (arrays) and statistics (an array of two dimensions, or None).
nanobind::list results_of(const Report& report);

/// One dict per metric that could not be computed: metric, request, reason.
nanobind::list errors_of(const std::vector<FailedMetric>& errors);

/// A dict: vectors (float32: rows x columns, or rows x layers x columns), starts and ids (int arrays, or
/// None) and the counts of the report. Nothing is copied.
nanobind::dict vectors_of(TextVectors vectors, bool all_layers);

/// Names of presets, and the metrics of each.

/// A tuple per model on this machine that can be used: name, architecture, layers, bytes of weights,
/// signature.
nanobind::list model_table();

}  // namespace markeval::binding
