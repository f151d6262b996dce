// Distinct texts, Pearson by group, and batches of pairs with similar length.
#include "trained/training_data.hpp"

#include <algorithm>
#include <map>

#include "base/random.hpp"
#include "trained/training_loop.hpp"

namespace markeval::trained {
namespace {

// Batches that are cut from pairs sorted by length together. More would mix an epoch less.
constexpr std::size_t kBucketBatches = 8;

std::size_t length(const WordVectors& vectors, const ScoredPair& pair) {
  return vectors.words(pair.text) + vectors.words(pair.reference);
}

}  // namespace

std::vector<std::vector<std::size_t>> cut_batches(std::span<const std::size_t> order, std::size_t size) {
  std::vector<std::vector<std::size_t>> batches;
  for (std::size_t first = 0; first < order.size(); first += size) {
    const auto part = order.subspan(first, std::min(size, order.size() - first));
    batches.emplace_back(part.begin(), part.end());
  }
  return batches;
}

std::size_t TrainingData::add_text(std::string text) {
  const auto [entry, is_new] = places_.emplace(std::move(text), texts.size());
  if (is_new) texts.push_back(entry->first);
  return entry->second;
}

std::size_t TrainingData::add_apart(std::string text) {
  texts.push_back(std::move(text));
  return texts.size() - 1;
}

PairTexts::PairTexts(const TrainingData& data, std::span<const ScoredPair> pairs) {
  for (const ScoredPair& pair : pairs) {
    references.push_back(data.texts[pair.reference]);
    texts.push_back(data.texts[pair.text]);
  }
}

double mean_pearson(std::span<const double> predicted, std::span<const ScoredPair> pairs) {
  struct Group {
    std::vector<double> predicted, gold;
  };
  std::map<std::size_t, Group> groups;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    Group& group = groups[pairs[i].group];
    group.predicted.push_back(predicted[i]);
    group.gold.push_back(pairs[i].gold);
  }
  double sum = 0;
  std::size_t defined = 0;
  for (const auto& [number, group] : groups) {
    const double one = pearson(group.predicted, group.gold);
    if (one == -1) continue;
    sum += one;
    ++defined;
  }
  return defined > 0 ? sum / static_cast<double>(defined) : -1;
}

PairBatch make_batch(const WordVectors& vectors, std::span<const ScoredPair> pairs,
                     std::span<const std::size_t> chosen) {
  PairBatch batch;
  batch.sequences = gather_rows(
      pairs, chosen, [&](std::size_t text) { return vectors.words(text); },
      [&](std::size_t text, std::size_t word) { return vectors.word(text, word); }, batch.words);
  return batch;
}

std::vector<std::vector<std::size_t>> epoch_batches(const WordVectors& vectors,
                                                    std::span<const ScoredPair> pairs, std::size_t size,
                                                    std::uint64_t seed, std::uint64_t epoch) {
  RandomStream random(seed, (std::uint64_t{2} << 56) + epoch);
  const auto shuffled = random.permutation(static_cast<std::uint32_t>(pairs.size()));
  std::vector<std::size_t> order(shuffled.begin(), shuffled.end());
  for (std::size_t first = 0; first < order.size(); first += size * kBucketBatches) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end =
        order.begin() + static_cast<std::ptrdiff_t>(std::min(first + size * kBucketBatches, order.size()));
    std::stable_sort(begin, end, [&](std::size_t a, std::size_t b) {
      return length(vectors, pairs[a]) > length(vectors, pairs[b]);
    });
  }
  std::vector<std::vector<std::size_t>> batches = cut_batches(order, size), result;
  for (const std::uint32_t index : random.permutation(static_cast<std::uint32_t>(batches.size())))
    result.push_back(std::move(batches[index]));
  return result;
}

}  // namespace markeval::trained
