// Runs the set engine over the clouds that make neighbour searches go wrong, in many sizes and widths, and
// checks every radius, every count and every neighbour against plain loops in double; small ones once more
// as rows of float64.
//
//   set_clouds CASES [LARGEST [heads]]     so many cases; sizes from 1 to LARGEST rows (300)
//
// `heads`: all pairs go through a filter of heads first.
#include "set_check.cuh"
#include "set_data.cuh"

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const int cases = argc > 1 ? std::atoi(argv[1]) : 200, largest_rows = argc > 2 ? std::atoi(argv[2]) : 300;
  const int widths[] = {50, 384, 1, 1024, 300, 7, 700, 128, 8, 768, 3, 129};
  const int kinds = static_cast<int>(data::Kind::count);
  unsigned long long rows = 0;
  int wrong = 0, redone = 0, hard = 0, plain = 0, doubles = 0;
  std::uint32_t state = 12345;
  const auto below = [&](int limit) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>((static_cast<std::uint64_t>(state) * limit) >> 32);
  };
  const auto size = [&](int turn) { return turn % 3 == 0 ? 1 + below(12) : 1 + below(largest_rows); };
  for (int turn = 0; turn < cases; ++turn) {
    const auto kind = static_cast<data::Kind>(turn % kinds);
    const int columns = widths[turn / kinds % 12];
    Engine engine{};
    engine.wants_neighbours = true;
    engine.always_heads = argc > 3 && std::string(argv[3]) == "heads";
    const int first = size(turn), second = size(turn / 2);
    allocate(engine, first, second, columns, std::max(8192, (largest_rows / 256 / 66 + 1) * 4096));
    for (int s = 0; s < 2; ++s)  // every fifth cloud meets itself
      data::make_rows<<<blocks_for(engine.sets[s].rows, 8), 256>>>(engine.sets[s].given, engine.sets[s].rows,
                                                                   columns, engine.sets[s].stride, kind,
                                                                   turn % 5 == 4 ? turn : 2 * turn + s);
    bring_into_range(engine);
    compare(engine);
    Checked checked = check(engine, 1 << 30);
    for (const Set& set : engine.sets)
      checked.neighbours += wrong_neighbours(engine, set, Rows{set.given, set.rows, columns, set.stride});
    plain += engine.needs_plain_loops ? 1 : 0;
    const unsigned in_double = first + second < 200 ? wrong_in_double(engine) : 0;
    doubles += first + second < 200 ? 1 : 0;
    rows += checked.rows;
    redone += engine.redone, hard += engine.hard_rows;
    if (!checked.right() || in_double > 0) {
      ++wrong;
      std::printf(
          "WRONG: %s, %d and %d rows x %d: %u radii, %u counts, %u distances, %u neighbours, %u in double\n",
          data::kNames[static_cast<int>(kind)], first, second, columns, checked.radii, checked.counts,
          checked.distances, checked.neighbours, in_double);
    }
    release(engine);
  }
  std::printf(
      "%d clouds of up to %d rows, %llu rows checked: %d clouds wrong (passes redone %d, hard rows %d, %d by "
      "plain loops, %d once more in double)\n",
      cases, largest_rows, rows, wrong, redone, hard, plain, doubles);
  return wrong == 0 ? 0 : 1;
}
