// BLEU, chrF and TER behind the interface of lexical metrics; all numbers as sacrebleu 2.6.0.
#include "lexical/bleu.hpp"
#include "lexical/chrf.hpp"
#include "lexical/ter.hpp"
#include "metric/lexical_metric.hpp"

namespace markeval::metric {
namespace {

using lexical::PythonNumber;

/// "case:mixed|eff:no" -> case -> mixed, eff -> no.
Named<std::string> pairs_of(std::string_view signature) {
  Named<std::string> pairs;
  while (!signature.empty()) {
    const std::string_view item = signature.substr(0, signature.find('|'));
    signature.remove_prefix(std::min(signature.size(), item.size() + 1));
    const std::size_t colon = item.find(':');
    pairs.emplace_back(item.substr(0, colon), item.substr(colon + 1));
  }
  return pairs;
}

/// The mean of what Corpus makes of every segment alone; Corpus has `segment_score`.
template <typename Corpus>
class MeanOfSegments : public Corpus {
 public:
  using Corpus::Corpus;
  std::vector<SegmentStatistics> statistics(const lexical::ScoredTexts& corpus,
                                            const RunContext& context) const override {
    std::vector<SegmentStatistics> result;
    for (const SegmentStatistics& counts : Corpus::statistics(corpus, context)) {
      SegmentStatistics& scores = result.emplace_back(SegmentStatistics{1, {}});
      for (std::size_t i = 0; i < counts.rows(); ++i)
        scores.values.push_back(this->segment_score(counts.row(i)));
    }
    return result;
  }
  std::vector<PythonNumber> scores(std::span<const PythonNumber> sum, double segments) const override {
    return {sum[0] / PythonNumber(segments)};
  }
  bool resamples_in_single() const override { return false; }
  bool counts_whole_numbers() const override { return false; }
  bool mean_of_segments() const override { return true; }
  void add_details(std::span<const double>, Named<Detail>&) const override {}
};

lexical::BleuOptions bleu_options(const OptionValues& options) {
  lexical::BleuOptions bleu;
  bleu.tokenization = lexical::bleu_tokenization(options.text("tokenize"));
  bleu.smoothing = lexical::bleu_smoothing(options.text("smooth"));
  if (!options.shown("smooth_value").empty()) bleu.smoothing_value = options.real("smooth_value");
  bleu.lowercase = options.yes("lowercase");
  bleu.effective_order = options.yes("effective_order");
  bleu.max_order = options.count("max_order");
  return bleu;
}

class Bleu : public LexicalMetric {
 public:
  explicit Bleu(const OptionValues& options) : options_(bleu_options(options)) {}

  std::vector<SegmentStatistics> statistics(const lexical::ScoredTexts& corpus,
                                            const RunContext& context) const override {
    return lexical::bleu_statistics(corpus, options_, context);
  }
  std::vector<PythonNumber> scores(std::span<const PythonNumber> sum, double) const override {
    return {lexical::bleu_resampled_score(sum, options_)};
  }
  bool resamples_in_single() const override { return true; }
  bool counts_whole_numbers() const override { return true; }
  void add_details(std::span<const double> sum, Named<Detail>& details) const override {
    const lexical::BleuScore score = lexical::bleu_score(sum, options_);
    const auto counts = sum.subspan(2);
    details.emplace_back("precisions", score.precisions);
    details.emplace_back("counts", std::vector<double>(counts.begin(), counts.begin() + half()));
    details.emplace_back("totals", std::vector<double>(counts.begin() + half(), counts.end()));
    details.emplace_back("brevity_penalty", score.brevity_penalty);
    details.emplace_back("system_length", static_cast<std::uint64_t>(score.system_length));
    details.emplace_back("reference_length", static_cast<std::uint64_t>(score.reference_length));
  }
  std::vector<std::string> words(std::string_view text) const override {
    std::string storage;
    std::vector<std::string_view> words;
    lexical::BleuTokenizer(options_.tokenization, options_.lowercase).tokenize(text, storage, words);
    return {words.begin(), words.end()};
  }
  Reads reads() const override { return reads_of(options_.tokenization); }
  Named<std::string> signature() const override {
    Named<std::string> parts = pairs_of(lexical::bleu_signature(options_));
    if (options_.max_order != 4) parts.emplace_back("orders", std::to_string(options_.max_order));
    return parts;
  }

 protected:
  double segment_score(std::span<const double> counts) const {
    return lexical::bleu_score(counts, options_).score;
  }

