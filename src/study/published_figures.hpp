// Figures the papers print, to stand beside ours: from published_figures.tsv.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace markeval::study {

struct PublishedFigure {
  std::string_view table;   ///< which of our tables it belongs to: "wmt17-segment", "tac-2009", ...
  std::string_view metric;  ///< as the paper calls it
  std::string_view model;   ///< that made it
  std::string_view source;  ///< "MoverScore, Table 1"
  std::string_view column;  ///< of our table: "cs-en", "pyramid pearson"
  double value;
};

std::span<const PublishedFigure> published_figures();

/// A row of a table: one metric of one paper.
struct PublishedRow {
  std::string metric, model, source;
  std::vector<std::optional<double>> values;  ///< by column asked for
};
/// All that is known for `table`, in the order of the file; rows without any of the columns are left out.
std::vector<PublishedRow> published_rows(std::string_view table, std::span<const std::string> columns);

}  // namespace markeval::study
