// What must hold: two nodes become one only where they are the halves of a node of the fixed tree.
#include "geometry/span_sums.hpp"

#include <cassert>
#include <utility>

namespace markeval::geometry {
namespace {

void add_sums(std::vector<double>& to, const std::vector<double>& from) {
  assert(to.size() == from.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

}  // namespace

void SpanSums::push(Node node) {
  assert(node.first == next_);
  next_ += std::size_t{1} << node.level;
  while (!nodes_.empty() && nodes_.back().level == node.level &&
         nodes_.back().first % (std::size_t{2} << node.level) == 0) {
    Node left = std::move(nodes_.back());
    nodes_.pop_back();
    add_sums(left.sums, node.sums);
    ++left.level;
    node = std::move(left);
  }
  nodes_.push_back(std::move(node));
}

void SpanSums::append(std::vector<double> sums) {
  push({next_, 0, std::move(sums)});
}

void SpanSums::append(SpanSums part) {
  for (Node& node : part.nodes_) push(std::move(node));
}

std::vector<double> SpanSums::total() const {
  assert(!nodes_.empty());
  std::vector<double> sums = nodes_.front().sums;
  for (std::size_t i = 1; i < nodes_.size(); ++i) add_sums(sums, nodes_[i].sums);
  return sums;
}

}  // namespace markeval::geometry
