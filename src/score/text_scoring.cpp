// Lexical metrics come first, without a model; then pair, set and trained metrics share the vectors of each
// text.
#include "score/text_scoring.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "embed/static_vectors.hpp"
#include "embed/text_encoder.hpp"
#include "encoder/text_error.hpp"
#include "metric/pair_run.hpp"
#include "score/beside_people.hpp"
#include "score/language_check.hpp"
#include "score/pair_examples.hpp"
#include "score/set_run.hpp"
#include "score/set_warnings.hpp"
#include "score/text_inputs.hpp"
#include "score/trained_run.hpp"
#include "trained/match_metric.hpp"

namespace markeval::score {
namespace {

using metric::Kind;

/// The metrics that are scored together and their places among all of the request.
struct MetricGroup {
  std::vector<Metric> requests;
  std::vector<std::size_t> members;

  void add(const Metric& request, std::size_t which) {
    requests.push_back(request);
    members.push_back(which);
  }
};

MetricGroup group_of(Kind kind, const std::vector<Metric>& metrics) {
  MetricGroup group;
  for (std::size_t which = 0; which < metrics.size(); ++which) {
    if (metrics[which].info->kind == kind) group.add(metrics[which], which);
  }
  return group;
}

/// It is trained, but scores as pair metrics do.
bool is_match(const Metric& request) {
  return request.info->is(metric::Learned::match);
}

/// The texts of a request on their way through the encoder, or through files of word vectors.
class VectorScoring {
 public:
  VectorScoring(const ScoreContext& run, const TextInputs& inputs, ScoreData& data, const PartSettings* part,
                Failures& failures, std::vector<std::vector<Result>>& results)
      : request_(run.request),
        inputs_(inputs),
        texts_{inputs.references, inputs.systems},
        runtime_(run.runtime),
        page_(run.page),
        listener_(run.listener),
        context_(run.context),
        data_(data),
        metrics_(run.metrics),
        part_(part),
        failures_(failures),
        results_(results) {
    if (const auto& given = request_.reference_weights)
      pair_settings_.reference_idf = &reference_idf_.emplace(given->weights, given->other);
    if (const auto& given = request_.candidate_weights)
      pair_settings_.candidate_idf = &candidate_idf_.emplace(given->weights, given->other);
    if (part != nullptr && part->reference_idf != nullptr) {
      pair_settings_.reference_idf = part->reference_idf;
      pair_settings_.system_idf = part->system_idf;
    }
    pair_settings_.segments = keeps_segments();
  }

  void run(const MetricGroup& pair, const MetricGroup& trained, const MetricGroup& set) {
    std::map<std::string, MetricGroup>
        by_source;  // pair metrics by their file of word vectors; "" for the encoder
    for (std::size_t i = 0; i < pair.requests.size(); ++i) {
      const Metric& one = pair.requests[i];
      failures_.attempt(pair.members[i], [&] {
        by_source[std::get<metric::PairMetricFactory>(one.info->factory)(one.options)->embeddings()].add(
            one, pair.members[i]);
      });
    }
    MetricGroup of_encoder = std::move(by_source[""]), networks;
    by_source.erase("");
    for (std::size_t i = 0; i < trained.requests.size(); ++i) {
      MetricGroup& group = is_match(trained.requests[i]) ? of_encoder : networks;
      group.add(trained.requests[i], trained.members[i]);
    }
    load_networks(networks);
    if (!of_encoder.requests.empty() || !networks.requests.empty() || !set.requests.empty())
      start_encoder(of_encoder, networks, set);
    for (const auto& [file, group] : by_source) {
      const std::string& words = file;
      failures_.attempt(group.members, [&, &mine = group] { run_words(words, mine); });
    }
    page_.set_examples(std::move(examples_));
  }

 private:
  bool keeps_segments() const {
    return part_ != nullptr || request_.segments || request_.resamples > 0 || page_.wanted();
  }

  /// Their folders are read before the encoder; a metric whose folder cannot be read leaves the group.
  void load_networks(MetricGroup& group) {
    MetricGroup loaded;
    for (std::size_t i = 0; i < group.requests.size(); ++i) {
      failures_.attempt(group.members[i], [&] {
        trained_models_.push_back(std::move(load_trained(std::span(&group.requests[i], 1)).front()));
        loaded.add(group.requests[i], group.members[i]);
      });
    }
    group = std::move(loaded);
  }

