// BERTScore (Zhang et al. 2020) as PyPI bert_score computes it, and BERTR (Mathur et al. 2019).
#include <fmt/format.h>

#include <optional>

#include "metric/baseline.hpp"
#include "metric/layer_choice.hpp"
#include "metric/match_links.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {
namespace {

/// What `idf` may be besides a file.
const std::vector<std::string> kBertScoreIdfWords = {"no", "yes"};

OptionSpec several_option(std::vector<std::string> choices) {
  return choice_option("multi", std::move(choices),
                       "several references: the best or the mean of their scores");
}

SeveralReferences several_of(const OptionValues& options) {
  return options.text("multi") == "max" ? SeveralReferences::max : SeveralReferences::mean;
}

/// Tokens of one layer, unit length, special tokens as partners without weight or not at all.
class GreedyMetric : public PairMetric {
 public:
  GreedyMetric(const OptionValues& options, bool keep_specials)
      : layer_(options.text("layer")),
        metric_(options.metric()),
        several_(several_of(options)),
        keep_specials_(keep_specials) {
    check_layer(metric_, layer_);
  }

  SeveralReferences several() const override { return several_; }
  compute::RowRelation relation() const override { return compute::RowRelation::cosine; }
  std::vector<std::size_t> layers(const embed::VectorSource& source) const override {
    return {layer(source)};
  }

  std::string note(const embed::VectorSource& source) const override {
    if (layer_ != "tuned" || source.last_layer() == 0 || default_layer(source)) return {};
    return fmt::format(
        "{}: no default layer is known of {}, so its last one, {}, is read; {}:layer=N chooses another",
        metric_, source.model_name(), source.last_layer(), metric_);
  }

  PreparedText prepare(const embed::EncodedText& text, std::span<const std::size_t> layers,
                       const IdfTable* idf) const override {
    PreparedText prepared;
    const embed::TextTokens& tokens = text.tokens;
    std::vector<double> weights(tokens.size());
    std::vector<std::uint32_t> chosen;
    bool words = false;
    bool weight = false;
    for (std::uint32_t token = 0; token < tokens.size(); ++token) {
      const bool special = tokens.facts[token].special;
      words = words || !special;
      if (special && !keep_specials_) continue;
      chosen.push_back(token);
      if (!special) weights[token] = idf == nullptr ? 1 : idf->weight(tokens.ids[token]);
      weight = weight || weights[token] > 0;
    }
    if (!words) return prepared;
    if (!weight) {
      prepared.weightless = true;
      for (const std::uint32_t token : chosen) weights[token] = tokens.facts[token].special ? 0 : 1;
    }
    prepared.rows = chosen_rows(text.layer(layers.front()), weights, chosen);
    normalize_rows(prepared.rows);
    return prepared;
  }

 protected:
  std::size_t layer(const embed::VectorSource& source) const {
    if (layer_ == "tuned") {
      const auto known = default_layer(source);
      return known ? known->layer : source.last_layer();
    }
    return choose_layer(metric_, layer_, source.last_layer());
  }
  std::string layer_;

 private:
  std::string metric_;
  SeveralReferences several_;
  bool keep_specials_;
};

class BertScore : public GreedyMetric {
 public:
  explicit BertScore(const OptionValues& options)
      : GreedyMetric(options, options.text("specials") == "keep"),
        specials_(options.text("specials")),
        negative_(options.text("negative")),
        idf_(options.yes("idf")),
        idf_corpus_(IdfCorpus::load(options, kBertScoreIdfWords)),
        rescale_(options.text("rescale")) {
    if (rescale_ == "no") return;
    baseline_ = Baseline::load(rescale_);
    rescale_ = baseline_->signature();
  }

