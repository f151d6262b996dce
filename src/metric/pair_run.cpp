// The order of work on a block: idf weights, preparation of texts, relations of many pairs in one device
// call, scores of segments.
#include "metric/pair_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/version.hpp"

namespace markeval::metric {
namespace {

std::vector<PairExplanation::Row> rows_of(const TokenRows& rows, const embed::TextTokens& tokens) {
  std::vector<PairExplanation::Row> out;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    // [CLS] and [SEP] at the ends of a window cover no text.
    std::size_t first = rows.first[row], last = rows.last[row];
    while (first < last && tokens.facts[first].special) ++first;
    while (last > first && tokens.facts[last].special) --last;
    out.push_back({tokens.offsets[first].begin, tokens.offsets[last].end, rows.weights[row]});
  }
  return out;
}

}  // namespace

PairRun::SegmentCounts& PairRun::SegmentCounts::operator+=(const SegmentCounts& other) {
  empty_candidates += other.empty_candidates;
  empty_references += other.empty_references;
  unfiltered += other.unfiltered;
  weightless += other.weightless;
  return *this;
}

std::vector<std::unique_ptr<PairMetric>> make_pair_metrics(std::span<const Metric> requests) {
  std::vector<std::unique_ptr<PairMetric>> metrics;
  for (const Metric& request : requests)
    metrics.push_back(std::get<PairMetricFactory>(request.info->factory)(request.options));
  return metrics;
}

PairRun::PairRun(std::span<const Metric> requests, std::vector<std::unique_ptr<PairMetric>> metrics,
                 const RunInputs& inputs, PairSettings settings)
    : requests_(requests),
      texts_(inputs.texts),
      system_names_(inputs.system_names),
      source_(inputs.source),
      settings_(std::move(settings)),
      device_(inputs.device),
      context_(inputs.context) {
  for (std::unique_ptr<PairMetric>& metric : metrics)
    tasks_.push_back({std::move(metric), {}, nullptr, false});
  choose_layers(context_);
  count_words();
  counts_.resize(texts_.systems.size() * tasks_.size());
  for (std::size_t index = 0; index < counts_.size(); ++index)
    values_.emplace_back(texts_.lines() * width_of(index % tasks_.size()), 0);
}

void PairRun::choose_layers(const RunContext& context) {
  std::set<std::size_t> chosen;
  std::set<std::string> notes;
  for (Task& task : tasks_) {
    task.layers = task.metric->layers(source_);
    chosen.insert(task.layers.begin(), task.layers.end());
    const std::string note = task.metric->note(source_);
    if (!note.empty() && notes.insert(note).second) context.find({FindingKind::vectors_note, {note}, {}});
  }
  layers_.assign(chosen.begin(), chosen.end());
}

/// Fills the idf tables the metrics need, where they are not given. Tables that give every token the weight 0
/// are not used, with a warning, except by metrics with tables of their own for either side.
void PairRun::count_words() {
  const auto uses = [&](IdfUse use) {
    return std::ranges::any_of(tasks_, [&](const Task& task) { return task.metric->idf() == use; });
  };
  const bool on_candidates = uses(IdfUse::separate);
  if (settings_.reference_idf != nullptr) {
    reference_idf_ = *settings_.reference_idf;
  } else if (on_candidates || uses(IdfUse::references)) {
    for (const text::Corpus& file : texts_.references) reference_idf_.add_texts(source_, file, context_);
  }
  if ((on_candidates || uses(IdfUse::references)) && reference_idf_.says_nothing()) {
    context_.find(
        {FindingKind::vectors_note,
         {fmt::format("idf over {} gives every token the weight 0: equal weights are used instead, except by "
                      "compat=v1 and compat=v2, which score 1 as their programs do",
                      reference_idf_.texts() == 1 ? "a single reference" : "references of the same tokens")},
         {}});
  }
  for (std::size_t system = 0; on_candidates && system < texts_.systems.size(); ++system) {
    IdfTable& table = system_idf_.emplace_back();
    if (settings_.candidate_idf != nullptr) {
      table = *settings_.candidate_idf;
    } else if (!settings_.system_idf.empty()) {
      table = settings_.system_idf[system];
    } else {
      table.add_texts(source_, texts_.systems[system], context_);
    }
  }
  for (Task& task : tasks_) {
    const IdfUse use = task.metric->idf();
    if (use == IdfUse::separate || (use == IdfUse::references && !reference_idf_.says_nothing()))
      task.reference_idf = &reference_idf_;
    if (const IdfCorpus* corpus = use == IdfUse::corpus ? task.metric->idf_corpus() : nullptr) {
      const auto [entry, is_new] = corpus_idf_.try_emplace(corpus->path);
      if (is_new) entry->second.add_texts(source_, corpus->texts, context_);
      task.reference_idf = &entry->second;
    }
    task.has_candidate_idf = use == IdfUse::separate;
  }
  if (on_candidates) roles_ = texts_.systems.size() + 1;
}

