// MoverScore from texts to a number against the formulas of the paper (Zhao et al. 2019, section 3), written
// out plainly in double: power means of the layers, idf weights, the whole sentence as one n-gram (SMD).
// Transport is tested in tests/geometry and mover_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "metric/pair_run.hpp"
#include "metric/toy_source.hpp"

namespace markeval::metric {
namespace {

using Vector = std::vector<double>;

Vector unit(Vector vector) {
  double squares = 0;
  for (const double value : vector) squares += value * value;
  for (double& value : vector) value /= std::sqrt(squares);
  return vector;
}

double squared_distance(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t index = 0; index < a.size(); ++index) sum += (a[index] - b[index]) * (a[index] - b[index]);
  return sum;
}

/// A word's vector: minimum, mean and maximum over the layers, each divided by its length first.
Vector power_means(const embed::EncodedText& text, std::size_t token) {
  std::vector<Vector> layers;
  for (const std::size_t layer : text.request.layers) {
    const auto row = text.layer(layer).row(token);
    layers.push_back(unit(Vector(row.begin(), row.end())));
  }
  Vector least = layers[0];
  Vector mean(text.width);
  Vector most = layers[0];
  for (const Vector& layer : layers) {
    for (std::size_t column = 0; column < text.width; ++column) {
      least[column] = std::min(least[column], layer[column]);
      mean[column] += layer[column] / static_cast<double>(layers.size());
      most[column] = std::max(most[column], layer[column]);
    }
  }
  least.insert(least.end(), mean.begin(), mean.end());
  least.insert(least.end(), most.begin(), most.end());
  return least;
}

/// idf over `references`, of the first piece of every word.
struct Plain {
  explicit Plain(const std::vector<std::string>& references) : texts(references.size()) {
    for (const std::string& text : references) {
      std::map<std::int32_t, bool> seen;
      const std::string_view view = text;
      ThreadPool pool(1);
      for (const embed::TokenIds& tokens : source.token_ids({&view, 1}, RunContext{pool})) {
        for (const std::int32_t id : tokens.ids) seen[id] = true;
      }
      for (const auto& [id, there] : seen) ++with[id];
    }
  }
  double idf(std::int32_t id) {
    return std::log((static_cast<double>(texts) + 1) / (static_cast<double>(with[id]) + 1));
  }
  /// The whole sentence as one n-gram: the mean of its words' vectors, weighted by idf.
  Vector sentence(const std::string& line) {
    ThreadPool pool(1);
    const std::string_view view = line;
    const embed::EncodedTexts encoded = source.encode({&view, 1}, {{1, 2, 3}, {}}, {}, RunContext{pool});
    const embed::EncodedText text = encoded.text(0);
    Vector sum(3 * text.width);
    for (std::size_t token = 0; token < text.tokens.size(); ++token) {
      if (text.tokens.facts[token].special || !text.tokens.facts[token].starts_word) continue;
      const Vector vector = power_means(text, token);
      for (std::size_t column = 0; column < sum.size(); ++column) {
        sum[column] += idf(text.tokens.ids[token]) * vector[column];
      }
    }
    return unit(sum);
  }

  ToySource source;
  std::size_t texts;
  std::map<std::int32_t, std::size_t> with;
};

std::vector<double> scores(const std::string& metric, const std::vector<std::string>& references,
                           const std::vector<std::string>& lines) {
  text::Corpus reference_file, file;
  for (const std::string& reference : references) reference_file.add(reference);
  for (const std::string& line : lines) file.add(line);
  const embed::RunTexts texts{{&reference_file, 1}, {&file, 1}};
  const std::vector<std::string> names = {"sys"};
  const std::vector<Metric> requests = {Metric(metric)};
  PairSettings settings;
  settings.segments = true;
  ToySource source;
  ThreadPool pool(2);
  const auto device = compute::make_cpu_device(pool);
  const RunContext context{pool};
  PairRun run(requests, make_pair_metrics(requests), {texts, names, source, *device, context}, settings);
  embed::TextUser* const user = &run;
  embed::run_texts(source, texts, {&user, 1}, context);
  return run.results()[0].segments[0].second;
}

const std::vector<std::string> kReferences = {"the old man walks slowly", "rain fell on the quiet town",
                                              "a book about stars"};
const std::vector<std::string> kLines = {"an elderly man is walking", "it rained on the town",
                                         "books about the stars"};

TEST(SentenceMover, IsTheFormulaOfThePaper) {
  Plain plain(kReferences);
  const std::vector<double> found = scores("moverscore:n=sentence", kReferences, kLines);
  const std::vector<double> long_n = scores("moverscore:n=50,specials=mask", kReferences, kLines);
  for (std::size_t line = 0; line < kLines.size(); ++line) {
    const double expected =
        1 - squared_distance(plain.sentence(kReferences[line]), plain.sentence(kLines[line]));
    EXPECT_NEAR(found[line], expected, 1e-6);
    EXPECT_NEAR(long_n[line], expected, 1e-6) << "a window longer than the text is the text";
  }
}

TEST(SentenceMover, TakesPlainAndCosineDistances) {
  Plain plain(kReferences);
  const std::vector<double> euclidean =
      scores("moverscore:n=sentence,distance=euclidean", kReferences, kLines);
  const std::vector<double> cosine = scores("moverscore:n=sentence,distance=cosine", kReferences, kLines);
  for (std::size_t line = 0; line < kLines.size(); ++line) {
    const double squared = squared_distance(plain.sentence(kReferences[line]), plain.sentence(kLines[line]));
    EXPECT_NEAR(euclidean[line], 1 - std::sqrt(squared), 1e-6);
    EXPECT_NEAR(cosine[line], 1 - squared / 2, 1e-6);
  }
}

}  // namespace
}  // namespace markeval::metric
