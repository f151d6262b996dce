// `markeval sacrebleu` takes the words of sacrebleu's command and prints what it prints.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "api/compare.hpp"
#include "api/markeval.hpp"
#include "base/json.hpp"
#include "base/suggestion.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"
#include "cli/sacrebleu_output.hpp"
#include "cli/terminal.hpp"
#include "text/corpus.hpp"

namespace markeval::cli {
namespace {

constexpr const char* kSacrebleuExamples =
    "Examples:\n"
    "  markeval sacrebleu refs.txt -i out.txt -m bleu chrf -b -w 2\n"
    "  markeval sacrebleu refs.txt -i base.txt mine.txt -m bleu chrf --paired-bs -f text\n\n"
    "It prints what sacrebleu 2.6 prints, without colours. Test sets (-t) are not fetched: references are "
    "files.";

struct SacrebleuOptions {
  std::vector<std::string> references, inputs, metrics;
  std::string format = "json", tokenize, language_pair, smooth = "exp";
  std::string encoding = "utf-8";
  bool lowercase = false, score_only = false, confidence = false, paired_bs = false, paired_ar = false,
       quiet = false, sentence_level = false, short_signature = false, no_color = false, force = false;
  bool chrf_whitespace = false, chrf_lowercase = false, chrf_eps_smoothing = false;
  bool ter_case_sensitive = false, ter_asian_support = false, ter_no_punct = false, ter_normalized = false;
  std::uint64_t width = 1, confidence_n = 1000, paired_bs_n = 1000, paired_ar_n = 10'000, char_order = 6,
                word_order = 0, num_refs = 1, jobs = 0;
  std::optional<double> smooth_value{};
  double chrf_beta = 2;
  Settings settings;
};

/// Throws Error(usage) with the reason for the tokenizers of sacrebleu that need another library or a model.
void require_tokenizer(const std::string& name) {
  const bool mecab = name.ends_with("-mecab");
  if (mecab || name == "spm" || name.starts_with("flores") || name == "spBLEU-1K")
    throw_usage(
        fmt::format("-tok {} is not offered: it needs {}; use -tok char, or -m chrf, which needs no words",
                    name, mecab ? "MeCab and a dictionary" : "a SentencePiece model"));
}

/// "bleu" -> "bleu:lowercase=yes,tokenize=zh"
std::string our_metric(const std::string& name, const SacrebleuOptions& options) {
  const std::vector<std::string> known{"bleu", "chrf", "ter"};
  if (std::ranges::find(known, name) == known.end())
    throw_usage(fmt::format("-m '{}'{}; markeval score has more", name, suggestion(name, known)));
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? ":" : ",") + word; };
  if (name == "bleu") {
    std::string tokenize = options.tokenize;
    const std::string target = options.language_pair.substr(options.language_pair.find('-') + 1);
    if (tokenize.empty())
      tokenize = target == "zh" ? "zh" : target == "ja" || target == "ko" ? target + "-mecab" : "";
    if (options.lowercase) add("lowercase=yes");
    require_tokenizer(tokenize);
    if (!tokenize.empty()) add("tokenize=" + tokenize);
    if (options.smooth != "exp") add("smooth=" + options.smooth);
    if (options.smooth_value && (options.smooth == "floor" || options.smooth == "add-k"))
      add(fmt::format("smooth_value={}", *options.smooth_value));
    if (options.sentence_level) add("effective_order=yes");
  }
  const auto add_if = [&](bool given, const char* option) {
    if (given) add(fmt::format("{}=yes", option));
  };
  if (name == "chrf") {
    if (options.char_order != 6) add(fmt::format("char_order={}", options.char_order));
    if (options.word_order != 0) add(fmt::format("word_order={}", options.word_order));
    if (options.chrf_beta != 2) add(fmt::format("beta={}", options.chrf_beta));
    add_if(options.chrf_whitespace, "whitespace");
    add_if(options.chrf_lowercase, "lowercase");
    add_if(options.chrf_eps_smoothing, "eps_smoothing");
  }
  if (name == "ter") {
    add_if(options.ter_normalized, "normalized");
    add_if(options.ter_no_punct, "no_punct");
    add_if(options.ter_asian_support, "asian_support");
    add_if(options.ter_case_sensitive, "case_sensitive");
  }
  return name + words;
}