const IdfTable* PairRun::table(const Task& task, std::size_t role) const {
  return role == 0 || !task.has_candidate_idf ? task.reference_idf : &system_idf_[role - 1];
}

void PairRun::mark_needed(const embed::TextTokens& tokens, std::span<std::uint8_t> mask) const {
  for (const Task& task : tasks_) {
    if (task.layers.back() != layers_.back()) continue;  // it does not look at the last layer
    for (std::size_t role = 0; role < (task.has_candidate_idf ? roles_ : 1); ++role)
      task.metric->mark_needed(tokens, table(task, role), mask);
  }
}

const PreparedText& PairRun::prepared(std::size_t task, std::size_t role, std::size_t slot) const {
  return prepared_[(tasks_[task].has_candidate_idf ? role : 0) * slots_ + slot];
}

void PairRun::prepare(const embed::TextBlock& block, std::size_t number) {
  const Task& task = tasks_[number];
  const std::size_t roles = task.has_candidate_idf ? roles_ : 1;
  slots_ = block.texts().distinct();
  std::vector<std::uint8_t> used(roles * slots_, 0);  // in that role
  for (std::size_t index = 0; index < block.lines().size(); ++index) {
    for (const std::uint32_t slot : references_of(block, index)) used[slot] = 1;
    for (std::size_t system = 0; system < texts_.systems.size(); ++system) {
      for (const std::uint32_t slot : block.candidate(system, index))
        used[(roles > 1 ? system + 1 : 0) * slots_ + slot] = 1;
    }
  }
  prepared_.assign(used.size(), {});
  context_.pool.for_each(slots_, [&](std::size_t slot, std::size_t) {
    const embed::EncodedText text = block.texts().text(slot);
    for (std::size_t role = 0; role < roles; ++role) {
      if (used[role * slots_ + slot] != 0)
        prepared_[role * slots_ + slot] = task.metric->prepare(text, task.layers, table(task, role));
    }
  });
  if (!task.metric->needs_spread()) return;
  std::vector<TokenRows*> spread;
  for (PreparedText& text : prepared_) spread.push_back(&text.rows);
  find_spreads(spread, device_);
}

std::vector<std::uint32_t> PairRun::references_of(const embed::TextBlock& block, std::size_t index) const {
  std::vector<std::uint32_t> slots;
  for (std::size_t file = 0; file < texts_.references.size(); ++file) {
    const auto of_file = block.reference(file, index);
    slots.insert(slots.end(), of_file.begin(), of_file.end());
  }
  return slots;
}

/// One metric after the other, so that memory does not grow with their number.
void PairRun::take(const embed::TextBlock& block) {
  std::vector<PairScratch> scratch(context_.pool.size());
  std::vector<SegmentCounts> counts(context_.pool.size() * counts_.size());
  std::vector<ExplainedSegment> explained;
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    prepare(block, task);
    for (std::size_t line = 0; line < block.lines().size();)
      line = score_lines(block, line, task, scratch, counts);
    if (settings_.explain) explain(block, task, scratch.front(), explained);
  }
  prepared_.clear();
  for (std::size_t index = 0; index < counts.size(); ++index)
    counts_[index % counts_.size()] += counts[index];
  std::ranges::stable_sort(explained, {}, &ExplainedSegment::place);
  for (const ExplainedSegment& one : explained) settings_.explain(one.explanation);
}