  IdfUse idf() const override {
    return !idf_corpus_.empty() ? IdfUse::corpus : idf_ ? IdfUse::references : IdfUse::none;
  }
  const IdfCorpus* idf_corpus() const override { return &idf_corpus_; }
  std::vector<std::size_t> layers(const embed::VectorSource& source) const override {
    if (baseline_) baseline_->layer(layer(source));  // a missing line is better known before the work
    return {layer(source)};
  }
  void score(const TokenRows& candidate, const TokenRows& reference, MatrixView<const float> cosines,
             PairScratch& scratch, std::span<double> out) const override {
    const PrecisionRecall found = scratch.matcher.match(
        candidate, reference, cosines, negative_ == "zero" ? NegativeMatch::zero : NegativeMatch::keep);
    out[0] = found.precision;
    out[1] = found.recall;
    out[2] = found.f1;
  }
  std::vector<PairLink> links(const TokenRows& candidate, const TokenRows& reference,
                              const PairScratch& scratch) const override {
    std::vector<PairLink> links;
    add_links(links, scratch.matcher.candidate_matches(), candidate.weights, false);
    add_links(links, scratch.matcher.reference_matches(), reference.weights, true);
    return links;
  }
  void finish(const embed::VectorSource& source, std::span<double> values) const override {
    if (!baseline_) return;
    const PrecisionRecall scaled =
        rescale({values[0], values[1], values[2]}, baseline_->layer(layer(source)));
    values[0] = scaled.precision;
    values[1] = scaled.recall;
    values[2] = scaled.f1;
  }
  Named<std::string> signature(const embed::VectorSource& source) const override {
    return {{"layer", fmt::format("{}", layer(source))},
            {"idf", !idf_corpus_.empty() ? idf_corpus_.signature
                    : idf_               ? "references"
                                         : "no"},
            {"specials", specials_},
            {"negative", negative_},
            {"rescale", rescale_},
            {"multi", several() == SeveralReferences::max ? "max" : "mean"}};
  }

 private:
  std::string specials_;
  std::string negative_;
  bool idf_;
  IdfCorpus idf_corpus_;
  std::string rescale_;  ///< "no", or the baseline's signature
  std::optional<Baseline> baseline_;
};

class Bertr : public GreedyMetric {
 public:
  explicit Bertr(const OptionValues& options) : GreedyMetric(options, false) {}

  IdfUse idf() const override { return IdfUse::none; }
  void score(const TokenRows& candidate, const TokenRows& reference, MatrixView<const float> cosines,
             PairScratch& scratch, std::span<double> out) const override {
    out[0] = scratch.matcher.match(candidate, reference, cosines).recall;
  }
  std::vector<PairLink> links(const TokenRows&, const TokenRows& reference,
                              const PairScratch& scratch) const override {
    std::vector<PairLink> links;
    add_links(links, scratch.matcher.reference_matches(), reference.weights, true);
    return links;
  }
  Named<std::string> signature(const embed::VectorSource& source) const override {
    return {{"layer", fmt::format("{}", layer(source))},
            {"multi", several() == SeveralReferences::max ? "max" : "mean"}};
  }
};

std::vector<OptionSpec> bertscore_options() {
  return {text_option("layer", "tuned",
                      "0 to the model's last, -1 from the end, last, or the model's tuned layer"),
          file_option("idf", kBertScoreIdfWords,
                      "weigh tokens by how rare they are in the references (yes) or in a file of texts"),
          choice_option("specials", {"keep", "mask"}, "[CLS] and [SEP] may be partners, or not"),
          choice_option("negative", {"zero", "keep"}, "a best cosine below 0 counts as 0, or as it is"),
          file_option("rescale", {"no"}, "a baseline file: LAYER,P,R,F"),
          several_option({"max", "mean"})};
}

std::vector<OptionSpec> bertr_options() {
  return {text_option("layer", "last", "0 to the model's last, -1 from the end, last, or tuned"),
          several_option({"max", "mean"})};
}

std::unique_ptr<PairMetric> make_bertscore(const OptionValues& options) {
  return std::make_unique<BertScore>(options);
}
std::unique_ptr<PairMetric> make_bertr(const OptionValues& options) {
  return std::make_unique<Bertr>(options);
}

}  // namespace

MetricInfo bertscore_entry() {
  return {.name = "bertscore",
          .summary = "best cosine of every token, both ways",
          .results = {"precision", "recall", "f1"},
          .main = "f1",
          .range = "-1 to 1",
          .options = bertscore_options(),
          .paper = "Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT",
          .factory = make_bertscore};
}

MetricInfo bertr_entry() {
  return {.name = "bertr",
          .summary = "mean best cosine of the reference's tokens",
          .results = {"recall"},
          .range = "-1 to 1",
          .options = bertr_options(),
          .paper =
              "Mathur et al. 2019, Putting Evaluation in Context: Contextual Embeddings Improve Machine "
              "Translation Evaluation",
          .factory = make_bertr};
}

}  // namespace markeval::metric
