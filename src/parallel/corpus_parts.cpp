// The plan of each metric, the packing of idf counts and vectors, and the scoring of one part.
#include "parallel/corpus_parts.hpp"

#include <algorithm>
#include <optional>

#include "base/cancellation.hpp"
#include "base/packing.hpp"
#include "embed/text_encoder.hpp"
#include "metric/layer_choice.hpp"
#include "parallel/score_part.hpp"
#include "request/requested_metrics.hpp"
#include "score/blend_run.hpp"
#include "score/groups.hpp"
#include "score/set_run.hpp"
#include "text/utf8.hpp"

namespace markeval::parallel {
namespace {

using metric::Kind;

/// The counts that travel: the references' table, then one for each system.
std::string pack_tables(std::span<const metric::IdfTable> tables) {
  Packer bytes;
  bytes.add(std::uint64_t{tables.size()});
  for (const metric::IdfTable& table : tables) {
    bytes.add(std::uint64_t{table.texts()});
    bytes.add(table.texts_with());
  }
  return bytes.take();
}

std::vector<metric::IdfTable> unpack_tables(std::string_view packed) {
  Unpacker bytes(packed);
  std::vector<metric::IdfTable> tables(bytes.size());
  for (metric::IdfTable& table : tables) {
    const std::uint64_t texts = bytes.count();
    table = metric::IdfTable(bytes.numbers<std::uint32_t>(), texts);
  }
  return tables;
}

PartPlan plan_of(const Metric& metric) {
  PartPlan plan;
  if (const auto* lexical = std::get_if<metric::LexicalMetricFactory>(&metric.info->factory)) {
    plan.whole = (*lexical)(metric.options)->weighs_by_corpus();
  } else if (const auto* pair = std::get_if<metric::PairMetricFactory>(&metric.info->factory)) {
    const auto made = (*pair)(metric.options);
    // Words of a file have no numbers that all parts would share.
    const metric::IdfUse use = made->idf();
    if (use == metric::IdfUse::references || use == metric::IdfUse::separate)
      (made->embeddings().empty() ? plan.counts_tokens : plan.whole) = true;
  } else if (!metric.scores_segments()) {
    plan.whole = plan.needs_vectors = true;
    // Negative and last layers are counted from an end that is far enough for any range.
    constexpr std::size_t kFarEnd = 1000;
    if (metric.options.text("samples") == "word")
      plan.layers_of_words = metric::choose_layers(score::layers_of(metric), kFarEnd).size();
  }
  for (const std::string& name : metric.info->results) {
    if (metric.scores_segments() && metric.wants(name)) plan.results.push_back(name);
  }
  for (const metric::CompatOption& one : metric.info->compats) plan.compats.push_back(one.compat);
  return plan;
}

/// What travels of a metric: of statistics that are whole numbers their sum, where nobody needs the rows.
void add_up_rows(const Metric& metric, std::vector<Result>& systems) {
  const auto* lexical = std::get_if<metric::LexicalMetricFactory>(&metric.info->factory);
  if (lexical == nullptr || systems.empty() || !(*lexical)(metric.options)->counts_whole_numbers()) return;
  for (Result& system : systems) system.statistics.values = system.statistics.sum();
}

}  // namespace

std::vector<PartPlan> plan_parts(const ScoreRequest& request) {
  std::vector<PartPlan> plans;
  for (const Metric& metric : request::requested_metrics(request)) {
    PartPlan& plan = plans.emplace_back();
    for (const Metric& part : score::metrics_to_score({metric})) {
      try {
        const PartPlan of_part = plan_of(part);
        plan.whole |= of_part.whole;
        plan.counts_tokens |= of_part.counts_tokens;
        plan.needs_vectors |= of_part.needs_vectors;
        plan.layers_of_words = std::max(plan.layers_of_words, of_part.layers_of_words);
        plan.compats.insert(plan.compats.end(), of_part.compats.begin(), of_part.compats.end());
        plan.results = of_part.results;
      } catch (const Error& error) {  // a file it reads is missing: the workers will say so
        if (error.code() == ErrorCode::usage) throw;
      }
    }
    plan.requested = metric.typed;
    plan.name = metric.text;
    if (metric.info->is(metric::Learned::blend)) plan.results = {"score"};
  }
  return plans;
}

std::string CorpusParts::count(const ScoreRequest& request, const std::atomic<bool>* cancel) {
  const CancelScope stoppable(cancel);
  const RunContext context{runtime_.pool};
  const score::TextInputs inputs = score::load_texts(request, false, context);
  cache::VectorCache cache("none");
  embed::TextEncoder encoder(runtime_.models, request.encoder, cache);
  std::vector<metric::IdfTable> tables(1);
  for (const text::Corpus& file : inputs.references) tables.front().add_texts(encoder, file, context);
  for (const text::Corpus& file : inputs.systems) tables.emplace_back().add_texts(encoder, file, context);
  return pack_tables(tables);
}

std::string CorpusParts::merge_counts(std::span<const std::string_view> counts) {
  std::vector<metric::IdfTable> all;
  for (const std::string_view packed : counts) {
    const std::vector<metric::IdfTable> some = unpack_tables(packed);
    if (some.size() > all.size()) all.resize(some.size());
    for (std::size_t i = 0; i < some.size(); ++i) all[i].merge(some[i]);
  }
  return pack_tables(all);
}

std::string CorpusParts::embed(std::span<const std::string> texts, const ScoreRequest& request,
                               const std::atomic<bool>* cancel) {
  constexpr std::size_t kTextsPerBlock = 256;
  const CancelScope stoppable(cancel);
  const RunContext context{runtime_.pool};
  cache::VectorCache nothing(std::span<const std::string_view>{});  // so that states of tokens get keys, too
  embed::TextEncoder encoder(runtime_.models, request.encoder, nothing);
  std::optional<embed::EncodeRequest> wanted;
  for (const Metric& metric : score::metrics_to_score(request::requested_metrics(request))) {
    if (metric.info->kind != Kind::set) continue;
    const embed::EncodeRequest one = score::rows_wanted(metric, encoder, encoder.default_sentence());
    wanted ? wanted->join(one) : static_cast<void>(wanted = one);
  }
  Packer vectors;
  for (std::size_t begin = 0; wanted && begin < texts.size(); begin += kTextsPerBlock) {
    std::vector<std::string_view> block;
    for (const std::string& text : texts.subspan(begin, std::min(kTextsPerBlock, texts.size() - begin)))
      block.push_back(text::strip(text));
    encoder.carry(encoder.encode(block, *wanted, {}, context), vectors);
  }
  return vectors.take();
}

std::string CorpusParts::score(const ScoreRequest& request, const CarriedParts& carried, Observer* observer,
                               const std::atomic<bool>* cancel) {
  const std::vector<Metric> metrics = score::metrics_to_score(request::requested_metrics(request));
  score::Listener listener(observer);
  const CancelScope stoppable(cancel);
  const RunContext context{runtime_.pool, &listener, &listener};
  ScoreRequest scored = request;
  scored.segments = std::ranges::any_of(metrics, &Metric::scores_segments);
  request::check_set_options(metrics, request::InputKind::texts, scored);
  scored.page = false;
  score::PageBuilder page(scored);
  score::Failures failures(metrics, false);
  score::ScoreData data;
  const std::vector<metric::IdfTable> tables =
      carried.counts.empty() ? std::vector<metric::IdfTable>() : unpack_tables(carried.counts);
  cache::VectorCache vectors(carried.vectors);
  score::PartSettings settings;
  if (!tables.empty()) {
    settings.reference_idf = &tables.front();
    settings.system_idf = std::span(tables).subspan(1);
  }
  if (!carried.vectors.empty()) settings.vectors = &vectors;
  score::MeasuredTexts measured =
      score::measure_texts({scored, metrics, runtime_, page, listener, context, score::measure_all_texts},
                           failures, data, &settings);
  ScorePart part;
  part.segments = measured.segments;
  part.references = measured.references;
  part.findings = listener.take_findings();
  part.ceilings = std::move(data.report.ceilings);
  const bool rows = request.segments || request.keep_statistics || request.resamples > 0 || request.page ||
                    score::wants_groups(request);
  for (std::size_t which = 0; which < metrics.size(); ++which) {
    if (!rows) add_up_rows(metrics[which], measured.results[which]);
    part.metrics.push_back({metrics[which].text, failures.error(which), std::move(measured.results[which])});
  }
  return pack(part);
}

}  // namespace markeval::parallel
