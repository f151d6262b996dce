// compat=paper against numbers that NumPy and SciPy made from the printed equations (make_golden.py): one layer,
// five layers, static vectors; words, pairs of words, sentences.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "golden_rows.hpp"
#include "metric/pair_run.hpp"

namespace markeval::metric {
namespace {

using WordVector = std::array<float, 3>;

/// Words of one letter between blanks, with the vectors of golden/vectors.tsv in every layer.
class LetterSource : public embed::VectorSource {
 public:
  explicit LetterSource(std::size_t last_layer) : last_layer_(last_layer) {
    for (const auto& row : golden_rows("vectors.tsv"))
      vectors_[{static_cast<std::size_t>(std::stoul(row[0])), row[1][0] - 'a'}] = {
          std::stof(row[2]), std::stof(row[3]), std::stof(row[4])};
  }
  std::size_t last_layer() const override { return last_layer_; }
  std::size_t width() const override { return 3; }
  std::size_t limit() override { return 64; }
  std::string model_name() const override { return "letters"; }
  std::vector<std::pair<std::string, std::string>> signature() override { return {}; }
  std::vector<embed::TokenIds> token_ids(std::span<const std::string_view> texts,
                                         const RunContext&) override {
    std::vector<embed::TokenIds> out;
    for (const std::string_view text : texts) out.emplace_back().ids = tokens(text).ids;
    return out;
  }
  embed::EncodedTexts encode(std::span<const std::string_view> texts, const embed::EncodeRequest& request,
                             const embed::TokenNeed&, const RunContext&) override {
    embed::EncodedTexts out(texts, request, 3);
    for (std::size_t place = 0; place < out.distinct(); ++place)
      out.entry(place).tokens = tokens(out.written(place));
    out.allocate();
    for (std::size_t place = 0; place < out.distinct(); ++place) {
      const std::vector<std::int32_t>& ids = out.entry(place).tokens.ids;
      for (std::size_t index = 0; index < request.layers.size(); ++index) {
        for (std::size_t token = 0; token < ids.size(); ++token)
          std::ranges::copy(vectors_.at({request.layers[index], ids[token]}),
                            out.states(place, index).row(token).begin());
      }
    }
    return out;
  }

 private:
  static embed::TextTokens tokens(std::string_view text) {
    embed::TextTokens out;
    for (std::size_t at = 0; at < text.size(); at += 2) {
      out.ids.push_back(text[at] - 'a');
      out.facts.push_back({text.substr(at, 1), false, true});
      out.offsets.push_back({at, at + 1});
    }
    return out;
  }
  std::size_t last_layer_;
  std::map<std::pair<std::size_t, std::int32_t>, WordVector> vectors_;
};

/// The pairs of the file, which all requests have in common: idf is that of all references.
struct GoldenPairs {
  text::Corpus references, texts;
  GoldenPairs() {
    const auto rows = golden_rows("mover.tsv");
    for (const auto& row : rows) {
      if (row[0] != rows.front()[0] || row[1] != rows.front()[1]) break;
      references.add(row[2]);
      texts.add(row[3]);
    }
  }
};

Result printed_score(const std::string& metric, bool layers) {
  const GoldenPairs pairs;
  const embed::RunTexts texts{{&pairs.references, 1}, {&pairs.texts, 1}};
  const std::vector<std::string> names = {"sys"};
  const std::vector<MetricRequest> requests = {parse_metric_request(metric)};
  LetterSource source(layers ? 5 : 0);
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  const RunContext context{pool};
  PairSettings settings;
  settings.segments = true;
  PairRun run(requests, make_pair_metrics(requests), texts, names, source, settings, *device, context);
  embed::TextUser* const user = &run;
  embed::run_texts(source, texts, {&user, 1}, context);
  return run.results()[0];
}

TEST(PrintedEquations, GiveTheSameNumbersAsNumPy) {
  std::map<std::string, std::size_t> seen;
  for (const auto& row : golden_rows("mover.tsv")) {
    const std::size_t segment = seen[row[0] + row[1]]++;
    const Result found = printed_score(row[1], row[0] == "layers");
    for (std::size_t result = 0; result + 4 < row.size(); ++result)
      EXPECT_NEAR(found.segments[result].second[segment], std::stod(row[4 + result]), 2e-6)
          << row[0] << " " << row[1] << ": " << row[2] << " | " << row[3] << ", " << found.segments[result].first;
  }
  EXPECT_EQ(seen.size(), 36u);
}

TEST(PrintedEquations, OneLayerNeedsNoAggregation) {
  const Result last = printed_score("moverscore:compat=paper,layers=3,aggregate=last", true);
  for (const char* other : {"pmeans", "mean", "routing"}) {
    const Result found = printed_score(std::string("moverscore:compat=paper,layers=3,aggregate=") + other, true);
    EXPECT_EQ(found.segments[0].second, last.segments[0].second) << other;
    EXPECT_EQ(found.signature(), last.signature()) << "what gives the same scores has the same signature";
  }
  EXPECT_EQ(printed_score("moverscore:compat=paper,exponents=2", false).segments[0].second,
            printed_score("moverscore:compat=paper", false).segments[0].second)
      << "static vectors have one layer";
}

TEST(PrintedEquations, TheHardFormCountsTheWorseSideWhereOneIsNotPositive) {
  const Result found = printed_score("hmd:compat=paper,n=1,idf=no,layers=3", true);
  const double precision = found.segments[0].second[2], recall = found.segments[1].second[2];
  ASSERT_GT(precision, 0);
  ASSERT_LT(recall, 0);
  EXPECT_EQ(found.segments[2].second[2], recall);
}

}  // namespace
}  // namespace markeval::metric
