// Keyword arguments -> the fields of a request.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "api/correlate.hpp"
#include "api/markeval.hpp"
#include "request/fields.hpp"

namespace markeval::binding {

/// By the names of the fields. Throws TypeError for a name or a type that does not fit.
void set_fields(nanobind::dict options, const std::vector<request::Field>& fields);

/// Takes what is no field out of the options of a score: the weights of tokens.
void take_weights(nanobind::dict options, ScoreRequest& request);

/// (name, numbers or None, texts or None, starts or None): a column of a table in memory.
std::vector<TableColumn> table_columns(nanobind::handle columns);

}  // namespace markeval::binding
