// `markeval sacrebleu` takes the words of sacrebleu's command and prints what it prints.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/compare.hpp"
#include "api/markeval.hpp"
#include "base/suggestion.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/request_options.hpp"
#include "cli/sacrebleu_output.hpp"
#include "cli/terminal.hpp"

namespace markeval::cli {
namespace {

constexpr const char* kSacrebleuExamples =
    "Examples:\n"
    "  markeval sacrebleu refs.txt -i out.txt -m bleu chrf -b -w 2\n"
    "  markeval sacrebleu refs.txt -i base.txt mine.txt -m bleu chrf --paired-bs -f text\n\n"
    "It prints what sacrebleu 2.6 prints, without colours. Its test sets (-t) are not fetched: references "
    "are "
    "files.";

struct SacrebleuOptions {
  std::vector<std::string> references, inputs, metrics;
  std::string format = "json", tokenize, language_pair, smooth = "exp";
  bool lowercase = false, score_only = false, confidence = false, paired_bs = false, paired_ar = false,
       quiet = false;
  std::uint64_t width = 1, confidence_n = 1000, paired_bs_n = 1000, paired_ar_n = 10'000, char_order = 6,
                word_order = 0;
  Settings settings;
};

/// "bleu" -> "bleu:lowercase=yes,tokenize=zh"
std::string our_metric(const std::string& name, const SacrebleuOptions& options) {
  const std::vector<std::string> known{"bleu", "chrf", "ter"};
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw_usage(fmt::format("-m '{}'{}; markeval score has more", name, suggestion(name, known)));
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? ":" : ",") + word; };
  if (name == "bleu") {
    std::string tokenize = options.tokenize;
    const std::string target = options.language_pair.substr(options.language_pair.find('-') + 1);
    if (tokenize.empty())
      tokenize = target == "zh" ? "zh" : target == "ja" || target == "ko" ? target + "-mecab" : "";
    if (options.lowercase) add("lowercase=yes");
    if (!tokenize.empty()) add("tokenize=" + tokenize);
    if (options.smooth != "exp") add("smooth=" + options.smooth);
  }
  if (name == "chrf" && options.char_order != 6) add(fmt::format("char_order={}", options.char_order));
  if (name == "chrf" && options.word_order != 0) add(fmt::format("word_order={}", options.word_order));
  return name + words;
}

ScoreRequest request_of(const SacrebleuOptions& options) {
  ScoreRequest request;
  for (const std::string& file : options.references) request.references.push_back({"", file});
  for (const std::string& file : options.inputs) request.systems.push_back({file, file});
  if (request.systems.empty()) request.systems.push_back({"System 1", "-"});
  for (const std::string& name : options.metrics) request.metrics.push_back(our_metric(name, options));
  return request;
}

const Result& result_of(const Report& report, const std::string& system, const std::string& metric) {
  return *std::find_if(report.results().begin(), report.results().end(), [&](const Result& result) {
    return result.system == system && result.requested == metric;
  });
}

std::optional<double> real(const Result& result, const std::string& name) {
  for (const auto& [key, value] : result.details) {
    if (key == name) return std::get<double>(value);
  }
  return std::nullopt;
}

