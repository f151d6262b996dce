#include "support/lexical_request.hpp"

#include <span>
#include <stdexcept>

#include "lexical/bleu.hpp"
#include "lexical/character.hpp"
#include "lexical/chrf.hpp"
#include "lexical/cider.hpp"
#include "lexical/meteor.hpp"
#include "lexical/nist.hpp"
#include "lexical/resampling.hpp"
#include "lexical/rouge.hpp"
#include "lexical/ter.hpp"
#include "lexical/tfidf.hpp"

namespace markeval::test {
namespace {

using nlohmann::json;
using namespace markeval::lexical;

json rows_of(const SegmentStatistics& statistics) {
  json rows = json::array();
  for (std::size_t i = 0; i < statistics.rows(); ++i) {
    const auto row = statistics.row(i);
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

/// Every system against the first, with sacrebleu's seed.
json paired_tests(const json& request, const std::vector<SegmentStatistics>& systems, ScoreFunction score,
                  const markeval::RunContext& context) {
  constexpr std::uint64_t kSeed = 12345;
  json entries = json::array();
  for (const SegmentStatistics& system : systems) {
    const auto sum = system.sum();
    entries.push_back({{"score", score(std::vector<PythonNumber>(sum.begin(), sum.end())).value}});
  }
  if (request.contains("paired_bs")) {
    const auto scores = bootstrap_scores(systems, request["paired_bs"], kSeed, score, context);
    for (std::size_t s = 0; s < systems.size(); ++s) {
      const BootstrapSummary summary = summary_of(scores[s], context);
      entries[s]["mean"] = summary.mean;
      entries[s]["ci"] = summary.half_width;
      if (s == 0) continue;
      entries[s]["p_value"] =
          paired_bootstrap_p_value(entries[0]["score"], entries[s]["score"], scores[0], scores[s]);
    }
  } else {
    std::vector<SystemPair> pairs;
    for (std::size_t s = 1; s < systems.size(); ++s) pairs.push_back({0, s});
    const auto p_values = paired_randomization(systems, pairs, request["paired_ar"], kSeed, score, context);
    for (std::size_t s = 1; s < systems.size(); ++s) entries[s]["p_value"] = p_values[s - 1];
  }
  return entries;
}

template <typename Score, typename Resampled>
json report(const json& request, const std::vector<SegmentStatistics>& systems, const std::string& signature,
            Score score, Resampled resampled, const markeval::RunContext& context) {
  json result{{"signature", signature}, {"systems", json::array()}};
  if (request.contains("paired_bs") || request.contains("paired_ar"))
    result["paired"] = paired_tests(request, systems, resampled, context);
  if (request.value("brief", false)) return result;
  for (const auto& statistics : systems) {
    std::vector<double> segments;
    for (std::size_t i = 0; i < statistics.rows(); ++i) segments.push_back(score(statistics.row(i)));
    const auto sum = statistics.sum();
    result["systems"].push_back(
        {{"score", score(sum)}, {"segments", segments}, {"statistics", rows_of(statistics)}});
  }
  return result;
}

/// Metrics whose corpus score is the mean of segment scores: one column each.
json means(const std::vector<SegmentStatistics>& systems, const std::vector<std::string>& names) {
  json result{{"systems", json::array()}};
  for (const auto& statistics : systems) {
    const auto sum = statistics.sum();
    json entry;
    for (std::size_t c = 0; c < names.size(); ++c) {
      std::vector<double> segments;
      for (std::size_t i = 0; i < statistics.rows(); ++i) segments.push_back(statistics.row(i)[c]);
      entry[names[c] + "_segments"] = segments;
      entry[names[c]] = sum[c] / static_cast<double>(statistics.rows());
    }
    result["systems"].push_back(entry);
  }
  return result;
}

json answer_for(const json& request, const ScoredTexts& corpus, const RunContext& context) {
  const std::string metric = request.at("metric");
  const json options = request.value("options", json::object());
  if (metric == "bleu") {
    BleuOptions o;
    o.tokenization = bleu_tokenization(options.value("tokenize", "13a"));
    o.smoothing = bleu_smoothing(options.value("smooth_method", "exp"));
    if (options.contains("smooth_value")) o.smoothing_value = options["smooth_value"].get<double>();
    o.lowercase = options.value("lowercase", false);
    o.effective_order = options.value("effective_order", false);
    o.max_order = options.value("max_ngram_order", std::size_t{4});
    return report(
        request, bleu_statistics(corpus, o, context), bleu_signature(o),
        [&](std::span<const double> row) { return bleu_score(row, o).score; },
        [&](std::span<const PythonNumber> row) { return bleu_resampled_score(row, o); }, context);
  }
  if (metric == "chrf") {
    ChrfOptions o;
    o.char_order = options.value("char_order", std::size_t{6});
    o.word_order = options.value("word_order", std::size_t{0});
    o.beta = options.value("beta", std::size_t{2});
    o.lowercase = options.value("lowercase", false);
    o.whitespace = options.value("whitespace", false);
    o.eps_smoothing = options.value("eps_smoothing", false);
    return report(
        request, chrf_statistics(corpus, o, context), chrf_signature(o),
        [&](std::span<const double> row) { return chrf_score(row, o); },
        [&](std::span<const PythonNumber> row) { return chrf_resampled_score(row, o); }, context);
  }
  if (metric == "ter") {
    TerOptions o;
    o.normalized = options.value("normalized", false);
    o.no_punct = options.value("no_punct", false);
    o.asian_support = options.value("asian_support", false);
    o.case_sensitive = options.value("case_sensitive", false);
    return report(
        request, ter_statistics(corpus, o, context), ter_signature(o),
        [&](std::span<const double> row) { return ter_score(row); },
        [&](std::span<const PythonNumber> row) { return ter_resampled_score(row); }, context);
  }
  if (metric.starts_with("rouge")) {
    RougeOptions o;
    const std::string kind = metric.substr(5);
    o.kind = kind == "L"      ? RougeKind::subsequence
             : kind == "Lsum" ? RougeKind::summary
             : kind == "W"    ? RougeKind::weighted
             : kind == "SU4"  ? RougeKind::skip_bigram
                              : RougeKind::ngram;
    if (o.kind == RougeKind::ngram) o.order = static_cast<std::size_t>(std::stoul(kind));
    o.stem = options.value("stem", false);
    return means(rouge_statistics(corpus, o, context), {"precision", "recall", "f1"});
  }
  if (metric == "meteor") {
    MeteorOptions o;
    o.alpha = options.value("alpha", o.alpha);
    o.beta = options.value("beta", o.beta);
    o.gamma = options.value("gamma", o.gamma);
    if (options.contains("wordnet"))
      o.wordnet = std::make_shared<WordNet>(options["wordnet"].get<std::string>());
    return means(meteor_statistics(corpus, o, context), {"score"});
  }
  if (metric == "nist") {
    NistOptions o;
    o.max_order = options.value("n", o.max_order);
    json result{{"systems", json::array()}};
    for (const auto& statistics : nist_statistics(corpus, o, context)) {
      result["systems"].push_back({{"score", nist_score(statistics.sum(), o)}});
    }
    return result;
  }
  if (metric == "cider") {
    CiderOptions o;
    o.sigma = options.value("sigma", o.sigma);
    o.robust = options.value("robust", o.robust);
    return means(cider_statistics(corpus, o, context), {"score"});
  }
  if (metric == "character") return means(character_statistics(corpus, {}, context), {"score"});
  if (metric == "tfidf") {
    TfidfOptions o;
    o.tokenization = BleuTokenization::none;
    return means(tfidf_statistics(corpus, o, context), {"score"});
  }
  throw std::runtime_error("unknown metric " + metric);
}

}  // namespace

nlohmann::json answer(const nlohmann::json& request) {
  const auto references = request.at("references").get<std::vector<std::vector<std::string>>>();
  const auto systems = request.at("systems").get<std::vector<std::vector<std::string>>>();
  ScoredTexts corpus;
  for (const auto& segment : references) corpus.references.emplace_back(segment.begin(), segment.end());
  for (const auto& system : systems) corpus.systems.emplace_back(system.begin(), system.end());
  ThreadPool pool(request.value("threads", std::size_t{0}));
  return answer_for(request, corpus, RunContext{pool});
}

}  // namespace markeval::test
