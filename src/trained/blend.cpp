// The normal equations are solved by Cholesky; config.json is written and read here.
#include "trained/blend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/output_file.hpp"
#include "base/plain_text.hpp"
#include "base/version.hpp"
#include "trained/training_json.hpp"

namespace markeval::trained {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kRounding = 1e-9;  ///< of a mean

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

/// A x = b for a positive definite A of a few rows, by Cholesky: plain loops, so the same bits everywhere.
std::vector<double> solve(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t size = b.size();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

BlendPart read_part(const nlohmann::json& object, const std::string& path) {
  std::string metric;
  take(object, path, "metric", metric);
  BlendPart part{metric};
  take(object, path, "result", part.result);
  take(object, path, "signature", part.signature);
  take(object, path, "mean", part.mean);
  take(object, path, "deviation", part.deviation);
  take(object, path, "weight", part.weight);
  if (!(part.deviation > 0)) damaged(path, "a deviation is not above 0");
  return part;
}

}  // namespace

double Blend::score(std::span<const double> values) const {
  double sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    sum += parts[i].weight * ((values[i] - parts[i].mean) / parts[i].deviation);
  return sum;
}

Blend fit_blend(std::vector<BlendPart> parts, std::span<const std::vector<double>> values,
                std::span<const double> gold, double penalty) {
  const auto count = static_cast<double>(gold.size());
  std::vector<std::vector<double>> standard(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].mean = mean_of(values[i]);
    const double deviation = deviation_of(values[i], parts[i].mean);
    // What rounding makes of equal values is no spread: such a part has the weight 0.
    const bool varies = deviation > kRounding * std::abs(parts[i].mean);
    parts[i].deviation = varies ? deviation : 1;
    for (const double value : values[i])
      standard[i].push_back(varies ? (value - parts[i].mean) / deviation : 0);
  }
  const double gold_mean = mean_of(gold), gold_deviation = deviation_of(gold, gold_mean);
  std::vector<std::vector<double>> products(parts.size(), std::vector<double>(parts.size()));
  std::vector<double> targets(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t pair = 0; pair < gold.size(); ++pair)
        products[i][j] += standard[i][pair] * standard[j][pair] / count;
    }
    products[i][i] += penalty;
    for (std::size_t pair = 0; pair < gold.size(); ++pair)
      targets[i] += standard[i][pair] * (gold[pair] - gold_mean) / gold_deviation / count;
  }
  const std::vector<double> weights = solve(std::move(products), std::move(targets));
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].weight = weights[i];
  return {std::move(parts), penalty, {}};
}

std::string write_blend(const std::string& folder, const BlendPlan& plan, Blend& blend) {
  Json parts = Json::array();
  for (const BlendPart& part : blend.parts) {
    parts.push_back({{"metric", part.metric.typed},
                     {"result", part.result},
                     {"weight", part.weight},
                     {"mean", part.mean},
                     {"deviation", part.deviation},
                     {"signature", part.signature}});
  }
  Json config{{"markeval", version()},
              {"architecture", "blend"},
              {"parts", parts},
              {"penalty", blend.penalty},
              {"training",
               {{"train", describe_files(plan.train)},
                {"valid", describe_files(plan.valid)},
                {"columns", plan.columns}}}};
  if (plan.pearson > -1) config["validation_pearson"] = plan.pearson;
  const std::string path = in_folder(folder, kConfigFile);
  write_whole_file(path, json_text(config, 1) + "\n");
  blend.hash = sha256_of_file(path);
  return fmt::format("blend|weights:{}|version:{}", blend.hash.substr(0, 8), version());
}

Blend read_blend(const std::string& folder) {
  require_architecture(folder, "blend");
  const std::string path = in_folder(folder, kConfigFile);
  const nlohmann::json config = read_config(folder);
  Blend blend;
  take(config, path, "penalty", blend.penalty);
  if (!config.contains("parts") || !config["parts"].is_array() || config["parts"].empty())
    damaged(path, "it has no list 'parts'");
  for (const nlohmann::json& part : config["parts"]) {
    if (!part.is_object()) damaged(path, "a part is no object");
    blend.parts.push_back(read_part(part, path));
  }
  blend.hash = sha256_of_file(path);
  return blend;
}

std::string comparable_signature(const std::string& signature) {
  std::string kept;
  for (const std::string_view part : parts_of(signature, '|')) {
    const bool varies = part.starts_with("nrefs:") || part.starts_with("version:") ||
                        part.starts_with("bs:") || part.starts_with("seed:");
    if (!varies) kept += fmt::format("{}{}", kept.empty() ? "" : "|", part);
  }
  return kept;
}

}  // namespace markeval::trained