std::size_t PairRun::score_lines(const embed::TextBlock& block, std::size_t begin, std::size_t task,
                                 std::span<PairScratch> scratch, std::span<SegmentCounts> counts) {
  const std::size_t systems = texts_.systems.size();
  const PairMetric& metric = *tasks_[task].metric;
  RowRelations relations;
  std::vector<std::size_t> first_pair;  // by line and system
  std::size_t end = begin;
  for (; end < block.lines().size() && !relations.full(); ++end) {
    context_.check_cancelled();
    const std::vector<std::uint32_t> references = references_of(block, end);
    for (std::size_t system = 0; system < systems; ++system) {
      const TokenRows& candidate = prepared(task, system + 1, block.candidate(system, end).front()).rows;
      first_pair.push_back(relations.pairs());
      for (const std::uint32_t one : references) {
        const TokenRows& reference = prepared(task, 0, one).rows;
        if (!candidate.empty() && !reference.empty()) relations.add(candidate, reference, metric.parts());
      }
    }
  }
  relations.compute(metric.relation(), device_);
  context_.pool.for_each(end - begin, [&](std::size_t line, std::size_t worker) {
    for (std::size_t system = 0; system < systems; ++system)
      score_segment(block, {begin + line, system, task}, relations, first_pair[line * systems + system],
                    scratch[worker], counts[worker * counts_.size() + slot(system, task)]);
  });
  return end;
}

std::span<double> PairRun::values(std::size_t system, std::size_t task, std::size_t segment) {
  return std::span(values_[slot(system, task)]).subspan(segment * width_of(task), width_of(task));
}

/// Against each reference that has a token, then the best or the mean of each column.
void PairRun::score_segment(const embed::TextBlock& block, const SegmentNumber& segment,
                            const RowRelations& relations, std::size_t first_pair, PairScratch& scratch,
                            SegmentCounts& count) {
  const auto [index, system, task] = segment;
  const PairMetric& metric = *tasks_[task].metric;
  const std::span<double> out = values(system, task, block.lines()[index]);
  const PreparedText& candidate = prepared(task, system + 1, block.candidate(system, index).front());
  bool unfiltered = candidate.unfiltered, weightless = candidate.weightless;
  std::size_t references = 0;
  std::vector<double> found(out.size());
  std::size_t pair = first_pair;
  for (const std::uint32_t slot : references_of(block, index)) {
    const PreparedText& reference = prepared(task, 0, slot);
    if (reference.rows.empty()) continue;
    unfiltered = unfiltered || reference.unfiltered;
    weightless = weightless || reference.weightless;
    ++references;
    if (candidate.rows.empty()) continue;
    metric.score(candidate.rows, reference.rows, relations.of(pair++), scratch, found);
    for (std::size_t column = 0; column < out.size(); ++column) {
      if (references == 1) {
        out[column] = found[column];
      } else if (metric.several() == SeveralReferences::max) {
        out[column] = std::max(out[column], found[column]);
      } else {
        out[column] += found[column];
      }
    }
  }
  count.unfiltered += unfiltered ? 1 : 0;
  count.weightless += weightless ? 1 : 0;
  if (candidate.rows.empty() || references == 0) {
    count.empty_candidates += candidate.rows.empty() ? 1 : 0;
    count.empty_references += references == 0 ? 1 : 0;
    return;  // 0
  }
  if (metric.several() == SeveralReferences::mean) {
    for (double& value : out) value /= static_cast<double>(references);
  }
  metric.finish(source_, out);
}

void PairRun::explain(const embed::TextBlock& block, std::size_t task, PairScratch& scratch,
                      std::vector<ExplainedSegment>& explained) {
  for (std::size_t index = 0; index < block.lines().size(); ++index) {
    context_.check_cancelled();
    const std::size_t segment = block.lines()[index], references = references_of(block, index).size();
    for (std::size_t system = 0; system < texts_.systems.size(); ++system) {
      if (settings_.worth_explaining &&
          !settings_.worth_explaining(segment, system, task, values(system, task, segment)))
        continue;
      for (std::size_t reference = 0; reference < references; ++reference)
        explained.push_back({{index, system}, explanation(block, {index, system, task}, reference, scratch)});
    }
  }
}

