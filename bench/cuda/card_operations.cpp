// Every operation of compute/transformer.hpp and the product, on the card and on the CPU device, over random
// data of many shapes: compares all bits.
//   card_operations [SEED]
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "compute/transformer.hpp"
#include "second_device.hpp"

namespace markeval::compute {
namespace {

using Numbers = std::vector<float>;

/// What one device makes of the same numbers as the other.
class Work {
 public:
  Work(Device& device, unsigned seed) : device_(device), random_(seed) {}

  Device& device() const { return device_; }
  TransformerOperations& operations() const { return device_.transformer(); }
  std::mt19937& random() { return random_; }

  Numbers normal(std::size_t count, float spread = 1) {
    std::normal_distribution<float> some(0, spread);
    Numbers values(count);
    for (float& value : values) value = some(random_);
    return values;
  }
  /// A matrix with a few numbers of another between its rows; `gap` 0: none.
  DeviceMatrix<float> matrix(std::size_t rows, std::size_t columns, std::size_t gap = 0, float spread = 1) {
    return keep<float>(normal(rows * (columns + gap), spread), rows, columns + gap).columns_from(0, columns);
  }
  DeviceMatrix<std::int32_t> below(std::size_t count, std::size_t limit) {
    std::vector<std::int32_t> values(count);
    for (auto& value : values) value = static_cast<std::int32_t>(random_() % limit);
    return keep<std::int32_t>(values, 1, count);
  }
  template <typename T>
  DeviceMatrix<T> keep(const std::vector<T>& values, std::size_t rows, std::size_t columns) {
    auto array = upload_matrix<T>(device_, MatrixView<const T>(values.data(), rows, columns));
    const DeviceMatrix<T> view = array.view();
    storage_.push_back(std::move(array.storage));
    return view;
  }
  Numbers result(DeviceMatrix<float> matrix) const {
    Numbers values(matrix.rows * matrix.columns);
    download<float>(device_, matrix, MatrixView<float>(values.data(), matrix.rows, matrix.columns));
    return values;
  }

 private:
  Device& device_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<Storage>> storage_;
};

struct Tally {
  std::size_t cases = 0, numbers = 0, different = 0, bad_cases = 0;
  std::string first;
};

class Comparison {
 public:
  Comparison(Device& cpu, Device& card, unsigned seed) : cpu_(cpu), card_(card), seed_(seed) {}

  void check(const std::string& operation, const std::string& shape,
             const std::function<Numbers(Work&)>& body) {
    const unsigned seed = seed_++;
    Work expected_work(cpu_, seed), found_work(card_, seed);
    Tally& tally = tallies_[operation];
    ++tally.cases;
    const Numbers expected = body(expected_work);
    Numbers found;
    try {
      found = body(found_work);
    } catch (const Error& error) {
      ++tally.bad_cases;
      if (tally.first.empty()) tally.first = shape + ": " + error.what();
      return;
    }
    tally.numbers += expected.size();
    std::size_t different = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool same = std::memcmp(&expected[i], &found[i], 4) == 0 ||
                        (expected[i] != expected[i] && found[i] != found[i]);
      if (!same && different++ == 0 && tally.first.empty()) {
        char text[200];
        std::snprintf(text, sizeof text, "%s, number %zu: %.9g instead of %.9g", shape.c_str(), i,
                      static_cast<double>(found[i]), static_cast<double>(expected[i]));
        tally.first = text;
      }
    }
    tally.different += different;
    tally.bad_cases += different > 0 ? 1 : 0;
  }

  int report() const {
    bool good = true;
    std::printf("%-16s %6s %12s %12s\n", "operation", "cases", "numbers", "different");
    for (const auto& [operation, tally] : tallies_) {
      std::printf("%-16s %6zu %12zu %12zu%s%s\n", operation.c_str(), tally.cases, tally.numbers,
                  tally.different, tally.first.empty() ? "" : "  ", tally.first.c_str());
      good = good && tally.bad_cases == 0;
    }
    return good ? 0 : 1;
  }

