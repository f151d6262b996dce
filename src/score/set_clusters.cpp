// K-means on a sample of the references, names from typical words, and the shares of a system in each
// cluster.
#include "score/set_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/elementary.hpp"
#include "base/lookup.hpp"
#include "report/svg_scatter.hpp"

namespace markeval::score {
namespace {

constexpr std::size_t kSample = 4000;  ///< rows of a set that are looked at
constexpr std::size_t kRowsPerCluster = 20, kMostClusters = 20;
constexpr std::size_t kWords = 3, kTexts = 3;  ///< that name a cluster
constexpr double kChance = 3;                  ///< standard errors: about one in 400 differs so by chance

/// Lower-case words of two letters or more, each once; bytes beyond ASCII are letters.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<signed char>(c) < 0;
    if (letter) {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      continue;
    }
    if (word.size() > 1) words.insert(word);
    word.clear();
  }
  return words;
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::vector<std::uint32_t> sample_of(std::size_t rows) {
  const std::vector<std::size_t> sample = report::even_sample(rows, kSample);
  return {sample.begin(), sample.end()};
}

/// Words that many of the cluster's texts have, and few others.
std::vector<std::string> typical_words(const std::map<std::string, double>& inside, double size,
                                       const std::map<std::string, double>& everywhere, double all) {
  std::vector<std::pair<double, std::string>> scored;
  for (const auto& [word, count] : inside) {
    if (count < 2) continue;
    const double ratio = (count / size) / (everywhere.at(word) / all);
    if (ratio > 1) scored.emplace_back(-count * elementary::log(ratio), word);
  }
  std::ranges::sort(scored);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(kWords, scored.size()); ++i) words.push_back(scored[i].second);
  return words;
}

/// Do two shares differ by more than chance?
bool differ(double first, double first_rows, double second, double second_rows) {
  const double common = (first * first_rows + second * second_rows) / (first_rows + second_rows);
  const double error = std::sqrt(common * (1 - common) * (1 / first_rows + 1 / second_rows));
  return std::abs(first - second) > kChance * error;
}

}  // namespace

SetClusters::SetClusters(geometry::SetEngine& engine, geometry::SetId reference,
                         const report::RowLookup& origin_of, std::uint64_t seed, const RunContext& context)
    : engine_(engine), reference_(reference), rows_(sample_of(engine.rows(reference))) {
  const std::size_t count = std::min(kMostClusters, rows_.size() / kRowsPerCluster);
  if (count < 2) return;
  const geometry::HeldSet sample(engine, engine.subset(reference, rows_));
  const geometry::SetId sets[] = {sample};
  const std::vector<std::uint32_t> found = engine.cluster(sets, {count, seed}, context).front().cluster;
  std::vector<std::size_t> sizes(count, 0), order(count), number(count);
  for (const std::uint32_t one : found) ++sizes[one];
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  for (std::size_t i = 0; i < count; ++i) number[order[i]] = i;
  for (const std::uint32_t one : found) cluster_.push_back(static_cast<std::uint32_t>(number[one]));
  for (std::size_t i = 0; i < count && sizes[order[i]] > 0; ++i) {
    report::ClusterShare& cluster = clusters_.emplace_back();
    cluster.number = i + 1;
    cluster.people = static_cast<double>(sizes[order[i]]) / static_cast<double>(rows_.size());
    centres_.emplace_back(engine.columns(reference), 0.0);
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::vector<double> row = row_of(reference, rows_[i]);
    const auto size = static_cast<double>(sizes[order[cluster_[i]]]);
    for (std::size_t c = 0; c < row.size(); ++c) centres_[cluster_[i]][c] += row[c] / size;
  }
  name_clusters(origin_of);
}

std::vector<double> SetClusters::row_of(geometry::SetId set, std::size_t row) const {
  std::vector<double> values(engine_.columns(set));
  engine_.read_row(set, row, values);
  return values;
}

void SetClusters::name_clusters(const report::RowLookup& origin_of) {
  std::map<std::string, double> everywhere;
  std::vector<std::map<std::string, double>> inside(clusters_.size());
  std::vector<std::vector<std::pair<double, std::string>>> nearest(clusters_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const report::RowOrigin found = origin_of(rows_[i]);
    const std::string& text = found.word.empty() ? found.text : found.word;
    for (const std::string& word : words_of(text)) {
      ++everywhere[word];
      ++inside[cluster_[i]][word];
    }
    const std::string shown = text.empty() ? found.file + ", row " + std::to_string(found.row) : found.text;
    nearest[cluster_[i]].emplace_back(squared_distance(row_of(reference_, rows_[i]), centres_[cluster_[i]]),
                                      shown);
  }
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    clusters_[c].words = typical_words(inside[c], static_cast<double>(nearest[c].size()), everywhere,
                                       static_cast<double>(rows_.size()));
    std::ranges::sort(nearest[c]);
    for (const auto& [distance, text] : nearest[c]) {
      std::vector<std::string>& texts = clusters_[c].texts;
      if (texts.size() == kTexts) break;
      add_once(texts, text);
    }
  }
}

std::uint32_t SetClusters::nearest(const std::vector<double>& row) const {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t c = 0; c < centres_.size(); ++c) {
    const double distance = squared_distance(row, centres_[c]);
    if (distance < least) least = distance, best = c;
  }
  return static_cast<std::uint32_t>(best);
}

std::vector<report::ClusterShare> SetClusters::compare(geometry::SetId system,
                                                       const std::vector<geometry::OutsidePoint>& missing,
                                                       const RunContext& context) const {
  std::vector<report::ClusterShare> clusters = clusters_;
  if (clusters.empty()) return clusters;
  const std::vector<std::uint32_t> rows = sample_of(engine_.rows(system));
  std::vector<std::uint32_t> found(rows.size());
  context.pool.for_each(rows.size(),
                        [&](std::size_t i, std::size_t) { found[i] = nearest(row_of(system, rows[i])); });
  const auto all = static_cast<double>(rows.size()), people = static_cast<double>(rows_.size());
  for (const std::uint32_t one : found) clusters[one].system += 1 / all;
  std::vector<std::uint8_t> outside(engine_.rows(reference_), 0);
  for (const geometry::OutsidePoint& point : missing) outside[point.row] = 1;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    clusters[cluster_[i]].missing += outside[rows_[i]] / (clusters[cluster_[i]].people * people);
  for (report::ClusterShare& one : clusters) one.differs = differ(one.people, people, one.system, all);
  std::ranges::stable_sort(clusters, [](const auto& a, const auto& b) {
    if (a.differs != b.differs) return a.differs;
    return std::abs(a.people - a.system) > std::abs(b.people - b.system);
  });
  return clusters;
}

}  // namespace markeval::score
