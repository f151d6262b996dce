// WER, CER, PER and CDER behind the interface of lexical metrics.
#include "lexical/edit_rates.hpp"
#include "lexical/python_text.hpp"
#include "metric/lexical_metric.hpp"

namespace markeval::metric {
namespace {

using lexical::EditRate;
using lexical::PythonNumber;

class EditRateMetric : public LexicalMetric {
 public:
  EditRateMetric(EditRate rate, const OptionValues& options) : options_{rate, options.yes("lowercase")} {}

  std::vector<SegmentStatistics> statistics(const lexical::ScoredTexts& corpus,
                                            const RunContext& context) const override {
    return lexical::edit_statistics(corpus, options_, context);
  }
  /// Without any reference word every edit is one too many, as jiwer counts them.
  std::vector<PythonNumber> scores(std::span<const PythonNumber> sum, double) const override {
    return {sum[1] > 0 ? sum[0] / sum[1] : sum[0]};
  }
  void add_details(std::span<const double> sum, Named<Detail>& details) const override {
    details.emplace_back("edits", static_cast<std::uint64_t>(sum[0]));
    details.emplace_back("reference_length", sum[1]);
    if (options_.rate == EditRate::bags || options_.rate == EditRate::blocks) return;
    details.emplace_back("substitutions", static_cast<std::uint64_t>(sum[2]));
    details.emplace_back("deletions", static_cast<std::uint64_t>(sum[3]));
    details.emplace_back("insertions", static_cast<std::uint64_t>(sum[4]));
  }
  std::vector<std::string> words(std::string_view text) const override {
    if (options_.rate == EditRate::characters) return LexicalMetric::words(text);
    std::string storage;
    std::u32string codes;
    lexical::decode(lexical::clean(text, options_.lowercase, storage), codes);
    std::vector<std::string> words;
    for (const std::u32string_view word : lexical::edit_words(codes)) words.push_back(lexical::encode(word));
    return words;
  }
  Reads reads() const override { return options_.rate == EditRate::characters ? Reads::all : Reads::spaced; }
  Named<std::string> signature() const override {
    return {{"case", options_.lowercase ? "lc" : "mixed"},
            {"tok", options_.rate == EditRate::characters ? "char" : "blanks"}};
  }

 private:
  lexical::EditRateOptions options_;
};

}  // namespace

std::unique_ptr<LexicalMetric> make_wer(const OptionValues& options) {
  return std::make_unique<EditRateMetric>(EditRate::words, options);
}
std::unique_ptr<LexicalMetric> make_cer(const OptionValues& options) {
  return std::make_unique<EditRateMetric>(EditRate::characters, options);
}
std::unique_ptr<LexicalMetric> make_per(const OptionValues& options) {
  return std::make_unique<EditRateMetric>(EditRate::bags, options);
}
std::unique_ptr<LexicalMetric> make_cder(const OptionValues& options) {
  return std::make_unique<EditRateMetric>(EditRate::blocks, options);
}

}  // namespace markeval::metric