 private:
  Device& cpu_;
  Device& card_;
  unsigned seed_;
  std::map<std::string, Tally> tallies_;
};

std::string text_of(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (const std::size_t number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

void check_products(Comparison& compare) {
  const std::size_t shapes[][3] = {{1, 1, 1},      {5, 7, 3},         {129, 384, 1152}, {300, 1543, 101},
                                   {64, 20, 33},   {1000, 768, 768},  {257, 3072, 768}, {128, 16, 128},
                                   {127, 17, 127}, {2000, 384, 1536}, {40, 312, 1248},  {16, 4097, 5}};
  for (const auto& [rows, inputs, outputs] : shapes) {
    for (int kind = 0; kind < 12; ++kind) {
      const auto activation = static_cast<Activation>(kind % 3);
      const bool in_place = kind / 3 % 2 == 1, has_bias = kind % 4 != 0;
      const std::size_t gap = kind < 6 ? 0 : kind < 9 ? 4 : 3;
      compare.check("product", text_of({rows, inputs, outputs, std::size_t(kind)}), [&](Work& work) {
        const auto in = work.matrix(rows, inputs, gap), weights = work.matrix(outputs, inputs, gap, 0.1f);
        const auto bias = work.matrix(1, outputs), out = work.matrix(rows, outputs, gap);
        Epilogue epilogue{.scale = kind % 5 == 0 ? 0.3f : 1.0f, .activation = activation};
        if (has_bias) epilogue.bias = bias;
        if (in_place) epilogue.residual = out;
        const auto packed = work.device().pack_weights(weights, Precision::f32);
        work.device().multiply(in, *packed, epilogue, out);
        return work.result(out);
      });
    }
  }
}

void check_rows(Comparison& compare) {
  for (const std::size_t columns : {1,   2,   3,   15,  16,  17,  31,  32,  33,  47,   48,   96,   128,
                                    143, 144, 312, 384, 399, 400, 768, 783, 784, 1000, 1024, 1025, 4096}) {
    for (const std::size_t rows : {1, 9, 100}) {
      const std::string shape = text_of({rows, columns});
      for (const bool in_place : {false, true}) {
        compare.check("layer_norm", shape, [&](Work& work) {
          const auto in = work.matrix(rows, columns, 5, 3), gain = work.matrix(1, columns),
                     bias = work.matrix(1, columns), other = work.matrix(rows, columns, 1);
          const auto out = in_place ? in : other;
          work.operations().layer_norm(in, {gain, bias, 1e-12f}, out);
          return work.result(out);
        });
      }
      compare.check("embed", shape, [&](Work& work) {
        const auto words = work.matrix(50, columns), table = work.matrix(20, columns),
                   type = work.matrix(1, columns), gain = work.matrix(1, columns),
                   bias = work.matrix(1, columns), out = work.matrix(rows, columns, 2);
        const auto ids = work.below(rows, 50), positions = work.below(rows, 20);
        EmbeddingTables tables{.words = words, .positions = {}, .type = {}};
        if (columns % 2 == 0) tables.positions = table;
        if (columns % 3 != 0) tables.type = type;
        LayerNorm norm{};
        if (rows != 9) norm = {gain, bias, 1e-5f};
        work.operations().embed(ids, positions, tables, norm, out);
        return work.result(out);
      });
      compare.check("add and gate", shape, [&](Work& work) {
        const auto a = work.matrix(rows, columns, 3), b = work.matrix(rows, columns, 1),
                   c = work.matrix(rows, columns);
        work.operations().add(a, b);
        work.operations().gate(a, c);
        return work.result(a);
      });
      compare.check("normalize_rows", shape, [&](Work& work) {
        const auto a = work.matrix(rows, columns, 3, rows == 9 ? 1e-20f : 1e3f);
        work.operations().normalize_rows(a);
        return work.result(a);
      });
      compare.check("finite_rows", shape, [&](Work& work) {
        Numbers values = work.normal(rows * columns);
        for (std::size_t i = 0; i < rows; i += 2) {
          const float odd[] = {std::numeric_limits<float>::infinity(), std::nanf(""), 3e38f, -1e-42f};
          values[i * columns + work.random()() % columns] = odd[work.random()() % 4];
        }
        const auto marks = work.operations().finite_rows(work.keep(values, rows, columns));
        return Numbers(marks.begin(), marks.end());
      });
      compare.check("gather and copy", shape, [&](Work& work) {
        const auto in = work.matrix(rows, columns, 1), out = work.matrix(70, columns, 2);
        work.operations().gather_rows(in, work.below(70, rows), out);
        const auto copied = work.matrix(70, columns);
        work.operations().copy(out, copied);
        return work.result(copied);
      });
    }
  }
}

std::vector<std::size_t> starts_of(const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> starts{0};
  for (const std::size_t length : lengths) starts.push_back(starts.back() + length);
  return starts;
}

struct Heads {
  std::size_t heads, width;
  bool bias = false, position_key = false, position_query = false;
  std::size_t reach = kWholeSequence;
  std::size_t gap = 0;
};

void check_attention(Comparison& compare) {
  const std::vector<std::vector<std::size_t>> batches = {
      {1}, {1, 3, 40, 17, 73}, {31, 32, 33, 64, 65, 4, 5, 15, 16}, {300, 2, 129, 512}, {257}};
  std::vector<Heads> cases = {{12, 32}, {12, 64}, {3, 5},  {1, 64, false, false, false, kWholeSequence, 1},
                              {2, 33},  {2, 128}, {1, 80}, {2, 1},
                              {4, 16},  {1, 256}};
  for (const std::size_t width : {32, 64, 12, 80}) {
    cases.push_back({2, width, true});
    cases.push_back({2, width, false, true, false});
    cases.push_back({2, width, false, false, true});
    cases.push_back({2, width, true, true, true});
    for (const std::size_t reach : {0, 1, 4, 21, 64, 200})
      cases.push_back({2, width, false, false, false, reach});
  }
  for (const auto& lengths : batches) {
    const auto starts = starts_of(lengths);
    for (const Heads& c : cases) {
      const std::string name = c.bias && !c.position_key            ? "attention, bias"
                               : c.position_key || c.position_query ? "attention, dis."
                               : c.reach != kWholeSequence          ? "attention, local"
                                                                    : "attention";
      compare.check(name, text_of({lengths.size(), lengths[0], c.heads, c.width, c.reach}), [&](Work& work) {
        const std::size_t hidden = c.heads * c.width, rows = starts.back(), reach = 520;
        const auto qkv = work.matrix(rows, 3 * hidden, c.gap), out = work.matrix(rows, hidden, c.gap);
        const auto bias = work.matrix(c.heads, 2 * reach + 1);
        const auto position_key = work.matrix(300, hidden, 4), position_query = work.matrix(300, hidden);
        std::vector<std::int32_t> bucket;
        for (std::size_t i = 0; i <= 2 * reach; ++i)
          bucket.push_back(static_cast<std::int32_t>(i * 299 / (2 * reach)));
        AttentionInputs inputs{.query = qkv.columns_from(0, hidden),
                               .key = qkv.columns_from(hidden, hidden),
                               .value = qkv.columns_from(2 * hidden, hidden),
                               .heads = c.heads,
                               .scale = 1 / std::sqrt(static_cast<float>(c.width)),
                               .bias = {},
                               .disentangled = {},
                               .reach = c.reach};
        if (c.bias) inputs.bias.table = bias;
        if (c.position_key || c.position_query)
          inputs.disentangled.bucket = work.keep(bucket, 1, bucket.size());
        if (c.position_key) inputs.disentangled.position_key = position_key;
        if (c.position_query) inputs.disentangled.position_query = position_query;
        work.operations().attention(*work.operations().pack_sequences(starts), inputs, out);
        return work.result(out);
      });
    }
  }
  for (const std::size_t reach : {kWholeSequence, std::size_t{64}}) {
    compare.check("attention, long", text_of({2500, reach}), [&](Work& work) {
      const auto qkv = work.matrix(2510, 3 * 64), out = work.matrix(2510, 64);
      const std::vector<std::size_t> starts{0, 2500, 2510};
      work.operations().attention(*work.operations().pack_sequences(starts),
                                  {.query = qkv.columns_from(0, 64),
                                   .key = qkv.columns_from(64, 64),
                                   .value = qkv.columns_from(128, 64),
                                   .heads = 1,
                                   .scale = 0.125f,
                                   .bias = {},
                                   .disentangled = {},
                                   .reach = reach},
                                  out);
      return work.result(out);
    });
  }
}

void check_sequences(Comparison& compare) {
  const std::vector<std::size_t> starts = starts_of({1, 5, 33, 2, 64, 100});
  for (const std::size_t columns : {1, 7, 48, 384, 1000}) {
    const std::string shape = text_of({columns});
    for (const Pooling pooling : {Pooling::mean, Pooling::cls, Pooling::max}) {
      compare.check("pool", shape, [&](Work& work) {
        const auto in = work.matrix(starts.back(), columns, 3), out = work.matrix(6, columns, 1);
        work.operations().pool(*work.operations().pack_sequences(starts), in, pooling, out);
        return work.result(out);
      });
    }
    for (const std::size_t reach : {0, 1, 3}) {
      compare.check("unfold", shape, [&](Work& work) {
        const auto in = work.matrix(starts.back(), columns, 3),
                   out = work.matrix(starts.back(), columns * (2 * reach + 1), 1);
        work.operations().unfold(*work.operations().pack_sequences(starts), in, reach, out);
        return work.result(out);
      });
    }
  }
  for (const std::size_t points : {1, 4, 13, 16, 32}) {
    compare.check("rotate", text_of({points}), [&](Work& work) {
      const auto cosines = work.matrix(30, points), sines = work.matrix(30, points),
                 values = work.matrix(111, 3 * 2 * points, 2);
      work.operations().rotate(work.below(111, 30), {cosines, sines}, values);
      return work.result(values);
    });
  }
  for (const Function function : {Function::gelu_tanh, Function::silu, Function::tanh}) {
    for (const float spread : {1e-30f, 1e-3f, 1.0f, 4.0f, 30.0f, 1e4f, 1e30f}) {
      compare.check("functions", text_of({static_cast<std::size_t>(function)}), [&](Work& work) {
        const auto values = work.matrix(50, 2000, 1, spread);
        work.operations().apply(function, values);
        return work.result(values);
      });
    }
  }
}

}  // namespace
}  // namespace markeval::compute

int main(int count, char** arguments) {
  using namespace markeval;
  ThreadPool pool(cores_for_reference());
  const auto cpu = compute::make_cpu_device(pool);
  const auto card = second_device(pool);
  compute::Comparison compare(*cpu, *card, count > 1 ? static_cast<unsigned>(std::stoul(arguments[1])) : 1);
  std::printf("%s against %s\n", card->name().c_str(), cpu->name().c_str());
  compute::check_products(compare);
  compute::check_rows(compare);
  compute::check_attention(compare);
  compute::check_sequences(compare);
  return compare.report();
}
