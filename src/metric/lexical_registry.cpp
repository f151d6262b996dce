// Each entry: name, results, options, range, paper and factory.
#include "metric/lexical_registry.hpp"

namespace markeval::metric {
namespace {

OptionSpec yes_no(std::string name, std::string meaning, bool yes = false) {
  return choice_option(std::move(name),
                       yes ? std::vector<std::string>{"yes", "no"} : std::vector<std::string>{"no", "yes"},
                       std::move(meaning));
}

/// The default first.
OptionSpec tokenize_option(const std::string& first) {
  std::vector<std::string> choices{first};
  for (const char* name : {"13a", "intl", "char", "zh", "none"}) {
    if (name != first) choices.emplace_back(name);
  }
  return choice_option("tokenize", choices, "how lines become words; none: at white space");
}

OptionSpec mean_option(const char* usual, const char* meaning) {
  return choice_option("multi", {usual, "mean"}, meaning);
}

std::vector<OptionSpec> bleu_options(bool effective_order) {
  return {tokenize_option("13a"),
          choice_option("smooth", {"exp", "floor", "add-k", "none"}, "what an order without a match counts"),
          real_option("smooth_value", {}, "of floor (0.1) or add-k (1)"),
          yes_no("lowercase", "ignore case"),
          yes_no("effective_order", "leave out orders the text is too short for", effective_order),
          count_option("max_order", 4, 1, "longest n-gram", 32)};
}

std::vector<OptionSpec> sentence_bleu_options() {
  std::vector<OptionSpec> options = bleu_options(true);
  options.push_back(mean_option("pool", "several references: their n-grams together, or the mean score"));
  return options;
}

std::vector<OptionSpec> chrf_options(std::uint64_t word_order) {
  return {count_option("char_order", 6, 0, "longest character n-gram", 100),
          count_option("word_order", word_order, 0, "longest word n-gram", 100),
          count_option("beta", 2, 0, "how much more recall counts than precision", 1000),
          yes_no("lowercase", "ignore case"),
          yes_no("whitespace", "keep white space in character n-grams"),
          yes_no("eps_smoothing", "mean over all orders, empty ones as 1e-16"),
          choice_option("average", {"corpus", "segments"},
                        "counts of the whole corpus, or the mean of the segments' scores"),
          mean_option("max", "several references: the best, or the mean over them of the segments' scores")};
}

OptionSpec several_references(std::vector<std::string> choices) {
  return choice_option("multi", std::move(choices),
                       "several references: the best F1, the mean, or their counts together");
}

MetricInfo rouge(std::string name, std::string summary, LexicalMetricFactory factory) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .results = {"precision", "recall", "f1"},
          .main = "f1",
          .range = "0 to 1",
          .options = {yes_no("stem", "compare Porter stems"), several_references({"max", "mean"})},
          .paper = "Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries",
          .factory = factory};
}

MetricInfo one(std::string name, Better better, std::string range, std::string summary,
               std::vector<OptionSpec> options, std::string paper, LexicalMetricFactory factory) {
  return {.name = name,
          .better = better,
          .summary = std::move(summary),
          .results = {name},
          .range = std::move(range),
          .options = std::move(options),
          .paper = std::move(paper),
          .factory = factory};
}

}  // namespace