  void start_encoder(const MetricGroup& pair, const MetricGroup& trained, const MetricGroup& set) {
    std::vector<std::size_t> members = pair.members;
    for (const MetricGroup* more : {&trained, &set})
      members.insert(members.end(), more->members.begin(), more->members.end());
    failures_.attempt(members, [&] {
      if (inputs_.token_vectors) {
        run_source(*inputs_.token_vectors, nullptr, runtime_.device, pair, trained, set);
        return;
      }
      cache::VectorCache* const carried = part_ != nullptr ? part_->vectors : nullptr;
      cache::VectorCache cache =
          carried != nullptr ? cache::VectorCache("none") : open_cache(request_.encoder, &listener_);
      std::optional<embed::TextEncoder> encoder;
      try {
        encoder.emplace(runtime_.models, request_.encoder, carried != nullptr ? *carried : cache);
      } catch (const Error& error) {  // a model that is not there, too: other metrics need none
        if (error.code() == ErrorCode::cancelled) throw;
        for (const std::size_t which : members) failures_.add(which, error);
        return;
      }
      try {
        run_source(*encoder, &*encoder, encoder->model().device(), pair, trained, set);
        cache.flush();
      } catch (const encoder::TextError& error) {
        throw error.at(where_is(request_, inputs_, error.text()));
      }
    });
  }

  /// `encoder`: the source, where it is one; else the source has the token vectors of the inputs.
  void run_source(embed::VectorSource& source, embed::TextEncoder* encoder, compute::Device& device,
                  const MetricGroup& pair, const MetricGroup& trained, const MetricGroup& set) {
    const auto identity = [&] {  // asked for only where needed: it takes the hash of the weights
      return encoder != nullptr ? trained::identity_of(*encoder)
                                : trained::identity_of(*inputs_.token_vectors);
    };
    const metric::RunInputs run{texts_, inputs_.system_names, source, device, context_};
    std::vector<NumberedRun> runs;
    MetricGroup made;
    std::vector<std::unique_ptr<metric::PairMetric>> metrics;
    for (std::size_t i = 0; i < pair.requests.size(); ++i) {
      const Metric& one = pair.requests[i];
      failures_.attempt(pair.members[i], [&] {
        metrics.push_back(is_match(one)
                              ? trained::make_match(one.options, source, identity(), device.products())
                              : std::get<metric::PairMetricFactory>(one.info->factory)(one.options));
        made.add(one, pair.members[i]);
      });
    }
    if (!metrics.empty())
      runs.push_back({std::make_unique<PairScores>(*this, made, std::move(metrics), run), made.members});
    if (!trained.requests.empty()) {
      failures_.attempt(trained.members, [&] {
        runs.push_back({std::make_unique<TrainedRun>(trained.requests, std::move(trained_models_), identity(),
                                                     run, keeps_segments()),
                        trained.members});
      });
    }
    const SetRunContext set_context{
        request_,
        inputs_,
        source,
        encoder != nullptr ? std::optional(encoder->default_sentence()) : std::nullopt,
        device,
        page_,
        listener_,
        context_,
        request_.explain ? &data_.set_explanations : nullptr};
    for (NumberedSetRun& one : make_set_runs(set.requests, set_context)) {
      runs.push_back({std::move(one.run), {}});
      for (const std::size_t which : one.members) runs.back().members.push_back(set.members[which]);
    }
    run_together(source, runs, [&](const embed::RunCounts& counts) {
      warn_of_cut_texts(inputs_, counts, request_.encoder, context_);
      warn_of_unread_tokens(inputs_, counts, source.model_name(), context_);
    });
  }

  void run_words(const std::string& file, const MetricGroup& group) {
    const std::size_t limit = request_.encoder.max_length > 0 ? request_.encoder.max_length : 512;
    embed::WordVectorSource source(file, inputs_.references, inputs_.systems, limit);
    const metric::RunInputs run{texts_, inputs_.system_names, source, runtime_.device, context_};
    std::vector<NumberedRun> runs;
    runs.push_back(
        {std::make_unique<PairScores>(*this, group, metric::make_pair_metrics(group.requests), run),
         group.members});
    run_together(source, runs, [&](const embed::RunCounts& counts) {
      warn_of_unread_words(inputs_, counts, file, context_);
    });
  }

