// The weights of a BERT-like encoder and token ids as the trial encoders read them: flat files that
// pack_model.py makes, or numbers made up in the program.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace encoder {

struct Shape {
  std::int32_t hidden, heads, inner, layers, words, positions;
};
constexpr Shape kMiniLm{384, 12, 1536, 6, 30522, 512}, kBertBase{768, 12, 3072, 12, 30522, 512};
constexpr float kEpsilon = 1e-12f;

using Floats = std::vector<float>;

/// Products are outputs x inputs, as models store them; queries, keys and values are one product.
struct LayerWeights {
  Floats qkv, qkv_bias, out, out_bias, gain1, bias1, up, up_bias, down, down_bias, gain2, bias2;
};
struct Model {
  Shape shape{};
  Floats words, positions, type, gain, bias;
  std::vector<LayerWeights> layers;

  /// Calls `use(numbers, count)` for every field in the order of the file.
  template <typename Use>
  void each(Use use) {
    const std::size_t h = shape.hidden, inner = shape.inner;
    use(words, shape.words * h), use(positions, shape.positions * h), use(type, h), use(gain, h),
        use(bias, h);
    layers.resize(shape.layers);
    for (LayerWeights& l : layers) {
      use(l.qkv, 3 * h * h), use(l.qkv_bias, 3 * h), use(l.out, h * h), use(l.out_bias, h);
      use(l.gain1, h), use(l.bias1, h), use(l.up, inner * h), use(l.up_bias, inner);
      use(l.down, h * inner), use(l.down_bias, h), use(l.gain2, h), use(l.bias2, h);
    }
  }
};

inline Model read_model(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  Model model;
  in.read(reinterpret_cast<char*>(&model.shape), sizeof(Shape));
  if (!in) std::printf("%s: no model\n", file.c_str()), std::exit(1);
  model.each([&](Floats& to, std::size_t count) {
    to.resize(count);
    in.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(count * 4));
  });
  if (!in) std::printf("%s: too short\n", file.c_str()), std::exit(1);
  return model;
}
inline void write_model(Model& model, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&model.shape), sizeof(Shape));
  model.each([&](Floats& from, std::size_t count) {
    out.write(reinterpret_cast<const char*>(from.data()), static_cast<std::streamsize>(count * 4));
  });
}
/// Numbers of a likely size: what a trained model has, roughly.
inline Model make_model(const Shape& shape) {
  Model model;
  model.shape = shape;
  std::uint32_t state = 1;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<std::int32_t>(state >> 8) - 8388608) / 8388608;
  };
  model.each([&](Floats& to, std::size_t count) {
    to.resize(count);
    for (float& value : to) value = next() * 0.07f;
  });
  const auto around_one = [&](Floats& gain) {
    for (float& value : gain) value += 1;
  };
  around_one(model.gain);
  for (LayerWeights& layer : model.layers) around_one(layer.gain1), around_one(layer.gain2);
  return model;
}

struct Lines {
  std::vector<std::int32_t> ids, starts{0};
};
/// Of a file: the number of lines, their lengths, their ids, all little-endian 16-bit but the first.
inline Lines read_lines(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::uint32_t count = 0;
  in.read(reinterpret_cast<char*>(&count), 4);
  std::vector<std::uint16_t> lengths(count);
  in.read(reinterpret_cast<char*>(lengths.data()), count * 2);
  Lines lines;
  for (const std::uint16_t length : lengths) lines.starts.push_back(lines.starts.back() + length);
  std::vector<std::uint16_t> ids(lines.starts.back());
  in.read(reinterpret_cast<char*>(ids.data()), static_cast<std::streamsize>(ids.size() * 2));
  if (!in || count == 0) std::printf("%s: no token ids\n", file.c_str()), std::exit(1);
  lines.ids.assign(ids.begin(), ids.end());
  return lines;
}
/// Lengths as in WMT 2017 to 2019 (middles of 32 equal shares of 100,000 lines), ids at random.
inline Lines make_lines(std::size_t count, int words) {
  constexpr int kLengths[] = {8,  11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                              27, 28, 29, 30, 31, 33, 34, 35, 37, 39, 41, 43, 46, 50, 56, 72};
  Lines lines;
  std::uint32_t state = 7;
  const auto next = [&](std::uint32_t limit) {
    state = state * 1664525u + 1013904223u;
    return static_cast<std::int32_t>((static_cast<std::uint64_t>(state) * limit) >> 32);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const int length = kLengths[next(32)];
    for (int token = 0; token < length; ++token) lines.ids.push_back(next(words));
    lines.starts.push_back(lines.starts.back() + length);
  }
  return lines;
}
/// The lines over and over, `count` of them.
inline Lines repeat(const Lines& lines, std::size_t count) {
  Lines result;
  const std::size_t given = lines.starts.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t line = i % given;
    result.ids.insert(result.ids.end(), lines.ids.begin() + lines.starts[line],
                      lines.ids.begin() + lines.starts[line + 1]);
    result.starts.push_back(static_cast<std::int32_t>(result.ids.size()));
  }
  return result;
}

}  // namespace encoder
