// Reading a problem in, the first basis and the result; transport_simplex.cpp moves from basis to basis.
//
// The first basis takes the cheapest arc that is left, again and again. It ends near the optimum, so few
// moves follow. What must hold: masses and costs are whole numbers from here on, and what was added to make
// every basis non-degenerate is too small to be seen in the plan.
#include "geometry/transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace markeval::geometry {
namespace {

constexpr std::uint32_t kStandIn = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr int kMassBits = 62;
constexpr int kCostBits = 61;
/// Totals closer than this count as equal: the difference is rounding.
constexpr double kSameTotal = 1e-12;

double checked_total(std::span<const double> masses, const char* name) {
  double total = 0;
  for (std::size_t index = 0; index < masses.size(); ++index) {
    const double mass = masses[index];
    if (!(mass >= 0) || !std::isfinite(mass)) {
      throw_invalid(fmt::format("transport: {} {} has mass {}, expected a finite number of at least 0", name,
                                index + 1, mass));
    }
    total += mass;
  }
  return total;
}

/// The nodes with mass and their masses in units of which there are `units` in all; what rounding leaves over
/// goes to the heaviest. Each mass is a multiple of `step`.
void quantise(std::span<const double> masses, double stand_in, double total, std::int64_t steps,
              std::int64_t step, std::vector<std::uint32_t>& index, std::vector<std::int64_t>& units) {
  const double scale = static_cast<double>(steps) / total;
  std::int64_t left = steps;
  std::size_t heaviest = units.size();
  const auto add = [&](double mass, std::uint32_t name) {
    const std::int64_t count = std::min(left, static_cast<std::int64_t>(mass * scale));
    if (count == 0) return;
    left -= count;
    units.push_back(count * step);
    index.push_back(name);
    if (units.back() > units[heaviest]) heaviest = units.size() - 1;
  };
  for (std::size_t item = 0; item < masses.size(); ++item)
    add(masses[item], static_cast<std::uint32_t>(item));
  if (stand_in > 0) add(stand_in, kStandIn);
  units[heaviest] += left * step;
}

/// The largest absolute value. Throws where one is not finite.
double largest_size(std::span<const double> values) {
  // The bits of numbers without sign rise with the numbers, and those of infinity and NaN lie above.
  constexpr std::uint64_t kWithoutSign = ~std::uint64_t{0} >> 1;
  std::uint64_t largest = 0;
  for (const double value : values)
    largest = std::max(largest, std::bit_cast<std::uint64_t>(value) & kWithoutSign);
  const double size = std::bit_cast<double>(largest);
  if (!std::isfinite(size)) throw_invalid("transport: a cost is not finite");
  return size;
}

/// The first of the least values. Four minima at a time, as each waits for its last step.
std::size_t first_least(std::span<const std::int64_t> values) {
  std::int64_t least[4] = {values[0], values[0], values[0], values[0]};
  std::size_t at = 0;
  for (; at + 4 <= values.size(); at += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) least[lane] = std::min(least[lane], values[at + lane]);
  }
  for (; at < values.size(); ++at) least[0] = std::min(least[0], values[at]);
  const std::int64_t found = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), found) - values.begin());
}

}  // namespace

TransportCost TransportSolver::solve(std::span<const double> supply, std::span<const double> demand,
                                     MatrixView<const double> cost) {
  if (cost.rows() != supply.size() || cost.columns() != demand.size()) {
    throw_invalid(fmt::format("transport: costs are {} x {}, expected {} supplies x {} demands", cost.rows(),
                              cost.columns(), supply.size(), demand.size()));
  }
  total_supply_ = checked_total(supply, "supply");
  total_demand_ = checked_total(demand, "demand");
  plan_.clear();
  demand_prices_.assign(demand.size(), 0);
  pivots_ = 0;
  if (total_supply_ == 0 || total_demand_ == 0) return {0, 0, total_supply_ - total_demand_};
  read_masses(supply, demand);
  read_costs(cost);
  start();
  hang_tree();
  Node entering_supply = 0;
  Node entering_demand = 0;
  while (find_entering(entering_supply, entering_demand)) pivot(entering_supply, entering_demand);
  return finish(cost);
}

void TransportSolver::read_masses(std::span<const double> supply, std::span<const double> demand) {
  const double heavier = std::max(total_supply_, total_demand_);
  const double surplus = total_supply_ - total_demand_;
  const bool even = std::abs(surplus) <= kSameTotal * heavier;
  // Supplies are multiples of `step` plus 1 and the first demand takes the ones: no proper subset of supplies
  // then has the total of a subset of demands, so no basic flow is ever zero.
  const int step_bits = static_cast<int>(std::bit_width(supply.size() + 1));
  const std::int64_t step = std::int64_t{1} << step_bits;
  const std::int64_t steps = std::int64_t{1} << (kMassBits - step_bits);
  mass_.clear();
  supply_index_.clear();
  demand_index_.clear();
  quantise(supply, even ? 0 : std::max(0.0, -surplus), even ? total_supply_ : heavier, steps, step,
           supply_index_, mass_);
  supplies_ = supply_index_.size();
  for (std::int64_t& mass : mass_) mass += 1;
  quantise(demand, even ? 0 : std::max(0.0, surplus), even ? total_demand_ : heavier, steps, step,
           demand_index_, mass_);
  demands_ = demand_index_.size();
  mass_[supplies_] += static_cast<std::int64_t>(supplies_);
  unit_ = (even ? std::min(total_supply_, total_demand_) : heavier) / std::ldexp(1.0, kMassBits);
}