PairExplanation PairRun::explanation(const embed::TextBlock& block, const SegmentNumber& segment,
                                     std::size_t reference, PairScratch& scratch) const {
  const auto [index, system, task] = segment;
  const PairMetric& metric = *tasks_[task].metric;
  const std::uint32_t candidate_place = block.candidate(system, index).front();
  const std::uint32_t reference_place = references_of(block, index)[reference];
  const PreparedText& candidate = prepared(task, system + 1, candidate_place);
  const PreparedText& other = prepared(task, 0, reference_place);
  PairExplanation out;
  out.metric = requests_[task].text;
  out.moves_weight = metric.moves_weight();
  out.system = system_names_[system];
  out.segment = block.lines()[index] + 1;
  out.reference = reference + 1;
  out.candidate_text = block.texts().written(candidate_place);
  out.reference_text = block.texts().written(reference_place);
  out.candidate_rows = rows_of(candidate.rows, block.texts().text(candidate_place).tokens);
  out.reference_rows = rows_of(other.rows, block.texts().text(reference_place).tokens);
  std::vector<double> found(width_of(task), 0);
  if (!candidate.rows.empty() && !other.rows.empty()) {
    RowRelations relations;
    relations.add(candidate.rows, other.rows, metric.parts());
    relations.compute(metric.relation(), device_);
    metric.score(candidate.rows, other.rows, relations.of(0), scratch, found);
    metric.align(candidate.rows, other.rows, relations.of(0), scratch);
    out.links = metric.links(candidate.rows, other.rows, scratch);
    metric.finish(source_, found);
  }
  for (std::size_t column = 0; column < found.size(); ++column)
    out.scores.emplace_back(requests_[task].info->results[column], found[column]);
  return out;
}

std::vector<Result> PairRun::results() {
  std::vector<Result> results;
  for (std::size_t system = 0; system < texts_.systems.size(); ++system) {
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      context_.find({FindingKind::without_weight,
                     {requests_[task].text, system_names_[system], tasks_[task].metric->weightless_rule()},
                     {counts_[slot(system, task)].weightless, texts_.lines()}});
      results.push_back(result(system, task));
    }
  }
  return results;
}

Result PairRun::result(std::size_t system, std::size_t task) const {
  const std::size_t segments = texts_.lines(), width = width_of(task);
  const std::vector<double>& values = values_[slot(system, task)];
  Result result;
  for (std::size_t column = 0; column < width; ++column) {
    std::vector<double> of_segments(segments);
    double sum = 0;
    for (std::size_t segment = 0; segment < segments; ++segment)
      sum += of_segments[segment] = values[segment * width + column];
    const std::string& name = requests_[task].info->results[column];
    result.scores.emplace_back(name, segments == 0 ? 0 : sum / static_cast<double>(segments));
    if (settings_.segments) result.segments.emplace_back(name, std::move(of_segments));
  }
  const SegmentCounts& count = counts_[slot(system, task)];
  result.details = {{"segments", std::uint64_t{segments}},
                    {"empty_candidates", std::uint64_t{count.empty_candidates}},
                    {"empty_references", std::uint64_t{count.empty_references}},
                    {"segments_without_words", std::uint64_t{count.unfiltered}},
                    {"segments_without_weight", std::uint64_t{count.weightless}}};
  result.signature_parts = tasks_[task].metric->signature(source_);
  const auto given = [](const IdfTable* table) { return table != nullptr && table->given(); };
  const IdfUse use = tasks_[task].metric->idf();
  if ((use == IdfUse::references || use == IdfUse::separate) &&
      (given(settings_.reference_idf) || given(settings_.candidate_idf))) {
    for (auto& [name, value] : result.signature_parts) value = name == "idf" ? "given" : value;
  }
  for (const auto& part : source_.signature()) result.signature_parts.push_back(part);
  result.signature_parts.emplace_back("version", version());
  return result;
}

}  // namespace markeval::metric
