// The cascade of pair_filter.hpp: principal axes, the decision whether they pay, and the codes of the heads.
//
// The decision rests on estimates from a sample and may be wrong: that costs time, never a pair. What must
// hold is in code_head: the head of a row is its coordinates along the axes and the length of the rest, and
// `errors` bounds how far the stored numbers are from it (docs/background/exactness.md, step 6).
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/sum_of_squares.hpp"
#include "compute/products.hpp"
#include "geometry/cpu/pair_filter.hpp"
#include "geometry/cpu/principal_axes.hpp"
#include "geometry/direct_distance.hpp"

namespace markeval::geometry::cpu {
namespace {

constexpr std::size_t kSampleRows = 1536;
constexpr std::size_t kSampleAxes = 127;
constexpr std::size_t kSampleQueries = 32;
// A first look, which shows where a cascade has no chance at all.
constexpr std::size_t kFirstRows = 512;
constexpr std::size_t kFirstAxes = 63;
constexpr std::size_t kFirstQueries = 12;
// Below this many multiplications, times PairOperations::pair_cost, the full product takes less time than
// looking for axes.
constexpr double kWorthLooking = 2e9;
// Rows are ordered by their places along so many axes.
constexpr std::size_t kOrderAxes = 24;
// Measured on a Neoverse-N1: turning rows costs so much per multiplication, in pairs measured on their own.
constexpr double kTurningCost = 0.4;

/// Relative rounding bound of a float dot product of this length.
double dot_error(std::size_t length) {
  const double n = static_cast<double>(length + 2);
  return n * kFloatRounding / (1 - n * kFloatRounding);
}

double squared_length(const float* values, std::size_t count) {
  return sum_of_squares(std::span(values, count));
}

float squared_gap(const float* a, const float* b, std::size_t count) {
  return sum_of_floats(count, [=](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
}
float dot(const float* a, const float* b, std::size_t count) {
  return sum_of_floats(count, [=](std::size_t i) { return a[i] * b[i]; });
}

}  // namespace

/// What share of all pairs would pass a filter over the first `head` axes and the length of the rest.
PairFilter::Estimate PairFilter::estimate_survivors(const Sample& sample, std::size_t head,
                                                    const RunContext& context) {
  const std::size_t rows = sample.rest_squares.size();
  const MatrixView<const float> rotated(sample.rotated.data(), rows, sample.axes_count);
  std::vector<double> rest(rows);
  double sum = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const values = rotated.row(row).data();
    rest[row] = std::sqrt(squared_length(values + head, sample.axes_count - head) + sample.rest_squares[row]);
    sum += rest[row];
  }
  std::atomic<std::size_t> survivors = 0;
  context.pool.for_each(sample.squared_reach.size(), [&](std::size_t query, std::size_t) {
    std::size_t mine = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double gap = rest[query] - rest[row];
      const double bound = squared_gap(rotated.row(query).data(), rotated.row(row).data(), head) + gap * gap;
      // Six per cent: what int8 coding of the head costs in typical data.
      if (bound <= sample.squared_reach[query] * 1.06) ++mine;
    }
    survivors += mine;
  });
  return {static_cast<double>(survivors.load()) / static_cast<double>(sample.squared_reach.size() * rows),
          sum / static_cast<double>(rows)};
}

void PairFilter::choose_cascade(const GivenSets& given, bool forced) {
  const std::size_t columns = centre_.size();
  const double rows = static_cast<double>(given.largest_rows);
  const bool hopeless = columns < 160 || given.largest_rows < 2 * kSampleRows ||
                        rows * rows * static_cast<double>(columns) < kWorthLooking * pairs_.pair_cost();
  if (columns < 2 || (hopeless && !forced)) return;

  // A cascade must gain a fifth to be worth its trouble.
  const double enough = forced ? std::numeric_limits<double>::infinity() : 0.8 * static_cast<double>(columns);
  Sample sample = rotated_sample(given, kFirstRows, kFirstAxes);
  find_reach(given, kFirstQueries, sample);
  if (cheapest_head(given, sample).cost >= 4 * enough) return;
  sample = rotated_sample(given, kSampleRows, kSampleAxes);
  find_reach(given, kSampleQueries, sample);
  const Head best = cheapest_head(given, sample);
  if (best.cost >= enough) return;
  cascade_ = true;
  method_ = "int8 cascade " + std::to_string(best.axes) + "+1 of " + std::to_string(columns);
  axes_ = Matrix<double>(best.axes, columns);
  std::copy_n(sample.axes.data(), best.axes * columns, axes_.data());
  typical_rest_ = best.mean_rest;
}

PairFilter::Head PairFilter::cheapest_head(const GivenSets& given, const Sample& sample) const {
  Head best{0, std::numeric_limits<double>::infinity(), 0};
  for (const std::size_t wanted : {63u, 95u, 127u}) {  // with the column for the rest: 64, 96, 128
    const std::size_t axes = std::min(wanted, sample.axes_count);
    const Estimate estimate = estimate_survivors(sample, axes, given.context);
    const double turning = kTurningCost * static_cast<double>(axes) / static_cast<double>(given.largest_rows);
    const double cost = static_cast<double>(axes + 1) + (estimate.surviving_share + turning) *
                                                            pairs_.pair_cost() *
                                                            static_cast<double>(centre_.size());
    if (cost < best.cost) best = {axes, cost, estimate.mean_rest};
    if (axes == sample.axes_count) break;
  }
  return best;
}

PairFilter::Sample PairFilter::rotated_sample(const GivenSets& given, std::size_t wanted_rows,
                                              std::size_t wanted_axes) const {
  const std::span<const Points> sets = given.sets;
  const std::size_t columns = centre_.size();
  const std::size_t rows = std::min(wanted_rows, given.largest_rows);
  // Rows evenly spread over every set, the sets in turn.
  Sample sample;
  sample.rows = AlignedBuffer<float>(rows * columns);
  float* const values = sample.rows.data();
  for (std::size_t i = 0; i < rows; ++i) {
    const Points& set = sets[i % sets.size()];
    const std::size_t sampled_row = i / sets.size() * set.rows() * sets.size() / rows;
    sample.sampled_rows.push_back(std::min(sampled_row, set.rows() - 1));
    centred_row(set, sample.sampled_rows.back(), values + i * columns);
  }
  sample.axes_count = std::min(wanted_axes, columns - 1);
  sample.axes = principal_axes({values, rows, columns}, sample.axes_count, device_.products());
  sample.rotated = AlignedBuffer<float>(rows * sample.axes_count);
  sample.rest_squares.resize(rows);
  const std::vector<float> axes_float(sample.axes.begin(), sample.axes.end());
  const std::size_t slices = 32;
  given.context.pool.for_each(slices, [&](std::size_t slice, std::size_t) {
    for (std::size_t row = slice; row < rows; row += slices) {
      const float* const mine = values + row * columns;
      float* const out = sample.rotated.data() + row * sample.axes_count;
      for (std::size_t axis = 0; axis < sample.axes_count; ++axis) {
        out[axis] = dot(mine, axes_float.data() + axis * columns, columns);
      }
      sample.rest_squares[row] =
          std::max(0.0, squared_length(mine, columns) - squared_length(out, sample.axes_count));
    }
  });
  return sample;
}

/// Distances of a sample say nothing about those to the nearest of all rows, which fall with their number
/// (words come back, sentences are said again): every row is looked at.
void PairFilter::find_reach(const GivenSets& given, std::size_t query_count, Sample& sample) const {
  const auto& sets = given.sets;
  const RunContext& context = given.context;
  constexpr std::size_t kChunk = 512;
  const std::size_t queries = std::min(query_count, sample.sampled_rows.size());
  // By worker and query, the smallest squares so far, the largest of them on top.
  std::vector<std::vector<std::vector<double>>> nearest(context.pool.size());
  for (auto& of_worker : nearest) of_worker.resize(queries);
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const std::size_t count = sets[set].rows();
    const std::size_t wanted = std::min(given.expected_neighbours, count - 1) + 1;  // a query meets itself
    const DirectDistance direct(sets[set], sets[set]);
    context.pool.for_each((count + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t worker) {
      context.check_cancelled();
      for (std::size_t row = chunk * kChunk; row < std::min(count, (chunk + 1) * kChunk); ++row) {
        for (std::size_t query = set; query < queries; query += sets.size()) {
          std::vector<double>& heap = nearest[worker][query];
          const double square = direct.bounds(sample.sampled_rows[query], row).upper;
          if (heap.size() == wanted && square >= heap.front()) continue;
          if (heap.size() == wanted) {
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
          }
          heap.push_back(square);
          std::push_heap(heap.begin(), heap.end());
        }
      }
    });
  }
  sample.squared_reach.resize(queries);
  for (std::size_t query = 0; query < queries; ++query) {
    std::vector<double> all;
    for (const auto& of_worker : nearest)
      all.insert(all.end(), of_worker[query].begin(), of_worker[query].end());
    std::sort(all.begin(), all.end());
    sample.squared_reach[query] = all[std::min(given.expected_neighbours, all.size() - 1)] * unit_ * unit_;
  }
}

