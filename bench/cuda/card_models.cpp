// Whole encoders on the card: every layer's states against the CPU device, bit by bit; then lines per second.
//   card_models check FOLDER...                     random tokens, batches of different lengths
//   card_models time FOLDER LENGTHS [TOKENS]        LENGTHS: a byte a line; vectors of some lines are checked
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "compute/transformer.hpp"
#include "encoder/encoder.hpp"
#include "second_device.hpp"

namespace markeval {
namespace {

using Numbers = std::vector<float>;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

token::PackedBatch random_batch(const encoder::Dimensions& dimensions, std::span<const std::size_t> lengths,
                                unsigned seed) {
  std::mt19937 random(seed);
  token::PackedBatch batch;
  for (const std::size_t length : lengths) {
    // Ids 0 to 3 are special in one model or another (padding moves positions).
    for (std::size_t i = 0; i < std::min(length, dimensions.max_length); ++i)
      batch.ids.push_back(static_cast<std::int32_t>(4 + random() % (dimensions.vocabulary - 4)));
    batch.starts.push_back(batch.ids.size());
  }
  return batch;
}

/// All layers, then the last one with every third row wanted, then the three poolings of the last.
std::vector<Numbers> all_states(encoder::Encoder& encoder, const token::PackedBatch& batch) {
  compute::Device& device = encoder.device();
  std::vector<std::size_t> layers(encoder.dimensions().layers + 1);
  std::iota(layers.begin(), layers.end(), std::size_t{0});
  std::vector<Numbers> found;
  encoder.run(batch, layers, [&](std::size_t layer, const compute::Sequences& sequences, auto states) {
    found.push_back(compute::download_matrix(device, states));
    if (layer < layers.back()) return;
    for (const auto pooling : {compute::Pooling::mean, compute::Pooling::cls, compute::Pooling::max}) {
      const auto pooled = compute::allocate_matrix<float>(device, batch.sequences(), states.columns);
      device.transformer().pool(sequences, states, pooling, pooled.view());
      device.transformer().normalize_rows(pooled.view());
      found.push_back(compute::download_matrix(device, pooled.view()));
    }
  });
  std::vector<std::uint8_t> wanted(batch.ids.size());
  for (std::size_t row = 0; row < wanted.size(); row += 3) wanted[row] = 1;
  encoder.run(
      batch, std::span(layers).last(1),
      [&](std::size_t, const compute::Sequences&, auto states) {
        const Numbers all = compute::download_matrix(device, states);
        Numbers& some = found.emplace_back();
        for (std::size_t row = 0; row < wanted.size(); row += 3)
          some.insert(some.end(), all.data() + row * states.columns, all.data() + (row + 1) * states.columns);
      },
      wanted);
  return found;
}

std::size_t differences(const Numbers& a, const Numbers& b) {
  std::size_t count = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    count += std::memcmp(&a[i], &b[i], 4) != 0 ? 1 : 0;
  return count;
}

bool check(const std::string& folder, compute::Device& cpu, compute::Device& card) {
  encoder::Encoder expected(folder, cpu), found(folder, card);
  const encoder::Dimensions& dimensions = expected.dimensions();
  std::vector<std::size_t> some_lengths;
  for (const std::size_t length : {1, 2, 29, 33, 7, 64, 20, 130, 3, 500}) some_lengths.push_back(length);
  std::size_t numbers = 0, different = 0;
  std::string where;
  for (const std::size_t count : {1, 3, 10}) {
    const auto batch = random_batch(dimensions, std::span(some_lengths).last(count), count);
    const auto a = all_states(expected, batch), b = all_states(found, batch);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t mine = differences(a[i], b[i]);
      if (mine > 0 && where.empty()) where = " first at step " + std::to_string(i);
      numbers += a[i].size();
      different += mine;
    }
  }
  std::printf("%-28s %-12s %4zu x %2zu, heads of %3zu %10zu numbers, %zu different%s\n",
              folder.substr(folder.rfind('/') + 1).c_str(), expected.architecture().c_str(),
              dimensions.hidden, dimensions.layers, dimensions.head_width(), numbers, different,
              where.c_str());
  std::fflush(stdout);
  return different == 0;
}

struct Batches {
  std::vector<token::PackedBatch> batches;
  std::size_t lines = 0, tokens = 0;
};

/// Lines in their order, as many as fit into `tokens`.
Batches batches_of(const encoder::Dimensions& dimensions, const std::vector<std::size_t>& lengths,
                   std::size_t tokens) {
  Batches all;
  for (std::size_t begin = 0; begin < lengths.size();) {
    std::size_t end = begin, sum = 0;
    while (end < lengths.size() && sum + lengths[end] <= tokens) sum += lengths[end++];
    all.batches.push_back(random_batch(dimensions, std::span(lengths).subspan(begin, end - begin),
                                       static_cast<unsigned>(all.batches.size())));
    begin = end;
    all.tokens += sum;
  }
  all.lines = lengths.size();
  return all;
}

/// Mean vectors of length 1. `ahead`: a batch is started before the vectors of the one before are fetched.
Numbers embed(encoder::Encoder& encoder, const std::vector<token::PackedBatch>& batches, bool ahead) {
  compute::Device& device = encoder.device();
  const std::size_t width = encoder.dimensions().hidden, layers[] = {encoder.dimensions().layers};
  std::size_t lines = 0;
  for (const auto& batch : batches) lines += batch.sequences();
  Numbers vectors(lines * width);
  compute::DeviceArray<float> waiting;
  float* to = vectors.data();
  const auto fetch = [&] {
    if (waiting.storage == nullptr) return;
    compute::download<float>(device, waiting.view(), MatrixView<float>(to, waiting.rows, width));
    to += waiting.rows * width;
    waiting = {};
  };
  for (const token::PackedBatch& batch : batches) {
    auto pooled = compute::allocate_matrix<float>(device, batch.sequences(), width);
    encoder.run(batch, layers, [&](std::size_t, const compute::Sequences& sequences, auto states) {
      device.transformer().pool(sequences, states, compute::Pooling::mean, pooled.view());
      device.transformer().normalize_rows(pooled.view());
    });
    if (ahead) fetch();
    waiting = std::move(pooled);
    if (!ahead) fetch();
  }
  fetch();
  return vectors;
}

bool time(const std::string& folder, std::vector<std::size_t> lengths, std::size_t tokens,
          compute::Device& cpu, compute::Device& card) {
  encoder::Encoder encoder(folder, card), reference(folder, cpu);
  const encoder::Dimensions& dimensions = encoder.dimensions();
  for (std::size_t& length : lengths) length = std::min(length, dimensions.max_length);
  const Batches in_order = batches_of(dimensions, lengths, tokens);

  const auto some = batches_of(dimensions, {lengths.begin(), lengths.begin() + 300}, 1000).batches;
  const Numbers expected = embed(reference, some, false), found = embed(encoder, some, true);
  const std::size_t different = differences(expected, found);
  // The same lines in batches of another size.
  token::PackedBatch joined;
  for (const auto& batch : some) {
    for (std::size_t i = 0; i < batch.sequences(); ++i) {
      const auto ids = batch.sequence(i);
      joined.ids.insert(joined.ids.end(), ids.begin(), ids.end());
      joined.starts.push_back(joined.ids.size());
    }
  }
  const std::size_t rebatched = differences(expected, embed(encoder, {joined}, false));

  std::printf("%s: %zu lines of %.1f tokens; of 300 lines %zu numbers differ, %zu in one batch\n",
              folder.substr(folder.rfind('/') + 1).c_str(), in_order.lines,
              static_cast<double>(in_order.tokens) / static_cast<double>(in_order.lines), different,
              rebatched);
  std::vector<std::size_t> sorted = lengths;
  std::ranges::sort(sorted);
  const Batches by_length = batches_of(dimensions, sorted, tokens);
  const auto measure = [&](const char* name, const Batches& batches, bool ahead) {
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
      const auto begin = Clock::now();
      embed(encoder, batches.batches, ahead);
      best = round == 0 ? best : std::min(best, seconds_since(begin));
    }
    std::printf("  %-34s %8.3f s, %8.0f lines/s, %9.0f tokens/s\n", name, best,
                static_cast<double>(batches.lines) / best, static_cast<double>(batches.tokens) / best);
    std::fflush(stdout);
  };
  measure("in order, a batch after the other", in_order, false);
  measure("in order, a batch ahead", in_order, true);
  measure("by length, a batch ahead", by_length, true);
  return different == 0 && rebatched == 0;
}

std::vector<std::size_t> read_lengths(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::size_t> lengths;
  for (const char byte : bytes) lengths.push_back(std::max<std::size_t>(1, static_cast<unsigned char>(byte)));
  return lengths;
}

int run(const std::vector<std::string>& arguments) {
  ThreadPool pool(cores_for_reference());
  const auto cpu = compute::make_cpu_device(pool);
  const auto card = second_device(pool);
  if (arguments.at(0) == "time") {
    const std::size_t tokens = arguments.size() > 3 ? std::stoul(arguments[3]) : 65536;
    return time(arguments.at(1), read_lengths(arguments.at(2)), tokens, *cpu, *card) ? 0 : 1;
  }
  bool good = true;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    try {
      good = check(arguments[i], *cpu, *card) && good;
    } catch (const Error& error) {
      std::printf("%s: %s\n", arguments[i].c_str(), error.what());
      good = false;
    }
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace markeval

int main(int count, char** arguments) {
  if (count < 3) return 2;
  try {
    return markeval::run({arguments + 1, arguments + count});
  } catch (const markeval::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
