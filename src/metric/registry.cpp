// The entries of set, pair and trained metrics, and the parsing of a request such as "rouge2.f1:stem=yes".
#include "metric/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

/// A name as people spell it: small letters, without - and _. "ROUGE-L" -> "rougel".
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '-' && c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const auto& [spelling, metric] : {std::pair("chrfpp", "chrf++"), std::pair("chrfplusplus", "chrf++"),
                                         std::pair("sentencebleu", "sentbleu")}) {
    if (plain == spelling) plain = metric;
  }
  return plain;
}

/// The metric of that name in any spelling; null: none.
const MetricInfo* metric_spelled(std::string_view name) {
  const MetricInfo* found = nullptr;
  for (const MetricInfo& info : registry()) {
    if (info.name == name) return &info;
    if (plain_name(info.name) == plain_name(name)) found = &info;
  }
  return found;
}

/// "prdc.precision, bertscore.precision and 7 others" for a result that is taken for a metric; else empty.
std::string metrics_with_result(std::string_view result) {
  std::vector<std::string> found;
  for (const MetricInfo& info : registry()) {
    if (std::find(info.results.begin(), info.results.end(), result) != info.results.end())
      found.push_back(fmt::format("{}.{}", info.name, result));
  }
  constexpr std::size_t kShown = 4;
  const std::size_t others = found.size() - std::min(found.size(), kShown);
  found.resize(found.size() - others);
  return fmt::format("{}{}", fmt::join(found, ", "), others > 0 ? fmt::format(" and {} others", others) : "");
}

/// What people look for under the name other tools have for it.
std::string answer_to_foreign(std::string_view name) {
  struct Foreign {
    std::string_view name, answer;
  };
  static constexpr std::string_view kDiversity =
      "is not offered; me.schnabel_div, prdc.coverage and prd.f8 measure the diversity of a set";
  static constexpr std::array kForeign{
      Foreign{"comet",
              "is not offered: it needs the source text and a model of its own; the nearest here is match, "
              "learned from human scores too"},
      Foreign{"bleurt",
              "is not offered: it is a model of its own; the nearest here is match, learned from human "
              "scores too"},
      Foreign{"mauve", "is not offered; the nearest here are prd, which compares clusters too, and me"},
      Foreign{"selfbleu", kDiversity},
      Foreign{"distinct", kDiversity},
      Foreign{"distinctn", kDiversity},
      Foreign{"distinct1", kDiversity},
      Foreign{"distinct2", kDiversity},
      Foreign{"distinct3", kDiversity},
      Foreign{"distinct4", kDiversity},
      Foreign{"diversity", kDiversity},
      Foreign{
          "spbleu",
          "is not offered: it needs a SentencePiece model; cut the texts into pieces with that model, and "
          "score the pieces with bleu:tokenize=none"},
      Foreign{"all", "stands for no single metric: name the metrics, or take those of a task with --preset"},
      Foreign{"rouge", "is offered as rouge1, rouge2, rougeL, rougeLsum, rougeW, rougeSU4 and rougeWE"},
      Foreign{"wmd", "is offered as moverscore:n=1, with embeddings=FILE for static vectors"},
      Foreign{"smd", "is offered as moverscore:n=sentence"},
      Foreign{"frechet", "is offered as fid"},
      Foreign{"perplexity", "is not offered: it needs a language model; the nearest here is me"},
  };
  const std::string wanted = plain_name(name);
  const auto found = std::find_if(kForeign.begin(), kForeign.end(),
                                  [&](const Foreign& foreign) { return foreign.name == wanted; });
  return found == kForeign.end() ? "" : std::string(found->answer);
}

bool is_metric(std::string_view name) {
  return metric_spelled(name) != nullptr;
}
bool is_named(std::string_view name) {
  const MetricInfo* info = metric_spelled(name);
  return info != nullptr && info->name == name;
}

