#include "metric/score_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/version.hpp"
#include "metric/pair_block.hpp"
#include "metric/pair_group.hpp"
#include "metric/segment_order.hpp"

namespace markeval::metric {
namespace {

/// What a user should know about the segments of one system and metric.
struct SegmentCounts {
  std::size_t empty_candidates = 0;
  std::size_t empty_references = 0;  ///< segments none of whose references has a token
  std::size_t unfiltered = 0;
  std::size_t weightless = 0;
};

/// Where the texts of a segment are in the block at hand.
struct SegmentUses {
  std::size_t segment = 0;
  std::vector<std::size_t> references;
  std::vector<std::size_t> candidates;  ///< per system
};

struct Place {
  std::size_t segment, system, task, reference;
};

void check(const PairCorpus& corpus) {
  for (const PairSystem& system : corpus.systems) {
    if (system.lines.size() != corpus.references.size()) {
      throw_invalid(fmt::format("{}: {} segments, the references have {}", system.name, system.lines.size(),
                                corpus.references.size()));
    }
  }
  for (std::size_t segment = 0; segment < corpus.references.size(); ++segment) {
    if (corpus.references[segment].empty())
      throw_invalid(fmt::format("segment {} has no reference", segment + 1));
  }
}

class PairRun {
 public:
  PairRun(const PairCorpus& corpus, std::span<const MetricRequest> requests, const SourceLookup& source_of,
          const PairSettings& settings, const RunContext& context)
      : corpus_(corpus), requests_(requests), settings_(settings), context_(context) {
    check(corpus);
    if (settings.explain) {  // in the order of the corpus
      order_.resize(corpus.references.size());
      std::iota(order_.begin(), order_.end(), std::size_t{0});
    } else {
      order_ = order_by_shared_texts(corpus);
    }
    for (const MetricRequest& request : requests) {
      metrics_.push_back(std::get<PairMetricFactory>(request.info->factory)(request.options));
    }
    for (std::size_t request = 0; request < requests.size(); ++request) {
      embed::TokenSource& source = source_of(metrics_[request]->embeddings());
      auto group = std::find_if(groups_.begin(), groups_.end(),
                                [&](const PairGroup& g) { return g.source == &source; });
      if (group == groups_.end()) {
        group = groups_.insert(group, PairGroup());
        group->source = &source;
      }
      group->add(request, *metrics_[request]);
    }
    values_.resize(corpus.systems.size() * requests.size());
    counts_.resize(values_.size());
  }

  std::vector<MetricResult> run() {
    for (PairGroup& group : groups_) run_group(group);
    if (cut_ > 0 && !settings_.limit.empty())
      context_.warn(fmt::format("{} texts are longer than {} and were cut", cut_, settings_.limit));
    for (std::size_t index = 0; index < counts_.size(); ++index) {
      const std::size_t request = index % requests_.size();
      if (counts_[index].weightless == 0) continue;
      context_.warn(fmt::format(
          "{}, {}: {} of {} segments have a text none of whose tokens has idf weight: {}",
          requests_[request].text, corpus_.systems[index / requests_.size()].name, counts_[index].weightless,
          corpus_.references.size(), metrics_[request]->weightless_rule()));
    }
    std::vector<MetricResult> results;
    for (std::size_t system = 0; system < corpus_.systems.size(); ++system) {
      for (std::size_t request = 0; request < requests_.size(); ++request)
        results.push_back(result(system, request));
    }
    return results;
  }

 private:
  std::size_t slot(std::size_t system, std::size_t request) const {
    return system * requests_.size() + request;
  }
  std::size_t width_of(std::size_t request) const { return requests_[request].info->results.size(); }

  void run_group(PairGroup& group) {
    group.choose_layers(context_);
    group.count_words(corpus_, settings_, context_);
    for (std::size_t system = 0; system < corpus_.systems.size(); ++system) {
      for (const std::size_t request : group.requests) {
        values_[slot(system, request)].assign(corpus_.references.size() * width_of(request), 0);
      }
    }
    PairBlock block(group.tasks);
    std::vector<SegmentUses> uses;
    const std::size_t budget = tokens_per_block(group);
    std::size_t tokens = 0;
    for (std::size_t done = 0; done < order_.size(); ++done) {
      tokens += add_segment(block, order_[done], uses);
      if (tokens < budget && done + 1 < order_.size()) continue;
      run_block(group, block, uses);
      block.clear();
      uses.clear();
      tokens = 0;
      context_.report_progress("pairs", done + 1, order_.size());
    }
  }

  std::size_t tokens_per_block(const PairGroup& group) const {
    const std::size_t bytes = group.source->width() * sizeof(float) * group.layers.size();
    return std::max<std::size_t>(settings_.block_bytes / std::max<std::size_t>(bytes, 1), 64);
  }

