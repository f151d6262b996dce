// MoverScore and hard mover distances (Zhao et al. 2019): options, preparation of a text, signature.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/error.hpp"
#include "base/plain_text.hpp"
#include "metric/layer_choice.hpp"
#include "metric/layer_mix.hpp"
#include "metric/match_links.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {
namespace {

/// What `idf` may be besides a file.
const std::vector<std::string> kMoverScoreIdfWords = {"yes", "no", "separate"};

/// "2" -> 2, "sentence" -> 0.
std::size_t read_n(const OptionValues& options) {
  const std::string& text = options.text("n");
  if (text == "sentence") return 0;
  const auto n = read_number<std::size_t>(text);
  if (!n || *n == 0)
    throw_usage(fmt::format("{}: n='{}', expected 1, 2, ... or sentence", options.metric(), text));
  return *n;
}

LayerMix read_mix(const OptionValues& options) {
  LayerMix mix;
  const std::string& aggregate = options.text("aggregate");
  mix.aggregation = aggregate == "pmeans"    ? Aggregation::pmeans
                    : aggregate == "routing" ? Aggregation::routing
                    : aggregate == "mean"    ? Aggregation::mean
                                             : Aggregation::last;
  mix.exponents = parse_exponents(options.text("exponents"));
  mix.routing.kernel = options.text("kernel") == "gaussian" ? Kernel::gaussian : Kernel::epanechnikov;
  mix.routing.step = options.real("step");
  return mix;
}

class MoverFamily : public PairMetric {
 public:
  explicit MoverFamily(const OptionValues& options)
      : n_text_(options.text("n")),
        n_(read_n(options)),
        layers_(options.text("layers")),
        mix_(read_mix(options)),
        aggregate_(options.text("aggregate")),
        kernel_(options.text("kernel")),
        idf_(options.text("idf")),
        idf_corpus_(IdfCorpus::load(options, kMoverScoreIdfWords)),
        distance_(options.text("distance")),
        compat_(options.text("compat")),
        embeddings_(options.text("embeddings")),
        stop_words_file_(options.text("stopwords")),
        subwords_(options.text("subwords")),
        specials_(options.text("specials")),
        several_(options.text("multi")) {
    apply_compat(options);
    if (stop_words_file_ != "none") {
      stop_words_ = embed::read_stop_words(stop_words_file_);
      stop_words_name_ = fmt::format("{}@{}", std::filesystem::path(stop_words_file_).filename().string(),
                                     embed::digest_of(stop_words_));
      rules_.stop_words = &stop_words_;
    }
    rules_.specials = specials_ == "keep";
    rules_.continuations = subwords_ == "keep";
    mover_.distance = distance_ == "squared"     ? MoverDistance::squared
                      : distance_ == "euclidean" ? MoverDistance::euclidean
                                                 : MoverDistance::cosine;
    mover_.compat = compat_ == "v1" ? MoverCompat::v1 : compat_ == "v2" ? MoverCompat::v2 : MoverCompat::none;
  }
  MoverFamily(const MoverFamily&) = delete;
  MoverFamily& operator=(const MoverFamily&) = delete;

  std::string embeddings() const override { return embeddings_ == "encoder" ? "" : embeddings_; }
  IdfUse idf() const override {
    if (!idf_corpus_.empty()) return IdfUse::corpus;
    return idf_ == "no" ? IdfUse::none : idf_ == "separate" ? IdfUse::separate : IdfUse::references;
  }
  const IdfCorpus* idf_corpus() const override { return &idf_corpus_; }
  SeveralReferences several() const override {
    return several_ == "max" ? SeveralReferences::max : SeveralReferences::mean;
  }
  compute::RowRelation relation() const override { return Mover::relation(mover_); }
  bool needs_spread() const override { return mover_.compat == MoverCompat::v1; }
  std::vector<std::size_t> layers(const embed::VectorSource& source) const override {
    if (source.last_layer() == 0) return {0};
    std::vector<std::size_t> chosen = choose_layers(layers_, source.last_layer());
    if (mix_.aggregation == Aggregation::last) chosen.erase(chosen.begin(), chosen.end() - 1);
    return chosen;
  }

