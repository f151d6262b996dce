// The entries of set, pair and trained metrics.
#include "metric/registry.hpp"

#include <algorithm>

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
OptionSpec unit_option() {
  return choice_option("unit", {"no", "yes"}, "rows of texts as the model gives them, or of length 1");
}
OptionSpec multi_option() {
  return choice_option("multi", {"mean", "max", "union"},
                       "several references of a segment: the mean, the best, or their rows together");
}
OptionSpec ball_option() {
  return choice_option("ball", {"closed", "open"}, "a ball includes its surface (<=) or not (<)");
}
OptionSpec n_option() {
  return number_option("n", 0, 0, "so many texts of each set, drawn 10 times, and the mean; 0: all texts, once");
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
  std::vector<MetricInfo> list{
      {.name = "me",
       .kind = Kind::set,
       .better = Better::higher,
       .summary = "Mark-Evaluate: do the sets mix? quality, diversity",
       .results = {"petersen", "schnabel_qual", "schnabel_div", "capture"},
       .main = "petersen",
       .range = "0 to 1",
       .options = {k_option(1), samples_option(), scope_option(), layers_option(), unit_option(),
                   multi_option(), n_option()},
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
       .range = "0 to 1",
       .options = {k_option(3), ball_option(), samples_option(), scope_option(), layers_option(),
                   unit_option(), multi_option(), n_option()},
       .paper =
           "Kynkaanniemi et al. 2019, Improved Precision and Recall Metric for Assessing Generative Models",
       .factory = make_impar},
      {.name = "prdc",
       .kind = Kind::set,
       .better = Better::higher,
       .summary = "precision, recall, density and coverage",
       .results = {"precision", "recall", "density", "coverage"},
       .main = "coverage",
       .range = "0 to 1",
       .options = {k_option(5), ball_option(), samples_option(), scope_option(), layers_option(),
                   unit_option(), multi_option(), n_option()},
       .paper = "Naeem et al. 2020, Reliable Fidelity and Diversity Metrics for Generative Models",
       .factory = make_prdc},
      {.name = "prd",
       .kind = Kind::set,
       .better = Better::higher,
       .summary = "precision and recall over clusters",
       .results = {"f8", "f1_8"},
       .main = "f8",
       .range = "0 to 1",
       .options = {number_option("clusters", 20, 1, "of k-means on both sets together", 10'000),
                   number_option("runs", 10, 1, "clusterings to average over", 10'000), samples_option(),
                   scope_option(), layers_option(), unit_option(), multi_option(), n_option()},
       .paper = "Sajjadi et al. 2018, Assessing Generative Models via Precision and Recall",
       .factory = make_prd},
      {.name = "fid",
       .kind = Kind::set,
       .better = Better::lower,
       .summary = "Frechet distance of the Gaussians fitted to both sets",
       .results = {"fid"},
       .main = "fid",
       .range = "0 or more",
       .options = {samples_option(), scope_option(), layers_option(), unit_option(), multi_option(), n_option()},
       .paper = "Heusel et al. 2017, GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash "
                "Equilibrium",
       .factory = make_fid},
      {.name = "bertscore",
       .kind = Kind::pair,
       .better = Better::higher,
       .summary = "best cosine of every token, both ways",
       .results = {"precision", "recall", "f1"},
       .main = "f1",
       .range = "-1 to 1",
       .options = bertscore_options(),
       .paper = "Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT",
       .factory = make_bertscore},
      {.name = "bertr",
       .kind = Kind::pair,
       .better = Better::higher,
       .summary = "mean best cosine of the reference's tokens",
       .results = {"recall"},
       .main = "recall",
       .range = "-1 to 1",
       .options = bertr_options(),
       .paper = "Mathur et al. 2019, Putting Evaluation in Context: Contextual Embeddings Improve Machine "
                "Translation Evaluation",
       .factory = make_bertr},
      {.name = "moverscore",
       .kind = Kind::pair,
       .better = Better::higher,
       .summary = "1 - cost of moving the text onto its reference",
       .results = {"moverscore"},
       .main = "moverscore",
       .range = "1 or less",
       .options = mover_options(),
       .paper = "Zhao et al. 2019, MoverScore: Text Generation Evaluating with Contextualized Embeddings and "
                "Earth Mover Distance",
       .factory = make_moverscore},
      {.name = "hmd",
       .kind = Kind::pair,
       .better = Better::higher,
       .summary = "as moverscore, every n-gram to its nearest",
       .results = {"precision", "recall", "f1"},
       .main = "f1",
       .range = "1 or less",
       .options = mover_options(),
       .paper = "Zhao et al. 2019, MoverScore: Text Generation Evaluating with Contextualized Embeddings and "
                "Earth Mover Distance",
       .factory = make_hmd},
  };
  list.push_back(
      {.name = "match",
       .kind = Kind::trained,
       .better = Better::higher,
       .summary = "learned matching of token vectors, ready to use",
       .results = {"score"},
       .main = "score",
       .range = "any",
       .options = {file_option("weights", {""},
                               "a folder made by markeval train; none: the head the program has for "
                               "the model"),
                   choice_option("multi", {"max", "mean"},
                                 "several references: the best or the mean of their scores")},
       .paper = "none: bertscore (Zhang et al. 2020) with a learned mix of layers, projections and "
                "token weights",
       .factory = Learned::match});
  list.push_back(
      {.name = "blend",
       .kind = Kind::trained,
       .better = Better::higher,
       .summary = "a learned weighted sum of other metrics",
       .results = {"score"},
       .main = "score",
       .range = "any",
       .options = {required_file("weights", "a folder made by markeval train --arch blend")},
       .paper = "none: ridge regression on scores of other metrics",
       .factory = Learned::blend});
  list.push_back(trained_metric("bilstm", "BiLSTMs, pooled and compared"));
  list.push_back(trained_metric("bilstm-attention", "with attention between the texts"));
  list.push_back(trained_metric("esim", "enhanced sequential inference model"));
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

bool MetricInfo::has_option(std::string_view option) const {
  return std::any_of(options.begin(), options.end(),
                     [&](const OptionSpec& one) { return one.name == option; });
}

std::span<const MetricInfo> registry() {
  static const std::vector<MetricInfo> list = make_registry();
  return list;
}

}  // namespace markeval::metric