  /// About how many tokens the segment adds to the block.
  std::size_t add_segment(PairBlock& block, std::size_t segment, std::vector<SegmentUses>& uses) {
    SegmentUses& use = uses.emplace_back();
    use.segment = segment;
    std::size_t tokens = 0;
    const auto add = [&](const std::string& text, std::size_t role) {
      const std::size_t before = block.texts();
      const std::size_t number = block.add(text, role);
      if (block.texts() > before) tokens += text.size() / 3 + 2;
      return number;
    };
    for (const std::string& text : corpus_.references[segment]) use.references.push_back(add(text, 0));
    for (std::size_t system = 0; system < corpus_.systems.size(); ++system) {
      use.candidates.push_back(add(corpus_.systems[system].lines[segment], system + 1));
    }
    return tokens;
  }

  void run_block(PairGroup& group, PairBlock& block, const std::vector<SegmentUses>& uses) {
    context_.check_cancelled();
    block.prepare(*group.source, group.layers, context_);
    const TextCounts texts = block.counts();
    cut_ += texts.cut;
    unknown_ += texts.unknown;
    const std::size_t systems = corpus_.systems.size();
    const std::size_t tasks = group.tasks.size();
    std::vector<PairScratch> scratch(context_.pool.size());
    std::vector<SegmentCounts> counts(context_.pool.size() * systems * tasks);
    context_.pool.for_each(uses.size(), [&](std::size_t item, std::size_t worker) {
      for (std::size_t system = 0; system < systems; ++system) {
        for (std::size_t task = 0; task < tasks; ++task) {
          score_segment(group, block, uses[item], {uses[item].segment, system, task, 0}, scratch[worker],
                        counts[(worker * systems + system) * tasks + task]);
        }
      }
    });
    for (std::size_t index = 0; index < counts.size(); ++index) {
      SegmentCounts& sum = counts_[slot(index / tasks % systems, group.requests[index % tasks])];
      sum.empty_candidates += counts[index].empty_candidates;
      sum.empty_references += counts[index].empty_references;
      sum.unfiltered += counts[index].unfiltered;
      sum.weightless += counts[index].weightless;
    }
    if (!settings_.explain) return;
    for (std::size_t item = 0; item < uses.size(); ++item) {
      for (std::size_t system = 0; system < systems; ++system) {
        for (std::size_t task = 0; task < tasks; ++task) {
          if (!worth_explaining(uses[item].segment, system, group.requests[task])) continue;
          for (std::size_t reference = 0; reference < uses[item].references.size(); ++reference) {
            explain(group, block, uses[item], {uses[item].segment, system, task, reference}, scratch.front());
          }
        }
      }
    }
  }

  bool worth_explaining(std::size_t segment, std::size_t system, std::size_t request) const {
    const double* scores = values_[slot(system, request)].data() + segment * width_of(request);
    return !settings_.worth_explaining ||
           settings_.worth_explaining(segment, system, request, {scores, width_of(request)});
  }

