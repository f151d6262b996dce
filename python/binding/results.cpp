#include "binding/results.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <memory>

#include "api/models.hpp"
#include "binding/python_words.hpp"

namespace nb = nanobind;

namespace markeval::binding {
namespace {

/// An array that owns the values.
template <typename T>
nb::object array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto held = std::make_unique<std::vector<T>>(std::move(values));
  T* data = held->data();
  const nb::capsule owner(held.get(),
                          [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  held.release();
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape, owner));
}

template <typename T>
nb::object array_of(std::vector<T> values) {
  const std::size_t size = values.size();
  return array_of(std::move(values), {size});
}

nb::dict dict_of(const Result& result) {
  nb::dict scores, details, segments, intervals, resampled;
  for (const auto& [name, value] : result.scores) scores[name.c_str()] = value;
  for (const auto& [name, value] : result.details) {
    details[name.c_str()] = std::visit([](const auto& held) -> nb::object { return nb::cast(held); }, value);
  }
  for (const auto& [name, interval] : result.intervals)
    intervals[name.c_str()] = nb::make_tuple(interval.low, interval.high);
  for (const auto& [name, values] : result.segments) segments[name.c_str()] = array_of(values);
  for (const auto& [name, found] : result.resampled) resampled[name.c_str()] = array_of(found.values);
  nb::dict out;
  out["system"] = result.system;
  out["metric"] = result.metric;
  out["requested"] = result.requested;
  out["scores"] = scores;
  out["details"] = details;
  out["segments"] = segments;
  out["intervals"] = intervals;
  out["signature"] = result.signature();
  out["resampled"] = resampled;
  const SegmentStatistics& rows = result.statistics;
  out["statistics"] = rows.columns == 0 ? nb::none() : array_of(rows.values, {rows.rows(), rows.columns});
  return out;
}

}  // namespace

nb::list errors_of(const std::vector<FailedMetric>& errors) {
  nb::list list;
  for (const FailedMetric& error : errors) {
    nb::dict one;
    one["metric"] = error.metric;
    one["request"] = error.requested;
    one["reason"] = in_python(error.reason);
    list.append(one);
  }
  return list;
}

nb::list results_of(const Report& report) {
  nb::list out;
  for (const Result& result : report.results()) out.append(dict_of(result));
  return out;
}

nb::dict vectors_of(TextVectors vectors, bool all_layers) {
  nb::dict out;
  const std::size_t rows = vectors.rows, layers = vectors.layers, columns = vectors.columns;
  out["vectors"] = all_layers ? array_of(std::move(vectors.values), {rows, layers, columns})
                              : array_of(std::move(vectors.values), {rows, columns});
  out["starts"] = vectors.starts.empty() ? nb::none() : array_of(std::move(vectors.starts));
  out["ids"] = vectors.starts.empty() && vectors.ids.empty() ? nb::none() : array_of(std::move(vectors.ids));
  out["empty"] = vectors.report.empty;
  out["truncated"] = vectors.report.counts.cut_texts;
  out["unknown"] = vectors.report.counts.unknown;
  out["signature"] = vectors.report.signature;
  return out;
}

nb::list model_table() {
  nb::list found;
  for (const ModelDescription& model : list_models()) {
    if (model.problem.empty())
      found.append(
          nb::make_tuple(model.name, model.architecture, model.layers, model.weight_bytes, model.signature));
  }
  return found;
}

}  // namespace markeval::binding