/// -nr: a file with several references in each line, between tabs; lines as they are, whatever the file's
/// name ends in.
text::Corpus split_references(const std::string& file, std::size_t count) {
  text::SegmentReader lines(text::InputSpec{file, "", text::InputFormat::plain});
  text::Corpus split;
  split.name = lines.name();
  for (std::span<const std::string_view> line; lines.next(line);) {
    std::string_view left = line.front();
    const auto found = static_cast<std::size_t>(std::ranges::count(left, '\t')) + 1;
    if (found != count)
      throw_invalid(fmt::format("{}:{}: {} references, expected {} (-nr)", lines.name(), lines.line_number(),
                                found, count));
    for (std::size_t one = 0; one < count; ++one) {
      const std::string_view text = left.substr(0, left.find('\t'));
      split.texts.emplace_back(text);
      left.remove_prefix(std::min(left.size(), text.size() + 1));
    }
    split.starts.push_back(split.texts.size());
  }
  return split;
}

/// `split`: the references of -nr, which must outlive the request; empty without it.
ScoreRequest request_of(const SacrebleuOptions& options, const text::Corpus& split) {
  ScoreRequest request;
  for (const std::string& file : options.references) {
    if (split.texts.empty()) {
      request.references.push_back({"", file});
    } else {
      request.references.push_back({split.name, Texts{split.texts, split.starts}});
    }
  }
  for (const std::string& file : options.inputs) request.systems.push_back({file, file});
  if (request.systems.empty()) request.systems.push_back({"System 1", "-"});
  for (const std::string& name : options.metrics) request.metrics.push_back(our_metric(name, options));
  return request;
}

const Result& result_of(const Report& report, const std::string& system, const std::string& metric) {
  return *std::ranges::find_if(report.results(), [&](const Result& result) {
    return result.system == system && result.requested == metric;
  });
}

std::optional<double> real(const Result& result, const std::string& name) {
  for (const auto& [key, value] : result.details) {
    if (key == name) return std::get<double>(value);
  }
  return std::nullopt;
}

void check_words(const SacrebleuOptions& options) {
  const bool several = options.inputs.size() > 1, paired = options.paired_bs || options.paired_ar;
  const auto refuse = [](bool wrong, const char* message) {
    if (wrong) throw_usage(message);
  };
  refuse(options.references.empty(), "no reference given, expected markeval sacrebleu REF... -i OUT...");
  refuse(options.paired_bs && options.paired_ar, "--paired-bs and --paired-ar, expected one of them");
  refuse(paired && !several, "a paired test needs several systems: -i BASE OTHER...");
  refuse(several && options.confidence, "--confidence is for one system; of several: --paired-bs");
  refuse(options.sentence_level && options.metrics.size() > 1,
         "--sentence-level takes one metric; markeval score --segments takes several");
  refuse(options.sentence_level && several,
         "--sentence-level takes one system; markeval score --segments takes several");
  refuse(options.sentence_level && (paired || options.confidence),
         "--sentence-level has no tests and intervals");
  refuse(options.num_refs > 1 && options.references.size() > 1,
         "-nr splits one reference file at its tabs, but several files are given");
  std::string encoding = options.encoding;
  std::transform(encoding.begin(), encoding.end(), encoding.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (encoding != "utf-8" && encoding != "utf8")
    throw_usage(fmt::format("-e {0}: files are read as UTF-8; convert them with iconv -f {0} -t UTF-8",
                            options.encoding));
}

/// A line for each sentence, as sacrebleu prints it: each is a corpus of its own.
std::string sentence_lines(const SacrebleuOptions& options, const ScoreRequest& request,
                           const text::Corpus& split, const SacrebleuStyle& style, Evaluator& evaluator,
                           Observer& observer, const std::atomic<bool>& interrupted) {
  std::vector<text::Corpus> references;
  if (split.texts.empty()) {
    for (const std::string& file : options.references) references.push_back(text::read_corpus(file));
  } else {
    references.push_back(split);
  }
  const text::Corpus system = text::read_corpus(std::get<std::string>(request.systems.front().source));
  for (const text::Corpus& file : references) {
    if (file.segments() != system.segments())
      throw_invalid(fmt::format("{} has {} segments but {} has {}", system.name, system.segments(), file.name,
                                file.segments()));
  }
  std::string lines;
  for (std::size_t i = 0; i < system.segments(); ++i) {
    ScoreRequest one = request;
    one.references.clear();
    std::vector<std::size_t> starts;
    for (const text::Corpus& file : references) {
      const auto texts = file.segment(i);
      starts = {0, texts.size()};
      one.references.push_back({file.name, Texts{texts, starts}});
    }
    one.systems.front().source = Texts{system.segment(i)};
    const Report report = evaluator.score(one, i == 0 ? &observer : nullptr, &interrupted);
    require_all_metrics(report);
    const Result& result = report.results().front();
    SacrebleuMetric metric = sacrebleu_metric(result, "", style.short_signature);
    metric.scores.push_back({main_score(result), {}, {}, {}});
    lines += sacrebleu_text({one.systems.front().name}, {metric}, style);
  }
  return lines;
}

void run_sacrebleu(SacrebleuOptions& options) {
  if (options.metrics.empty()) options.metrics = {"bleu"};
  check_words(options);
  if (options.jobs > 0) options.settings.threads = options.jobs;
  SacrebleuStyle style{options.width, options.format == "json" && !options.sentence_level, options.score_only,
                       "", 0};
  style.latex = options.format == "latex";
  style.short_signature = options.short_signature && !style.json;
  style.paired = options.paired_bs ? "bs" : options.paired_ar ? "ar" : "";
  if (style.paired.empty()) std::ranges::sort(options.metrics);
  const text::Corpus split =
      options.num_refs > 1 ? split_references(options.references.front(), options.num_refs) : text::Corpus();
  ScoreRequest request = request_of(options, split);

  Terminal terminal(options.quiet);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Evaluator evaluator(options.settings);
  if (options.sentence_level)
    return write_results("",
                         sentence_lines(options, request, split, style, evaluator, terminal, interrupted));
  std::string trials;
  if (options.confidence) {
    request.resamples = options.confidence_n;
    trials = fmt::format("bs:{}|seed:{}", request.resamples, request.seed);
  }
  nlohmann::json tests;
  if (!style.paired.empty()) {
    style.trials = options.paired_bs ? options.paired_bs_n : options.paired_ar_n;
    trials = fmt::format("{}:{}|seed:{}", style.paired, style.trials, request.seed);
    const CompareOptions compare{options.paired_bs ? "bootstrap" : "randomisation", style.trials, "none",
                                 0.05};
    const ComparisonReport report = evaluator.compare(request, compare, &terminal, &interrupted);
    tests = nlohmann::json::parse(report.json()).at("results");
  }
  const Report report = evaluator.score(request, &terminal, &interrupted);
  require_all_metrics(report);

  std::vector<std::string> systems;
  for (const Input& system : request.systems) systems.push_back(system.name);
  std::vector<SacrebleuMetric> metrics;
  for (std::size_t m = 0; m < request.metrics.size(); ++m) {
    const std::string& name = request.metrics[m].text;
    SacrebleuMetric& metric = metrics.emplace_back(
        sacrebleu_metric(result_of(report, systems[0], name), trials, style.short_signature));
    for (std::size_t s = 0; s < systems.size(); ++s) {
      const Result& result = result_of(report, systems[s], name);
      SacrebleuScore& score = metric.scores.emplace_back();
      score.score = main_score(result);
      score.mean = real(result, options.metrics[m] + "_bootstrap_mean");
      score.half_width = real(result, options.metrics[m] + "_bootstrap_half_width");
      if (style.paired.empty()) continue;
      const nlohmann::json& tested = tests[m].at("systems").at(s);
      if (style.paired == "bs") {
        score.mean = tested.at("mean").get<double>();
        score.half_width = tested.at("half_width").get<double>();
      }
      if (s > 0) score.p_value = tested.at("p_value").get<double>();
    }
  }
  if (!style.paired.empty()) systems.front() = "Baseline: " + systems.front();
  write_results("", sacrebleu_text(systems, metrics, style));
}

}  // namespace

