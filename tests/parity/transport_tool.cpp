// Solves transport problems from a file for tests/parity/transport.py and bench/peers/transport.py: the one
// way to hold the solver against a Python package without a binding.
//   transport_tool PROBLEMS OUT REPEATS
// PROBLEMS: per problem int32 supplies, int32 demands, then doubles: supplies, demands, costs row by row.
// OUT: per problem doubles: cost, CPU seconds per solve, then supplies x demands doubles of plan.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

#include "geometry/transport.hpp"

namespace {

struct Problem {
  std::vector<double> supply;
  std::vector<double> demand;
  std::vector<double> cost;
};

std::vector<Problem> read_problems(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<Problem> problems;
  std::int32_t size[2];
  while (in.read(reinterpret_cast<char*>(size), sizeof(size))) {
    const auto supplies = static_cast<std::size_t>(size[0]);
    const auto demands = static_cast<std::size_t>(size[1]);
    Problem problem{std::vector<double>(supplies), std::vector<double>(demands),
                    std::vector<double>(supplies * demands)};
    for (std::vector<double>* values : {&problem.supply, &problem.demand, &problem.cost}) {
      in.read(reinterpret_cast<char*>(values->data()),
              static_cast<std::streamsize>(values->size() * sizeof(double)));
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

/// CPU time of this thread, so that other work on the machine does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: transport_tool PROBLEMS OUT REPEATS\n", stderr);
    return 2;
  }
  const std::vector<Problem> problems = read_problems(argv[1]);
  std::ofstream out(argv[2], std::ios::binary);
  const int repeats = std::atoi(argv[3]);
  markeval::geometry::TransportSolver solver;
  for (const Problem& problem : problems) {
    const markeval::MatrixView<const double> costs(problem.cost.data(), problem.supply.size(),
                                                   problem.demand.size());
    double head[2] = {};
    const double start = cpu_seconds();
    for (int repeat = 0; repeat < repeats; ++repeat)
      head[0] = solver.solve(problem.supply, problem.demand, costs).cost;
    head[1] = (cpu_seconds() - start) / repeats;
    std::vector<double> plan(problem.cost.size());
    for (const auto& flow : solver.plan()) plan[flow.from * problem.demand.size() + flow.to] = flow.mass;
    out.write(reinterpret_cast<const char*>(head), sizeof(head));
    out.write(reinterpret_cast<const char*>(plan.data()),
              static_cast<std::streamsize>(plan.size() * sizeof(double)));
  }
  return out ? 0 : 1;
}