PairFilter::Projection PairFilter::project(const Points& points, const RunContext& context) const {
  constexpr std::size_t kChunk = 4 * kBlockRows;
  const std::size_t rows = points.rows(), width = axes_.columns(), axes = axes_.rows();
  const std::vector<float> axes_float(axes_.values().begin(), axes_.values().end());
  const auto weights = compute::upload_matrix(device_, MatrixView(axes_float.data(), axes, width));
  const auto packed = device_.pack_weights(weights.view(), compute::Precision::f32);
  const auto input = compute::allocate_matrix<float>(device_, kChunk, width);
  const auto output = compute::allocate_matrix<float>(device_, kChunk, axes);
  Matrix<float> centred(kChunk, width);
  Projection projection{Matrix<float>(rows, axes), std::vector<double>(rows)};
  for (std::size_t begin = 0; begin < rows; begin += kChunk) {
    context.check_cancelled();
    const std::size_t count = std::min(kChunk, rows - begin);
    context.pool.for_each(count, [&](std::size_t i, std::size_t) {
      centred_row(points, begin + i, centred.row(i).data());
      projection.squares[begin + i] = squared_length(centred.row(i).data(), width);
    });
    const auto from = input.view().rows_from(0, count), to = output.view().rows_from(0, count);
    compute::upload(device_, MatrixView<const float>(centred.view()).rows_from(0, count), from);
    device_.multiply(from, *packed, {}, to);
    compute::download(device_, to, projection.coordinates.view().rows_from(begin, count));
  }
  return projection;
}

