// For tests/parity/lexical.py: reads one JSON request from stdin, writes the statistics and scores as JSON.
//   {"metric": "bleu", "options": {...}, "references": [["r1", "r2"], ...], "systems": [["s1", ...], ...]}
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lexical/bleu.hpp"
#include "lexical/chrf.hpp"
#include "lexical/ter.hpp"

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

template <typename Score>
json report(const std::vector<SegmentStatistics>& systems, const std::string& signature, Score score) {
  json result{{"signature", signature}, {"systems", json::array()}};
  for (const auto& statistics : systems) {
    std::vector<double> segments;
    for (std::size_t i = 0; i < statistics.rows(); ++i) segments.push_back(score(statistics.row(i)));
    const auto sum = statistics.sum();
    result["systems"].push_back({{"score", score(sum)}, {"segments", segments}, {"statistics", rows_of(statistics)}});
  }
  return result;
}

json answer(const json& request, const Corpus& corpus, const markeval::RunContext& context) {
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
    return report(bleu_statistics(corpus, o, context), bleu_signature(o),
                  [&](std::span<const double> row) { return bleu_score(row, o).score; });
  }
  if (metric == "chrf") {
    ChrfOptions o;
    o.char_order = options.value("char_order", std::size_t{6});
    o.word_order = options.value("word_order", std::size_t{0});
    o.beta = options.value("beta", std::size_t{2});
    o.lowercase = options.value("lowercase", false);
    o.whitespace = options.value("whitespace", false);
    o.eps_smoothing = options.value("eps_smoothing", false);
    return report(chrf_statistics(corpus, o, context), chrf_signature(o),
                  [&](std::span<const double> row) { return chrf_score(row, o); });
  }
  if (metric == "ter") {
    TerOptions o;
    o.normalized = options.value("normalized", false);
    o.no_punct = options.value("no_punct", false);
    o.asian_support = options.value("asian_support", false);
    o.case_sensitive = options.value("case_sensitive", false);
    return report(ter_statistics(corpus, o, context), ter_signature(o),
                  [&](std::span<const double> row) { return ter_score(row); });
  }
  throw std::runtime_error("unknown metric " + metric);
}

}  // namespace

int main() {
  try {
    const json request = json::parse(std::cin);
    const auto references = request.at("references").get<std::vector<std::vector<std::string>>>();
    const auto systems = request.at("systems").get<std::vector<std::vector<std::string>>>();
    Corpus corpus;
    for (const auto& segment : references) corpus.references.emplace_back(segment.begin(), segment.end());
    for (const auto& system : systems) corpus.systems.emplace_back(system.begin(), system.end());
    markeval::ThreadPool pool(request.value("threads", std::size_t{0}));
    std::cout << answer(request, corpus, markeval::RunContext{pool}).dump() << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
