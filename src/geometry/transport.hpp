// Exact optimal transport between two small weighted sets: the cheapest way to turn one pile of masses into
// another (earth mover's distance; Rubner et al. 2000). A primal simplex on the dense bipartite network, made
// for the hundreds of thousands of little problems a text metric solves: one solver object serves them all
// and allocates only when a problem is larger than every earlier one.
//
// Inside, masses and costs are integers: masses in units of 2^-62 of the total, costs in units of at most
// 2^-45 of the largest. Sums are then exact, and every supply is raised by one part too small to see, which
// makes every basis non-degenerate: each step lowers the cost, so no basis returns and the search ends,
// whatever ties the data hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"

namespace markeval::geometry {

/// Mass moved from one supply to one demand.
struct Flow {
  std::uint32_t from;
  std::uint32_t to;
  double mass;
};

struct TransportCost {
  double cost = 0;   ///< sum of mass x cost over the plan
  double moved = 0;  ///< the smaller of the two totals
  double surplus =
      0;  ///< total supply - total demand; what the heavier side keeps is left where leaving it is cheapest
};

class TransportSolver {
 public:
  /// cost(i, j) is the price of moving one unit from supply i to demand j. Totals may differ: only the
  /// smaller one moves.
  ///   supply {1, 1}, demand {1, 1}, cost {{0, 3}, {1, 2}} -> cost 2
  /// Throws Error(invalid_input) where the shapes disagree, or a mass is negative or not finite, or a cost is
  /// not finite.
  TransportCost solve(std::span<const double> supply, std::span<const double> demand,
                      MatrixView<const double> cost);

  /// Flows of the last solve: at most supplies + demands - 1, ordered by (from, to), none of them zero.
  std::span<const Flow> plan() const { return plan_; }
  /// Dual prices of the demands in the last solve. min_j(cost(i, j) - price(j)) is the best dual price of
  /// supply i, and the two together prove the plan optimal. A demand without mass has no price: 0.
  std::span<const double> demand_prices() const { return demand_prices_; }
  /// Number of changes of the basis in the last solve.
  std::size_t pivots() const { return pivots_; }

 private:
  using Node = std::int32_t;  ///< supplies first, then demands

  void read_masses(std::span<const double> supply, std::span<const double> demand);
  void read_costs(MatrixView<const double> cost);
  void start();
  void find_cheapest(std::size_t row);
  void hang_tree();
  bool find_entering(Node& supply, Node& demand);
  void pivot(Node supply, Node demand);
  void link(Node child, Node parent);
  void unlink(Node child);
  std::int64_t unit_cost(Node supply, Node demand) const;
  TransportCost finish(MatrixView<const double> cost);

  std::size_t supplies_ = 0;  ///< with mass, plus a stand-in where demand is heavier
  std::size_t demands_ = 0;
  std::vector<std::uint32_t> supply_index_;  ///< row of the caller's matrix, kStandIn for the stand-in
  std::vector<std::uint32_t> demand_index_;
  double unit_ = 0;       ///< mass of one unit
  double cost_unit_ = 0;  ///< cost of one unit of cost
  double total_supply_ = 0;
  double total_demand_ = 0;

  std::vector<std::int64_t> mass_;   ///< per node, in units
  std::vector<std::int64_t> costs_;  ///< supplies x demands
  std::vector<std::int64_t> price_;  ///< per node: cost = price(supply) + price(demand) on the basis
  std::vector<Node> parent_;
  std::vector<Node> first_child_;
  std::vector<Node> next_;
  std::vector<Node> previous_;
  std::vector<Node> depth_;
  std::vector<std::int64_t> flow_;  ///< on the arc to the parent
  std::vector<Node> stack_;
  std::vector<std::int64_t> row_least_;  ///< per supply with mass left: the cheapest arc, and where it goes
  std::vector<Node> row_choice_;
  std::vector<Node> basis_supply_;  ///< the first basis, before it hangs as a tree
  std::vector<Node> basis_demand_;
  std::vector<std::int64_t> basis_flow_;
  std::vector<Node> adjacency_start_;
  std::vector<Node> adjacency_;
  std::size_t next_row_ = 0;
  std::size_t pivots_ = 0;

  std::vector<Flow> plan_;
  std::vector<double> demand_prices_;
};

}  // namespace markeval::geometry