void add_sacrebleu_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("sacrebleu", "The options and the output of sacrebleu 2.6");
  const auto options = std::make_shared<SacrebleuOptions>();
  SacrebleuOptions& given_options = *options;
  const auto count = [](std::string_view name, std::uint64_t& target, std::string_view option,
                        std::string_view help, std::uint64_t least, std::uint64_t most) {
    return Field{name, &target, "N", help}.as(option).between(least, most);
  };
  std::vector<Field> fields{
      Field{"refs", &given_options.references, "", "References: files, one segment per line"}
          .as("REF")
          .of_several_words(),
      Field{"input", &given_options.inputs, "FILE", "Systems (standard input)"}
          .as("-i,--input")
          .of_several_words(),
      Field{"metrics", &given_options.metrics, "bleu|chrf|ter", "Metrics (bleu)"}
          .as("-m,--metrics")
          .of_several_words(),
      Field{"lowercase", &given_options.lowercase, "", "-lc: bleu without case"},
      Field{"tokenize", &given_options.tokenize, "NAME", "-tok: tokenizer of bleu (13a)"},
      Field{"language_pair", &given_options.language_pair, "LL-LL",
            "Its target chooses the tokenizer of bleu: en-zh"}
          .as("-l,--language-pair"),
      Field{"smooth_method", &given_options.smooth, "none|floor|add-k|exp", "Smoothing of bleu (exp)"}
          .as("-s,--smooth-method")
          .one_of_words(),
      Field{"smooth_value", &given_options.smooth_value, "X", "-sv: value of floor (0.1) and add-k (1)"}
          .within({.least = 0}),
      count("chrf_char_order", given_options.char_order, "", "-cc: longest character n-gram of chrf (6)", 1,
            100),
      count("chrf_word_order", given_options.word_order, "",
            "-cw: longest word n-gram of chrf; 2 is chrF++ (0)", 0, 100),
      Field{"chrf_beta", &given_options.chrf_beta, "X", "Weight of recall of chrf (2)"}.within(
          {.least = 0, .most = 1000}),
      Field{"chrf_whitespace", &given_options.chrf_whitespace, "", "Keep white space in n-grams of chrf"},
      Field{"chrf_lowercase", &given_options.chrf_lowercase, "", "chrf without case"},
      Field{"chrf_eps_smoothing", &given_options.chrf_eps_smoothing, "", "chrf as in chrF++.py and NLTK"},
      Field{"ter_case_sensitive", &given_options.ter_case_sensitive, "", "ter with case"},
      Field{"ter_asian_support", &given_options.ter_asian_support, "", "Split Asian characters for ter"},
      Field{"ter_no_punct", &given_options.ter_no_punct, "", "ter without punctuation"},
      Field{"ter_normalized", &given_options.ter_normalized, "", "Normalise and tokenise for ter"},
      Field{"sentence_level", &given_options.sentence_level, "", "-sl: a line for each sentence"},
      count("num_refs", given_options.num_refs, "", "-nr: references in each line of REF, between tabs (1)",
            1, 1000),
      Field{"encoding", &given_options.encoding, "NAME", "utf-8; others are refused"}.as("-e,--encoding"),
      Field{"confidence", &given_options.confidence, "", "-ci: bootstrap interval of one system"},
      count("confidence_n", given_options.confidence_n, "", "-cin: resamples (1000)", 2,
            request::kMostResamples),
      Field{"paired_bs", &given_options.paired_bs, "",
            "-pbs: paired bootstrap test against the first system"},
      count("paired_bs_n", given_options.paired_bs_n, "", "-pbsn: resamples (1000)", 2,
            request::kMostResamples),
      Field{"paired_ar", &given_options.paired_ar, "", "-par: approximate randomisation"},
      count("paired_ar_n", given_options.paired_ar_n, "", "-parn: trials (10000)", 2,
            request::kMostResamples),
      count("paired_jobs", given_options.jobs, "-j,--paired-jobs", "Threads (all cores)", 0, 4096),
      Field{"short", &given_options.short_signature, "", "-sh: short signatures"},
      Field{"no_color", &given_options.no_color, "", "-nc: taken, without effect"},
      Field{"force", &given_options.force, "", "Taken, without effect"},
      Field{"score_only", &given_options.score_only, "", "The score alone"}.as("-b,--score-only"),
      count("width", given_options.width, "-w,--width", "Digits after the point (1)", 0, 15),
      Field{"format", &given_options.format, "json|text|latex", "How to write the results (json)"}
          .as("-f,--format")
          .one_of_words(),
      fields_of(given_options.settings).front(),
      Field{"quiet", &given_options.quiet, "", "No warnings"}.as("-q,--quiet")};
  command->footer(kSacrebleuExamples);
  run_when_chosen(*command, fields, [options] { run_sacrebleu(*options); });
}

