#include "binding/options.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "binding/inputs.hpp"

namespace nb = nanobind;

namespace markeval::binding {
namespace {

template <typename T>
T value_of(const std::string& name, nb::handle value) {
  T taken;
  if (!nb::try_cast(value, taken))
    throw nb::type_error((name + " cannot be " + nb::cast<std::string>(nb::repr(value))).c_str());
  return taken;
}

TokenWeights token_weights(const std::string& name, nb::handle given) {
  TokenWeights out;
  const auto [weights, other] = value_of<std::pair<nb::dict, double>>(name, given);
  for (const auto [id, weight] : weights)
    out.weights.emplace_back(value_of<std::int32_t>("a token of " + name, id),
                             value_of<double>("a weight of " + name, weight));
  out.other = other;
  return out;
}

}  // namespace

void set_fields(nb::dict options, const std::vector<request::Field>& fields) {
  for (const auto [key, value] : options) {
    const auto name = nb::cast<std::string>(key);
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const request::Field& one) { return one.name == name; });
    if (field == fields.end()) throw nb::type_error(("unexpected option '" + name + "'").c_str());
    std::visit(
        [&]<typename T>(T* target) {
          if constexpr (std::is_same_v<T, std::vector<Metric>>) {
            const auto metrics = value_of<std::vector<std::string>>(name, value);
            target->assign(metrics.begin(), metrics.end());
          } else {
            request::set_value(*field, *target, value_of<T>(name, value));
          }
        },
        field->target);
  }
}

void take_weights(nb::dict options, ScoreRequest& request) {
  const auto move = [&](const char* name, std::optional<TokenWeights>& weights) {
    if (!options.contains(name)) return;
    weights = token_weights(name, options[name]);
    nb::del(options[name]);
  };
  move("reference_weights", request.reference_weights);
  move("candidate_weights", request.candidate_weights);
}

std::vector<TableColumn> table_columns(nb::handle columns) {
  std::vector<TableColumn> out;
  for (const nb::handle given : columns) {
    TableColumn& column = out.emplace_back();
    column.name = nb::cast<std::string>(given[0]);
    if (!given[1].is_none()) column.numbers = nb::cast<std::vector<std::optional<double>>>(given[1]);
    if (!given[2].is_none()) column.texts = text_list(given[2], column.name);
    if (!given[3].is_none()) column.starts = nb::cast<std::vector<std::size_t>>(given[3]);
  }
  return out;
}

}  // namespace markeval::binding
