// Lexical metrics whose corpus score is the mean of their segment scores (ROUGE, METEOR, CIDEr, CharacTER,
// tf-idf), and NIST, behind the interface of lexical metrics.
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <functional>

#include "base/paths.hpp"
#include "embed/static_vectors.hpp"
#include "lexical/character.hpp"
#include "lexical/cider.hpp"
#include "lexical/meteor.hpp"
#include "lexical/nist.hpp"
#include "lexical/python_text.hpp"
#include "lexical/rouge.hpp"
#include "lexical/rouge_embedding.hpp"
#include "lexical/rouge_tokenizer.hpp"
#include "lexical/tfidf.hpp"
#include "metric/lexical_metric.hpp"

namespace markeval::metric {
namespace {

using lexical::PythonNumber;

class Mean : public LexicalMetric {
 public:
  using Statistics =
      std::function<std::vector<SegmentStatistics>(const lexical::ScoredTexts&, const RunContext&)>;
  Mean(Statistics statistics, Named<std::string> signature, Reads reads, std::string note = {})
      : statistics_(std::move(statistics)),
        signature_(std::move(signature)),
        reads_(reads),
        note_(std::move(note)) {}

  std::vector<SegmentStatistics> statistics(const lexical::ScoredTexts& corpus,
                                            const RunContext& context) const override {
    return statistics_(corpus, context);
  }
  std::vector<PythonNumber> scores(std::span<const PythonNumber> sum, double segments) const override {
    std::vector<PythonNumber> result;
    for (const PythonNumber column : sum) result.push_back(column / PythonNumber(segments));
    return result;
  }
  bool mean_of_segments() const override { return true; }
  Reads reads() const override { return reads_; }
  std::string note() const override { return note_; }
  Named<std::string> signature() const override { return signature_; }

 private:
  Statistics statistics_;
  Named<std::string> signature_;
  Reads reads_;
  std::string note_;
};

/// The mean of a metric that weighs words by how many references have them.
class CorpusMean : public Mean {
 public:
  using Mean::Mean;
  bool weighs_by_corpus() const override { return true; }
};

/// The mean of a metric of ROUGE, which tells its words.
class RougeMean : public Mean {
 public:
  RougeMean(Statistics statistics, Named<std::string> signature, bool stem)
      : Mean(std::move(statistics), std::move(signature), Reads::ascii), stem_(stem) {}
  std::vector<std::string> words(std::string_view text) const override {
    std::string storage;
    std::vector<std::string_view> words;
    std::vector<std::size_t> line_ends;
    lexical::rouge_words(text, stem_, storage, words, line_ends);
    return {words.begin(), words.end()};
  }

 private:
  bool stem_;
};

std::string number(double value) {
  return fmt::format("{}", value);
}

std::unique_ptr<LexicalMetric> rouge(lexical::RougeOptions options, const OptionValues& values) {
  options.stem = values.yes("stem");
  Named<std::string> signature{{"tok", "rouge"}, {"stem", values.text("stem")}};
  const std::string several = values.text("multi");
  const bool pools =
      options.kind == lexical::RougeKind::weighted || options.kind == lexical::RougeKind::skip_bigram;
  if (several == "mean") options.references = lexical::RougeReferences::mean;
  if (several == "max") options.references = lexical::RougeReferences::best;
  if (several != (pools ? "pool" : "max")) signature.emplace_back("multi", several);
  if (options.kind == lexical::RougeKind::weighted) {
    options.weight = values.real("weight");
    options.weight_once = values.text("recall") == "paper";
    signature.emplace_back("weight", number(options.weight));
    signature.emplace_back("recall", values.text("recall"));
  }
  return std::make_unique<RougeMean>(
      [options](const lexical::ScoredTexts& corpus, const RunContext& context) {
        return lexical::rouge_statistics(corpus, options, context);
      },
      signature, options.stem);
}

template <typename Options>
void read_tokenization(const OptionValues& values, Options& options) {
  options.tokenization = lexical::bleu_tokenization(values.text("tokenize"));
  options.lowercase = values.yes("lowercase");
}

Named<std::string> tokenization_signature(const OptionValues& values) {
  return {{"case", values.yes("lowercase") ? "lc" : "mixed"}, {"tok", values.text("tokenize")}};
}

class Nist : public LexicalMetric {
 public:
  explicit Nist(const OptionValues& values) : signature_(tokenization_signature(values)) {
    read_tokenization(values, options_);
    options_.max_order = values.count("n");
    signature_.emplace_back("n", values.shown("n"));
  }
  std::vector<SegmentStatistics> statistics(const lexical::ScoredTexts& corpus,
                                            const RunContext& context) const override {
    return lexical::nist_statistics(corpus, options_, context);
  }
  std::vector<PythonNumber> scores(std::span<const PythonNumber> sum, double) const override {
    std::vector<double> values;
    for (const PythonNumber column : sum) values.push_back(column.value);
    return {lexical::nist_score(values, options_)};
  }
  bool weighs_by_corpus() const override { return true; }
  Reads reads() const override { return reads_of(options_.tokenization); }
  Named<std::string> signature() const override { return signature_; }