  PreparedText prepare(const embed::EncodedText& text, std::span<const std::size_t> layers,
                       const IdfTable* idf) const override {
    PreparedText prepared;
    const ChosenTokens chosen = choose(text.tokens, idf, prepared);
    if (!chosen.words) return prepared;
    std::vector<MatrixView<const float>> views;
    for (const std::size_t layer : layers) views.push_back(text.layer(layer));
    LayerMix mix = mix_;
    if (layers.size() == 1) mix.aggregation = Aggregation::last;
    const std::size_t columns = mix.columns(text.width);
    std::vector<float> mixed(text.tokens.size() * columns);
    const MatrixView<float> vectors(mixed.data(), text.tokens.size(), columns);
    mix_layers(views, mix, chosen.weighty(), vectors);
    const MoverEpsilons epsilon = epsilons(mover_.compat);
    prepared.rows = ngram_rows(vectors, chosen.weights, chosen.kept, n_, epsilon.window,
                               as_printed_ ? NgramVector::sum : NgramVector::mean);
    if (mover_.compat == MoverCompat::none) {
      drop_weightless(prepared.rows);
    } else {
      prepared.weightless = weightless(prepared.rows.weights);
    }
    if (!as_printed_) normalize_rows(prepared.rows, epsilon.length);
    return prepared;
  }
  void mark_needed(const embed::TextTokens& tokens, const IdfTable* idf,
                   std::span<std::uint8_t> mask) const override {
    if (mix_.aggregation == Aggregation::routing) return PairMetric::mark_needed(tokens, idf, mask);
    PreparedText prepared;
    for (const std::uint32_t token : choose(tokens, idf, prepared).weighty()) mask[token] = 1;
  }

  std::string weightless_rule() const override {
    if (mover_.compat == MoverCompat::none) return PairMetric::weightless_rule();
    return "as in that program, the score is 1 where neither text has any";
  }
  Named<std::string> signature(const embed::VectorSource& source) const override {
    Named<std::string> parts = {{"n", n_text_}};
    if (source.last_layer() > 0) {
      const std::vector<std::size_t> chosen = layers(source);
      parts.emplace_back("layers", fmt::format("{}", fmt::join(chosen, "+")));
      const bool mixed = chosen.size() > 1;
      parts.emplace_back("aggregate", mixed ? aggregate_ : "last");
      if (mixed && mix_.aggregation == Aggregation::pmeans) {
        parts.emplace_back("exponents", exponents_text(mix_.exponents));
      }
      if (mixed && mix_.aggregation == Aggregation::routing) {
        parts.emplace_back("kernel", kernel_);
        parts.emplace_back("step", fmt::format("{}", mix_.routing.step));
      }
      parts.emplace_back("subwords", subwords_);
      parts.emplace_back("specials", specials_);
    }
    parts.emplace_back("idf", !idf_corpus_.empty() ? idf_corpus_.signature
                              : idf_ == "yes"      ? "references"
                                                   : idf_);
    parts.emplace_back("distance", distance_);
    parts.emplace_back("stopwords", stop_words_name_);
    parts.emplace_back("compat", compat_);
    parts.emplace_back("multi", several_);
    return parts;
  }

 protected:
  MoverOptions mover_;

