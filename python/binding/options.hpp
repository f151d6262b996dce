// Keyword arguments -> the fields of a request.
#pragma once

#include <nanobind/nanobind.h>

#include "api/compare.hpp"
#include "api/correlate.hpp"
#include "api/embedding.hpp"
#include "api/markeval.hpp"

namespace markeval::binding {

/// Each of them: by the names of the fields. Throws TypeError for a name or a type that does not fit.
void apply(nanobind::dict options, ScoreRequest& request);
void apply(nanobind::dict options, CompareOptions& request);
void apply(nanobind::dict options, CorrelateRequest& request);
void apply(nanobind::dict options, EmbedRequest& request);

/// (name, numbers or None, texts or None, starts or None): a column of a table in memory.
std::vector<TableColumn> table_columns(nanobind::handle columns);

}  // namespace markeval::binding