  /// Metrics that are scored together, and their places among all of the request.
  struct NumberedRun {
    std::unique_ptr<metric::MetricRun> run;
    std::vector<std::size_t> members;
  };

  /// All texts go by all metrics of a source, once; then each gives its results.
  void run_together(embed::VectorSource& source, std::span<const NumberedRun> runs,
                    FunctionRef<void(const embed::RunCounts&)> warn) {
    std::vector<embed::TextUser*> users;
    for (const NumberedRun& one : runs) users.push_back(one.run.get());
    const embed::RunCounts counts = embed::run_texts(source, texts_, users, context_);
    warn(counts);
    for (const auto& one : runs) {
      failures_.attempt(one.members, [&] {
        std::vector<Result> found = one.run->results();
        for (const Ceiling& ceiling : one.run->ceilings()) data_.report.ceilings.push_back(ceiling);
        for (std::size_t i = 0; i < one.run->errors().size(); ++i) {
          if (const auto& error = one.run->errors()[i]) failures_.add(one.members[i], *error);
        }
        keep(std::move(found), one, counts);
      });
    }
  }

  /// Pair metrics of one source, with the examples and explanations of their segments.
  class PairScores final : public metric::MetricRun {
   public:
    PairScores(VectorScoring& scoring, const MetricGroup& group,
               std::vector<std::unique_ptr<metric::PairMetric>> metrics, const metric::RunInputs& inputs)
        : owner_(scoring),
          keeper_(scoring.inputs_, group.requests),
          run_(group.requests, std::move(metrics), inputs, settings()) {}

    embed::EncodeRequest request() const override { return run_.request(); }
    bool needs_order() const override { return run_.needs_order(); }
    void mark_needed(const embed::TextTokens& tokens, std::span<std::uint8_t> mask) const override {
      run_.mark_needed(tokens, mask);
    }
    void take(const embed::TextBlock& block) override { run_.take(block); }
    std::vector<Result> results() override {
      if (owner_.page_.wanted()) {
        for (report::PairExamples& examples : keeper_.take()) owner_.examples_.push_back(std::move(examples));
      }
      return run_.results();
    }

   private:
    metric::PairSettings settings() {
      metric::PairSettings settings = owner_.pair_settings_;
      const bool explains = owner_.request_.explain, shows = owner_.page_.wanted();
      if (!explains && !shows) return settings;
      settings.explain = [this, explains, shows](const metric::PairExplanation& explanation) {
        if (explains) owner_.data_.pair_explanations.push_back(explanation);
        if (shows) keeper_.offer(explanation);
      };
      settings.worth_explaining = [this, explains, shows](std::size_t segment, std::size_t system,
                                                          std::size_t request,
                                                          std::span<const double> scores) {
        const bool example = shows && keeper_.wants(segment, system, request, scores);
        return example || explains;
      };
      return settings;
    }

    VectorScoring& owner_;
    PairExampleKeeper keeper_;
    metric::PairRun run_;
  };

  /// Results by system, then by metric, go to their places, with what was found in their texts.
  void keep(std::vector<Result> found, const NumberedRun& run, const embed::RunCounts& counts) {
    const std::vector<std::size_t>& members = run.members;
    const auto of = [&](const embed::FileCounts& file) -> const TextCounts& {
      return run.run->reads_words() ? file.tokens : file.sentences;
    };
    for (std::size_t index = 0; index < found.size(); ++index) {
      TextCounts texts = of(counts.systems[index / members.size()]);
      for (const embed::FileCounts& file : counts.references) texts += of(file);
      found[index].details.emplace_back("truncated_texts", std::uint64_t{texts.cut_texts});
      found[index].details.emplace_back("unknown_tokens", std::uint64_t{texts.unknown});
      const std::size_t which = members[index % members.size()];
      if (!failures_.failed(which)) results_[which].push_back(std::move(found[index]));
    }
    for (const std::size_t which : members) {
      if (part_ == nullptr && metrics_[which].scores_segments())
        add_intervals_of_means(request_, context_, results_[which]);
    }
  }

