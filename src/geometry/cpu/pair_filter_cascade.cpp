// The cascade of pair_filter.hpp: principal axes, the decision whether they pay, and the codes of the heads.
//
// The decision rests on estimates from a sample and may be wrong: that costs time, never a pair. What must
// hold is in code_head: the head of a row is its coordinates along the axes and the length of the rest, and
// `errors` bounds how far the stored numbers are from it (docs/background/exactness.md, step 6).
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "compute/products.hpp"
#include "geometry/cpu/pair_filter.hpp"
#include "geometry/principal_axes.hpp"

namespace markeval::geometry::cpu {
namespace {

constexpr std::size_t kSampleRows = 1536;
constexpr std::size_t kSampleAxes = 127;
constexpr std::size_t kSampleQueries = 96;
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
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * values[i];
  return sum;
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

void PairFilter::choose_cascade(std::size_t expected_neighbours, bool forced, const RunContext& context) {
  const std::size_t columns = centre_.size();
  const double rows = static_cast<double>(largest_rows_);
  const bool hopeless = columns < 160 || largest_rows_ < 2 * kSampleRows ||
                        rows * rows * static_cast<double>(columns) < kWorthLooking * pairs_.pair_cost();
  if (columns < 2 || (hopeless && !forced)) return;

  // A cascade must gain a fifth to be worth its trouble.
  const double enough = forced ? std::numeric_limits<double>::infinity() : 0.8 * static_cast<double>(columns);
  Sample sample = rotated_sample(kFirstRows, kFirstAxes, context);
  find_reach(sample, kFirstQueries, expected_neighbours, context);
  if (cheapest_head(sample, context).cost >= 4 * enough) return;
  sample = rotated_sample(kSampleRows, kSampleAxes, context);
  find_reach(sample, kSampleQueries, expected_neighbours, context);
  const Head best = cheapest_head(sample, context);
  if (best.cost >= enough) return;
  cascade_ = true;
  method_ = "int8 cascade " + std::to_string(best.axes) + "+1 of " + std::to_string(columns);
  const MatrixView<const double> axes(sample.axes.data(), best.axes, columns);
  const MatrixView<const double> first_axes(sample.axes.data(), std::min(kOrderAxes, best.axes), columns);
  for (std::size_t set = 0; set < sets_.size(); ++set) order_rows(set, first_axes, context);
  for (std::size_t set = 0; set < sets_.size(); ++set) code_head(set, axes, best.mean_rest, context);
}

PairFilter::Head PairFilter::cheapest_head(const Sample& sample, const RunContext& context) const {
  Head best{0, std::numeric_limits<double>::infinity(), 0};
  for (const std::size_t wanted : {63u, 95u, 127u}) {  // with the column for the rest: 64, 96, 128
    const std::size_t axes = std::min(wanted, sample.axes_count);
    const Estimate estimate = estimate_survivors(sample, axes, context);
    const double turning = kTurningCost * static_cast<double>(axes) / static_cast<double>(largest_rows_);
    const std::size_t first = std::min(axes + 1, kFirstCodes);
    const double columns =
        static_cast<double>(first) + pairs_.rest_cost() * static_cast<double>(axes + 1 - first);
    const double cost = columns + (estimate.surviving_share + turning) * pairs_.pair_cost() *
                                      static_cast<double>(centre_.size());
    if (cost < best.cost) best = {axes, cost, estimate.mean_rest};
    if (axes == sample.axes_count) break;
  }
  return best;
}

PairFilter::Sample PairFilter::rotated_sample(std::size_t wanted_rows, std::size_t wanted_axes,
                                              const RunContext& context) const {
  const std::size_t columns = centre_.size();
  const std::size_t rows = std::min(wanted_rows, largest_rows_);
  // Rows evenly spread over every set, the sets in turn.
  Sample sample;
  sample.rows = AlignedBuffer<float>(rows * columns);
  float* const values = sample.rows.data();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t set = i % sets_.size();
    const std::size_t place = i / sets_.size() * sets_[set].rows() * sets_.size() / rows;
    centred_row(set, std::min(place, sets_[set].rows() - 1), values + i * columns);
  }
  sample.axes_count = std::min(wanted_axes, columns - 1);
  sample.axes = principal_axes({values, rows, columns}, sample.axes_count, device_.products());
  sample.rotated = AlignedBuffer<float>(rows * sample.axes_count);
  sample.rest_squares.resize(rows);
  const std::vector<float> axes_float(sample.axes.begin(), sample.axes.end());
  const std::size_t slices = 32;
  context.pool.for_each(slices, [&](std::size_t slice, std::size_t) {
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
void PairFilter::find_reach(Sample& sample, std::size_t query_count, std::size_t expected_neighbours,
                            const RunContext& context) const {
  constexpr std::size_t kChunk = 512;
  const std::size_t columns = centre_.size();
  const MatrixView<const float> queries(sample.rows.data(), std::min(query_count, sample.rest_squares.size()),
                                        columns);
  // By worker and query, the smallest squares so far, the largest of them on top.
  std::vector<std::vector<std::vector<float>>> nearest(context.pool.size());
  for (auto& of_worker : nearest) of_worker.resize(queries.rows());
  std::vector<AlignedBuffer<float>> rows;
  for (std::size_t worker = 0; worker < context.pool.size(); ++worker) rows.emplace_back(columns);
  for (std::size_t set = 0; set < sets_.size(); ++set) {
    const std::size_t count = sets_[set].rows();
    const std::size_t wanted = std::min(expected_neighbours, count - 1) + 1;  // a query meets itself
    context.pool.for_each((count + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t worker) {
      context.check_cancelled();
      for (std::size_t row = chunk * kChunk; row < std::min(count, (chunk + 1) * kChunk); ++row) {
        centred_row(set, row, rows[worker].data());
        for (std::size_t query = set; query < queries.rows(); query += sets_.size()) {
          std::vector<float>& heap = nearest[worker][query];
          const float square = squared_gap(queries.row(query).data(), rows[worker].data(), columns);
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
  sample.squared_reach.resize(queries.rows());
  for (std::size_t query = 0; query < queries.rows(); ++query) {
    std::vector<float> all;
    for (const auto& of_worker : nearest)
      all.insert(all.end(), of_worker[query].begin(), of_worker[query].end());
    std::sort(all.begin(), all.end());
    sample.squared_reach[query] = all[std::min(expected_neighbours, all.size() - 1)];
  }
}

/// Rows of one set in their coordinates along some axes, a chunk at a time.
class PairFilter::Projection {
 public:
  static constexpr std::size_t kChunk = 4 * kBlockRows;

  Projection(const PairFilter& filter, MatrixView<const double> axes)
      : filter_(filter),
        axes_(axes.rows()),
        width_(axes.columns()),
        input_(compute::allocate_matrix<float>(filter.device_, kChunk, width_)),
        output_(compute::allocate_matrix<float>(filter.device_, kChunk, axes_)),
        centred_(kChunk * width_),
        projected_(kChunk * axes_) {
    const std::vector<float> axes_float(axes.data(), axes.data() + axes_ * width_);
    const auto weights =
        compute::upload_matrix(filter.device_, MatrixView<const float>(axes_float.data(), axes_, width_));
    packed_ = filter.device_.pack_weights(weights.view(), compute::Precision::f32);
  }

  /// Rows at places [begin, begin + count) of the order.
  void load(std::size_t set, std::size_t begin, std::size_t count, const RunContext& context) {
    context.check_cancelled();
    compute::Device& device = filter_.device_;
    context.pool.for_each(count, [&](std::size_t i, std::size_t) {
      filter_.centred_row(set, filter_.row(set, begin + i), centred_.data() + i * width_);
    });
    const auto input = input_.view().rows_from(0, count), output = output_.view().rows_from(0, count);
    compute::upload(device, MatrixView<const float>(centred_.data(), count, width_), input);
    device.multiply(input, *packed_, {}, output);
    compute::download(device, output, MatrixView(projected_.data(), count, axes_));
  }
  std::span<const float> centred(std::size_t i) const { return {centred_.data() + i * width_, width_}; }
  std::span<const float> projected(std::size_t i) const { return {projected_.data() + i * axes_, axes_}; }

 private:
  const PairFilter& filter_;
  std::size_t axes_, width_;
  compute::DeviceArray<float> input_, output_;
  std::unique_ptr<compute::PackedWeights> packed_;
  AlignedBuffer<float> centred_, projected_;
};

void PairFilter::order_rows(std::size_t set, MatrixView<const double> axes, const RunContext& context) {
  const std::size_t rows = sets_[set].rows();
  AlignedBuffer<float> places(rows * axes.rows());
  Projection projection(*this, axes);
  for (std::size_t begin = 0; begin < rows; begin += Projection::kChunk) {
    const std::size_t count = std::min(Projection::kChunk, rows - begin);
    projection.load(set, begin, count, context);
    std::copy_n(projection.projected(0).data(), count * axes.rows(), places.data() + begin * axes.rows());
  }
  order_[set] = neighbours_together({places.data(), rows, axes.rows()}, kBlockRows);
}

void PairFilter::code_head(std::size_t set, MatrixView<const double> axes, double typical_rest,
                           const RunContext& context) {
  const std::size_t columns = axes.rows();
  const std::size_t width = axes.columns();
  const std::size_t rows = sets_[set].rows();
  // Storing the axes as float moves each by at most half a unit in the last place; the products round as any
  // do.
  const double head_error =
      std::sqrt(static_cast<double>(columns)) * (dot_error(width) + kFloatRounding) * 1.01 + 1e-11;

  CodeBuilder builder(rows, columns + 1, kFirstCodes);
  Projection projection(*this, axes);
  AlignedBuffer<float> values(Projection::kChunk * (columns + 1));
  for (std::size_t begin = 0; begin < rows; begin += Projection::kChunk) {
    const std::size_t count = std::min(Projection::kChunk, rows - begin);
    projection.load(set, begin, count, context);
    context.pool.for_each((count + kBlockRows - 1) / kBlockRows, [&](std::size_t block, std::size_t) {
      const std::size_t first = block * kBlockRows;
      std::vector<double> errors(std::min(kBlockRows, count - first));
      for (std::size_t i = 0; i < errors.size(); ++i) {
        float* const row = values.data() + (first + i) * (columns + 1);
        std::copy_n(projection.projected(first + i).data(), columns, row + 1);
        const double squares = squared_length(projection.centred(first + i).data(), width);
        const double length = std::sqrt(squares) * (1 + kFloatRounding);
        const double head_squares = squared_length(row + 1, columns);
        const double rest = std::sqrt(std::max(0.0, squares - head_squares));
        // The head is off by at most `error`, hence the square of the rest by at most `square_error`.
        const double error = head_error * length;
        const double square_error =
            2 * std::sqrt(head_squares) * error + error * error + 4 * kFloatRounding * squares;
        const double rest_error = rest * rest > square_error ? square_error / rest : std::sqrt(square_error);
        row[0] = static_cast<float>(rest - typical_rest);
        errors[i] =
            std::sqrt(error * error + rest_error * rest_error) + 2 * kFloatRounding * (length + 1e-30);
      }
      builder.set_rows_alike(begin + first, errors, values.data() + first * (columns + 1));
    });
  }
  coded_[set].head = builder.finish(pairs_);
}

}  // namespace markeval::geometry::cpu