void run_sacrebleu(SacrebleuOptions& options) {
  if (options.references.empty())
    throw_usage("no reference given, expected markeval sacrebleu REF... -i OUT...");
  if (options.metrics.empty()) options.metrics = {"bleu"};
  if (options.paired_bs && options.paired_ar)
    throw_usage("--paired-bs and --paired-ar, expected one of them");
  SacrebleuStyle style{options.width, options.format == "json", options.score_only, "", 0};
  style.paired = options.paired_bs ? "bs" : options.paired_ar ? "ar" : "";
  const bool several = options.inputs.size() > 1;
  if (!style.paired.empty() && !several) throw_usage("a paired test needs several systems: -i BASE OTHER...");
  if (several && options.confidence) throw_usage("--confidence is for one system; of several: --paired-bs");
  if (style.paired.empty()) std::sort(options.metrics.begin(), options.metrics.end());
  ScoreRequest request = request_of(options);

  Terminal terminal(options.quiet);
  const std::atomic<bool>& interrupted = catch_interrupts();
  Evaluator evaluator(options.settings);
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
    const std::string& name = request.metrics[m];
    SacrebleuMetric& metric =
        metrics.emplace_back(sacrebleu_metric(result_of(report, systems[0], name), trials));
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
  const auto count = [](std::string_view name, std::uint64_t& place, std::string_view option,
                        std::string_view help, std::uint64_t least, std::uint64_t most) {
    return Field{name, &place, "N", help}.as(option).between(least, most);
  };
  std::vector<Field> fields{
      Field{"refs", &given_options.references, "", "References: files, one segment per line"}
          .as("REF")
          .of_several_words(),
      Field{"input", &given_options.inputs, "FILE", "Systems (standard input)"}
          .as("-i,--input")
          .of_several_words(),
      Field{"metrics", &given_options.metrics, "bleu|chrf|ter", "Which (bleu)"}
          .as("-m,--metrics")
          .of_several_words(),
      Field{"lowercase", &given_options.lowercase, "", "-lc: bleu without case"},
      Field{"tokenize", &given_options.tokenize, "NAME", "-tok: of bleu (13a)"},
      Field{"language_pair", &given_options.language_pair, "LL-LL",
            "Its target chooses the tokenizer of bleu: en-zh"}
          .as("-l,--language-pair"),
      Field{"smooth_method", &given_options.smooth, "none|floor|add-k|exp", "Of bleu (exp)"}
          .as("-s,--smooth-method")
          .one_of_words(),
      count("chrf_char_order", given_options.char_order, "", "-cc: of chrf (6)", 1, 100),
      count("chrf_word_order", given_options.word_order, "", "-cw: of chrf; 2 is chrF++ (0)", 0, 100),
      Field{"confidence", &given_options.confidence, "", "-ci: bootstrap interval of one system"},
      count("confidence_n", given_options.confidence_n, "", "-cin: resamples (1000)", 2, kMostResamples),
      Field{"paired_bs", &given_options.paired_bs, "",
            "-pbs: paired bootstrap test against the first system"},
      count("paired_bs_n", given_options.paired_bs_n, "", "-pbsn: resamples (1000)", 2, kMostResamples),
      Field{"paired_ar", &given_options.paired_ar, "", "-par: approximate randomisation"},
      count("paired_ar_n", given_options.paired_ar_n, "", "-parn: trials (10000)", 2, kMostResamples),
      Field{"score_only", &given_options.score_only, "", "The score alone"}.as("-b,--score-only"),
      count("width", given_options.width, "-w,--width", "Digits after the point (1)", 0, 15),
      Field{"format", &given_options.format, "json|text", "Of the output (json)"}
          .as("-f,--format")
          .one_of_words(),
      fields_of(given_options.settings).front(),
      Field{"quiet", &given_options.quiet, "", "No warnings"}.as("-q,--quiet")};
  command->footer(kSacrebleuExamples);
  command->callback([command, options, given = RequestOptions(*command, fields)] {
    require_no_leftovers(*command);
    given.read();
    run_sacrebleu(*options);
  });
}

std::vector<std::string> sacrebleu_words(std::vector<std::string> words) {
  static const std::vector<std::pair<std::string, std::string>> kLong{
      {"-lc", "--lowercase"},      {"-tok", "--tokenize"},     {"-ci", "--confidence"},
      {"-cin", "--confidence-n"},  {"-pbs", "--paired-bs"},    {"-pbsn", "--paired-bs-n"},
      {"-par", "--paired-ar"},     {"-parn", "--paired-ar-n"}, {"-cc", "--chrf-char-order"},
      {"-cw", "--chrf-word-order"}};
  if (words.empty() || words.front() != "sacrebleu") return words;
  for (std::string& word : words) {
    for (const auto& [their_short, their_long] : kLong) {
      if (word == their_short) word = their_long;
    }
  }
  return words;
}

}  // namespace markeval::cli
