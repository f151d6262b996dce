// Set metrics on rows of vectors, read from files or in memory.
#include "score/vector_scoring.hpp"

#include <algorithm>
#include <numeric>

#include "score/beside_people.hpp"
#include "score/drawn_units.hpp"
#include "score/failures.hpp"
#include "score/set_scoring.hpp"
#include "score/set_warnings.hpp"
#include "score/vector_inputs.hpp"

namespace markeval::score {
namespace {

/// Vectors as a set of the engine: all rows, or those that ScoreRequest::sample draws, the same of files of
/// one size.
struct SampledVectors {
  std::vector<std::uint32_t> rows;  ///< of the file
  SampleSet set;

  /// Row i of the file comes from line `line(i)` of `file_lines`.
  template <typename Line>
  SampledVectors(const vectors::Vectors& file, const ScoreRequest& request, geometry::SetEngine& engine,
                 std::size_t file_lines, const Line& line)
      : rows(file.rows()), set{{file.name(), engine.add(as_points(file), file.name())}} {
    std::iota(rows.begin(), rows.end(), 0U);
    if (request.sample > 0) {
      rows = draw_sample(file.rows(), request, file.name());
      set.id = engine.subset(set.id, rows);
    }
    set.rows = rows.size();
    for (const std::uint32_t row : rows) set.lines.push_back(static_cast<std::uint32_t>(line(row)));
    set.file_lines = file_lines;
  }
};

}  // namespace

std::shared_ptr<ScoreData> score_vectors(const ScoreContext& run) {
  const ScoreRequest& request = run.request;
  const std::vector<Metric>& metrics = run.metrics;
  const VectorInputs inputs = load_vectors(request, run.context);
  run.page.add_inputs(inputs);
  const std::vector<double> copied = warn_of_repetition(inputs, run.context);
  const auto engine = geometry::make_set_engine(run.runtime.device);
  const std::size_t file_lines = inputs.references.front().rows();
  const bool equal =
      std::ranges::all_of(inputs.references, [&](const auto& file) { return file.rows() == file_lines; });
  const SampledVectors reference(inputs.reference(), request, *engine, equal ? file_lines : 0,
                                 [&](std::size_t row) { return inputs.reference_place(row).row - 1; });
  SetCorpus corpus{.reference = reference.set};
  corpus.reference_row = [&](std::size_t row) { return inputs.reference_place(reference.rows[row]); };
  corpus.segment_of = [&](std::size_t row) { return corpus.reference_row(row).row - 1; };
  for (const vectors::Vectors& file : inputs.references)
    corpus.segments = std::max(corpus.segments, file.rows());
  corpus.files = inputs.references.size();
  corpus.system_names = inputs.system_names;
  for (const vectors::Vectors& file : inputs.systems)
    corpus.system_units.push_back(request.sample > 0 ? request.sample : file.rows());
  corpus.system = [&](std::size_t system) {
    const vectors::Vectors& file = inputs.systems[system];
    SampledVectors sampled(file, request, *engine, file.rows(), [](std::size_t row) { return row; });
    return SetCorpus::System{
        std::move(sampled.set), [rows = std::move(sampled.rows), &file](std::size_t row) {
          return report::RowOrigin{file.name(), rows[row] + std::size_t{1}, false, "", "", 0};
        }};
  };
  auto data = std::make_shared<ScoreData>();
  metric::SetSettings settings;
  settings.input_signature = {{"input", "vectors"}};
  SetOutcome outcome = score_set_corpus(corpus, metrics, settings,
                                        {request, *engine, run.page, run.listener, run.context,
                                         request.explain ? &data->set_explanations : nullptr});
  for (std::size_t i = 0; i < outcome.results.size(); ++i) {
    Result& result = outcome.results[i];
    result.requested = metrics[i % metrics.size()].text;
    result.system = inputs.system_names[i / metrics.size()];
    sign_references(inputs.references.size(), result);
  }
  data->report.results = std::move(outcome.results);
  data->report.ceilings = std::move(outcome.ceilings);
  judge(data->report.ceilings, copied);
  Failures failures(metrics, false);
  for (std::size_t which = 0; which < metrics.size(); ++which) {
    if (const auto& error = outcome.errors[which]) failures.add(which, *error);
  }
  data->report.errors = failures.finish();
  std::erase_if(data->report.results, [&](const Result& result) {
    return std::ranges::any_of(
        data->report.errors, [&](const FailedMetric& error) { return error.requested == result.requested; });
  });
  return data;
}

}  // namespace markeval::score
