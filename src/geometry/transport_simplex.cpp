// The moves of the transport simplex: the basis as a tree, the search for an arc that saves, the exchange of
// two arcs.
#include <algorithm>
#include <limits>

#include "geometry/transport.hpp"

namespace markeval::geometry {
namespace {

constexpr std::int32_t kNoNode = -1;
constexpr std::int64_t kDearest = std::numeric_limits<std::int64_t>::max();
/// Rows priced together before the best arc of them enters the basis; find_entering is written for four.
constexpr std::size_t kRowsPerBlock = 4;

}  // namespace

void TransportSolver::link(Node child, Node parent) {
  const auto c = static_cast<std::size_t>(child);
  const auto p = static_cast<std::size_t>(parent);
  parent_[c] = parent;
  previous_[c] = kNoNode;
  next_[c] = first_child_[p];
  if (next_[c] != kNoNode) previous_[static_cast<std::size_t>(next_[c])] = child;
  first_child_[p] = child;
}

void TransportSolver::unlink(Node child) {
  const auto c = static_cast<std::size_t>(child);
  if (previous_[c] == kNoNode) {
    first_child_[static_cast<std::size_t>(parent_[c])] = next_[c];
  } else {
    next_[static_cast<std::size_t>(previous_[c])] = next_[c];
  }
  if (next_[c] != kNoNode) previous_[static_cast<std::size_t>(next_[c])] = previous_[c];
}

/// The arcs of the first basis as a tree, with prices.
void TransportSolver::hang_tree() {
  const std::size_t nodes = supplies_ + demands_;
  parent_.assign(nodes, kNoNode);
  first_child_.assign(nodes, kNoNode);
  next_.assign(nodes, kNoNode);
  previous_.assign(nodes, kNoNode);
  depth_.assign(nodes, 0);
  flow_.assign(nodes, 0);
  adjacency_start_.assign(nodes + 1, 0);
  adjacency_.resize(2 * basis_flow_.size());
  for (std::size_t arc = 0; arc < basis_flow_.size(); ++arc) {
    ++adjacency_start_[static_cast<std::size_t>(basis_supply_[arc])];
    ++adjacency_start_[static_cast<std::size_t>(basis_demand_[arc])];
  }
  // Below the busiest node the tree is shallow, and shallow trees are cheap to change.
  const auto busiest = std::max_element(adjacency_start_.begin(), adjacency_start_.end());
  const auto root = static_cast<Node>(busiest - adjacency_start_.begin());
  Node sum = 0;
  for (Node& start : adjacency_start_) {
    sum += start;
    start = sum;
  }
  for (std::size_t arc = 0; arc < basis_flow_.size(); ++arc) {
    for (const Node end : {basis_supply_[arc], basis_demand_[arc]}) {
      adjacency_[static_cast<std::size_t>(--adjacency_start_[static_cast<std::size_t>(end)])] =
          static_cast<Node>(arc);
    }
  }
  price_[static_cast<std::size_t>(root)] = 0;
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const Node node = stack_.back();
    stack_.pop_back();
    const auto at = static_cast<std::size_t>(node);
    for (Node slot = adjacency_start_[at]; slot < adjacency_start_[at + 1]; ++slot) {
      const auto arc = static_cast<std::size_t>(adjacency_[static_cast<std::size_t>(slot)]);
      const Node other = basis_supply_[arc] == node ? basis_demand_[arc] : basis_supply_[arc];
      if (other == parent_[at]) continue;
      const auto below = static_cast<std::size_t>(other);
      link(other, node);
      flow_[below] = basis_flow_[arc];
      depth_[below] = depth_[at] + 1;
      price_[below] = unit_cost(basis_supply_[arc], basis_demand_[arc]) - price_[at];
      stack_.push_back(other);
    }
  }
  next_row_ = 0;
}

std::int64_t TransportSolver::unit_cost(Node supply, Node demand) const {
  return costs_[static_cast<std::size_t>(supply) * demands_ + static_cast<std::size_t>(demand) - supplies_];
}