 private:
  std::ptrdiff_t half() const { return static_cast<std::ptrdiff_t>(options_.max_order); }
  lexical::BleuOptions options_;
};

class Chrf : public LexicalMetric {
 public:
  explicit Chrf(const OptionValues& options) {
    options_.char_order = options.count("char_order");
    options_.word_order = options.count("word_order");
    options_.beta = options.count("beta");
    options_.lowercase = options.yes("lowercase");
    options_.whitespace = options.yes("whitespace");
    options_.eps_smoothing = options.yes("eps_smoothing");
  }
  std::vector<SegmentStatistics> statistics(const lexical::ScoredTexts& corpus,
                                            const RunContext& context) const override {
    return lexical::chrf_statistics(corpus, options_, context);
  }
  std::vector<PythonNumber> scores(std::span<const PythonNumber> sum, double) const override {
    return {lexical::chrf_resampled_score(sum, options_)};
  }
  bool resamples_in_single() const override { return true; }
  bool counts_whole_numbers() const override { return true; }
  void add_details(std::span<const double> sum, Named<Detail>& details) const override {
    details.emplace_back("name", lexical::chrf_name(options_));
    details.emplace_back("system_reference_match_counts", std::vector<double>(sum.begin(), sum.end()));
  }
  Reads reads() const override { return options_.word_order > 0 ? Reads::spaced : Reads::all; }
  Named<std::string> signature() const override {
    Named<std::string> pairs = pairs_of(lexical::chrf_signature(options_));
    if (options_.beta != 2)
      pairs.emplace_back("beta", std::to_string(options_.beta));  // sacrebleu: in the name only
    return pairs;
  }

 protected:
  double segment_score(std::span<const double> counts) const { return lexical::chrf_score(counts, options_); }

 private:
  lexical::ChrfOptions options_;
};

/// The mean of the chrF of every segment, as WMT's metrics tasks had it.
class SegmentChrf : public MeanOfSegments<Chrf> {
 public:
  using MeanOfSegments::MeanOfSegments;
  Named<std::string> signature() const override {
    Named<std::string> pairs = Chrf::signature();
    pairs.emplace_back("average", "segments");
    return pairs;
  }
};

class Ter : public LexicalMetric {
 public:
  explicit Ter(const OptionValues& options) {
    options_.normalized = options.yes("normalized");
    options_.no_punct = options.yes("no_punct");
    options_.asian_support = options.yes("asian_support");
    options_.case_sensitive = options.yes("case_sensitive");
  }
  std::vector<SegmentStatistics> statistics(const lexical::ScoredTexts& corpus,
                                            const RunContext& context) const override {
    return lexical::ter_statistics(corpus, options_, context);
  }
  std::vector<PythonNumber> scores(std::span<const PythonNumber> sum, double) const override {
    return {lexical::ter_resampled_score(sum)};
  }
  bool resamples_in_single() const override { return true; }
  void add_details(std::span<const double> sum, Named<Detail>& details) const override {
    details.emplace_back("edits", static_cast<std::uint64_t>(sum[0]));
    details.emplace_back("reference_length", sum[1]);
  }
  std::vector<std::string> words(std::string_view text) const override {
    std::string storage;
    std::vector<std::string_view> words;
    lexical::TerTokenizer(options_).tokenize(text, storage, words);
    return {words.begin(), words.end()};
  }
  Reads reads() const override {
    return options_.normalized && options_.asian_support ? Reads::spaced_or_han : Reads::spaced;
  }
  Named<std::string> signature() const override { return pairs_of(lexical::ter_signature(options_)); }

 private:
  lexical::TerOptions options_;
};

}  // namespace

std::unique_ptr<LexicalMetric> make_bleu(const OptionValues& options) {
  return std::make_unique<Bleu>(options);
}
std::unique_ptr<LexicalMetric> make_sentence_bleu(const OptionValues& options) {
  return with_references(std::make_unique<MeanOfSegments<Bleu>>(options), options);
}
std::unique_ptr<LexicalMetric> make_chrf(const OptionValues& options) {
  if (options.text("average") == "segments")
    return with_references(std::make_unique<SegmentChrf>(options), options);
  return with_references(std::make_unique<Chrf>(options), options);
}
std::unique_ptr<LexicalMetric> make_ter(const OptionValues& options) {
  return std::make_unique<Ter>(options);
}

}  // namespace markeval::metric
