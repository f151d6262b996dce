#include "binding/parts.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace markeval::binding {

std::vector<std::string_view> views_of(nb::handle list) {
  std::vector<std::string_view> views;
  for (const nb::handle one : list) {
    const auto held = nb::cast<nb::bytes>(one);
    views.emplace_back(held.c_str(), held.size());
  }
  return views;
}

std::vector<std::vector<std::string_view>> take_gathered(nb::dict options) {
  std::vector<std::vector<std::string_view>> gathered;
  if (!options.contains("gathered")) return gathered;
  for (const nb::handle list : options["gathered"]) gathered.push_back(views_of(list));
  nb::del(options["gathered"]);
  return gathered;
}

nb::list plans_of(const std::vector<parallel::PartPlan>& plans) {
  nb::list out;
  for (const parallel::PartPlan& plan : plans) {
    nb::dict one;
    one["metric"] = plan.requested;
    one["name"] = plan.name;
    one["whole"] = plan.whole;
    one["counts_tokens"] = plan.counts_tokens;
    one["needs_vectors"] = plan.needs_vectors;
    one["layers_of_words"] = plan.layers_of_words;
    one["compats"] = plan.compats;
    one["results"] = plan.results;
    out.append(one);
  }
  return out;
}

nb::bytes bytes_of(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

}  // namespace markeval::binding
