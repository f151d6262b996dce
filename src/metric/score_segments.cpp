// The work on one block: neighbours of each reference once, then per system and segment the counts and scores
// of every metric.
#include "metric/score_segments.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/lookup.hpp"
#include "base/version.hpp"

namespace markeval::metric {
namespace {

enum class Multi { mean, best, together };

Multi multi_of(const std::string& text) {
  return text == "union" ? Multi::together : text == "max" ? Multi::best : Multi::mean;
}

}  // namespace

struct SegmentRun::SegmentTask {
  const Metric* request = nullptr;
  std::unique_ptr<SetMetric> metric;
  std::optional<geometry::BallRequest> balls;
  Multi multi = Multi::mean;

  std::size_t width() const { return request->info->results.size(); }
};

struct SegmentRun::SmallSet {
  SegmentRows rows;
  geometry::NeighbourLists neighbours;
};

struct SegmentRun::Block {
  std::vector<std::vector<SmallSet>> references;  ///< by segment
  std::vector<std::optional<SmallSet>> unions;    ///< of segments with several references, where asked for
  std::vector<std::vector<float>> union_rows;
};

/// What became of one system and one metric so far.
struct SegmentRun::Tally {
  std::vector<double> values;   ///< segments x results
  std::uint64_t smaller_k = 0;  ///< segments
  std::uint64_t too_small = 0;
  std::uint64_t reference_rows = 0;
  std::uint64_t system_rows = 0;
};

/// Working memory of one thread.
struct SegmentRun::SegmentScratch {
  geometry::SmallSetScratch sets;
  std::vector<geometry::BallRequest> requests;
  geometry::SetComparison comparison;
  std::unique_ptr<geometry::SetEngine> engine;  ///< for metrics that do not ask for balls
  std::vector<double> values;                   ///< of one task
};

/// What became of one segment and one metric.
struct SegmentRun::Notes {
  bool smaller_k = false;
  bool too_small = false;
};

namespace {

std::size_t fitting_k(std::size_t k, SegmentRows reference, SegmentRows line) {
  return std::min(k, std::min(reference.rows(), line.rows()) - 1);
}

}  // namespace

SegmentRun::SegmentRun(std::span<const Metric> requests, std::size_t systems, const SegmentSettings& settings,
                       compute::Device& device, const RunContext& context)
    : settings_(settings), device_(device), context_(context) {
  for (const Metric& request : requests) {
    SegmentTask& task = tasks_.emplace_back();
    task.request = &request;
    task.metric = std::get<SetMetricFactory>(request.info->factory)(request.options);
    task.balls = task.metric->balls();
    task.multi = multi_of(request.options.text("multi"));
    if (task.balls) largest_k_ = std::max(largest_k_, task.balls->k);
  }
  tallies_.resize(systems * tasks_.size());
}

SegmentRun::~SegmentRun() = default;

SegmentRun::Tally& SegmentRun::tally(std::size_t system, std::size_t task) {
  return tallies_[system * tasks_.size() + task];
}
const SegmentRun::Tally& SegmentRun::tally(std::size_t system, std::size_t task) const {
  return tallies_[system * tasks_.size() + task];
}

void SegmentRun::start_block(const std::vector<std::vector<SegmentRows>>& references) {
  block_ = std::make_unique<Block>();
  block_->references.resize(references.size());
  block_->unions.resize(references.size());
  block_->union_rows.resize(references.size());
  const bool together =
      std::ranges::any_of(tasks_, [](const SegmentTask& task) { return task.multi == Multi::together; });
  std::vector<SegmentScratch> scratch(context_.pool.size());
  context_.pool.for_each(references.size(), [&](std::size_t segment, std::size_t worker) {
    context_.check_cancelled();
    assert(!references[segment].empty());
    for (const SegmentRows& rows : references[segment]) {
      block_->references[segment].push_back(
          {rows, geometry::small_set_neighbours(rows, largest_k_, scratch[worker].sets)});
    }
    if (!together || references[segment].size() < 2) return;
    std::vector<float>& values = block_->union_rows[segment];
    const std::size_t columns = references[segment].front().columns();
    for (const SegmentRows& rows : references[segment]) {
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        values.insert(values.end(), rows.row(row).begin(), rows.row(row).end());
      }
    }
    const SegmentRows rows(values.data(), values.size() / columns, columns);
    block_->unions[segment] = {rows, geometry::small_set_neighbours(rows, largest_k_, scratch[worker].sets)};
  });
}

