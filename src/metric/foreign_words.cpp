// The words of sacrebleu, evaluate, bert_score, MAUVE, prdc and their like.
#include "metric/foreign_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace markeval::metric {
namespace {

/// One answer to several names, with blanks between them, all as plain_name() writes them.
struct Answer {
  std::string_view names, text;
};

constexpr Answer kMetricAnswers[] = {
    {"comet comet22 cometkiwi xcomet wmt22cometda metricx",
     "is not offered: it needs the source text and a model of its own; the nearest here is match, learned "
     "from human scores too"},
    {"bleurt bleurt20 bartscore frugalscore prism unieval geval",
     "is not offered: it is a model of its own; the nearest here is match, learned from human scores too"},
    {"mauve", "is not offered; the nearest here are prd, which compares clusters too, and me"},
    {"selfbleu distinct distinctn distinct1 distinct2 distinct3 distinct4 dist1 dist2 diversity vendi "
     "vendiscore ttr typetokenratio",
     "is not offered; me.schnabel_div, prdc.coverage and prd.f8 measure the diversity of a set"},
    {"spbleu",
     "is not offered: it needs a SentencePiece model; cut the texts into pieces with that model, and score "
     "the pieces with bleu:tokenize=none"},
    {"all", "stands for no single metric: name the metrics, or take those of a task with --preset"},
    {"sacrebleu", "is offered as bleu, chrf, chrf++ and ter"},
    {"rouge", "is offered as rouge1, rouge2, rougeL, rougeLsum, rougeW, rougeSU4 and rougeWE"},
    {"googlebleu gleu", "is not offered; the nearest here is sentbleu"},
    {"bleu1", "is offered as bleu:max_order=1"},
    {"bleu2", "is offered as bleu:max_order=2"},
    {"bleu3", "is offered as bleu:max_order=3"},
    {"exactmatch", "is not offered; wer and cer of a segment are 0 where it equals its reference"},
    {"charcut charcutmt levenshtein editdistance", "is not offered; the nearest here are cer and character"},
    {"sari", "is not offered: it compares with the source text too; the nearest here are bleu and rougeL"},
    {"spice clipscore", "is not offered; the nearest here are cider and meteor"},
    {"wmd", "is offered as moverscore:n=1, with embeddings=FILE for static vectors"},
    {"smd", "is offered as moverscore:n=sentence"},
    {"frechet frechetdistance fbd", "is offered as fid"},
    {"mmd kid", "is not offered; the nearest here is fid"},
    {"perplexity", "is not offered: it needs a language model; the nearest here is me"},
    {"pearson pearsonr spearman spearmanr kendall kendalltau",
     "is no metric but a coefficient: markeval correlate compares metrics with human scores by it"},
};

/// Names of one option elsewhere, and here: the first of `ours` that the metric has.
struct OptionName {
  std::string_view theirs, ours;
};
constexpr OptionName kOptionNames[] = {
    {"tok tokenizer tokeniser bleutokenize", "tokenize"},
    {"smoothmethod bleusmoothmethod smoothing", "smooth"},
    {"bleusmoothvalue", "smooth_value"},
    {"lc lower uncased ignorecase dolowercase chrflowercase", "lowercase"},
    {"eff useeffectiveorder", "effective_order"},
    {"ngram ngrams order maxngramorder", "n max_order"},
    {"nc chrfcharorder", "char_order"},
    {"nw chrfwordorder", "word_order"},
    {"chrfbeta", "beta"},
    {"chrfwhitespace space", "whitespace"},
    {"usestemmer stemmer stemming porter", "stem"},
    {"norm ternormalized", "normalized"},
    {"ignorepunct removepunct nopunctuation ternopunct", "no_punct"},
    {"supportzhjachars asian terasiansupport", "asian_support"},
    {"case tercasesensitive", "case_sensitive"},
    {"numlayers numlayer", "layer layers"},
    {"rescalewithbaseline baselinepath baseline", "rescale"},
    {"removesubwords", "subwords"},
    {"nearestk neighbors neighbours nneighbors", "k"},
    {"numbuckets numclusters nclusters", "clusters"},
    {"kmeansnumredo numruns", "runs"},
};

constexpr Answer kOptionAnswers[] = {
    {"model modeltype modelname modelpath featurizemodelname lang device deviceid batchsize nthreads seed "
     "maxtextlength",
     "; a metric does not choose models, machines or the seed: these are options of the whole run, such as "
     "--model NAME"},
    {"rougetypes", "; name the metrics themselves: rouge1 rouge2 rougeL"},
    {"useaggregator", "; scores of single texts are --segments"},
};

/// "n max_order" -> "n", and "max_order" is left.
std::string_view take_word(std::string_view& words) {
  const std::string_view word = words.substr(0, words.find(' '));
  words.remove_prefix(std::min(words.size(), word.size() + 1));
  return word;
}

bool holds(std::string_view words, std::string_view wanted) {
  while (!words.empty()) {
    if (take_word(words) == wanted) return true;
  }
  return false;
}

std::string answer_to(std::string_view name, std::span<const Answer> answers) {
  const auto found =
      std::ranges::find_if(answers, [&](const Answer& answer) { return holds(answer.names, name); });
  return found == answers.end() ? "" : std::string(found->text);
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '-' && c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
      {"chrfpp", "chrf++"}, {"chrfplusplus", "chrf++"},   {"chrf2", "chrf"},  {"chrf2++", "chrf++"},
      {"bleu4", "bleu"},    {"sentencebleu", "sentbleu"}, {"nistmt", "nist"}, {"ciderd", "cider"}};
  for (const auto& [spelling, metric] : kSpellings) {
    if (plain == spelling) plain = metric;
  }
  return plain;
}

std::string answer_to_metric(std::string_view name) {
  return answer_to(plain_name(name), kMetricAnswers);
}

std::string answer_to_option(std::string_view name, std::span<const std::string> options) {
  const std::string plain = plain_name(name);
  for (const OptionName& option : kOptionNames) {
    if (!holds(option.theirs, plain)) continue;
    for (std::string_view left = option.ours; !left.empty();) {
      const std::string_view ours = take_word(left);
      if (std::ranges::find(options, ours) != options.end()) return fmt::format("; that is '{}' here", ours);
    }
  }
  return answer_to(plain, kOptionAnswers);
}

}  // namespace markeval::metric
