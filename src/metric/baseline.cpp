// Reading, writing and lookup of the table, and the rescaling.
#include "metric/baseline.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/plain_text.hpp"

namespace markeval::metric {
namespace {

constexpr std::string_view kHeader = "LAYER,P,R,F";

}  // namespace

Baseline Baseline::load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in && errno == ENOENT)
    throw Error(ErrorCode::io, "rescale=" + path + ": no such file, expected one made by markeval baseline");
  if (!in) throw_io(path, "read the baseline");
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw_io(path, "read the baseline");
  return parse(content, path);
}

Baseline Baseline::parse(const std::string& content, const std::string& name) {
  Baseline baseline;
  baseline.name_ = name;
  baseline.hash_ = sha256_of(content).substr(0, 8);
  std::string_view rest = content;
  std::size_t number = 0;
  while (!rest.empty()) {
    ++number;
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1) {
      if (line != kHeader)
        throw_invalid(fmt::format("{}:1: '{}', expected the header {}", name, line, kHeader));
      continue;
    }
    if (line.empty()) continue;
    const std::vector<std::string_view> fields = parts_of(line, ',');
    const auto layer = read_number<std::size_t>(fields.front());
    std::vector<double> values;
    for (std::size_t i = 1; i < fields.size(); ++i) {
      if (const auto value = read_number<double>(fields[i])) values.push_back(*value);
    }
    if (fields.size() != 4 || !layer || values.size() != 3) {
      throw_invalid(
          fmt::format("{}:{}: '{}', expected a layer and three numbers, {}", name, number, line, kHeader));
    }
    for (const double value : values) {
      if (!(value < 1) || !std::isfinite(value)) {
        throw_invalid(
            fmt::format("{}:{}: {} is no baseline, expected a number below 1", name, number, value));
      }
    }
    if (!baseline.layers_.emplace(*layer, PrecisionRecall{values[0], values[1], values[2]}).second)
      throw_invalid(fmt::format("{}:{}: layer {} comes twice", name, number, *layer));
  }
  if (baseline.layers_.empty()) throw_invalid(fmt::format("{}: no layer, expected at least one", name));
  return baseline;
}

std::string Baseline::text() const {
  std::string text = fmt::format("{}\n", kHeader);
  for (const auto& [layer, values] : layers_) {
    text += fmt::format("{},{:.9g},{:.9g},{:.9g}\n", layer, values.precision, values.recall, values.f1);
  }
  return text;
}

std::string Baseline::signature() const {
  return fmt::format("{}@{}", std::filesystem::path(name_).filename().string(), hash_);
}

const PrecisionRecall& Baseline::layer(std::size_t layer) const {
  const auto found = layers_.find(layer);
  if (found == layers_.end()) {
    throw_invalid(fmt::format("{}: no baseline for layer {}, it has layers {} to {}", name_, layer,
                              layers_.begin()->first, layers_.rbegin()->first));
  }
  return found->second;
}

PrecisionRecall rescale(const PrecisionRecall& values, const PrecisionRecall& baseline) {
  const auto scaled = [](double value, double base) { return (value - base) / (1 - base); };
  return {scaled(values.precision, baseline.precision), scaled(values.recall, baseline.recall),
          scaled(values.f1, baseline.f1)};
}

}  // namespace markeval::metric
