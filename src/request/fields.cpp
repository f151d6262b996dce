// One list of fields per request, and the checks of a value against its field.
#include "request/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "request/compare_options.hpp"
#include "request/correlate_request.hpp"
#include "request/embed_request.hpp"
#include "request/score_request.hpp"
#include "request/train_request.hpp"

namespace markeval {
namespace {

using request::Field;
using request::kMostResamples;
using request::kNoOption;

constexpr RealRange kNotNegative{.least = 0};

void append(std::vector<Field>& fields, std::vector<Field> more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

Field seed_field(std::uint64_t& seed, std::string_view help = "For everything random (12345)") {
  return Field{"seed", &seed, "N", help};
}
Field threads_field(std::size_t& threads) {
  return Field{"threads", &threads, "N", "Number of threads (all cores)"}.between(1, 4096);
}
Field replace_field(bool& replace, std::string_view help) {
  return Field{"replace_invalid", &replace, "", help};
}
Field cache_field(std::string& cache) {
  return Field{"cache", &cache, "DIR|none",
               "Where vectors are kept ($MARKEVAL_CACHE, else ~/.cache/markeval)"}
      .naming_a_file();
}
/// The message says more than the bounds: --ci 0.95 is a usual mistake.
template <typename Count>
Field interval_field(std::string_view name, Count& resamples, std::string_view help) {
  return Field{name, &resamples, "N", help}
      .as("--ci")
      .expecting(fmt::format(
          "a number of resamples from 2 to {} (1000 is usual); the interval is always 95 %", kMostResamples))
      .between(2, kMostResamples);
}
Field page_field(bool& page) {
  return Field{"page", &page, "", "Also keep what the HTML page shows"}.as(kNoOption);
}

}  // namespace

std::vector<Field> fields_of(EncoderOptions& options) {
  return {
      Field{"model", &options.model, "NAME|FOLDER", "Model used to embed texts (all-MiniLM-L6-v2)"},
      Field{"max_length", &options.max_length, "N", "Tokens of a text, specials included (the model's limit)"}
          .between(3, 1'000'000),
      Field{"windows", &options.windows, "truncate|window",
            "Longer texts: cut, or in overlapping windows (truncate)"}
          .as("--long")
          .one_of_words(),
      Field{"precision", &options.precision, "f32|bf16", "Precision of matrix products (f32)"}.one_of_words(),
      cache_field(options.cache)};
}

std::vector<Field> fields_of(Settings& settings) {
  return {threads_field(settings.threads),
          Field{"device", &settings.device, "cpu|cuda", "Where to compute (cpu)"}
              .one_of_words()
              .unlisted()};  // this build has the CPU alone
}

std::vector<Field> fields_of(ScoreRequest& request) {
  std::vector<Field> fields{
      Field{"metrics", &request.metrics, "METRIC",
            "bleu, me:k=3, bertscore.f1, NAME=me:samples=word, ...: several in one pass"}
          .as("-m,--metric")
          .of_several_words(),
      Field{"clamp_k", &request.clamp_k, "", "Let k shrink where a set has too few rows"},
      Field{"sample", &request.sample, "N",
            "Set metrics: N texts or rows of every input, drawn by chance (all)"}
          .between(2, kAnyCount),
      Field{"group", &request.group, "COLUMN",
            "Also by group: a column of the reference's table, or FILE[:COLUMN] with a label per segment"}
          .naming_a_file(),
      Field{"groups", &request.groups, "LABEL", "Also by group: the label of every segment"}.as(kNoOption),
      Field{"source_text", &request.source_text, "COLUMN",
            "Shown on the page: what was translated or summarised, a column as --group has it, or "
            "FILE[:COLUMN]"}
          .as("--source")
          .naming_a_file(),
      Field{"source_texts", &request.source_texts, "TEXT",
            "Shown on the page: what each segment was made from"}
          .as(kNoOption),
      Field{"ceiling", &request.ceiling, "",
            "Set metrics: also score some of the references against the others"}
          .as(kNoOption),
      Field{"compat", &request.compat, "none|prdc", "prdc: open balls, as the package of that name (none)"}
          .one_of_words(),
      seed_field(request.seed)};
  append(fields, fields_of(request.encoder));
  append(fields,
         {replace_field(request.replace_invalid, "Replace invalid UTF-8 instead of failing (texts)"),
          interval_field("resamples", request.resamples,
                         "95 % intervals from N bootstrap resamples; set metrics: from N splits in halves"),
          Field{"segments", &request.segments, "", "Also the score of every segment (texts)"},
          Field{"keep_statistics", &request.keep_statistics, "",
                "Also the counts behind the scores, and the scores of the resamples"}
              .as(kNoOption),
          Field{"explain", &request.explain, "", "Also find what stands behind the scores"}.as(kNoOption),
          page_field(request.page)});
  return fields;
}

std::vector<Field> fields_of(CompareOptions& request) {
  return {
      Field{"test", &request.test, "bootstrap|randomisation|t", "Test for all pairs of systems (bootstrap)"}
          .one_of_words(),
      Field{"resamples", &request.resamples, "N",
            "Number of resamples (1000; randomisation: 10000; set metrics: 200 splits)"}
          .between(2, kMostResamples),
      Field{"correction", &request.correction, "none|holm|bh", "For the number of pairs compared (holm)"}
          .one_of_words(),
      Field{"alpha", &request.alpha, "X", "Systems share a rank where the adjusted p-value is larger (0.05)"}
          .within({.least = 0, .most = 1, .above = true, .below = true})};
}

std::vector<Field> fields_of(CorrelateRequest& request) {
  std::vector<Field> fields{
      Field{"table", &request.table, "FILE", ".tsv, .csv or .jsonl, each also .gz; - for standard input"}
          .as("TABLE")
          .naming_a_file(),
      Field{"gold", &request.gold, "COLUMN", "Human scores; several columns: each is a judgement of its own"}
          .of_several_words(),
      Field{"pairs", &request.pairs, "FILE",
            "Instead of --gold: better/worse pairs people judged, a table with the columns segment, better, "
            "worse (systems)"}
          .naming_a_file(),
      Field{"better", &request.better, "COLUMN",
            "Instead of --gold and --hyp: every row is a pair, and this its better text"},
      Field{"worse", &request.worse, "COLUMN", "The worse text of a pair"},
      Field{"predicted", &request.predicted, "COLUMN", "Columns with scores of metrics"}.of_several_words(),
      Field{"reference", &request.reference, "COLUMN", "References, to score --hyp with -m"}
          .as("--ref")
          .or_named("ref"),
      Field{"hypothesis", &request.hypothesis, "COLUMN", "Texts to score"}.as("--hyp").or_named("hyp"),
      Field{"metrics", &request.metrics, "METRIC",
            "bleu, bertscore.f1, me:samples=word,scope=segment, ...: of the texts in --ref and --hyp"}
          .as("-m,--metric")
          .of_several_words(),
      Field{"all_results", &request.all_results, "",
            "All results of a metric (precision, recall, ...), not only the main one"},
      Field{"group", &request.group, "COLUMN",
            "One coefficient per language pair, topic, ... and their mean"},
      Field{"coefficients", &request.coefficients, "NAME",
            "Coefficients to compute (pearson, spearman, kendall)"}
          .as("--coefficient")
          .or_named("coefficient"),
      Field{"test", &request.test, "williams|bootstrap|perm-both|none",
            "Compare all pairs of metrics by the first coefficient (perm-both for pearson, else none)"},
      Field{"lower_is_better", &request.lower_is_better, "COLUMN",
            "Columns of --predicted where a lower score is better"},
      Field{"correction", &request.correction, "none|holm|bh", "For the number of pairs compared (holm)"},
      Field{"resamples", &request.resamples, "N", "Number of resamples (10000)"}.between(1, 100'000'000),
      interval_field("intervals", request.intervals,
                     "95 % intervals of all coefficients from N bootstrap resamples (the first coefficient, "
                     "1000)")
          .between(0, kMostResamples),
      Field{"system", &request.system, "COLUMN", "Whose output a row is"},
      Field{"segment", &request.segment, "COLUMN", "Which segment a row is, for soft-accuracy and pairs"},
      Field{"level", &request.level, "segment|system",
            "system: average the scores of each system first (segment)"}
          .one_of_words(),
      Field{"gold_threshold", &request.gold_threshold, "X",
            "kendall-like: closer human scores are not judged (25)"}
          .within(kNotNegative),
      Field{"tie_threshold", &request.tie_threshold, "X",
            "accuracy: closer metric scores are ties (calibrated)"}
          .within(kNotNegative),
      Field{"min_rows", &request.min_rows, "N",
            "Leave smaller groups out instead of failing at fewer than 2 rows"}
          .between(2, kAnyCount),
      replace_field(request.replace_invalid, "U+FFFD for invalid UTF-8 instead of an error")};
  append(fields, fields_of(request.encoder));
  append(fields, {page_field(request.page), seed_field(request.seed)});
  return fields;
}

std::vector<Field> fields_of(EmbedRequest& request) {
  std::vector<Field> fields{
      Field{"input", &request.input, "",
            "FILE[:COLUMN]: text, .tsv, .csv, .jsonl, each also .gz; - for standard input"}
          .as("INPUT")
          .naming_a_file(),
      Field{"output", &request.output, "FILE", "Where the vectors go, float32, whole or not at all"}
          .as("-o,--output")
          .naming_a_file(),
      Field{"layer", &request.layer, "N|all",
            "0: embedding output, N: block N, -1: the last; all: a third dimension (-1)"}
          .expecting("a layer's number, -1 for the last, or all"),
      Field{"pool", &request.pool, "mean|cls|max|none",
            "How tokens become one row; none: a row per token (as the model does it)"}
          .one_of_words(),
      Field{"normalize", &request.normalize, "", "Rows to length 1"}};
  append(fields, fields_of(request.encoder));
  append(fields, {replace_field(request.replace_invalid, "Put U+FFFD for invalid UTF-8 instead of failing")});
  return fields;
}

std::vector<Field> fields_of(BaselineRequest& request) {
  std::vector<Field> fields{
      Field{"pairs", &request.pairs, "N", "Random pairs of different lines (2000)"}.between(1, 100'000'000)};
  append(fields, fields_of(request.encoder));
  append(fields, {seed_field(request.seed, "For the pairs (12345)"),
                  replace_field(request.replace_invalid, "Replace invalid UTF-8 instead of refusing it")});
  return fields;
}

std::vector<Field> fields_of(TrainRequest& request) {
  const auto count = [](std::string_view name, std::uint64_t& target, std::string_view help,
                        std::uint64_t most) -> Field {
    return Field{name, &target, "N", help}.between(1, most);
  };
  return {
      Field{"architecture", &request.architecture, "match|blend|bilstm|bilstm-attention|esim",
            "What to train (match)"}
          .as("--arch")
          .one_of_words(),
      Field{"metrics", &request.metrics, "METRIC", "blend: the metrics it combines"}
          .as("-m,--metric")
          .of_several_words(),
      Field{"train", &request.train, "TABLE",
            "To learn from: .tsv, .csv or .jsonl, each also .gz; several: all"}
          .of_several_words()
          .naming_a_file(),
      Field{
          "valid", &request.valid, "TABLE|none",
          "Its Pearson correlation chooses the epoch (match, blend: a tenth of --train is held out; none: no "
          "validation)"}
          .of_several_words()
          .naming_a_file(),
      Field{"reference", &request.reference, "COLUMN", "References"}.as("--ref"),
      Field{"hypothesis", &request.hypothesis, "COLUMN", "Texts people judged"}.as("--hyp"),
      Field{"gold", &request.gold, "COLUMN", "Their scores"},
      Field{"group", &request.group, "COLUMN",
            "match, blend: a column of --valid; the mean Pearson of its groups chooses the epoch"},
      Field{"folder", &request.folder, "FOLDER", "The result: model.safetensors and config.json"}
          .as("-o,--output")
          .naming_a_file(),
      Field{"model", &request.encoder.model, "NAME|FOLDER", "The frozen encoder (all-MiniLM-L6-v2)"},
      Field{"token_vectors", &request.token_vectors, "",
            "No encoder: learn from vectors beside the tables, judged.ref.npy for column ref of judged.tsv"},
      Field{"epochs", &request.epochs, "N", "Epochs: match N (6), others at most N (20)"}.between(1, 100'000),
      count("patience", request.patience, "Not for match: stop after so many epochs without a better one (4)",
            100'000),
      count("batch", request.batch, "Pairs per step (32)", 100'000),
      Field{"learning_rate", &request.learning_rate, "X",
            "match: at most (0.002); others: halved after an epoch without gain (0.0004; tuned, but for "
            "esim: 0.00004)"}
          .within(kNotNegative),
      Field{"dropout", &request.dropout, "X", "Share of values dropped (match: 0.1; others: 0.5)"}.within(
          {.least = 0, .most = 1, .below = true}),
      Field{"layers", &request.layers, "N", "match: number of encoder layers it reads (those of bertscore)"}
          .between(1, 1'000),
      count("heads", request.heads, "match: number of heads (4)", 64),
      count("width", request.width, "match: columns of a head (96)", 16'384),
      Field{"from", &request.from, "FOLDER", "Start from this trained model instead of at random"}
          .naming_a_file(),
      Field{"recipe", &request.recipe, "published|tuned",
            "Not for match: as in the paper, or as was found better for small encoders (published)"}
          .one_of_words(),
      Field{"pieces", &request.pieces, "all|first",
            "Not for match: read every piece of a word, or its first alone as version 0.1.0 did (all)"}
          .one_of_words(),
      Field{
          "hidden", &request.hidden, "N",
          "match: units of a hidden layer, 0: none (16); others: width of an LSTM and of dense layers (300)"}
          .between(0, 16'384),
      count("max_length", request.encoder.max_length, "Tokens of a text (as many as the encoder takes)",
            1'000'000),
      cache_field(request.encoder.cache),
      Field{"resume", &request.resume, "", "Go on from the checkpoint in the folder"},
      Field{"force", &request.force, "", "Replace the model or the unfinished training in the folder"},
      Field{"checkpoint_every_s", &request.checkpoint_every_s, "SECONDS",
            "Also write a checkpoint every SECONDS (60)"}
          .as("--checkpoint-every")
          .between(1, 1'000'000),
      replace_field(request.replace_invalid, "U+FFFD for invalid UTF-8 instead of an error"),
      seed_field(request.seed)};
}

}  // namespace markeval

namespace markeval::request {

namespace {

template <typename Value>
constexpr ValueKind kind_of(Value*) {
  if constexpr (std::is_same_v<Value, bool>) return ValueKind::flag;
  if constexpr (std::is_same_v<Value, std::string>) return ValueKind::text;
  if constexpr (std::is_same_v<Value, std::optional<int>>) return ValueKind::layer;
  if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>)
    return ValueKind::real;
  if constexpr (std::is_same_v<Value, std::uint64_t> || std::is_same_v<Value, std::optional<std::uint64_t>>)
    return ValueKind::count;
  return ValueKind::list;
}

}  // namespace

Field::Field(std::string_view its_name, FieldTarget kept, std::string_view value, std::string_view help)
    : Option{.name = std::string(its_name),
             .kind = std::visit([](auto* held) { return kind_of(held); }, kept),
             .meaning = std::string(help)},
      target(kept),
      words(value) {}

Field Field::one_of_words() const {
  std::vector<std::string> each;
  for (std::string_view left = words; !left.empty();) {
    each.emplace_back(left.substr(0, left.find('|')));
    left.remove_prefix(std::min(left.size(), each.back().size() + 1));
  }
  return with(&Field::choices, each);
}

}  // namespace markeval::request
