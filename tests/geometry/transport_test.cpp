#include "geometry/transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

namespace markeval::geometry {
namespace {

struct Problem {
  std::vector<double> supply;
  std::vector<double> demand;
  std::vector<double> cost;
  MatrixView<const double> costs() const { return {cost.data(), supply.size(), demand.size()}; }
  double largest_cost() const { return *std::max_element(cost.begin(), cost.end()); }
};

std::vector<double> distribution(RandomStream& random, std::size_t size, bool uniform) {
  std::vector<double> masses(size);
  for (double& mass : masses) mass = uniform ? 1 : random.uniform();
  const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
  for (double& mass : masses) mass /= total;
  return masses;
}

Problem random_problem(std::uint64_t index, std::size_t supplies, std::size_t demands, bool uniform = false,
                       bool whole_costs = false) {
  RandomStream random(2026, index);
  Problem problem{distribution(random, supplies, uniform), distribution(random, demands, uniform), {}};
  problem.cost.resize(supplies * demands);
  for (double& cost : problem.cost)
    cost = whole_costs ? static_cast<double>(random.below(4)) : random.uniform();
  return problem;
}

/// The plan moves what it must, and its cost meets a bound no plan can undercut: the dual value of prices v,
/// each supply priced min_j(cost - v_j). Nothing of the solver but the plan and v is believed.
void expect_optimal(const Problem& problem, const TransportSolver& solver, const TransportCost& result) {
  const double tolerance = 1e-12 * std::max(1.0, problem.largest_cost());
  std::vector<double> sent(problem.supply.size());
  std::vector<double> received(problem.demand.size());
  double cost = 0;
  for (const Flow& flow : solver.plan()) {
    EXPECT_GT(flow.mass, 0);
    sent[flow.from] += flow.mass;
    received[flow.to] += flow.mass;
    cost += flow.mass * problem.costs()(flow.from, flow.to);
  }
  EXPECT_LE(solver.plan().size() + 1, problem.supply.size() + problem.demand.size());
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_NEAR(sent[i], problem.supply[i], 1e-13);
  for (std::size_t j = 0; j < received.size(); ++j) EXPECT_NEAR(received[j], problem.demand[j], 1e-13);
  EXPECT_NEAR(result.cost, cost, tolerance);
  double bound = 0;
  for (std::size_t j = 0; j < received.size(); ++j) bound += problem.demand[j] * solver.demand_prices()[j];
  for (std::size_t i = 0; i < sent.size(); ++i) {
    double price = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < received.size(); ++j) {
      if (problem.demand[j] > 0) price = std::min(price, problem.costs()(i, j) - solver.demand_prices()[j]);
    }
    bound += problem.supply[i] * price;
  }
  EXPECT_NEAR(result.cost, bound, tolerance);
}

TEST(Transport, SolvesTheExampleOfItsHeader) {
  TransportSolver solver;
  const Problem problem{{1, 1}, {1, 1}, {0, 3, 1, 2}};
  EXPECT_DOUBLE_EQ(solver.solve(problem.supply, problem.demand, problem.costs()).cost, 2);
  ASSERT_EQ(solver.plan().size(), 2u);
  EXPECT_EQ(solver.plan()[0].to, 0u);
  EXPECT_EQ(solver.plan()[1].to, 1u);
}

TEST(Transport, IsOptimalOnRandomProblemsOfManyShapes) {
  TransportSolver solver;
  for (std::uint64_t index = 0; index < 300; ++index) {
    RandomStream random(7, index);
    const Problem problem = random_problem(index, 1 + random.below(60), 1 + random.below(60));
    expect_optimal(problem, solver, solver.solve(problem.supply, problem.demand, problem.costs()));
  }
}

TEST(Transport, IsOptimalWhereEqualMassesAndEqualCostsMakeManyTies) {
  TransportSolver solver;
  for (std::uint64_t index = 0; index < 100; ++index) {
    RandomStream random(8, index);
    const std::size_t size = 1 + random.below(50);
    const Problem problem =
        random_problem(index, size, index % 2 == 0 ? size : 1 + random.below(50), true, true);
    expect_optimal(problem, solver, solver.solve(problem.supply, problem.demand, problem.costs()));
  }
}

TEST(Transport, IsOptimalOnLargeProblems) {
  TransportSolver solver;
  const Problem wide = random_problem(1, 200, 200);
  expect_optimal(wide, solver, solver.solve(wide.supply, wide.demand, wide.costs()));
  const Problem tied = random_problem(2, 150, 300, true, true);
  expect_optimal(tied, solver, solver.solve(tied.supply, tied.demand, tied.costs()));
}

TEST(Transport, IsOptimalWhereCostsSpanManyOrdersOfMagnitude) {
  TransportSolver solver;
  for (std::uint64_t index = 0; index < 30; ++index) {
    Problem problem = random_problem(index, 20, 25);
    for (double& cost : problem.cost) cost = std::exp2(-40 * cost);
    expect_optimal(problem, solver, solver.solve(problem.supply, problem.demand, problem.costs()));
  }
}

TEST(Transport, AcceptsNegativeCosts) {
  TransportSolver solver;
  Problem problem = random_problem(3, 12, 9);
  const double before = solver.solve(problem.supply, problem.demand, problem.costs()).cost;
  for (double& cost : problem.cost) cost -= 2;
  const TransportCost after = solver.solve(problem.supply, problem.demand, problem.costs());
  EXPECT_NEAR(after.cost, before - 2, 1e-13);
}

TEST(Transport, MovesNothingBetweenEqualSetsWithZeroDiagonal) {
  TransportSolver solver;
  Problem problem = random_problem(4, 30, 30);
  problem.demand = problem.supply;
  for (std::size_t i = 0; i < 30; ++i) problem.cost[i * 31] = 0;
  EXPECT_NEAR(solver.solve(problem.supply, problem.demand, problem.costs()).cost, 0, 1e-15);
}

TEST(Transport, MovesOneMassToOne) {
  TransportSolver solver;
  const double one[] = {1};
  const double cost[] = {0.25};
  const TransportCost result = solver.solve(one, one, {cost, 1, 1});
  EXPECT_DOUBLE_EQ(result.cost, 0.25);
  ASSERT_EQ(solver.plan().size(), 1u);
  EXPECT_DOUBLE_EQ(solver.plan()[0].mass, 1);
}

TEST(Transport, LeavesMasslessPointsOut) {
  TransportSolver solver;
  Problem problem = random_problem(5, 8, 7);
  problem.supply[0] = problem.supply[5] = problem.demand[6] = 0;
  for (std::vector<double>* masses : {&problem.supply, &problem.demand}) {
    const double total = std::accumulate(masses->begin(), masses->end(), 0.0);
    for (double& mass : *masses) mass /= total;
  }
  expect_optimal(problem, solver, solver.solve(problem.supply, problem.demand, problem.costs()));
}

TEST(Transport, HasNoPlanWhereOneSideHasNoMass) {
  TransportSolver solver;
  const double none[] = {0, 0};
  const double some[] = {1, 2};
  const double cost[] = {1, 1, 1, 1};
  const TransportCost result = solver.solve(some, none, {cost, 2, 2});
  EXPECT_EQ(result.cost, 0);
  EXPECT_EQ(result.moved, 0);
  EXPECT_EQ(result.surplus, 3);
  EXPECT_TRUE(solver.plan().empty());
  EXPECT_EQ(solver.solve({}, {}, {}).moved, 0);
}

TEST(Transport, LeavesTheSurplusOfTheHeavierSideWhereThatIsCheapest) {
  TransportSolver solver;
  const double supply[] = {2, 1};
  const double demand[] = {1.5};
  const double cost[] = {3, 1};
  const TransportCost result = solver.solve(supply, demand, {cost, 2, 1});
  EXPECT_NEAR(result.cost, 1 * 1 + 0.5 * 3, 1e-14);
  EXPECT_DOUBLE_EQ(result.moved, 1.5);
  EXPECT_DOUBLE_EQ(result.surplus, 1.5);
  const TransportCost turned = solver.solve(demand, supply, {cost, 1, 2});
  EXPECT_NEAR(turned.cost, 2.5, 1e-14);
  EXPECT_DOUBLE_EQ(turned.surplus, -1.5);
}

TEST(Transport, DependsOnNothingItSolvedBefore) {
  const Problem small = random_problem(9, 5, 6);
  const Problem large = random_problem(10, 60, 50);
  TransportSolver fresh;
  const double alone = fresh.solve(small.supply, small.demand, small.costs()).cost;
  TransportSolver used;
  used.solve(large.supply, large.demand, large.costs());
  EXPECT_EQ(used.solve(small.supply, small.demand, small.costs()).cost, alone);
}

TEST(Transport, NamesWhatIsWrongWithItsInput) {
  TransportSolver solver;
  const double one[] = {1};
  const double negative[] = {-1};
  const double cost[] = {0, std::numeric_limits<double>::infinity()};
  const auto message = [&](auto&& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_input);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] {
              solver.solve(one, one, {cost, 1, 2});
            }),
            "transport: costs are 1 x 2, expected 1 supplies x 1 demands");
  EXPECT_EQ(message([&] {
              solver.solve(one, negative, {cost, 1, 1});
            }),
            "transport: demand 1 has mass -1, expected a finite number of at least 0");
  EXPECT_EQ(message([&] { solver.solve(one, one, {cost + 1, 1, 1}); }), "transport: a cost is not finite");
}

}  // namespace
}  // namespace markeval::geometry