std::vector<std::uint32_t> PairFilter::find_order(MatrixView<const float> coordinates) {
  const std::size_t columns = coordinates.columns();
  return neighbours_together({coordinates.data(), coordinates.rows(), std::min(kOrderAxes, columns), columns},
                             kBlockRows);
}

CodedSet PairFilter::code_head(const Projection& projection, std::span<const std::uint32_t> order,
                               const RunContext& context) const {
  const std::size_t columns = axes_.rows(), rows = order.size();
  // Storing the axes as float moves each by at most half a unit in the last place; the products round as any
  // do.
  const double head_error =
      std::sqrt(static_cast<double>(columns)) * (dot_error(axes_.columns()) + kFloatRounding) * 1.01 + 1e-11;

  CodeBuilder builder(rows, columns + 1);
  context.pool.for_each((rows + kBlockRows - 1) / kBlockRows, [&](std::size_t block, std::size_t) {
    context.check_cancelled();
    AlignedBuffer<float> values(columns + 1);
    for (std::size_t slot = block * kBlockRows; slot < std::min(rows, (block + 1) * kBlockRows); ++slot) {
      const std::span<const float> head = projection.coordinates.row(order[slot]);
      std::copy(head.begin(), head.end(), values.begin() + 1);
      const double squares = projection.squares[order[slot]];
      const double length = std::sqrt(squares) * (1 + kFloatRounding);
      const double head_squares = squared_length(head.data(), columns);
      const double rest = std::sqrt(std::max(0.0, squares - head_squares));
      // The head is off by at most `error`, hence the square of the rest by at most `square_error`.
      const double error = head_error * length;
      const double square_error =
          2 * std::sqrt(head_squares) * error + error * error + 4 * kFloatRounding * squares;
      const double rest_error = rest * rest > square_error ? square_error / rest : std::sqrt(square_error);
      values[0] = static_cast<float>(rest - typical_rest_);
      builder.set_row(
          slot, values.data(),
          std::sqrt(error * error + rest_error * rest_error) + 2 * kFloatRounding * (length + 1e-30));
    }
  });
  return builder.finish(pairs_);
}

}  // namespace markeval::geometry::cpu