/// "ROUGE-2.f1:stem=yes" -> "rouge2.f1:stem=yes"; what is no metric stays as it is.
std::string usual_spelling(std::string_view request) {
  std::size_t start = request.find('=');
  start = start < request.find(':') ? start + 1 : 0;
  const std::size_t end = std::min(request.find_first_of(".:", start), request.size());
  const MetricInfo* info = metric_spelled(request.substr(start, end - start));
  if (info == nullptr) return std::string(request);
  return fmt::format("{}{}{}", request.substr(0, start), info->name, request.substr(end));
}

/// Whether what stands after a comma begins with a metric, and so is no option of the one before:
/// "bleu", "bertscore.f1", "words=me:samples=word".
bool starts_a_request(std::string_view piece) {
  const std::size_t equals = piece.find('=');
  if (equals != std::string_view::npos && equals < piece.find(':')) piece.remove_prefix(equals + 1);
  return is_metric(piece.substr(0, piece.find_first_of(".:")));
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

const MetricInfo& find_metric(std::string_view name) {
  if (const MetricInfo* found = metric_spelled(name)) return *found;
  if (const std::string answer = answer_to_foreign(name); !answer.empty())
    throw_usage(fmt::format("metric '{}' {}", name, answer));
  if (const std::string results = metrics_with_result(name); !results.empty())
    throw_usage(fmt::format("'{}' is a result of metrics: {}", name, results));
  std::vector<std::string> names;
  for (const MetricInfo& info : registry()) names.push_back(info.name);
  const auto close = closest_word(name, names);
  throw_usage(
      fmt::format("unknown metric '{}'; {}", name,
                  close ? fmt::format("did you mean '{}'?", *close) : "`markeval metrics` lists them"));
}

double main_score(const Result& result) {
  const std::string& main = find_metric(result.metric).main;
  for (const auto& [name, value] : result.scores) {
    if (name == main) return value;
  }
  return result.scores.at(0).second;
}

MetricRequest parse_metric_request(std::string_view text) {
  std::string_view asked = text;
  const std::size_t equals = text.find('=');
  if (equals < text.find(':')) asked.remove_prefix(equals + 1);
  const std::string_view given_name = text.substr(0, asked.size() == text.size() ? 0 : equals);
  if (asked.size() < text.size() && (given_name.empty() || is_named(given_name))) {
    throw_usage(fmt::format("metric '{}', expected a name of your own before the '='{}", text,
                            given_name.empty() ? "" : fmt::format(", '{}' is a metric's", given_name)));
  }
  const std::size_t colon = asked.find(':');
  const std::string_view head = asked.substr(0, colon);
  const std::string_view metric = head.substr(0, head.find('.'));
  const MetricInfo& info = find_metric(metric);
  const std::string result(head.substr(std::min(head.size(), metric.size() + 1)));
  if (metric.size() < head.size() &&
      std::find(info.results.begin(), info.results.end(), result) == info.results.end())
    throw_usage(fmt::format("{} has no result '{}'{}", info.name, result, suggestion(result, info.results)));
  const std::string_view options =
      colon == std::string_view::npos ? std::string_view() : asked.substr(colon + 1);
  return {std::string(given_name.empty() ? text : given_name), &info,
          OptionValues(info.name, info.options, options), result};
}

std::vector<MetricRequest> parse_metrics(std::span<const std::string> texts) {
  std::vector<MetricRequest> metrics;
  for (const std::string& text : texts) metrics.push_back(parse_metric_request(text));
  return metrics;
}

std::vector<std::string> split_metrics(std::string_view text) {
  std::vector<std::string> requests;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string_view piece = text.substr(start, comma - start);
    const bool goes_on =
        !requests.empty() && requests.back().find(':') != std::string::npos && !starts_a_request(piece);
    if (goes_on) {
      requests.back() += fmt::format(",{}", piece);
    } else {
      requests.push_back(usual_spelling(piece));
    }
    start = comma + 1;
  }
  return requests;
}

}  // namespace markeval::metric
