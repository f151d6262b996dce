// Tries exact set geometry on one Hopper GPU: radii (1st and 5th neighbour) of two sets and counts in each
// other's balls, by an int8 filter on tensor cores with pairs decided in double, checked against plain loops
// on a sample of rows.
//
//   set_geometry ROWS COLUMNS normal|sentences|steep full|head|both [SAMPLE [CLIP [FIRST_TILES]]]
#include <string>

#include "geometry/direct_kernels.hpp"
#include "set_engine.cuh"

namespace {

// Data.

__device__ unsigned mix(std::uint64_t key) {
  key = (key ^ (key >> 33)) * 0xff51afd7ed558ccdull;
  key = (key ^ (key >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return static_cast<unsigned>(key >> 32);
}
__device__ float normal(std::uint64_t key) {
  const float u = (mix(2 * key) + 1.0f) * 0x1.0p-32f, w = mix(2 * key + 1) * 0x1.0p-32f;
  return sqrtf(-2 * logf(fminf(u, 1.0f))) * cospif(2 * w);
}
/// A warp per row. Normal, or unit rows around 4,000 centres in a falling spectrum.
__global__ void make_rows(float* x, int rows, int columns, float falling, std::uint64_t seed) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  float* const out = x + static_cast<std::size_t>(row) * columns;
  const std::uint64_t centre = mix(seed * 77 + row) % 4000;
  float squares = 0;
  for (int i = lane; i < columns; i += 32) {
    float value = normal((seed << 44) + static_cast<std::uint64_t>(row) * columns + i);
    if (falling > 0) {
      const float spread = powf(1 + i / 16.0f, -falling);
      value = spread * (0.7f * value + 0.72f * normal((std::uint64_t{99} << 44) + centre * columns + i));
      squares += value * value;
    }
    out[i] = value;
  }
  if (falling == 0) return;
  const float length = sqrtf(filter::warp_sum(squares));
  for (int i = lane; i < columns; i += 32) out[i] /= length;
}

// Checks.

/// Holds the values of a first look at a few rows against plain sums over the codes.
void check_first_look(const Engine& engine, const Set& set) {
  const Coded& coded = set.full;
  const int tiles = engine.looked_at;
  const auto far = host(coded.minus_far, set.padded);
  int wrong = 0;
  for (int row = 3; row < set.rows; row += set.rows / 3) {
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

struct Answer {
  std::vector<double> radii[2];
  std::vector<std::uint32_t> hits[2];
  std::vector<std::uint8_t> covered[2];
  bool operator==(const Answer&) const = default;
};
Answer answer_of(const Engine& engine) {
  Answer answer;
  for (int s = 0; s < 2; ++s) {
    const Set& set = engine.sets[s];
    answer.radii[s] = host(set.radii, 2 * set.rows);
    answer.hits[s] = host(set.counts.hits, 2 * set.rows);
    answer.covered[s] = host(set.counts.covered, 2 * set.rows);
  }
  return answer;
}

/// In the order of the user's rows.
Answer in_order(const Engine& engine, const Answer& answer) {
  Answer result = answer;
  for (int s = 0; s < 2; ++s) {
    const std::size_t rows = engine.sets[s].rows;
    const auto order = host(engine.sets[s].order, rows);
    for (std::size_t i = 0; i < 2 * rows; ++i) {
      const std::size_t to = i / rows * rows + order[i % rows];
      result.radii[s][to] = answer.radii[s][i];
      result.hits[s][to] = answer.hits[s][i];
      result.covered[s][to] = answer.covered[s][i];
    }
  }
  return result;
}

/// Rows of the sample that differ from plain loops in double; also holds GPU distances against the project's
/// CPU code.
int check(const Engine& engine, const Answer& answer, int sample_rows) {
  int wrong = 0;
  const int columns = engine.columns;
  for (int s = 0; s < 2; ++s) {
    const Set &mine = engine.sets[s], &other = engine.sets[1 - s];
    std::vector<int> sample(sample_rows);
    for (int i = 0; i < sample_rows; ++i)
      sample[i] = static_cast<int>(static_cast<long long>(i) * mine.rows / sample_rows);
    int* const indices = device<int>(sample_rows);
    CHECK(cudaMemcpy(indices, sample.data(), sample_rows * 4, cudaMemcpyHostToDevice));
    for (const Set* against : {&mine, &other}) {
      double* const out = device<double>(static_cast<std::size_t>(sample_rows) * against->rows);
      decide::plain_distances<<<blocks_for(static_cast<std::size_t>(against->rows) * 8), 256>>>(
          mine.x, against->x, against->rows, columns, indices, sample_rows, out);
      CHECK(cudaDeviceSynchronize());
      for (int i = 0; i < sample_rows; ++i) {
        const int row = sample[i];
        const std::size_t rows = mine.rows, theirs = against->rows;
        std::vector<double> squares = host(out + i * theirs, theirs);
        const std::vector<float> a = host(mine.x + row * static_cast<std::size_t>(columns), columns);
        for (std::size_t j = i; j < theirs; j += theirs / 3) {
          const std::vector<float> b = host(against->x + j * columns, columns);
          wrong += squares[j] !=
                   markeval::geometry::portable::kDirectKernels.float_float(a.data(), b.data(), columns);
        }
        if (against == &mine) {
          squares.erase(squares.begin() + row);
          std::nth_element(squares.begin(), squares.begin() + kNearest - 1, squares.end());
          const double far = squares[kNearest - 1];
          const double near = *std::min_element(squares.begin(), squares.begin() + kNearest);
          wrong += answer.radii[s][row] != near || answer.radii[s][rows + row] != far;
          continue;
        }
        for (std::size_t request = 0; request < 2; ++request) {
          std::uint32_t hits = 0;
          bool covered = false;
          for (std::size_t j = 0; j < theirs; ++j) {
            hits += squares[j] <= answer.radii[s][request * rows + row];
            covered |= squares[j] <= answer.radii[1 - s][request * theirs + j];
          }
          wrong += answer.hits[s][request * rows + row] != hits ||
                   answer.covered[s][request * rows + row] != covered;
        }
      }
      CHECK(cudaFree(out));
    }
    CHECK(cudaFree(indices));
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  const int rows = argc > 1 ? std::atoi(argv[1]) : 100000, columns = argc > 2 ? std::atoi(argv[2]) : 384;
  const std::string kind = argc > 3 ? argv[3] : "normal";
  const float falling = kind == "sentences" ? 0.6f : kind == "steep" ? 1.0f : 0.0f;
  const std::string way = argc > 4 ? argv[4] : "full";
  const int sample = argc > 5 ? std::atoi(argv[5]) : 16;

  Engine engine{};
  engine.columns = columns;
  engine.clip = argc > 6 ? std::atof(argv[6]) : 4.5;
  engine.first_tiles = argc > 7 ? std::atoi(argv[7]) : std::clamp(rows / 256 / 24, 8, 32);
  const bool head_wanted = way != "full";
  for (int s = 0; s < 2; ++s) {
    Set& set = engine.sets[s];
    set.rows = rows - 13 * s;
    set.padded = (set.rows + 255) / 256 * 256;
    set.x = device<float>(static_cast<std::size_t>(set.rows) * columns);
    allocate_coded(set.full, columns, set.padded);
    if (head_wanted) allocate_coded(set.head, heads::kHeadColumns, set.padded);
    if (head_wanted) set.heads = device<float>(static_cast<std::size_t>(set.rows) * heads::kHeadColumns);
    set.reach = device<float>(set.rows);
    set.kept = device<Kept>(static_cast<std::size_t>(set.rows) * decide::kKept);
    set.kept_counts = device<std::uint32_t>(set.rows);
    set.given = device<float>(static_cast<std::size_t>(set.rows) * columns);
    set.order = device<std::uint32_t>(set.rows);
    make_rows<<<blocks_for(set.rows, 8), 256>>>(set.given, set.rows, columns, falling, s + 1);
    set.hard = device<int>(kMaxHard);
    set.device_hard_count = device<int>(1);
    set.radii = device<double>(2 * static_cast<std::size_t>(set.rows));
    set.counts = {device<std::uint32_t>(2 * static_cast<std::size_t>(set.rows)),
                  device<std::uint8_t>(2 * static_cast<std::size_t>(set.rows))};
  }
  const int padded = engine.sets[0].padded;
  engine.centre = device<double>(columns);
  engine.sets[1].list_base = padded;
  engine.all_lists = 2 * static_cast<std::size_t>(padded);
  engine.list_counts = device<std::uint32_t>(engine.all_lists);
  engine.lists = device<uint2>(engine.all_lists * kCapacity);
  engine.best = device<int>(static_cast<std::size_t>(padded) * 4 * filter::kBest);
  engine.numbers = device<unsigned long long>(3);
  engine.overflow = device<int>(2);
  engine.looks = device<int4>(std::size_t{132 * 8} * kLookCapacity);
  engine.look_counts = device<int>(132 * 8);
  engine.hard_squares = device<double>(std::size_t{64} * padded);
  std::printf("%d and %d rows x %d, %s\n", rows, rows - 13, columns, kind.c_str());

  std::vector<Answer> answers;
  for (const bool head : {false, true}) {
    if ((head && way == "full") || (!head && way == "head")) continue;
    for (int turn = 0; turn < 2; ++turn) {
      engine.filter_ms = engine.filter_operations = engine.decide_ms = engine.hard_ms = engine.look_ms = 0;
      engine.redone = engine.hard_rows = 0;
      engine.after_first_look = turn == 0 ? check_first_look : nullptr;
      CHECK(cudaMemset(engine.numbers, 0, 24));
      CHECK(cudaMemset(engine.overflow, 0, 8));
      const double begin = seconds();
      code_sets(engine);
      for (Set& set : engine.sets) look_and_sort(engine, set);
      const double sorted = seconds();
      if (head) code_heads(engine);
      const double coded = seconds();
      find_radii(engine, engine.sets[0], head);
      find_radii(engine, engine.sets[1], head);
      const double found = seconds();
      count_both(engine, head);
      const double end = seconds();
      const auto numbers = host(engine.numbers, 3);
      const auto overflow = host(engine.overflow, 2);
      std::printf(
          "  %s: %.4f s = codes %.4f + heads %.4f + radii %.4f + counts %.4f; filter %.4f s at %.0f TOP/s, "
          "look %.4f, decide %.4f, hard %.4f; "
          "closer looks %.3g, float32 %.3g, double in counts %.3g; redone %d, hard rows %d, lost %d %d\n",
          head ? "head" : "full", end - begin, sorted - begin, coded - sorted, found - coded, end - found,
          engine.filter_ms / 1e3, engine.filter_operations / engine.filter_ms / 1e9, engine.look_ms / 1e3,
          engine.decide_ms / 1e3, engine.hard_ms / 1e3, static_cast<double>(numbers[0]),
          static_cast<double>(numbers[1]), static_cast<double>(numbers[2]), engine.redone, engine.hard_rows,
          overflow[0], overflow[1]);
    }
    answers.push_back(answer_of(engine));
    std::uint64_t hits[2] = {}, covered[2] = {};
    for (int s = 0; s < 2; ++s) {
      for (const auto value : answers.back().hits[s]) hits[s] += value;
      for (const auto value : answers.back().covered[s]) covered[s] += value;
    }
    std::printf("  hits %llu %llu, covered %llu %llu; wrong in a sample of %d rows per set: %d\n",
                static_cast<unsigned long long>(hits[0]), static_cast<unsigned long long>(hits[1]),
                static_cast<unsigned long long>(covered[0]), static_cast<unsigned long long>(covered[1]),
                sample, sample > 0 ? check(engine, answers.back(), sample) : -1);
    answers.back() = in_order(engine, answers.back());
  }
  if (answers.size() == 2)
    std::printf("  full and head agree: %s\n", answers[0] == answers[1] ? "yes" : "NO");

  for (const bool circle : {false, true}) {
    Work work = base_work(engine, engine.sets[0], engine.sets[circle ? 0 : 1], false);
    if (circle) {
      make_circle(work, work.group_end);
      work.column_end = work.runs * filter::kRun;
    }
    for (int turn = 0; turn < 2; ++turn) {
      engine.filter_ms = engine.filter_operations = 0;
      filter_work<filter::Mode::products>(engine, engine.sets[0].full, engine.sets[circle ? 0 : 1].full,
                                          work);
    }
    std::printf("  products alone, %s: %.4f s, %.0f TOP/s\n", circle ? "one set" : "two sets",
                engine.filter_ms / 1e3, engine.filter_operations / engine.filter_ms / 1e9);
  }
  return 0;
}