 private:
  lexical::NistOptions options_;
  Named<std::string> signature_;
};

/// Where Debian's wordnet-base puts it.
constexpr const char* kInstalledWordNet = "/usr/share/wordnet";

}  // namespace

std::unique_ptr<LexicalMetric> make_rouge_1(const OptionValues& values) {
  return rouge({}, values);
}
std::unique_ptr<LexicalMetric> make_rouge_2(const OptionValues& values) {
  lexical::RougeOptions options;
  options.order = 2;
  return rouge(options, values);
}
std::unique_ptr<LexicalMetric> make_rouge_l(const OptionValues& values) {
  return rouge({.kind = lexical::RougeKind::subsequence}, values);
}
std::unique_ptr<LexicalMetric> make_rouge_lsum(const OptionValues& values) {
  return rouge({.kind = lexical::RougeKind::summary}, values);
}
std::unique_ptr<LexicalMetric> make_rouge_w(const OptionValues& values) {
  return rouge({.kind = lexical::RougeKind::weighted}, values);
}
std::unique_ptr<LexicalMetric> make_rouge_su4(const OptionValues& values) {
  return rouge({.kind = lexical::RougeKind::skip_bigram}, values);
}

std::unique_ptr<LexicalMetric> make_rouge_we(const OptionValues& values) {
  const std::string file = values.text("embeddings");
  if (file.empty())
    throw_usage("rougeWE needs word vectors, expected rougeWE:embeddings=FILE (word2vec or GloVe)");
  lexical::RougeEmbeddingOptions options;
  options.order = values.count("n");
  options.threshold = values.real("threshold");
  options.mean = values.text("multi") == "mean";
  const auto vectors = std::make_shared<const embed::StaticVectors>(embed::StaticVectors::load(file));
  const std::string name = std::filesystem::path(file).filename().string();
  Named<std::string> signature{{"tok", "rouge"},
                               {"n", values.shown("n")},
                               {"threshold", number(options.threshold)},
                               {"embeddings", name + "@" + vectors->digest()}};
  if (options.mean) signature.emplace_back("multi", "mean");
  return std::make_unique<Mean>(
      [options, vectors, name](const lexical::ScoredTexts& corpus, const RunContext& context) {
        std::atomic<std::uint64_t> known{0}, unknown{0};
        const auto lookup = [&](std::string_view word) -> std::span<const float> {
          const auto row = vectors->find(word);
          (row ? known : unknown).fetch_add(1, std::memory_order_relaxed);
          if (!row) return {};
          return {vectors->vectors().row(static_cast<std::size_t>(*row)).data(), vectors->width()};
        };
        auto statistics = lexical::rouge_embedding_statistics(corpus, options, lookup, context);
        context.find(
            {FindingKind::unread_words, {"rougeWE", name, "equal only themselves"}, {unknown, known}});
        return statistics;
      },
      std::move(signature), Reads::ascii);
}

std::unique_ptr<LexicalMetric> make_meteor(const OptionValues& values) {
  lexical::MeteorOptions options;
  options.alpha = values.real("alpha");
  options.beta = values.real("beta");
  options.gamma = values.real("gamma");
  options.tokenization = lexical::bleu_tokenization(values.text("tokenize"));
  std::string folder = values.text("wordnet"), note;
  if (folder == "installed" && !path_exists(kInstalledWordNet)) {
    note = fmt::format(
        "meteor: no WordNet in {}, so synonyms do not match; wordnet=FOLDER names one, wordnet=none does "
        "without",
        kInstalledWordNet);
    folder = "none";
  }
  if (folder == "installed") folder = kInstalledWordNet;
  if (folder != "none") options.wordnet = std::make_shared<const lexical::WordNet>(folder);
  auto metric = std::make_unique<Mean>(
      [options](const lexical::ScoredTexts& corpus, const RunContext& context) {
        return lexical::meteor_statistics(corpus, options, context);
      },
      Named<std::string>{{"case", "lc"},
                         {"tok", values.text("tokenize")},
                         {"alpha", number(options.alpha)},
                         {"beta", number(options.beta)},
                         {"gamma", number(options.gamma)},
                         {"match", options.wordnet ? "exact+stem+wordnet" : "exact+stem"}},
      reads_of(options.tokenization), note);
  return with_references(std::move(metric), values);
}

std::unique_ptr<LexicalMetric> make_nist(const OptionValues& values) {
  return std::make_unique<Nist>(values);
}

std::unique_ptr<LexicalMetric> make_cider(const OptionValues& values) {
  lexical::CiderOptions options;
  read_tokenization(values, options);
  options.robust = values.text("variant") == "d";
  options.sigma = values.real("sigma");
  options.max_order = values.count("n");
  auto signature = tokenization_signature(values);
  signature.emplace_back("variant", values.text("variant"));
  signature.emplace_back("n", values.shown("n"));
  if (options.robust) signature.emplace_back("sigma", number(options.sigma));
  options.best = values.text("multi") == "max";
  if (options.best) signature.emplace_back("multi", "max");
  return std::make_unique<CorpusMean>(
      [options](const lexical::ScoredTexts& corpus, const RunContext& context) {
        return lexical::cider_statistics(corpus, options, context);
      },
      signature, reads_of(options.tokenization));
}

std::unique_ptr<LexicalMetric> make_character(const OptionValues& values) {
  lexical::CharacterOptions options;
  read_tokenization(values, options);
  return std::make_unique<Mean>(
      [options](const lexical::ScoredTexts& corpus, const RunContext& context) {
        return lexical::character_statistics(corpus, options, context);
      },
      tokenization_signature(values), reads_of(options.tokenization));
}

std::unique_ptr<LexicalMetric> make_tfidf(const OptionValues& values) {
  lexical::TfidfOptions options;
  read_tokenization(values, options);
  auto signature = tokenization_signature(values);
  options.order = values.count("n");
  options.mean = values.text("multi") == "mean";
  signature.emplace_back("idf", "references");
  if (options.order != 1) signature.emplace_back("n", values.shown("n"));
  if (options.mean) signature.emplace_back("multi", "mean");
  return std::make_unique<CorpusMean>(
      [options](const lexical::ScoredTexts& corpus, const RunContext& context) {
        return lexical::tfidf_statistics(corpus, options, context);
      },
      signature, reads_of(options.tokenization));
}

}  // namespace markeval::metric
