// Tries exact set geometry on one Hopper GPU: radii (1st and 5th neighbour) of two sets and counts in each
// other's balls, by an int8 filter on tensor cores with pairs decided in double, checked against plain loops
// on a sample of rows (all of them, where SAMPLE is as large).
//
//   set_geometry ROWS COLUMNS KIND|FILE.npy [SAMPLE [CLIP [FIRST_TILES]]]
//
// With `neighbours` as CLIP: the five neighbours of every row too. KIND: see set_data.cuh. Of a file of
// float32 rows the first half is one set, the second half the other; ROWS and COLUMNS are then the file's.
#include <fstream>
#include <string>

#include "set_check.cuh"
#include "set_data.cuh"

namespace {

/// Holds the values of a first look at a few rows against plain sums over the codes.
void check_first_look(const Engine& engine, const Set& set) {
  const Coded& coded = set.coded;
  const int tiles = engine.looked_at;
  const auto far = host(coded.minus_far, set.padded);
  int wrong = 0;
  for (int row = 3; row < set.rows; row += std::max(1, set.rows / 3)) {
    const auto mine = host(coded.codes + static_cast<std::size_t>(row) * coded.columns, coded.columns);
    auto got = host(engine.best + row * 4 * filter::kBest, 4 * filter::kBest);
    std::vector<int> groups(tiles * 4, -(1 << 30));
    for (int place = 0; place < tiles * 256; ++place) {
      const int tile = static_cast<int>((row / 256 + place / 256) % (set.padded / 256));
      const int column = tile * 256 + place % 256;
      const auto theirs = host(coded.codes + static_cast<std::size_t>(column) * coded.columns, coded.columns);
      int sum = far[column];
      for (int i = 0; i < coded.columns; ++i) sum += mine[i] * theirs[i];
      int& most = groups[place / 256 * 4 + column % 8 / 2];
      if (column != row) most = std::max(most, sum);
    }
    std::sort(groups.rbegin(), groups.rend());
    std::sort(got.rbegin(), got.rend());
    if (row == 3)
      std::printf("  first look: %d %d %d, plain %d %d %d\n", got[0], got[1], got[2], groups[0], groups[1],
                  groups[2]);
    wrong += !std::equal(got.begin(), got.begin() + filter::kBest, groups.begin());
  }
  if (wrong > 0) std::printf("  first look: %d rows are WRONG\n", wrong);
}

/// Puts the file's rows into `given`: the first half and the second half.
void read_rows(const std::string& file, Engine& engine) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> head(10);
  in.read(head.data(), 10);
  in.seekg(10 + static_cast<unsigned char>(head[8]) + 256 * static_cast<unsigned char>(head[9]));
  for (const Set& set : engine.sets) {
    std::vector<float> rows(static_cast<std::size_t>(set.rows) * set.columns);
    if (!in.read(reinterpret_cast<char*>(rows.data()), static_cast<std::streamsize>(rows.size() * 4)))
      std::printf("%s: too short\n", file.c_str()), std::exit(1);
    CHECK(cudaMemcpy2D(set.given, set.stride * 4, rows.data(), set.columns * 4, set.columns * 4, set.rows,
                       cudaMemcpyHostToDevice));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const int rows = argc > 1 ? std::atoi(argv[1]) : 100000, columns = argc > 2 ? std::atoi(argv[2]) : 384;
  const std::string name = argc > 3 ? argv[3] : "normal";
  const int sample = argc > 4 ? std::atoi(argv[4]) : 64;
  const bool from_file = name.ends_with(".npy");

  Engine engine{};
  engine.wants_neighbours = argc > 5 && std::string(argv[5]) == "neighbours";
  allocate(engine, from_file ? rows / 2 : rows, from_file ? rows - rows / 2 : rows - 13, columns);
  if (argc > 5 && !engine.wants_neighbours) engine.clip = std::atof(argv[5]);
  if (argc > 6) engine.first_tiles = std::atoi(argv[6]);
  if (from_file) read_rows(name, engine);
  for (int s = 0; s < 2 && !from_file; ++s)
    data::make_rows<<<blocks_for(engine.sets[s].rows, 8), 256>>>(engine.sets[s].given, engine.sets[s].rows,
                                                                 columns, engine.sets[s].stride,
                                                                 data::kind_of(name), s + 1);
  std::printf("%d and %d rows x %d, %s\n", engine.sets[0].rows, engine.sets[1].rows, columns, name.c_str());
  bring_into_range(engine);

  for (int turn = 0; turn < 3; ++turn) {
    engine.after_first_look = turn == 0 ? check_first_look : nullptr;
    const double begin = seconds();
    compare(engine);
    const double end = seconds();
    const auto numbers = host(engine.numbers, 3);
    std::printf(
        "  %.4f s; axes %.4f, first look and codes %.4f, filter %.4f s at %.0f TOP/s (%.0f %% of the pairs "
        "by "
        "%d axes), look %.4f, decide %.4f, hard %.4f; closer looks %.3g, float32 %.3g, double in counts "
        "%.3g; "
        "redone %d, hard rows %d\n",
        end - begin, engine.axes_ms / 1e3, engine.sort_ms / 1e3, engine.filter_ms / 1e3,
        engine.filter_operations / engine.filter_ms / 1e9, 100 * engine.head_pairs / engine.all_pairs,
        engine.axes.count, engine.look_ms / 1e3, engine.decide_ms / 1e3, engine.hard_ms / 1e3,
        static_cast<double>(numbers[0]), static_cast<double>(numbers[1]), static_cast<double>(numbers[2]),
        engine.redone, engine.hard_rows);
  }
  std::uint64_t hits[2] = {}, covered[2] = {};
  for (int s = 0; s < 2; ++s) {
    for (const auto value : host(engine.sets[s].counts.hits, 2 * engine.sets[s].rows)) hits[s] += value;
    for (const auto value : host(engine.sets[s].counts.covered, 2 * engine.sets[s].rows)) covered[s] += value;
  }
  const double begin = seconds();
  const Checked checked = check(engine, sample);
  std::printf(
      "  hits %llu %llu, covered %llu %llu; of %zu rows checked wrong: %u radii, %u counts, %u distances "
      "(%.1f s)\n",
      static_cast<unsigned long long>(hits[0]), static_cast<unsigned long long>(hits[1]),
      static_cast<unsigned long long>(covered[0]), static_cast<unsigned long long>(covered[1]), checked.rows,
      checked.radii, checked.counts, checked.distances, seconds() - begin);
  return checked.right() ? 0 : 1;
}
