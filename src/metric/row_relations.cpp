// Matrices of all pairs lie one after the other in one buffer, which a single call fills.
#include "metric/row_relations.hpp"

#include <algorithm>
#include <utility>

namespace markeval::metric {

void RowRelations::add(MatrixView<const float> first, MatrixView<const float> second) {
  pairs_.push_back({matches_.size(), 1});
  matches_.push_back({first, second, {}});
  size_ += first.rows() * second.rows();
}

void RowRelations::add(const TokenRows& first, const TokenRows& second, std::size_t parts) {
  pairs_.push_back({matches_.size(), parts});
  for (std::size_t part = 0; part < parts; ++part)
    matches_.push_back({first.part(part, parts), second.part(part, parts), {}});
  size_ += parts * first.rows() * second.rows();
}

void RowRelations::compute(compute::RowRelation relation, compute::Device& device) {
  values_.resize(size_);
  float* next = values_.data();
  for (compute::RowMatch& match : matches_) {
    match.out = {next, match.first.rows(), match.second.rows()};
    next += match.first.rows() * match.second.rows();
  }
  device.match_rows(relation, matches_);
}

void find_spreads(std::span<TokenRows* const> texts, compute::Device& device) {
  constexpr std::size_t kRows = 4;  // against themselves and those below: the rest is the same again
  for (std::size_t begin = 0; begin < texts.size();) {
    RowRelations relations;
    std::vector<TokenRows*> text_of;
    for (; begin < texts.size() && !relations.full(); ++begin) {
      const MatrixView<const float> rows = std::as_const(*texts[begin]).view();
      for (std::size_t first = 0; first < rows.rows(); first += kRows) {
        const std::size_t below = rows.rows() - first;
        relations.add(rows.rows_from(first, std::min(kRows, below)), rows.rows_from(first, below));
        text_of.push_back(texts[begin]);
      }
    }
    relations.compute(compute::RowRelation::squared_distance, device);
    for (std::size_t strip = 0; strip < text_of.size(); ++strip) {
      const MatrixView<const float> squares = relations.of(strip);
      const float largest =
          *std::max_element(squares.data(), squares.data() + squares.rows() * squares.columns());
      text_of[strip]->spread = std::max(text_of[strip]->spread, static_cast<double>(largest));
    }
  }
}

}  // namespace markeval::metric
