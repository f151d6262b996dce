// Counts of distinct texts or rows, ratios of sizes, and scores near 0 or 1.
#include "score/set_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <unordered_set>

namespace markeval::score {
namespace {

constexpr double kSizeRatio = 1.2, kSaturated = 0.99, kNothing = 0.01;

/// The words of a text in small letters: a copy without its punctuation is one, too. Text without a word, as
/// it is.
std::string words_of(std::string_view text) {
  std::string words;
  bool apart = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = byte >= 128 || std::isalnum(byte) != 0;
    if (letter && apart && !words.empty()) words += ' ';
    if (letter) words += static_cast<char>(byte < 128 ? std::tolower(byte) : byte);
    apart = !letter;
  }
  return words.empty() ? std::string(text) : words;
}

/// The words of texts, or the bytes of rows where they lie.
std::vector<std::string> pieces_of(const text::Corpus& file) {
  std::vector<std::string> pieces;
  for (const std::string_view text : file.texts) pieces.push_back(words_of(text));
  return pieces;
}
std::vector<std::string_view> pieces_of(const vectors::Vectors& file) {
  return as_points(file).visit([](const auto& view) {
    std::vector<std::string_view> pieces;
    for (std::size_t row = 0; row < view.rows(); ++row) {
      const auto values = view.row(row);
      pieces.emplace_back(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    return pieces;
  });
}

template <typename Inputs>
std::vector<double> look_for_repetition(const Inputs& inputs, const std::string& what,
                                        const RunContext& context) {
  using Piece = typename decltype(pieces_of(inputs.references.front()))::value_type;
  using Pieces = std::unordered_set<Piece>;
  Pieces references;
  for (const auto& file : inputs.references) {
    const auto pieces = pieces_of(file);
    Pieces distinct(pieces.begin(), pieces.end());
    context.find({FindingKind::repeats, {"a reference", what}, {distinct.size(), pieces.size()}});
    references.merge(distinct);
  }
  std::vector<double> shares;
  for (std::size_t i = 0; i < inputs.systems.size(); ++i) {
    const std::string& name = inputs.system_names[i];
    const auto pieces = pieces_of(inputs.systems[i]);
    const std::size_t distinct = Pieces(pieces.begin(), pieces.end()).size();
    const auto copied = static_cast<std::uint64_t>(
        std::ranges::count_if(pieces, [&](const Piece& one) { return references.contains(one); }));
    context.find({FindingKind::repeats, {"system " + name, what}, {distinct, pieces.size()}});
    context.find({FindingKind::copies, {name, what}, {copied, pieces.size()}});
    // Few texts, repeated, are no copy of the reference, though they may stand there.
    const bool repeated = pieces.empty() || 2 * distinct < pieces.size();
    shares.push_back(repeated ? 0 : static_cast<double>(copied) / static_cast<double>(pieces.size()));
  }
  return shares;
}

}  // namespace

std::vector<double> warn_of_repetition(const TextInputs& inputs, const RunContext& context) {
  return look_for_repetition(inputs, "texts", context);
}
std::vector<double> warn_of_repetition(const VectorInputs& inputs, const RunContext& context) {
  return look_for_repetition(inputs, "rows", context);
}

bool differ_in_size(std::size_t least, std::size_t most) {
  return static_cast<double>(most) > kSizeRatio * static_cast<double>(least);
}

void warn_of_sizes(std::span<const std::pair<std::string, std::size_t>> sets, const std::string& metric,
                   const RunContext& context) {
  const auto [least, most] =
      std::ranges::minmax_element(sets, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (!differ_in_size(least->second, most->second)) return;
  context.warn(
      fmt::format("sets differ in size ({} {}, {} {}), and scores of set metrics depend on it; -m {}:n={} "
                  "compares equally "
                  "many of each, drawn 10 times",
                  least->first, least->second, most->first, most->second, metric, least->second));
}

void warn_of_saturation(const Metric& request, std::string_view samples, std::span<const double> scores,
                        const RunContext& context) {
  if (request.info->range != "0 to 1" || request.info->better != metric::Better::higher) return;
  const bool bounded = request.result != "density";  // the other results of prdc end at 1
  const bool high = bounded && std::ranges::all_of(scores, [](double score) { return score > kSaturated; });
  const bool low = std::ranges::all_of(scores, [](double score) { return score < kNothing; });
  if (!high && !low) return;
  std::vector<std::string> remedies;
  const bool has_k = request.info->has_option("k");
  if (has_k && low) remedies.emplace_back("a larger k");
  if (has_k && high && request.options.count("k") > 1) remedies.emplace_back("a smaller k");
  if (low) remedies.emplace_back("more texts");
  if (high && samples == "sentence") remedies.emplace_back("samples=word");
  context.warn(fmt::format("{}: {} {}, where it cannot tell systems apart{}", request.text,
                           scores.size() == 1 ? "the score is" : "all scores are",
                           high ? fmt::format("above {}", kSaturated) : fmt::format("below {}", kNothing),
                           remedies.empty() ? "" : fmt::format("; {} may", fmt::join(remedies, " or "))));
}

}  // namespace markeval::score
