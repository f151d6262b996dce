// The list of entries; those of trained metrics stand here too.
#include "metric/registry.hpp"

#include <algorithm>

#include "metric/lexical_registry.hpp"

namespace markeval::metric {

// Each stands in the file of its metric.
MetricInfo mark_evaluate_entry(), impar_entry(), prdc_entry(), prd_entry(), fid_entry();
MetricInfo bertscore_entry(), bertr_entry(), moverscore_entry(), hmd_entry();

namespace {

MetricInfo trained_metric(std::string name, std::string summary) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .results = {"score"},
          .range = "any",
          .options = {required_file("weights", "a folder made by markeval train"),
                      choice_option("multi", {"mean", "max"},
                                    "several references: the mean or the best of their scores")},
          .paper =
              "Mathur et al. 2019, Putting Evaluation in Context: Contextual Embeddings Improve Machine "
              "Translation Evaluation",
          .factory = Learned::network};
}

std::vector<MetricInfo> make_registry() {
  std::vector<MetricInfo> list{mark_evaluate_entry(), impar_entry(),      prdc_entry(),
                               prd_entry(),           fid_entry(),        bertscore_entry(),
                               bertr_entry(),         moverscore_entry(), hmd_entry()};
  list.push_back(
      {.name = "match",
       .summary = "learned matching of token vectors, ready to use",
       .results = {"score"},
       .range = "any",
       .options = {file_option("weights", {""},
                               "a folder made by markeval train; none: the head the program has for "
                               "the model"),
                   choice_option("multi", {"max", "mean"},
                                 "several references: the best or the mean of their scores")},
       .paper = "none: bertscore (Zhang et al. 2020) with a learned mix of layers, projections and "
                "token weights",
       .factory = Learned::match,
       .stand_in = "bertscore"});
  list.push_back({.name = "blend",
                  .summary = "a learned weighted sum of other metrics",
                  .results = {"score"},
                  .range = "any",
                  .options = {required_file("weights", "a folder made by markeval train --arch blend")},
                  .paper = "none: ridge regression on scores of other metrics",
                  .factory = Learned::blend});
  list.push_back(trained_metric("bilstm", "BiLSTMs, pooled and compared"));
  list.push_back(trained_metric("bilstm-attention", "with attention between the texts"));
  list.push_back(trained_metric("esim", "enhanced sequential inference model"));
  std::vector<MetricInfo> lexical = lexical_metrics();
  for (MetricInfo& info : lexical) list.push_back(std::move(info));
  for (MetricInfo& info : list) {
    info.kind = static_cast<Kind>(info.factory.index());
    if (info.main.empty()) info.main = info.results.front();
  }
  return list;
}

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::set:
      return "set";
    case Kind::pair:
      return "pair";
    case Kind::lexical:
      return "lexical";
    case Kind::trained:
      return "trained";
  }
  return "unknown";
}

bool MetricInfo::has_option(std::string_view option) const {
  return std::ranges::any_of(options, [&](const OptionSpec& one) { return one.name == option; });
}

std::span<const MetricInfo> registry() {
  static const std::vector<MetricInfo> list = make_registry();
  return list;
}

bool learns_as(std::string_view name, Learned what) {
  return std::ranges::any_of(registry(),
                             [&](const MetricInfo& info) { return info.name == name && info.is(what); });
}

}  // namespace markeval::metric
