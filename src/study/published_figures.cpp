// The figures, included from a generated list, and their rows by metric, model and source.
#include "study/published_figures.hpp"

#include <algorithm>

namespace markeval::study {
namespace {

constexpr PublishedFigure kFigures[] = {
#include "study/published_figures.inc"
};

}  // namespace

std::span<const PublishedFigure> published_figures() {
  return kFigures;
}

std::vector<PublishedRow> published_rows(std::string_view table, std::span<const std::string> columns) {
  std::vector<PublishedRow> rows;
  for (const PublishedFigure& figure : kFigures) {
    const auto column = std::ranges::find(columns, figure.column);
    if (figure.table != table || column == columns.end()) continue;
    auto row = std::ranges::find_if(rows, [&](const PublishedRow& known) {
      return known.metric == figure.metric && known.model == figure.model && known.source == figure.source;
    });
    if (row == rows.end()) {
      row = rows.insert(
          row, PublishedRow{
                   std::string(figure.metric), std::string(figure.model), std::string(figure.source), {}});
      row->values.resize(columns.size());
    }
    row->values[static_cast<std::size_t>(column - columns.begin())] = figure.value;
  }
  return rows;
}

}  // namespace markeval::study