void SegmentRun::score(std::size_t system, std::span<const SegmentRows> lines) {
  assert(block_ && lines.size() == block_->references.size());
  std::vector<SegmentScratch> scratch(context_.pool.size());
  std::vector<Notes> notes(lines.size() * tasks_.size());
  std::vector<double*> out;  // per task: its values of this block
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    std::vector<double>& values = tally(system, task).values;
    values.resize(values.size() + lines.size() * tasks_[task].width(), 0);
    out.push_back(values.data() + values.size() - lines.size() * tasks_[task].width());
  }
  context_.pool.for_each(lines.size(), [&](std::size_t segment, std::size_t worker) {
    context_.check_cancelled();
    score_segment(segment, lines[segment], out, notes.data() + segment * tasks_.size(), scratch[worker]);
  });
  for (std::size_t segment = 0; segment < lines.size(); ++segment) {
    std::uint64_t reference_rows = 0;
    for (const SmallSet& reference : block_->references[segment]) reference_rows += reference.rows.rows();
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      Tally& sum = tally(system, task);
      const Notes& seen = notes[segment * tasks_.size() + task];
      sum.smaller_k += seen.smaller_k ? 1 : 0;
      sum.too_small += seen.too_small ? 1 : 0;
      sum.system_rows += lines[segment].rows();
      sum.reference_rows += reference_rows;
    }
  }
}

void SegmentRun::score_segment(std::size_t segment, SegmentRows rows, std::span<double* const> out,
                               Notes* notes, SegmentScratch& scratch) const {
  const SmallSet line{rows, geometry::small_set_neighbours(rows, largest_k_, scratch.sets)};
  const std::vector<SmallSet>& references = block_->references[segment];
  for (std::size_t number = 0; number < references.size(); ++number) {
    const auto wanted = [&](const SegmentTask& task) {
      return task.multi != Multi::together || references.size() == 1;
    };
    count_in_balls(references[number], line, wanted, scratch);
    for (std::size_t index = 0; index < tasks_.size(); ++index) {
      const SegmentTask& task = tasks_[index];
      if (!wanted(task)) continue;
      score_pair(task, references[number], line, notes[index], scratch);
      const bool lower = task.request->info->better == Better::lower;
      for (std::size_t column = 0; column < task.width(); ++column) {
        double& sum = out[index][segment * task.width() + column];
        const double value = scratch.values[column];
        if (task.multi != Multi::best) {
          sum += value / static_cast<double>(references.size());
        } else if (number == 0 || (lower ? value < sum : value > sum)) {
          sum = value;
        }
      }
    }
  }
  const std::optional<SmallSet>& all = block_->unions[segment];
  if (!all) return;
  const auto wanted = [](const SegmentTask& task) { return task.multi == Multi::together; };
  count_in_balls(*all, line, wanted, scratch);
  for (std::size_t index = 0; index < tasks_.size(); ++index) {
    if (!wanted(tasks_[index])) continue;
    score_pair(tasks_[index], *all, line, notes[index], scratch);
    std::ranges::copy(scratch.values, out[index] + segment * tasks_[index].width());
  }
}

/// Neighbours and counts for all tasks that want this pair, each kind of ball once.
void SegmentRun::count_in_balls(const SmallSet& reference, const SmallSet& line,
                                FunctionRef<bool(const SegmentTask&)> wanted, SegmentScratch& scratch) const {
  scratch.requests.clear();
  if (reference.rows.rows() < 2 || line.rows.rows() < 2) return;
  for (const SegmentTask& task : tasks_) {
    if (!task.balls || !wanted(task)) continue;
    const geometry::BallRequest request{fitting_k(task.balls->k, reference.rows, line.rows),
                                        task.balls->ball};
    add_once(scratch.requests, request);
  }
  if (scratch.requests.empty()) return;
  scratch.comparison.reference = reference.neighbours;
  scratch.comparison.evaluated = line.neighbours;
  scratch.comparison.counts = geometry::small_set_counts(reference.rows, reference.neighbours, line.rows,
                                                         line.neighbours, scratch.requests);
}

