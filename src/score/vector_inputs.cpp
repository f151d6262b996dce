// Reading or borrowing of each input, and the check that all have the same width.
#include "score/vector_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "request/system_names.hpp"
#include "vectors/npy.hpp"

namespace markeval::score {
namespace {

template <typename T>
vectors::Vectors borrow(const std::string& name, const Rows<T>& rows) {
  if (rows.columns == 0 || rows.values.empty() || rows.values.size() % rows.columns != 0) {
    throw_invalid(fmt::format("{}: {} values do not fill whole rows of {} columns", name, rows.values.size(),
                              rows.columns));
  }
  return {name, MatrixView<const T>(rows.values.data(), rows.values.size() / rows.columns, rows.columns)};
}

vectors::Vectors load(const Input& input, const std::string& fallback_name, const RunContext& context) {
  const std::string& name = input.name.empty() ? fallback_name : input.name;
  vectors::Vectors vectors = [&] {
    if (const auto* path = std::get_if<std::string>(&input.source)) return vectors::read_npy(*path);
    if (const auto* rows = std::get_if<Rows<float>>(&input.source)) return borrow(name, *rows);
    return borrow(name, std::get<Rows<double>>(input.source));
  }();
  vectors::require_finite(vectors, context.pool);
  return vectors;
}

void check_widths(const VectorInputs& inputs) {
  const vectors::Vectors& first = inputs.references.front();
  const auto check = [&](const vectors::Vectors& other) {
    if (other.columns() == first.columns()) return;
    throw_invalid(fmt::format("{} has {} columns but {} has {}, expected the same width", other.name(),
                              other.columns(), first.name(), first.columns()));
  };
  std::ranges::for_each(inputs.references, check);
  std::ranges::for_each(inputs.systems, check);
}

}  // namespace

report::RowOrigin VectorInputs::reference_place(std::size_t row) const {
  auto file = references.begin();
  for (; row >= file->rows(); ++file) row -= file->rows();
  return {file->name(), row + 1, false, "", "", 0};
}

VectorInputs load_vectors(const ScoreRequest& request, const RunContext& context) {
  VectorInputs inputs;
  inputs.system_names = request::system_names(request);
  for (const Input& input : request.references)
    inputs.references.push_back(load(input, "reference", context));
  for (std::size_t i = 0; i < request.systems.size(); ++i) {
    inputs.systems.push_back(load(request.systems[i], inputs.system_names[i], context));
  }
  check_widths(inputs);
  if (inputs.references.size() > 1) inputs.stacked = vectors::stack(inputs.references);
  return inputs;
}

geometry::Points as_points(const vectors::Vectors& vectors) {
  return std::visit([](const auto& view) { return geometry::Points(view); }, vectors.view());
}

}  // namespace markeval::score
