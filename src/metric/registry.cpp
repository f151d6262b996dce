#include "metric/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "metric/lexical_registry.hpp"

namespace markeval::metric {
namespace {

OptionSpec samples_option() {
  return choice_option("samples", {"sentence", "word"}, "what a row stands for when texts are given");
}
OptionSpec scope_option() {
  return choice_option("scope", {"corpus", "segment"}, "all rows at once, or the rows of each segment");
}
OptionSpec layers_option() {
  return text_option("layers", "auto",
                     "last, 4, -2, last5, 2-6 or 1+3+6 of texts: auto is last of sentences, last5 of words");
}
OptionSpec multi_option() {
  return choice_option("multi", {"mean", "max", "union"},
                       "several references of a segment: the mean, the best, or their rows together");
}
OptionSpec ball_option() {
  return choice_option("ball", {"closed", "open"}, "a ball includes its surface (<=) or not (<)");
}
OptionSpec k_option(std::uint64_t default_value) {
  return number_option("k", default_value, 1, "the ball of a row reaches to its k-th nearest neighbour",
                       10'000);
}

MetricInfo trained_metric(std::string name, std::string summary) {
  return {.name = std::move(name),
          .kind = Kind::trained,
          .better = Better::higher,
          .summary = std::move(summary),
          .results = {"score"},
          .main = "score",
          .options = {file_option("weights", {""}, "a folder made by markeval train")},
          .paper =
              "Mathur et al. 2019, Putting Evaluation in Context: Contextual Embeddings Improve Machine "
              "Translation Evaluation",
          .factory = std::monostate()};
}

std::vector<MetricInfo> make_registry() {
  std::vector<MetricInfo> list{
      {.name = "me",
       .kind = Kind::set,
       .better = Better::higher,
       .summary = "Mark-Evaluate: population estimators as quality and diversity",
       .results = {"petersen", "schnabel_qual", "schnabel_div", "capture"},
       .main = "petersen",
       .options = {k_option(1), samples_option(), scope_option(), layers_option(), multi_option()},
       .paper = "Mordido and Meinel 2020, Mark-Evaluate: Assessing Language Generation using Population "
                "Estimation "
                "Methods",
       .factory = make_mark_evaluate},
      {.name = "impar",
       .kind = Kind::set,
       .better = Better::higher,
       .summary = "improved precision and recall",
       .results = {"precision", "recall"},
       .main = "precision",
       .options = {k_option(3), ball_option(), samples_option(), scope_option(), layers_option(),
                   multi_option()},
       .paper =
           "Kynkaanniemi et al. 2019, Improved Precision and Recall Metric for Assessing Generative Models",
       .factory = make_impar},
      {.name = "prdc",
       .kind = Kind::set,
       .better = Better::higher,
       .summary = "precision, recall, density and coverage",
       .results = {"precision", "recall", "density", "coverage"},
       .main = "coverage",
       .options = {k_option(5), ball_option(), samples_option(), scope_option(), layers_option(),
                   multi_option()},
       .paper = "Naeem et al. 2020, Reliable Fidelity and Diversity Metrics for Generative Models",
       .factory = make_prdc},
      {.name = "prd",
       .kind = Kind::set,
       .better = Better::higher,
       .summary = "precision and recall of distributions over clusters",
       .results = {"f8", "f1_8"},
       .main = "f8",
       .options = {number_option("clusters", 20, 1, "of k-means on both sets together", 10'000),
                   number_option("runs", 10, 1, "clusterings to average over", 10'000), samples_option(),
                   scope_option(), layers_option(), multi_option()},
       .paper = "Sajjadi et al. 2018, Assessing Generative Models via Precision and Recall",
       .factory = make_prd},
      {.name = "fid",
       .kind = Kind::set,
       .better = Better::lower,
       .summary = "Frechet distance of the Gaussians fitted to both sets",
       .results = {"fid"},
       .main = "fid",
       .options = {samples_option(), scope_option(), layers_option(), multi_option()},
       .paper = "Heusel et al. 2017, GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash "
                "Equilibrium",
       .factory = make_fid},
      {.name = "bertscore",
       .kind = Kind::pair,
       .better = Better::higher,
       .summary = "greedy matching of contextual token vectors by cosine",
       .results = {"precision", "recall", "f1"},
       .main = "f1",
       .options = bertscore_options(),
       .paper = "Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT",
       .factory = make_bertscore},
      {.name = "bertr",
       .kind = Kind::pair,
       .better = Better::higher,
       .summary = "mean best cosine of the reference's tokens",
       .results = {"recall"},
       .main = "recall",
       .options = bertr_options(),
       .paper = "Mathur et al. 2019, Putting Evaluation in Context: Contextual Embeddings Improve Machine "
                "Translation Evaluation",
       .factory = make_bertr},
      {.name = "moverscore",
       .kind = Kind::pair,
       .better = Better::higher,
       .summary = "one minus the cost of moving the candidate's n-grams onto the reference's",
       .results = {"moverscore"},
       .main = "moverscore",
       .options = mover_options(),
       .paper = "Zhao et al. 2019, MoverScore: Text Generation Evaluating with Contextualized Embeddings and "
                "Earth Mover Distance",
       .factory = make_moverscore},
      {.name = "hmd",
       .kind = Kind::pair,
       .better = Better::higher,
       .summary = "hard mover distance: every n-gram goes to its nearest",
       .results = {"precision", "recall", "f1"},
       .main = "f1",
       .options = mover_options(),
       .paper = "Zhao et al. 2019, MoverScore: Text Generation Evaluating with Contextualized Embeddings and "
                "Earth Mover Distance",
       .factory = make_hmd},
  };
  list.push_back(
      {.name = "match",
       .kind = Kind::trained,
       .better = Better::higher,
       .summary = "learned from human scores: matching of token vectors, ready to use",
       .results = {"score"},
       .main = "score",
       .options = {file_option("weights", {""},
                               "a folder made by markeval train; none: the head the program has for "
                               "the model"),
                   choice_option("multi", {"max", "mean"},
                                 "several references: the best or the mean of their scores")},
       .paper = "none: bertscore (Zhang et al. 2020) with a learned mix of layers, projections and "
                "token weights",
       .factory = std::monostate()});
  list.push_back(trained_metric("bilstm", "learned from human scores: BiLSTMs, pooled and compared"));
  list.push_back(
      trained_metric("bilstm-attention", "learned from human scores: each text seen through the other"));
  list.push_back(trained_metric("esim", "learned from human scores: enhanced sequential inference model"));
  std::vector<MetricInfo> lexical = lexical_metrics();
  for (MetricInfo& info : lexical) list.push_back(std::move(info));
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

std::span<const MetricInfo> registry() {
  static const std::vector<MetricInfo> list = make_registry();
  return list;
}

const MetricInfo& find_metric(std::string_view name) {
  const auto list = registry();
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const MetricInfo& info) { return info.name == name; });
  if (found != list.end()) return *found;
  std::vector<std::string> names;
  for (const MetricInfo& info : list) names.push_back(info.name);
  throw_usage(fmt::format("unknown metric '{}'{}", name, suggestion(name, names)));
}

MetricRequest parse_metric_request(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (text.substr(0, colon).find(',') != std::string_view::npos) {
    std::string each(text);  // options have commas too: only names are taken apart
    for (std::size_t comma = 0; (comma = each.find(',', comma)) < each.find(':');)
      each.replace(comma, 1, " -m ");
    throw_usage(fmt::format("metric '{}', expected one metric per -m: -m {}", text, each));
  }
  const MetricInfo& info = find_metric(text.substr(0, colon));
  const std::string_view options =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  return {std::string(text), &info, OptionValues(info.name, info.options, options)};
}

}  // namespace markeval::metric