/// The scores of one task into scratch.values.
void SegmentRun::score_pair(const SegmentTask& task, const SmallSet& reference, const SmallSet& line,
                            Notes& notes, SegmentScratch& scratch) const {
  scratch.values.assign(task.width(), 0);
  const bool too_small = reference.rows.rows() < 2 || line.rows.rows() < 2;
  notes.too_small = notes.too_small || too_small;
  if (too_small && !task.metric->takes_one_row()) return;
  const std::vector<float> nothing(line.rows.columns(), 0);  // a set without rows: one row of zeros
  const SegmentRows origin(nothing.data(), 1, nothing.size());
  const SegmentRows first = reference.rows.rows() > 0 ? reference.rows : origin;
  const SegmentRows second = line.rows.rows() > 0 ? line.rows : origin;
  SetInputs inputs{.engine = nullptr,
                   .reference = {},
                   .evaluated = {},
                   .reference_rows = first.rows(),
                   .evaluated_rows = second.rows(),
                   .columns = first.columns(),
                   .reference_name = "the reference",
                   .evaluated_name = "the line",
                   .seed = settings_.seed,
                   .segment = true,
                   .comparison = nullptr,
                   .counts = nullptr};
  if (task.balls) {
    const geometry::BallRequest request{fitting_k(task.balls->k, reference.rows, line.rows),
                                        task.balls->ball};
    notes.smaller_k = notes.smaller_k || request.k < task.balls->k;
    inputs.comparison = &scratch.comparison;
    inputs.counts = &*std::ranges::find_if(scratch.comparison.counts,
                                           [&](const auto& found) { return found.request == request; });
  }
  const RunContext silent{context_.pool};
  Result result;
  if (task.balls) {
    task.metric->score(inputs, silent, result);
  } else {
    if (!scratch.engine) scratch.engine = geometry::make_set_engine(device_);
    const geometry::HeldSet of_reference(*scratch.engine, scratch.engine->add(first, "the reference"));
    const geometry::HeldSet of_line(*scratch.engine, scratch.engine->add(second, "the line"));
    inputs.engine = scratch.engine.get();
    inputs.reference = of_reference;
    inputs.evaluated = of_line;
    task.metric->score(inputs, silent, result);
  }
  std::transform(result.scores.begin(), result.scores.end(), scratch.values.begin(),
                 [](const auto& score) { return score.second; });
}

std::vector<Result> SegmentRun::results(std::size_t system, const std::string& name) const {
  std::vector<Result> results;
  for (std::size_t index = 0; index < tasks_.size(); ++index) {
    const SegmentTask& task = tasks_[index];
    const MetricInfo& info = *task.request->info;
    const Tally& found = tally(system, index);
    const std::size_t width = task.width();
    const std::size_t segments = found.values.size() / width;
    Result& result = results.emplace_back();
    for (std::size_t column = 0; column < width; ++column) {
      std::vector<double> values(segments);
      double sum = 0;
      for (std::size_t segment = 0; segment < segments; ++segment) {
        values[segment] = found.values[segment * width + column];
        sum += values[segment];
      }
      result.scores.emplace_back(info.results[column],
                                 segments == 0 ? 0 : sum / static_cast<double>(segments));
      if (settings_.segments) result.segments.emplace_back(info.results[column], std::move(values));
    }
    result.details = {{"segments", std::uint64_t{segments}},
                      {"reference_rows", found.reference_rows},
                      {"system_rows", found.system_rows},
                      {"segments_with_smaller_k", found.smaller_k},
                      {"segments_too_small", found.too_small}};
    const SetTerms terms{.samples = settings_.samples,
                         .scope = "segment",
                         .multi = task.request->options.text("multi"),
                         .seed = settings_.seed,
                         .k = task.balls ? task.balls->k : 0,
                         .requested_k = task.balls ? task.balls->k : 0};
    result.signature_parts = task.metric->signature(terms);
    for (const auto& part : settings_.input_signature) result.signature_parts.push_back(part);
    result.signature_parts.emplace_back("version", version());
    if (task.balls) {
      context_.find({FindingKind::smaller_k,
                     {name, task.request->text, std::to_string(task.balls->k)},
                     {found.smaller_k, segments}});
    }
    context_.find({FindingKind::too_small_segments,
                   {name, task.request->text, task.metric->takes_one_row() ? "" : " and score 0"},
                   {found.too_small, segments}});
  }
  return results;
}

}  // namespace markeval::metric
