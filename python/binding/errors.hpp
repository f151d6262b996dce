// markeval::Error as Python exceptions, with the words of the command line.
#pragma once

#include <nanobind/nanobind.h>

namespace markeval::binding {

/// Adds Error, UsageError, InvalidInputError (both also ValueError), InputOutputError (also OSError) and
/// Cancelled to the module, and has everything the library throws translated.
void add_errors(nanobind::module_& module);

}  // namespace markeval::binding