std::vector<std::string> sacrebleu_words(std::vector<std::string> words) {
  static const std::vector<std::pair<std::string, std::string>> kLong{
      {"-lc", "--lowercase"},       {"-tok", "--tokenize"},      {"-ci", "--confidence"},
      {"-cin", "--confidence-n"},   {"-pbs", "--paired-bs"},     {"-pbsn", "--paired-bs-n"},
      {"-par", "--paired-ar"},      {"-parn", "--paired-ar-n"},  {"-cc", "--chrf-char-order"},
      {"-cw", "--chrf-word-order"}, {"-sl", "--sentence-level"}, {"-nr", "--num-refs"},
      {"-sv", "--smooth-value"},    {"-sh", "--short"},          {"-nc", "--no-color"},
      {"-V", "--version"}};
  static constexpr std::array<std::string_view, 12> kTestSets{
      "-t",  "--test-set", "--list",     "--citation", "--cite", "--origlang",
      "-ol", "--subset",   "--download", "--echo",     "-d",     "--detail"};
  if (words.empty() || words.front() != "sacrebleu") return words;
  for (const std::string& word : words) {
    if (std::ranges::find(kTestSets, word.substr(0, word.find('='))) != kTestSets.end())
      throw_usage(fmt::format(
          "{} is about test sets, which are not fetched here: give the references as files", word));
  }
  for (std::string& word : words) {
    for (const auto& [their_short, their_long] : kLong) {
      if (word == their_short) word = their_long;
    }
  }
  return words;
}

}  // namespace markeval::cli