void TransportSolver::read_costs(MatrixView<const double> cost) {
  double largest = 0;
  for (std::size_t row = 0; row < cost.rows(); ++row)
    largest = std::max(largest, largest_size(cost.row(row)));
  // A price is a sum of at most one cost per node, so prices of this many nodes stay below 2^62.
  const int bits = kCostBits - static_cast<int>(std::bit_width(supplies_ + demands_));
  const double scale = largest == 0 ? 0 : std::ldexp(1.0, bits) / largest;
  cost_unit_ = largest == 0 ? 0 : largest / std::ldexp(1.0, bits);
  costs_.resize(supplies_ * demands_);
  const bool all_demands = demands_ == cost.columns() && demand_index_.back() != kStandIn;
  for (std::size_t row = 0; row < supplies_; ++row) {
    std::int64_t* out = costs_.data() + row * demands_;
    if (supply_index_[row] == kStandIn) {
      std::fill_n(out, demands_, 0);
      continue;
    }
    const std::span<const double> in = cost.row(supply_index_[row]);
    if (all_demands) {
      for (std::size_t column = 0; column < demands_; ++column)
        out[column] = static_cast<std::int64_t>(in[column] * scale);
      continue;
    }
    for (std::size_t column = 0; column < demands_; ++column) {
      const std::uint32_t source = demand_index_[column];
      out[column] = source == kStandIn ? 0 : static_cast<std::int64_t>(in[source] * scale);
    }
  }
}

/// First basis: always the cheapest arc between a supply and a demand that both have mass left, used up.
/// Every arc exhausts one node, so the arcs form a spanning tree. On sentences this leaves a third of the
/// exchanges that starting from the supplies in order of regret does.
void TransportSolver::start() {
  basis_supply_.clear();
  basis_demand_.clear();
  basis_flow_.clear();
  price_.assign(supplies_ + demands_, 0);
  stack_.resize(demands_);  // demands with mass left
  for (std::size_t column = 0; column < demands_; ++column) stack_[column] = static_cast<Node>(column);
  row_least_.resize(supplies_);
  row_choice_.resize(supplies_);
  for (std::size_t row = 0; row < supplies_; ++row) find_cheapest(row);
  std::size_t open = supplies_;
  while (open > 0) {
    const std::size_t row = first_least(row_least_);
    const Node demand = static_cast<Node>(supplies_) + row_choice_[row];
    std::int64_t& left = mass_[row];
    std::int64_t& wanted = mass_[static_cast<std::size_t>(demand)];
    if (wanted == 0) {  // what is left costs at least as much: look again only now
      find_cheapest(row);
      continue;
    }
    const std::int64_t amount = std::min(left, wanted);
    basis_supply_.push_back(static_cast<Node>(row));
    basis_demand_.push_back(demand);
    basis_flow_.push_back(amount);
    left -= amount;
    wanted -= amount;
    if (left == 0) {
      row_least_[row] = kLargest;
      --open;
    }
    if (wanted == 0) {
      *std::find(stack_.begin(), stack_.end(), row_choice_[row]) = stack_.back();
      stack_.pop_back();
    }
  }
}

/// The cheapest demand with mass left for a supply.
void TransportSolver::find_cheapest(std::size_t row) {
  const std::int64_t* costs = costs_.data() + row * demands_;
  std::int64_t least = kLargest;
  Node choice = 0;
  for (const Node column : stack_) {
    const std::int64_t cost = costs[static_cast<std::size_t>(column)];
    choice = cost < least ? column : choice;
    least = std::min(least, cost);
  }
  row_least_[row] = least;
  row_choice_[row] = choice;
}

TransportCost TransportSolver::finish(MatrixView<const double> cost) {
  TransportCost result{0, std::min(total_supply_, total_demand_), total_supply_ - total_demand_};
  // What the ones added to the supplies can amount to on one arc.
  const auto invisible = static_cast<std::int64_t>(2 * (supplies_ + demands_));
  for (std::size_t node = 0; node < supplies_ + demands_; ++node) {
    if (parent_[node] < 0 || flow_[node] <= invisible) continue;
    const auto above = static_cast<std::size_t>(parent_[node]);
    const std::uint32_t from = supply_index_[node < supplies_ ? node : above];
    const std::uint32_t to = demand_index_[(node < supplies_ ? above : node) - supplies_];
    if (from == kStandIn || to == kStandIn) continue;
    plan_.push_back({from, to, static_cast<double>(flow_[node]) * unit_});
  }
  std::sort(plan_.begin(), plan_.end(),
            [](const Flow& a, const Flow& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  for (const Flow& flow : plan_) result.cost += flow.mass * cost(flow.from, flow.to);
  for (std::size_t column = 0; column < demands_; ++column) {
    if (demand_index_[column] == kStandIn) continue;
    demand_prices_[demand_index_[column]] = static_cast<double>(price_[supplies_ + column]) * cost_unit_;
  }
  return result;
}

}  // namespace markeval::geometry