 private:
  /// What the public programs or the paper fix is fixed; what a user asked for otherwise is a contradiction.
  void apply_compat(const OptionValues& options) {
    if (compat_ == "none") return;
    const auto fix = [&](const char* name, std::string& value, const char* fixed) {
      if (options.given(name) && value != fixed) {
        throw_usage(fmt::format("compat={} has {}={}, not {}", compat_, name, fixed, value));
      }
      value = fixed;
    };
    if (compat_ == "paper") {
      fix("distance", distance_, "euclidean");
      as_printed_ = true;
      mix_.unit = false;
      return;
    }
    if (idf_ == "yes") idf_ = "separate";
    fix("specials", specials_, "keep");
    if (compat_ == "v1") {
      fix("layers", layers_, "last5");
      fix("aggregate", aggregate_, "pmeans");
      fix("distance", distance_, "squared");
      mix_ = LayerMix{};
    } else {
      // That program takes n and remove_subwords and looks at neither.
      n_text_ = std::string("1");
      n_ = 1;
      subwords_ = "drop";
      fix("layers", layers_, "last");
      fix("aggregate", aggregate_, "last");
      fix("distance", distance_, "euclidean");
      mix_.aggregation = Aggregation::last;
    }
  }

  /// The tokens of a text that n-grams are made of, and the weights of all.
  struct ChosenTokens {
    bool words = false;  ///< anything but special tokens
    std::vector<std::uint32_t> kept;
    std::vector<double> weights;

    /// The kept ones with weight: the others do not enter into any n-gram.
    std::vector<std::uint32_t> weighty() const {
      std::vector<std::uint32_t> tokens;
      std::ranges::copy_if(kept, std::back_inserter(tokens),
                           [&](std::uint32_t token) { return weights[token] != 0; });
      return tokens;
    }
  };
  /// Says in `prepared` what had to be done about a text without kept words or weight.
  ChosenTokens choose(const embed::TextTokens& text, const IdfTable* idf, PreparedText& prepared) const {
    ChosenTokens chosen;
    chosen.weights.resize(text.size());
    for (std::size_t token = 0; token < text.size(); ++token) {
      const bool special = text.facts[token].special;
      chosen.words = chosen.words || !special;
      // With equal weights the public programs count [CLS] and [SEP] like words; with idf they weigh nothing
      // anyway.
      if (special && mover_.compat == MoverCompat::none) continue;
      chosen.weights[token] = idf == nullptr ? 1 : idf->weight(text.ids[token]);
    }
    if (!chosen.words) return chosen;
    chosen.kept = embed::kept_tokens(text.facts, rules_);
    if (mover_.compat == MoverCompat::none) {
      keep_something(text, chosen.kept, prepared);
      weigh_something(text, chosen.kept, chosen.weights, prepared);
    }
    return chosen;
  }

  /// Only punctuation, stop words: then these are the text.
  static void keep_something(const embed::TextTokens& text, std::vector<std::uint32_t>& kept,
                             PreparedText& prepared) {
    for (const std::uint32_t token : kept) {
      if (!text.facts[token].special) return;
    }
    prepared.unfiltered = true;
    kept.clear();
    for (std::uint32_t token = 0; token < text.size(); ++token) {
      if (!text.facts[token].special) kept.push_back(token);
    }
  }
  static void weigh_something(const embed::TextTokens& text, std::span<const std::uint32_t> kept,
                              std::vector<double>& weights, PreparedText& prepared) {
    for (const std::uint32_t token : kept) {
      if (weights[token] > 0) return;
    }
    prepared.weightless = true;
    for (const std::uint32_t token : kept) weights[token] = text.facts[token].special ? 0 : 1;
  }

  bool as_printed_ = false;  ///< compat=paper: nothing is made of unit length, n-grams are sums
  std::string n_text_;
  std::size_t n_;
  std::string layers_;
  LayerMix mix_;
  std::string aggregate_, kernel_, idf_;
  IdfCorpus idf_corpus_;
  std::string distance_, compat_, embeddings_, stop_words_file_, subwords_, specials_, several_;
  std::string stop_words_name_ = "none";  ///< in the signature
  embed::StopWords stop_words_;
  embed::TokenRules rules_;
};

class MoverScore : public MoverFamily {
 public:
  using MoverFamily::MoverFamily;

