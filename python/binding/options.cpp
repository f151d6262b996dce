#include "binding/options.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "binding/inputs.hpp"

namespace nb = nanobind;

namespace markeval::binding {
namespace {

/// Looks for the field a keyword names: set("seed", request.seed) as often as there are fields.
class Field {
 public:
  Field(std::string name, nb::handle value) : name_(std::move(name)), value_(value) {}

  template <typename T>
  Field& set(const char* name, T& field) {
    if (name_ != name) return *this;
    found_ = true;
    if (!nb::try_cast(value_, field)) {
      throw nb::type_error((name_ + " cannot be " + nb::cast<std::string>(nb::repr(value_))).c_str());
    }
    return *this;
  }
  Field& set(const char* name, std::optional<TokenWeights>& field) {
    if (name_ != name) return *this;
    found_ = true;
    field.emplace();
    for (const auto [id, weight] : nb::cast<nb::dict>(value_[0]))
      field->weights.emplace_back(nb::cast<std::int32_t>(id), nb::cast<double>(weight));
    field->other = nb::cast<double>(value_[1]);
    return *this;
  }
  void require_found() const {
    if (!found_) throw nb::type_error(("unexpected option '" + name_ + "'").c_str());
  }

 private:
  std::string name_;
  nb::handle value_;
  bool found_ = false;
};

/// What all requests that need a model have.
template <typename Request>
void set_encoder(Field& field, Request& request) {
  field.set("model", request.encoder.model)
      .set("precision", request.encoder.precision)
      .set("max_length", request.encoder.max_length)
      .set("windows", request.encoder.windows)
      .set("cache", request.encoder.cache)
      .set("replace_invalid", request.replace_invalid);
}

}  // namespace

void apply(nb::dict options, ScoreRequest& request) {
  for (const auto [name, value] : options) {
    Field field(nb::cast<std::string>(name), value);
    set_encoder(field, request);
    field.set("seed", request.seed)
        .set("clamp_k", request.clamp_k)
        .set("compat", request.compat)
        .set("segments", request.segments)
        .set("resamples", request.resamples)
        .set("keep_statistics", request.keep_statistics)
        .set("explain", request.explain)
        .set("page", request.page)
        .set("reference_weights", request.reference_weights)
        .set("candidate_weights", request.candidate_weights)
        .require_found();
  }
}

void apply(nb::dict options, CompareOptions& request) {
  for (const auto [name, value] : options) {
    Field(nb::cast<std::string>(name), value)
        .set("test", request.test)
        .set("resamples", request.resamples)
        .set("correction", request.correction)
        .set("alpha", request.alpha)
        .require_found();
  }
}

void apply(nb::dict options, CorrelateRequest& request) {
  for (const auto [name, value] : options) {
    Field field(nb::cast<std::string>(name), value);
    set_encoder(field, request);
    field.set("table", request.table)
        .set("gold", request.gold)
        .set("predicted", request.predicted)
        .set("reference", request.reference)
        .set("hypothesis", request.hypothesis)
        .set("metrics", request.metrics)
        .set("group", request.group)
        .set("system", request.system)
        .set("segment", request.segment)
        .set("level", request.level)
        .set("coefficients", request.coefficients)
        .set("test", request.test)
        .set("lower_is_better", request.lower_is_better)
        .set("correction", request.correction)
        .set("resamples", request.resamples)
        .set("seed", request.seed)
        .set("gold_threshold", request.gold_threshold)
        .set("tie_threshold", request.tie_threshold)
        .set("min_rows", request.min_rows)
        .set("page", request.page)
        .require_found();
  }
}

void apply(nb::dict options, EmbedRequest& request) {
  for (const auto [name, value] : options) {
    Field field(nb::cast<std::string>(name), value);
    set_encoder(field, request);
    field.set("layer", request.layer)
        .set("pool", request.pool)
        .set("normalize", request.normalize)
        .require_found();
  }
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
