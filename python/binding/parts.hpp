// A corpus scored in parts: bytes that travel between processes.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

#include "parallel/corpus_parts.hpp"

namespace markeval::binding {

/// The bytes objects of a list, which must stay alive.
std::vector<std::string_view> views_of(nanobind::handle list);

/// Takes `gathered` out of the options of a request: a list of lists of bytes, which must stay alive.
std::vector<std::vector<std::string_view>> take_gathered(nanobind::dict options);

/// One dict per metric: the fields of PartPlan.
nanobind::list plans_of(const std::vector<parallel::PartPlan>& plans);

nanobind::bytes bytes_of(const std::string& text);

}  // namespace markeval::binding
