#include "api/set_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace markeval {
namespace {

constexpr double kSizeRatio = 1.2, kSaturated = 0.99, kNothing = 0.01;

void find_repetition(const std::string& name, std::size_t distinct, std::size_t all, const std::string& what,
                     const RunContext& context) {
  context.find({FindingKind::repeats, {name, what}, {distinct, all}});
}

void look_at(const std::string& name, const text::Corpus& file, const RunContext& context) {
  const std::unordered_set<std::string_view> distinct(file.texts.begin(), file.texts.end());
  find_repetition(name, distinct.size(), file.texts.size(), "texts", context);
}

void look_at(const std::string& name, const vectors::Vectors& file, const RunContext& context) {
  const std::size_t distinct = as_points(file).visit([](const auto& view) {
    std::unordered_set<std::string_view> seen;
    for (std::size_t row = 0; row < view.rows(); ++row) {
      const auto values = view.row(row);
      seen.emplace(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    return seen.size();
  });
  find_repetition(name, distinct, file.rows(), "rows", context);
}

template <typename Inputs>
void look_at_all(const Inputs& inputs, const RunContext& context) {
  for (const auto& file : inputs.references) look_at("a reference", file, context);
  for (std::size_t i = 0; i < inputs.systems.size(); ++i)
    look_at("system " + inputs.system_names[i], inputs.systems[i], context);
}

}  // namespace

void warn_of_repetition(const TextInputs& inputs, const RunContext& context) {
  look_at_all(inputs, context);
}
void warn_of_repetition(const VectorInputs& inputs, const RunContext& context) {
  look_at_all(inputs, context);
}

bool differ_in_size(std::size_t least, std::size_t most) {
  return static_cast<double>(most) > kSizeRatio * static_cast<double>(least);
}

void warn_of_sizes(std::span<const std::pair<std::string, std::size_t>> sets, const std::string& metric,
                   const RunContext& context) {
  const auto [least, most] = std::minmax_element(
      sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (!differ_in_size(least->second, most->second)) return;
  context.warn(fmt::format(
      "sets differ in size ({} {}, {} {}), and scores of set metrics depend on it; -m {}:n={} compares equally "
      "many of each, drawn 10 times",
      least->first, least->second, most->first, most->second, metric, least->second));
}

void warn_of_saturation(const metric::MetricRequest& request, std::string_view samples,
                        std::span<const double> scores, const RunContext& context) {
  if (request.info->range != "0 to 1" || request.info->better != metric::Better::higher) return;
  const bool high =
      std::all_of(scores.begin(), scores.end(), [](double score) { return score > kSaturated; });
  const bool low = std::all_of(scores.begin(), scores.end(), [](double score) { return score < kNothing; });
  if (!high && !low) return;
  std::vector<std::string> remedies;
  const bool has_k = request.info->has_option("k");
  if (has_k && low) remedies.emplace_back("a larger k");
  if (has_k && high && request.options.number("k") > 1) remedies.emplace_back("a smaller k");
  if (low) remedies.emplace_back("more texts");
  if (high && samples == "sentence") remedies.emplace_back("samples=word");
  context.warn(fmt::format("{}: {} {}, where it cannot tell systems apart{}", request.text,
                           scores.size() == 1 ? "the score is" : "all scores are",
                           high ? fmt::format("above {}", kSaturated) : fmt::format("below {}", kNothing),
                           remedies.empty() ? "" : fmt::format("; {} may", fmt::join(remedies, " or "))));
}

}  // namespace markeval