  void score(const TokenRows& candidate, const TokenRows& reference, MatrixView<const float> relations,
             PairScratch& scratch, std::span<double> out) const override {
    out[0] = scratch.mover.score(candidate, reference, relations, mover_);
  }
  bool moves_weight() const override { return true; }
  std::vector<PairLink> links(const TokenRows&, const TokenRows&, const PairScratch& scratch) const override {
    std::vector<PairLink> links;
    for (const geometry::Flow& flow : scratch.mover.plan()) {
      links.push_back({flow.to, flow.from, 1 - scratch.mover.distance(flow.from, flow.to), flow.mass, false});
    }
    return links;
  }
};

class HardMover : public MoverFamily {
 public:
  explicit HardMover(const OptionValues& options) : MoverFamily(options) {
    if (mover_.compat != MoverCompat::none)
      throw_usage("hmd has no public program to repeat: compat must be none or paper");
  }

  void score(const TokenRows& candidate, const TokenRows& reference, MatrixView<const float> relations,
             PairScratch& scratch, std::span<double> out) const override {
    const PrecisionRecall found = scratch.mover.hard(candidate, reference, relations, mover_);
    out[0] = found.precision;
    out[1] = found.recall;
    out[2] = found.f1;
  }
  std::vector<PairLink> links(const TokenRows& candidate, const TokenRows& reference,
                              const PairScratch& scratch) const override {
    std::vector<PairLink> links;
    add_links(links, scratch.mover.candidate_matches(), candidate.weights, false);
    add_links(links, scratch.mover.reference_matches(), reference.weights, true);
    return links;
  }
};

std::vector<OptionSpec> mover_options() {
  return {
      text_option("n", "1", "tokens in an n-gram: 1, 2, ..., or sentence"),
      text_option("layers", "last5", "last5, last, 4, 2-6 or 1+3+6; 0 comes before the first block"),
      choice_option("aggregate", {"pmeans", "routing", "mean", "last"}, "how layers become one vector"),
      text_option("exponents", "-inf+1+inf", "of the power means"),
      choice_option("kernel", {"gaussian", "epanechnikov"}, "of routing"),
      real_option("step", 1, "of routing (alpha)", {.least = 0, .most = 1e6, .above = true}),
      file_option("idf", kMoverScoreIdfWords,
                  "weights from the references, none, from each side for itself, or from a file of texts"),
      choice_option("distance", {"squared", "euclidean", "cosine"}, "between n-grams"),
      choice_option("compat", {"none", "v1", "v2", "paper"},
                    "repeat a public program exactly, or what the paper prints"),
      file_option("embeddings", {"encoder"}, "encoder, or a file of word vectors"),
      file_option("stopwords", {"none"}, "a file of words to leave out"),
      choice_option("subwords", {"drop", "keep"}, "a word's first piece stands for it, or all its pieces"),
      choice_option("specials", {"keep", "mask"}, "[CLS] and [SEP] stand in n-grams, without weight"),
      choice_option("multi", {"mean", "max"}, "several references: the mean or the best of their scores")};
}

std::unique_ptr<PairMetric> make_moverscore(const OptionValues& options) {
  return std::make_unique<MoverScore>(options);
}
std::unique_ptr<PairMetric> make_hmd(const OptionValues& options) {
  return std::make_unique<HardMover>(options);
}

}  // namespace

MetricInfo moverscore_entry() {
  return {.name = "moverscore",
          .summary = "1 - cost of moving the text onto its reference",
          .results = {"moverscore"},
          .range = "1 or less",
          .options = mover_options(),
          .paper =
              "Zhao et al. 2019, MoverScore: Text Generation Evaluating with Contextualized Embeddings and "
              "Earth Mover Distance",
          .factory = make_moverscore};
}

MetricInfo hmd_entry() {
  return {.name = "hmd",
          .summary = "as moverscore, every n-gram to its nearest",
          .results = {"precision", "recall", "f1"},
          .main = "f1",
          .range = "1 or less",
          .options = mover_options(),
          .paper =
              "Zhao et al. 2019, MoverScore: Text Generation Evaluating with Contextualized Embeddings and "
              "Earth Mover Distance",
          .factory = make_hmd};
}

}  // namespace markeval::metric