  /// Against each reference that has a token, then the best or the mean of each column.
  void score_segment(const PairGroup& group, const PairBlock& block, const SegmentUses& uses,
                     const Place& place, PairScratch& scratch, SegmentCounts& count) {
    const std::size_t request = group.requests[place.task];
    const PairMetric& metric = *metrics_[request];
    const std::size_t width = width_of(request);
    const std::span<double> out(values_[slot(place.system, request)].data() + place.segment * width, width);
    const PreparedText& candidate = block.prepared(place.task, uses.candidates[place.system]);
    bool unfiltered = candidate.unfiltered;
    bool weightless = candidate.weightless;
    std::size_t references = 0;
    std::vector<double> values(width);
    for (const std::size_t use : uses.references) {
      const PreparedText& reference = block.prepared(place.task, use);
      if (reference.rows.empty()) continue;
      unfiltered = unfiltered || reference.unfiltered;
      weightless = weightless || reference.weightless;
      ++references;
      if (candidate.rows.empty()) continue;
      metric.score(candidate.rows, reference.rows, scratch, values);
      for (std::size_t column = 0; column < width; ++column) {
        if (references == 1) {
          out[column] = values[column];
        } else if (metric.several() == SeveralReferences::max) {
          out[column] = std::max(out[column], values[column]);
        } else {
          out[column] += values[column];
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
    metric.finish(*group.source, out);
  }

  static std::vector<PairExplanation::Row> rows_of(const TokenRows& rows, const embed::TokenText& text) {
    std::vector<PairExplanation::Row> out;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      // [CLS] and [SEP] at the ends of a window cover no text.
      std::size_t first = rows.first[row];
      std::size_t last = rows.last[row];
      while (first < last && text.facts[first].special) ++first;
      while (last > first && text.facts[last].special) --last;
      out.push_back({text.offsets[first].begin, text.offsets[last].end, rows.weights[row]});
    }
    return out;
  }

  void explain(const PairGroup& group, const PairBlock& block, const SegmentUses& uses, const Place& place,
               PairScratch& scratch) {
    const std::size_t request = group.requests[place.task];
    const PairMetric& metric = *metrics_[request];
    PairExplanation out;
    out.metric = requests_[request].text;
    out.system = corpus_.systems[place.system].name;
    out.segment = place.segment + 1;
    out.reference = place.reference + 1;
    out.candidate_text = corpus_.systems[place.system].lines[place.segment];
    out.reference_text = corpus_.references[place.segment][place.reference];
    const std::size_t candidate_use = uses.candidates[place.system];
    const std::size_t reference_use = uses.references[place.reference];
    const PreparedText& candidate = block.prepared(place.task, candidate_use);
    const PreparedText& reference = block.prepared(place.task, reference_use);
    out.candidate_rows = rows_of(candidate.rows, block.tokens(candidate_use));
    out.reference_rows = rows_of(reference.rows, block.tokens(reference_use));
    std::vector<double> values(width_of(request), 0);
    if (!candidate.rows.empty() && !reference.rows.empty()) {
      metric.score(candidate.rows, reference.rows, scratch, values);
      out.links = metric.links(candidate.rows, reference.rows, scratch);
      metric.finish(*group.source, values);
    }
    for (std::size_t column = 0; column < values.size(); ++column) {
      out.scores.emplace_back(requests_[request].info->results[column], values[column]);
    }
    settings_.explain(out);
  }

  const PairGroup& group_of(std::size_t request) const {
    for (const PairGroup& group : groups_) {
      if (std::find(group.requests.begin(), group.requests.end(), request) != group.requests.end())
        return group;
    }
    throw_usage("a request without a group");
  }

  MetricResult result(std::size_t system, std::size_t request) {
    const std::size_t segments = corpus_.references.size();
    const std::size_t width = width_of(request);
    const std::vector<double>& values = values_[slot(system, request)];
    const MetricInfo& info = *requests_[request].info;
    MetricResult result;
    result.metric = info.name;
    result.requested = requests_[request].text;
    result.system = corpus_.systems[system].name;
    for (std::size_t column = 0; column < width; ++column) {
      double sum = 0;
      for (std::size_t segment = 0; segment < segments; ++segment) sum += values[segment * width + column];
      result.scores.emplace_back(info.results[column],
                                 segments == 0 ? 0 : sum / static_cast<double>(segments));
      if (!settings_.segments) continue;
      std::vector<double>& list =
          result.segments.emplace_back(info.results[column], std::vector<double>()).second;
      for (std::size_t segment = 0; segment < segments; ++segment)
        list.push_back(values[segment * width + column]);
    }
    const SegmentCounts& count = counts_[slot(system, request)];
    result.details = {{"segments", std::uint64_t{segments}},
                      {"empty_candidates", std::uint64_t{count.empty_candidates}},
                      {"empty_references", std::uint64_t{count.empty_references}},
                      {"segments_without_words", std::uint64_t{count.unfiltered}},
                      {"segments_without_weight", std::uint64_t{count.weightless}},
                      {"truncated_texts", std::uint64_t{cut_}},
                      {"unknown_tokens", std::uint64_t{unknown_}}};
    const PairGroup& group = group_of(request);
    result.signature = metrics_[request]->signature(*group.source);
    if (metrics_[request]->idf() != IdfUse::none &&
        (settings_.reference_idf != nullptr || settings_.candidate_idf != nullptr)) {
      for (auto& [name, value] : result.signature) value = name == "idf" ? "given" : value;
    }
    for (const auto& part : group.source->signature()) result.signature.push_back(part);
    result.signature.emplace_back("version", version());
    return result;
  }

  const PairCorpus& corpus_;
  std::span<const MetricRequest> requests_;
  const PairSettings& settings_;
  const RunContext& context_;
  std::vector<std::size_t> order_;  ///< of the segments
  std::vector<std::unique_ptr<PairMetric>> metrics_;
  std::vector<PairGroup> groups_;
  std::vector<std::vector<double>> values_;  ///< per system and request: segments x results
  std::vector<SegmentCounts> counts_;
  std::size_t cut_ = 0;
  std::size_t unknown_ = 0;
};

}  // namespace

std::vector<MetricResult> score_pairs(const PairCorpus& corpus, std::span<const MetricRequest> requests,
                                      const SourceLookup& source_of, const PairSettings& settings,
                                      const RunContext& context) {
  return PairRun(corpus, requests, source_of, settings, context).run();
}

}  // namespace markeval::metric
