#include "geometry/transport.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/matrix_view.hpp"
#include "fuzz/fuzz.hpp"

namespace {

/// A slow second opinion: move mass along the cheapest path of what is left, until nothing is (successive
/// shortest paths, Bellman-Ford). Masses and costs are small whole numbers, so every sum is exact.
double cheapest(std::vector<double> supply, std::vector<double> demand, const std::vector<double>& cost) {
  const std::size_t rows = supply.size(), columns = demand.size(), nodes = rows + columns;
  std::vector<double> flow(rows * columns, 0);
  double total = 0;
  while (true) {
    std::vector<double> distance(nodes, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> before(nodes, nodes);
    for (std::size_t i = 0; i < rows; ++i)
      if (supply[i] > 0) distance[i] = 0;
    for (std::size_t round = 0; round < nodes; ++round) {
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          const double price = cost[i * columns + j];
          if (distance[i] + price < distance[rows + j])
            distance[rows + j] = distance[i] + price, before[rows + j] = i;
          if (flow[i * columns + j] > 0 && distance[rows + j] - price < distance[i])
            distance[i] = distance[rows + j] - price, before[i] = rows + j;
        }
      }
    }
    std::size_t end = nodes;
    for (std::size_t j = 0; j < columns; ++j)
      if (demand[j] > 0 && std::isfinite(distance[rows + j]) &&
          (end == nodes || distance[rows + j] < distance[end]))
        end = rows + j;
    if (end == nodes) return total;
    double mass = demand[end - rows];
    std::size_t start = end;
    for (; before[start] != nodes; start = before[start]) {
      if (start < rows) mass = std::min(mass, flow[start * columns + before[start] - rows]);
    }
    mass = std::min(mass, supply[start]);
    for (std::size_t at = end; before[at] != nodes; at = before[at]) {
      if (at >= rows)
        flow[before[at] * columns + at - rows] += mass;
      else
        flow[at * columns + before[at] - rows] -= mass;
    }
    supply[start] -= mass;
    demand[end - rows] -= mass;
    total += mass * distance[end];
  }
}

}  // namespace

// Small problems in whole numbers, solved twice.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  fuzz::Input input(data, size);
  const std::size_t rows = 1 + input.byte() % 6, columns = 1 + input.byte() % 6;
  std::vector<double> supply(rows), demand(columns), cost(rows * columns);
  for (double& mass : supply) mass = input.byte() % 16;
  for (double& mass : demand) mass = input.byte() % 16;
  for (double& price : cost) price = input.byte();
  const double masses = std::min(std::accumulate(supply.begin(), supply.end(), 0.0),
                                 std::accumulate(demand.begin(), demand.end(), 0.0));
  geometry::TransportSolver solver;
  fuzz::answer_or_error([&] {
    const auto found = solver.solve(supply, demand, MatrixView<const double>(cost.data(), rows, columns));
    fuzz::require(std::abs(found.moved - masses) <= 1e-9 * masses, "not all of the mass was moved");
    const double expected = cheapest(supply, demand, cost);
    fuzz::require(std::abs(found.cost - expected) <= 1e-9 * (1 + expected), "not the cheapest plan");
  });
  return 0;
}