std::vector<MetricInfo> lexical_metrics() {
  const std::string papineni =
      "Papineni et al. 2002, BLEU: a Method for Automatic Evaluation of Machine Translation";
  const std::string levenshtein =
      "Levenshtein 1966, Binary Codes Capable of Correcting Deletions, Insertions, and Reversals";
  std::vector<MetricInfo> list{
      one("bleu", Better::higher, "0 to 100", "BLEU of the whole corpus, as sacrebleu 2.6.0",
          bleu_options(false), papineni, make_bleu),
      one("sentbleu", Better::higher, "0 to 100", "mean BLEU of the sentences, as sacrebleu 2.6.0",
          sentence_bleu_options(), papineni, make_sentence_bleu),
      one("chrf", Better::higher, "0 to 100", "character n-gram F-score, as sacrebleu 2.6.0", chrf_options(0),
          "Popovic 2015, chrF: character n-gram F-score for automatic MT evaluation", make_chrf),
      one("chrf++", Better::higher, "0 to 100", "chrF with word n-grams, as sacrebleu 2.6.0", chrf_options(2),
          "Popovic 2017, chrF++: words helping character n-grams", make_chrf),
      one("ter", Better::lower, "0 to 100 or more", "translation edit rate, as sacrebleu 2.6.0",
          {yes_no("normalized", "split punctuation off"), yes_no("no_punct", "remove punctuation"),
           yes_no("asian_support", "with these two: Chinese and Japanese characters too"),
           yes_no("case_sensitive", "do not lowercase")},
          "Snover et al. 2006, A Study of Translation Edit Rate with Targeted Human Annotation", make_ter),
      one("wer", Better::lower, "0 or more", "word error rate, as jiwer 4.0.0",
          {yes_no("lowercase", "ignore case")}, levenshtein, make_wer),
      one("cer", Better::lower, "0 or more", "character error rate, as jiwer 4.0.0",
          {yes_no("lowercase", "ignore case")}, levenshtein, make_cer),
      one("per", Better::lower, "0 or more", "word error rate without word order",
          {yes_no("lowercase", "ignore case")},
          "Tillmann et al. 1997, Accelerated DP Based Search for Statistical Translation", make_per),
      one("cder", Better::lower, "0 or more", "word error rate where a block move is one edit",
          {yes_no("lowercase", "ignore case")},
          "Leusch et al. 2006, CDER: Efficient MT Evaluation Using Block Movements", make_cder),
      one("character", Better::lower, "0 or more", "CharacTER, as PyPI cer 1.2.0",
          {tokenize_option("none"), yes_no("lowercase", "ignore case")},
          "Wang et al. 2016, CharacTer: Translation Edit Rate on Character Level", make_character),
      one("nist", Better::higher, "0 or more", "n-grams weighted by information, as nltk",
          {count_option("n", 5, 1, "longest n-gram", 32), tokenize_option("none"),
           yes_no("lowercase", "ignore case")},
          "Doddington 2002, Automatic Evaluation of Machine Translation Quality Using N-gram Co-Occurrence "
          "Statistics",
          make_nist),
      one("meteor", Better::higher, "0 to 1", "aligned words, stems and synonyms, as nltk",
          {real_option("alpha", 0.9, "weight of precision against recall"),
           real_option("beta", 3, "shape of the penalty for fragments"),
           real_option("gamma", 0.5, "weight of that penalty"), tokenize_option("none"),
           file_option("wordnet", {"installed", "none"}, "a WordNet folder, installed, or none"),
           mean_option("max", "several references: the best or the mean of their scores")},
          "Banerjee and Lavie 2005, METEOR: An Automatic Metric for MT Evaluation with Improved Correlation "
          "with Human "
          "Judgments",
          make_meteor),
      one("cider", Better::higher, "0 to 10", "consensus of references, as pycocoevalcap 1.2",
          {choice_option("variant", {"d", "plain"}, "CIDEr-D (clipped, length penalty) or CIDEr"),
           real_option("sigma", 6, "width of the length penalty of CIDEr-D", {.least = 0.001, .most = 1e6}),
           count_option("n", 4, 1, "longest n-gram", 32), tokenize_option("none"),
           yes_no("lowercase", "ignore case"),
           choice_option("multi", {"mean", "max"},
                         "several references: the mean or the best of their scores")},
          "Vedantam et al. 2015, CIDEr: Consensus-based Image Description Evaluation", make_cider),
      one("tfidf", Better::higher, "0 to 1", "cosine of tf-idf weighted words",
          {tokenize_option("13a"), yes_no("lowercase", "ignore case", true),
           count_option("n", 1, 1, "words per n-gram", 9),
           choice_option("multi", {"max", "mean"},
                         "several references: the best or the mean of their scores")},
          "Salton and Buckley 1988, Term-weighting Approaches in Automatic Text Retrieval", make_tfidf),
      rouge("rouge1", "shared words, as rouge-score 0.1.2", make_rouge_1),
      rouge("rouge2", "shared pairs of words, as rouge-score 0.1.2", make_rouge_2),
      rouge("rougeL", "longest common subsequence, as rouge-score 0.1.2", make_rouge_l),
      rouge("rougeLsum", "rougeL line by line, as rouge-score 0.1.2", make_rouge_lsum),
      rouge("rougeW", "rougeL, runs weigh more, as ROUGE-1.5.5", make_rouge_w),
      rouge("rougeSU4", "skip-bigrams and words, as ROUGE-1.5.5", make_rouge_su4),
      rouge("rougeWE", "words that match by their vectors", make_rouge_we),
  };
  for (MetricInfo& info : list) {
    if (info.name == "rougeW" || info.name == "rougeSU4")
      info.options.back() = several_references({"pool", "max", "mean"});
    if (info.name == "rougeW") {
      info.options.push_back(
          real_option("weight", 1.2, "k matches in a row count k^weight", {.least = 1, .most = 10}));
      info.options.push_back(choice_option("recall", {"1.5.5", "paper"},
                                           "1.5.5 weighs the reference length twice, the paper once"));
    } else if (info.name == "rougeWE") {
      info.options = {required_file("embeddings", "file of word vectors: word2vec or GloVe, also .gz"),
                      count_option("n", 1, 1, "words per n-gram", 9),
                      real_option("threshold", 0.8, "cosine from which two n-grams match"),
                      several_references({"max", "mean"})};
      info.paper = "Ng and Abrecht 2015, Better Summarization Evaluation with Word Embeddings for ROUGE";
    }
  }
  return list;
}

}  // namespace markeval::metric
