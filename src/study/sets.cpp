// The synthetic studies of Mark-Evaluate on MultiNLI (Figures 2, 3 and 4): how scores change
// with K, with genres that are missing, and with words that change places.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "base/random.hpp"
#include "study/data_files.hpp"
#include "study/study_run.hpp"

namespace markeval::study {
namespace {

constexpr std::size_t kSteps = 11;  // probabilities 0, 0.1, ..., 1

// Streams of random numbers, apart by purpose.
enum Stream : std::uint64_t { kReference = 1, kEvaluated = 2, kOrders = 1000, kSwaps = 1'000'000 };

std::vector<std::string> all_sentences(const GenreSentences& data) {
  std::vector<std::string> all;
  for (const auto& genre : data.sentences) all.insert(all.end(), genre.begin(), genre.end());
  return all;
}

/// How many sentences each set has: as asked for, or as in the paper, but no more than there are.
std::size_t set_size(const StudyRun& run, std::size_t in_paper, std::size_t available) {
  const std::size_t asked = run.request().size;
  if (asked > available) {
    throw_usage(fmt::format("size {}: the data have {} sentences for each set", asked, available));
  }
  return asked > 0 ? asked : std::min(in_paper, available);
}

/// Sentences of all genres: as many for training as for validation.
struct MnliSets {
  std::vector<std::string> training, validation;
};

MnliSets sample_all_genres(StudyRun& run, std::uint64_t seed) {
  const MnliData data = read_mnli(run.request().data);
  run.add_files(data.files);
  const std::vector<std::string> training = all_sentences(data.training);
  const std::vector<std::string> validation = all_sentences(data.validation);
  const std::size_t size = set_size(run, 10'000, std::min(training.size(), validation.size()));
  return {drawn_texts(training, size, RandomStream(seed, kReference)),
          drawn_texts(validation, size, RandomStream(seed, kEvaluated))};
}

/// `count` sentences from the genres given, as equal a number from each as can be.
std::vector<std::string> sample_genres(const GenreSentences& data, std::span<const std::uint32_t> genres,
                                       std::size_t count, std::uint64_t seed, std::uint64_t stream) {
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < genres.size(); ++i) {
    const std::size_t share = count * (i + 1) / genres.size() - count * i / genres.size();
    const auto part =
        drawn_texts(data.sentences[genres[i]], share, RandomStream(seed, stream * 100 + genres[i]));
    chosen.insert(chosen.end(), part.begin(), part.end());
  }
  return chosen;
}

/// Blank-separated words; every position changes places, with probability p, with another one.
std::string swap_words(const std::string& sentence, double probability, RandomStream random) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < sentence.size()) {
    const std::size_t end = std::min(sentence.find(' ', begin), sentence.size());
    if (end > begin) words.push_back(sentence.substr(begin, end - begin));
    begin = end + 1;
  }
  for (std::size_t i = 0; i < words.size() && words.size() > 1; ++i) {
    if (random.uniform() >= probability) continue;
    const std::size_t other = random.below(words.size() - 1);
    std::swap(words[i], words[other < i ? other : other + 1]);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

/// A curve whose every point is drawn several times: the means with a band of one standard deviation, and
/// the deviations as a table of their own.
class DrawnCurve {
 public:
  /// `draw` and `draws` name what is repeated: "order", "orders of dropping genres".
  DrawnCurve(std::string abscissa, std::string draw, std::string draws)
      : draw_(std::move(draw)), draws_(std::move(draws)), columns_{std::move(abscissa)} {}

  /// Another draw of the point with this number; points come in order.
  void add(std::size_t point, report::Cell x, const Report& report) {
    if (point == points_.size()) points_.push_back({std::move(x), {}});
    std::size_t result = 0;
    for (const Result& of_metric : report.results()) {
      for (const auto& [name, value] : of_metric.scores) {
        if (columns_.size() == result + 1) columns_.emplace_back(of_metric.requested + "." + name);
        if (points_[point].draws.size() == result) points_[point].draws.emplace_back();
        points_[point].draws[result++].push_back(value);
      }
    }
  }

  std::vector<report::Table> tables() const {
    const std::size_t repeats = points_.front().draws.front().size();
    report::Table means = report::study_table("scores", "Score", columns_, 4, report::Drawing::curve);
    report::Table spread = report::study_table(
        "scores-spread", fmt::format("Standard deviation from {0} to {0}", draw_), columns_, 4);
    for (const CurvePoint& point : points_) {
      means.rows.push_back(row_of(point, mean_of_draws));
      spread.rows.push_back(row_of(point, spread_of));
    }
    if (repeats == 1) return {means};
    means.title = fmt::format("Mean over {} {}", repeats, draws_);
    means.brief = true;
    for (std::size_t row = 0; row < means.rows.size(); ++row) {
      for (std::size_t column = 1; column < columns_.size(); ++column)
        means.rows[row][column].spread = *spread.rows[row][column].number();
    }
    return {means, spread};
  }

 private:
  struct CurvePoint {
    report::Cell x;
    std::vector<std::vector<double>> draws;  ///< by result
  };

  template <class Summary>
  static std::vector<report::Cell> row_of(const CurvePoint& point, Summary summary) {
    std::vector<report::Cell> row{point.x};
    for (const std::vector<double>& draws : point.draws) row.emplace_back(summary(draws));
    return row;
  }

  std::string draw_, draws_;
  std::vector<report::ReportColumn> columns_;
  std::vector<CurvePoint> points_;
};

ScoreRequest request_of(const StudyRun& run, const std::vector<std::string>& reference,
                        const std::vector<std::string>& evaluated, std::vector<Metric> metrics) {
  ScoreRequest scoring = run.score_request();
  scoring.references = {{"training", Texts{reference}}};
  scoring.systems = {{"validation", Texts{evaluated}}};
  scoring.metrics = std::move(metrics);
  return scoring;
}

}  // namespace

void run_k_sweep(StudyRun& run) {
  const auto [reference, evaluated] = sample_all_genres(run, run.request().seed);
  const std::size_t size = reference.size();
  if (run.request().max_k >= size) {
    throw_usage(fmt::format("--max-k {}, expected at most {} with {} sentences in each set (--size)",
                            run.request().max_k, size - 1, size));
  }
  std::vector<Metric> metrics;
  for (std::size_t k = 1; k <= run.request().max_k; ++k) metrics.emplace_back(fmt::format("me:k={}", k));
  // One request: one pass over the neighbours serves every K.
  const Report report = run.score(request_of(run, reference, evaluated, metrics));
  report::Study& study = run.study();
  study.about = fmt::format(
      "Scores of {0} training against {0} validation sentences of MultiNLI as K grows "
      "(Mark-Evaluate, Figure 2)",
      size);
  report::Table scores = report::study_table("scores", "Score", {"k"}, 4, report::Drawing::curve);
  report::Table estimates =
      report::study_table("estimates", fmt::format("Estimated population; the true one is {}", 2 * size),
                          {"k"}, 1, report::Drawing::curve);
  for (const auto& [name, value] : report.results().front().scores) {
    scores.columns.emplace_back(name);
    estimates.columns.emplace_back(name);
  }
  for (std::size_t k = 1; k <= metrics.size(); ++k) {
    const Result& result = report.results()[k - 1];
    auto& row = scores.rows.emplace_back(std::vector<report::Cell>{std::uint64_t{k}});
    auto& estimate_row = estimates.rows.emplace_back(std::vector<report::Cell>{std::uint64_t{k}});
    for (const auto& [name, value] : result.scores) {
      row.emplace_back(value);
      const Detail& estimate = *find_named(result.details, name + "_estimate");
      const auto* count = std::get_if<std::uint64_t>(&estimate);
      estimate_row.emplace_back(count != nullptr ? static_cast<double>(*count) : std::get<double>(estimate));
    }
  }
  study.tables = {std::move(scores), std::move(estimates)};
  study.signatures = {study.signatures.front()};  // the others differ in k alone
}

void run_mode_collapse(StudyRun& run) {
  const MnliData data = read_mnli(run.request().data);
  run.add_files(data.files);
  const std::size_t genres = data.validation.genres.size();
  std::size_t available = data.validation.sentences.front().size();
  for (const auto& genre : data.validation.sentences) available = std::min(available, genre.size());
  const std::size_t size = set_size(run, 4'000, available);
  const std::uint64_t seed = run.request().seed;
  std::vector<std::uint32_t> all(data.training.genres.size());
  std::iota(all.begin(), all.end(), 0u);
  const std::vector<std::string> reference = sample_genres(data.training, all, size, seed, kReference);
  const std::vector<Metric> metrics = set_metrics(run);
  const std::size_t repeats = run.request().repeats, steps = repeats * genres;
  DrawnCurve curve("dropped", "order", "orders of dropping genres");
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    const std::vector<std::uint32_t> order =
        RandomStream(seed, kOrders + repeat).permutation(static_cast<std::uint32_t>(genres));
    for (std::size_t dropped = 0; dropped < genres; ++dropped) {
      run.step(fmt::format("{} of {} genres dropped", dropped, genres), repeat * genres + dropped, steps);
      std::vector<std::uint32_t> kept(order.begin() + static_cast<std::ptrdiff_t>(dropped), order.end());
      std::ranges::sort(kept);
      const std::vector<std::string> evaluated =
          sample_genres(data.validation, kept, size, seed, kEvaluated + repeat);
      curve.add(dropped, std::uint64_t{dropped}, run.score(request_of(run, reference, evaluated, metrics)));
    }
  }
  report::Study& study = run.study();
  study.about = fmt::format(
      "{0} training sentences of all genres of MultiNLI against {0} validation sentences of "
      "fewer and fewer genres (Mark-Evaluate, Figure 3)",
      size);
  study.tables = curve.tables();
}

// Every draw has other sentences and other swaps: those of the next seed.
void run_word_swap(StudyRun& run) {
  const std::vector<Metric> metrics = set_metrics(run);
  const std::size_t repeats = run.request().repeats;
  std::size_t size = 0;
  DrawnCurve curve("swapped", "draw", "draws of sentences and swaps");
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    const std::uint64_t seed = run.request().seed + repeat;
    const auto [reference, sentences] = sample_all_genres(run, seed);
    size = reference.size();
    for (std::size_t step = 0; step < kSteps; ++step) {
      const double probability = static_cast<double>(step) / (kSteps - 1);
      run.step(fmt::format("words swapped with probability {:.1f}", probability), repeat * kSteps + step,
               repeats * kSteps);
      std::vector<std::string> evaluated;
      for (std::size_t i = 0; i < sentences.size(); ++i) {
        evaluated.push_back(
            swap_words(sentences[i], probability, RandomStream(seed, kSwaps * (step + 1) + i)));
      }
      curve.add(step, probability, run.score(request_of(run, reference, evaluated, metrics)));
    }
  }
  report::Study& study = run.study();
  study.about = fmt::format(
      "{0} training against {0} validation sentences of MultiNLI whose words change places "
      "(Mark-Evaluate, Figure 4)",
      size);
  study.tables = curve.tables();
}

}  // namespace markeval::study