/// The arc that saves most among those of a few rows; false where no row has one that saves.
bool TransportSolver::find_entering(Node& supply, Node& demand) {
  const std::int64_t* demand_price = price_.data() + supplies_;
  std::int64_t best = 0;
  std::size_t best_row = 0;
  for (std::size_t scanned = 0; scanned < supplies_ && best == 0; scanned += kRowsPerBlock) {
    const std::size_t first = next_row_;
    const std::size_t last = supplies_ - 1;
    const std::int64_t* costs_a = costs_.data() + first * demands_;
    const std::int64_t* costs_b = costs_.data() + std::min(first + 1, last) * demands_;
    const std::int64_t* costs_c = costs_.data() + std::min(first + 2, last) * demands_;
    const std::int64_t* costs_d = costs_.data() + std::min(first + 3, last) * demands_;
    std::int64_t a = kDearest;
    std::int64_t b = kDearest;
    std::int64_t c = kDearest;
    std::int64_t d = kDearest;
    for (std::size_t column = 0; column < demands_; ++column) {
      const std::int64_t price = demand_price[column];
      a = std::min(a, costs_a[column] - price);
      b = std::min(b, costs_b[column] - price);
      c = std::min(c, costs_c[column] - price);
      d = std::min(d, costs_d[column] - price);
    }
    const std::int64_t least[kRowsPerBlock] = {a, b, c, d};
    for (std::size_t offset = 0; offset < kRowsPerBlock; ++offset) {
      const std::size_t row = std::min(first + offset, last);
      if (least[offset] - price_[row] < best) {
        best = least[offset] - price_[row];
        best_row = row;
      }
    }
    next_row_ = first + kRowsPerBlock < supplies_ ? first + kRowsPerBlock : 0;
  }
  if (best == 0) return false;
  const std::int64_t wanted = best + price_[best_row];
  const std::int64_t* costs = costs_.data() + best_row * demands_;
  std::size_t column = 0;
  while (costs[column] - demand_price[column] != wanted) ++column;
  supply = static_cast<Node>(best_row);
  demand = static_cast<Node>(supplies_ + column);
  return true;
}

/// Sends as much as possible over the entering arc and back through the tree; the arc that runs dry leaves.
void TransportSolver::pivot(Node supply, Node demand) {
  ++pivots_;
  const auto is_supply = [this](Node node) { return static_cast<std::size_t>(node) < supplies_; };
  const auto at = [](Node node) { return static_cast<std::size_t>(node); };
  // Up from both ends to where the two ways meet. Going from the demand to the supply, an arc is used against
  // its direction where its lower end is a demand on the demand's side, or a supply on the supply's side.
  std::int64_t amount = std::numeric_limits<std::int64_t>::max();
  Node leaving = kNoNode;
  bool leaves_on_demand_side = false;
  Node on_supply_side = supply;
  Node on_demand_side = demand;
  while (on_supply_side != on_demand_side) {
    if (depth_[at(on_demand_side)] >= depth_[at(on_supply_side)]) {
      if (!is_supply(on_demand_side) && flow_[at(on_demand_side)] < amount) {
        amount = flow_[at(on_demand_side)];
        leaving = on_demand_side;
        leaves_on_demand_side = true;
      }
      on_demand_side = parent_[at(on_demand_side)];
    } else {
      if (is_supply(on_supply_side) && flow_[at(on_supply_side)] < amount) {
        amount = flow_[at(on_supply_side)];
        leaving = on_supply_side;
        leaves_on_demand_side = false;
      }
      on_supply_side = parent_[at(on_supply_side)];
    }
  }
  const Node join = on_demand_side;
  for (Node node = demand; node != join; node = parent_[at(node)])
    flow_[at(node)] += is_supply(node) ? amount : -amount;
  for (Node node = supply; node != join; node = parent_[at(node)])
    flow_[at(node)] += is_supply(node) ? -amount : amount;

  // The part below the leaving arc is turned round to hang from the entering one.
  const std::int64_t saving = price_[at(supply)] + price_[at(demand)] - unit_cost(supply, demand);
  const Node top = leaves_on_demand_side ? demand : supply;
  Node node = top;
  Node new_parent = leaves_on_demand_side ? supply : demand;
  std::int64_t new_flow = amount;
  while (true) {
    const Node old_parent = parent_[at(node)];
    const std::int64_t old_flow = flow_[at(node)];
    unlink(node);
    link(node, new_parent);
    flow_[at(node)] = new_flow;
    if (node == leaving) break;
    new_parent = node;
    new_flow = old_flow;
    node = old_parent;
  }
  // Prices below move by what the entering arc saves: one sign for the nodes of the top's kind, the other for
  // the rest.
  node = top;
  depth_[at(top)] = depth_[at(parent_[at(top)])] + 1;
  price_[at(top)] -= saving;
  const bool top_is_supply = is_supply(top);
  while (true) {
    Node down = first_child_[at(node)];
    if (down == kNoNode) {
      while (node != top && next_[at(node)] == kNoNode) node = parent_[at(node)];
      if (node == top) break;
      down = next_[at(node)];
    }
    node = down;
    depth_[at(node)] = depth_[at(parent_[at(node)])] + 1;
    price_[at(node)] += is_supply(node) == top_is_supply ? -saving : saving;
  }
}

}  // namespace markeval::geometry