  const ScoreRequest& request_;
  const TextInputs& inputs_;
  embed::RunTexts texts_;
  Runtime& runtime_;
  PageBuilder& page_;
  Listener& listener_;
  const RunContext& context_;
  ScoreData& data_;
  const std::vector<Metric>& metrics_;
  const PartSettings* part_;
  Failures& failures_;
  std::vector<std::vector<Result>>& results_;  ///< by metric, then by system; none where one failed
  std::vector<trained::TrainedModel> trained_models_;
  std::optional<metric::IdfTable> reference_idf_, candidate_idf_;
  metric::PairSettings pair_settings_;
  std::vector<report::PairExamples> examples_;
};

/// Scores the metrics that need no model, in the order asked for.
void score_lexically(const ScoreContext& run, const TextInputs& inputs, const MetricGroup& group,
                     std::span<const std::shared_ptr<const metric::LexicalMetric>> counters,
                     const PartSettings* part, Failures& failures,
                     std::vector<std::vector<Result>>& results) {
  const ScoreRequest& request = run.request;
  metric::LexicalSettings settings{request.segments || request.keep_statistics || run.page.wanted(),
                                   request.resamples, request.seed, request.keep_statistics};
  for (std::size_t index = 0; index < group.requests.size(); ++index) {
    const std::size_t which = group.members[index];
    if (failures.failed(which)) continue;
    if (part != nullptr) settings = {counters[index]->mean_of_segments(), 0, request.seed, true};
    failures.attempt(which, [&] {
      run.context.check_cancelled();
      results[which] = metric::score_texts(counters[index], group.requests[index].info->results,
                                           inputs.corpus, settings, run.context);
    });
  }
}

/// Tells what is known before a model is loaded.
void tell_early(const MetricGroup& lexical, const TextInputs& inputs,
                const std::vector<std::vector<Result>>& results, Listener& listener) {
  std::vector<Result> early;
  for (std::size_t i = 0; i < lexical.members.size(); ++i) {
    for (std::size_t system = 0; system < results[lexical.members[i]].size(); ++system) {
      const Result& found = results[lexical.members[i]][system];
      Result& told = early.emplace_back();
      told.system = inputs.system_names[system];
      told.metric = lexical.requests[i].info->name;
      told.requested = lexical.requests[i].text;
      told.scores = found.scores;
    }
  }
  if (!early.empty()) listener.early_results(early);
}

}  // namespace

MeasuredTexts measure_texts(const ScoreContext& run, Failures& failures, ScoreData& data,
                            const PartSettings* part) {
  const std::vector<Metric>& metrics = run.metrics;
  const RunContext& context = run.context;
  const MetricGroup lexical = group_of(Kind::lexical, metrics);
  const MetricGroup pair = group_of(Kind::pair, metrics);
  const MetricGroup trained = group_of(Kind::trained, metrics);
  const MetricGroup set = group_of(Kind::set, metrics);
  std::vector<std::shared_ptr<const metric::LexicalMetric>> counters(
      lexical.requests.size());  // made first: options are wrong before files are
  for (std::size_t index = 0; index < counters.size(); ++index) {
    const Metric& one = lexical.requests[index];
    failures.attempt(lexical.members[index], [&] {
      counters[index] = std::get<metric::LexicalMetricFactory>(one.info->factory)(one.options);
      if (const std::string note = counters[index]->note(); !note.empty())
        context.find({FindingKind::metric_note, {note}, {}});
    });
  }
  const bool aligned = std::ranges::any_of(metrics, &Metric::scores_segments);
  const TextInputs inputs = load_texts(run.request, aligned, context);
  run.page.add_inputs(inputs);
  warn_of_unread_letters(inputs, lexical.requests, counters, context);
  warn_of_other_language(inputs, context);
  std::vector<double> copied;
  if (std::ranges::any_of(set.requests, [](const Metric& one) { return !one.scores_segments(); }))
    copied = warn_of_repetition(inputs, context);
  std::vector<std::vector<Result>> results(metrics.size());

  score_lexically(run, inputs, lexical, counters, part, failures, results);
  if (lexical.members.size() < metrics.size()) tell_early(lexical, inputs, results, run.listener);
  VectorScoring(run, inputs, data, part, failures, results).run(pair, trained, set);
  judge(data.report.ceilings, copied);
  return {std::move(results), inputs.system_names, inputs.references.front().segments(),
          reference_count(inputs.references)};
}

}  // namespace markeval::score
