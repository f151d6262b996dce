#include "api/set_scoring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "api/model_choice.hpp"
#include "api/set_intervals.hpp"
#include "base/error.hpp"
#include "embed/model_store.hpp"
#include "embed/places.hpp"
#include "embed/text_samples.hpp"
#include "embed/weight_hash.hpp"
#include "metric/layer_choice.hpp"
#include "metric/score_segments.hpp"
#include "metric/score_sets.hpp"
#include "text/utf8.hpp"

namespace markeval {
namespace {

using embed::SampleUnit;
using embed::TextSamples;
using metric::MetricRequest;
using metric::MetricResult;
using metric::SegmentRows;

constexpr std::size_t kBlockBytes = std::size_t{96}
                                    << 20;  // of rows, where segments are worked off in blocks

/// The requests that look at the same rows.
struct Group {
  SampleUnit unit = SampleUnit::sentence;
  std::string layers;
  std::vector<MetricRequest> corpus, segment;
  std::vector<std::size_t> corpus_places, segment_places;  ///< among all requests
};

std::vector<Group> group_by_rows(std::span<const MetricRequest> requests) {
  std::vector<Group> groups;
  for (std::size_t place = 0; place < requests.size(); ++place) {
    const metric::OptionValues& options = requests[place].options;
    const SampleUnit unit = options.text("samples") == "word" ? SampleUnit::word : SampleUnit::sentence;
    const std::string layers = options.text("layers") != "auto" ? options.text("layers")
                               : unit == SampleUnit::word       ? "last5"
                                                                : "last";
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& g) { return g.unit == unit && g.layers == layers; });
    if (group == groups.end()) {
      group = groups.insert(group, Group());
      group->unit = unit;
      group->layers = layers;
    }
    const bool segment = options.text("scope") == "segment";
    (segment ? group->segment : group->corpus).push_back(requests[place]);
    (segment ? group->segment_places : group->corpus_places).push_back(place);
  }
  return groups;
}

/// The texts of one side, stripped, and where each of them stands.
struct Lines {
  std::string name;  ///< of the file, or the files: "a.txt + b.txt"
  std::vector<std::string_view> texts;
  struct Part {
    const text::Corpus* file;
    std::size_t first;  ///< of its texts
  };
  std::vector<Part> parts;

  void add(const text::Corpus& file) {
    name += (name.empty() ? "" : " + ") + file.name;
    parts.push_back({&file, texts.size()});
    for (const std::string& text : file.texts) texts.push_back(text::strip(text));
  }

  report::RowPlace place(const TextSamples& samples, std::span<const std::size_t> layers,
                         std::size_t row) const {
    const std::size_t text = samples.text_of(row);
    std::size_t part = parts.size() - 1;
    while (text < parts[part].first) --part;
    const text::Corpus& file = *parts[part].file;
    const auto next = std::upper_bound(file.starts.begin(), file.starts.end(), text - parts[part].first);
    report::RowPlace place;
    place.file = file.name;
    place.row = static_cast<std::size_t>(next - file.starts.begin()) + file.header_lines;
    place.is_line = true;
    place.text = texts[text];
    if (!samples.words.empty()) {
      const embed::TextRange& range = samples.words[row / samples.layers];
      place.word = texts[text].substr(range.begin, range.end - range.begin);
      place.layer = layers[row % samples.layers];
    }
    return place;
  }
};

/// "2-6", "1+3", "last": the layers in a signature.
std::string layers_text(std::span<const std::size_t> layers) {
  const bool run = layers.size() > 1 && layers.back() - layers.front() + 1 == layers.size();
  return run ? fmt::format("{}-{}", layers.front(), layers.back())
             : fmt::format("{}", fmt::join(layers, "+"));
}

class SetRun {
 public:
  SetRun(const ScoreRequest& request, const TextInputs& inputs, std::span<const MetricRequest> requests,
         embed::EncoderStore& encoders, PageBuilder& page, Listener& listener, const RunContext& context,
         std::vector<report::ExplainedSets>* explanations)
      : request_(request),
        inputs_(inputs),
        requests_(requests),
        encoders_(encoders),
        device_(encoders.device()),
        page_(page),
        listener_(listener),
        context_(context),
        explanations_(explanations),
        folder_(embed::find_model(request.model.empty() ? embed::kDefaultModel : request.model)),
        cache_(cache_folder(request.cache), embed::default_cache_bytes(), context.log),
        results_(inputs.systems.size() * requests.size()),
        texts_(inputs.systems.size()) {
    for (const text::Corpus& file : inputs.references) references_.add(file);
    for (const text::Corpus& file : inputs.systems) systems_.emplace_back().add(file);
  }

  std::vector<MetricResult> run() {
    for (const Group& group : group_by_rows(requests_)) run_group(group);
    cache_.flush();
    tell();
    return std::move(results_);
  }

 private:
  void run_group(const Group& group) {
    embed::SampleRequest samples;
    samples.unit = group.unit;
    samples.max_length = request_.max_length;
    samples.long_text = request_.windows ? embed::LongText::window : embed::LongText::truncate;
    samples.precision = parse_precision(request_.precision);
    samples.layers = [&group](std::size_t last) {
      std::vector<std::size_t> layers = metric::choose_layers(group.layers, last);
      if (group.unit == SampleUnit::sentence && layers.size() > 1) {
        throw_usage(fmt::format("layers '{}': sentences have one row, of one layer; words take several",
                                group.layers));
      }
      return layers;
    };
    embed::SampleEncoder encoder(folder_, encoders_, cache_, samples, context_);
    if (group.corpus.empty()) {
      run_blocks(group, encoder);
    } else {
      run_whole(group, encoder);
    }
  }

  metric::Named<std::string> input_signature(const Group& group, const embed::SampleEncoder& encoder) const {
    const std::string layers = layers_text(encoder.layers());
    metric::Named<std::string> signature{{"model", embed::model_signature(folder_)}};
    if (group.unit == SampleUnit::sentence) {
      signature.emplace_back("layer", encoder.layers().front() == encoder.last_layer() ? "last" : layers);
      signature.emplace_back("pool", embed::name(encoder.pooling()));
    } else {
      signature.emplace_back("layers", layers);
    }
    signature.emplace_back("precision", request_.precision);
    if (request_.max_length > 0) signature.emplace_back("max_length", std::to_string(request_.max_length));
    if (request_.windows) signature.emplace_back("long", "window");
    return signature;
  }

  std::unique_ptr<metric::SegmentRun> segment_run(const Group& group, const embed::SampleEncoder& encoder) {
    if (group.segment.empty()) return nullptr;
    metric::SegmentSettings settings;
    settings.seed = request_.seed;
    settings.segments = request_.segments || request_.resamples > 0 || page_.wanted();
    settings.input_signature = input_signature(group, encoder);
    return std::make_unique<metric::SegmentRun>(group.segment, systems_.size(), settings, context_);
  }

  /// All rows of the references, then of one system after the other.
  void run_whole(const Group& group, embed::SampleEncoder& encoder) {
    const TextSamples reference = encode(encoder, references_.texts, references_.name);
    require_rows(reference, references_.name);
    const embed::SampleCounts of_reference = reference.counts;
    const metric::SampleSet references{references_.name, reference.view(), units(group, reference)};
    metric::SetSettings settings;
    settings.clamp_k = request_.clamp_k;
    settings.seed = request_.seed;
    settings.samples = group.unit == SampleUnit::word ? "word" : "sentence";
    settings.input_signature = input_signature(group, encoder);
    settings.explain = explanations_ != nullptr || page_.wanted();
    geometry::KnownNeighbours known;  // a system after another meets the same references
    geometry::KnownNeighbours* const several = systems_.size() > 1 ? &known : nullptr;
    const auto segments = segment_run(group, encoder);
    if (segments) segments->start_block(segment_references(0, segment_count(), reference));
    for (std::size_t system = 0; system < systems_.size(); ++system) {
      context_.check_cancelled();
      const Lines& lines = systems_[system];
      if (systems_.size() > 1) listener_.set_prefix(inputs_.system_names[system] + ": ");
      const TextSamples samples = encode(encoder, lines.texts, lines.name);
      require_rows(samples, lines.name);
      texts_[system] = of_reference;
      texts_[system] += samples.counts;
      const metric::SampleSet of_system{lines.name, samples.view(), units(group, samples)};
      metric::SetScores scores =
          metric::score_sets(references, of_system, group.corpus, settings, device_, context_, several);
      if (request_.resamples > 0) {
        add_split_intervals(references, of_system, group.corpus, settings,
                            {request_.resamples, request_.seed, request_.keep_statistics}, device_, context_,
                            scores.results);
      }
      for (std::size_t index = 0; index < scores.results.size(); ++index) {
        keep(system, group.corpus_places[index], std::move(scores.results[index]));
      }
      for (metric::SetExplanation& explanation : scores.explanations) {
        explanation.system = inputs_.system_names[system];
        const auto reference_row = [&](std::size_t row) {
          return references_.place(reference, encoder.layers(), row);
        };
        const auto system_row = [&](std::size_t row) { return lines.place(samples, encoder.layers(), row); };
        page_.add_picture(explanation, references.points, of_system.points, reference_row, system_row,
                          context_.pool);
        if (explanations_ != nullptr)
          explanations_->push_back(report::explain_sets(explanation, reference_row, system_row));
      }
      if (segments) segments->score(system, segment_lines(samples));
    }
    listener_.set_prefix("");
    if (segments) keep_segments(group, *segments);
  }

  /// The words of a text are drawn together where rows are drawn.
  static std::vector<std::size_t> units(const Group& group, const TextSamples& samples) {
    if (group.unit == SampleUnit::sentence) return {};
    std::vector<std::size_t> begins;
    for (std::size_t text = 0; text < samples.texts(); ++text) {
      if (samples.starts[text] < samples.starts[text + 1]) begins.push_back(samples.starts[text]);
    }
    return begins;
  }

  /// Segments in blocks: memory does not grow with their number.
  void run_blocks(const Group& group, embed::SampleEncoder& encoder) {
    const auto segments = segment_run(group, encoder);
    const std::size_t row_bytes = encoder.layers().size() * encoder.width() * sizeof(float);
    const std::size_t most_bytes = std::max<std::size_t>(4096, 4 * kBlockBytes / row_bytes);  // of text
    std::fill(texts_.begin(), texts_.end(), embed::SampleCounts());
    std::size_t begin = 0;
    while (begin < segment_count()) {
      context_.check_cancelled();
      const std::size_t end = block_end(begin, most_bytes);
      std::vector<std::string_view> texts;
      for (const Lines::Part& part : references_.parts) {
        const auto first = references_.texts.begin() + static_cast<std::ptrdiff_t>(part.first);
        texts.insert(texts.end(), first + static_cast<std::ptrdiff_t>(part.file->starts[begin]),
                     first + static_cast<std::ptrdiff_t>(part.file->starts[end]));
      }
      const TextSamples reference = encode(encoder, texts, references_.name);
      segments->start_block(segment_references(begin, end, reference));
      for (std::size_t system = 0; system < systems_.size(); ++system) {
        const auto lines = std::span(systems_[system].texts).subspan(begin, end - begin);
        const TextSamples samples = encode(encoder, lines, systems_[system].name);
        texts_[system] += reference.counts;
        texts_[system] += samples.counts;
        segments->score(system, segment_lines(samples));
      }
      begin = end;
      context_.report_progress("segments", end, segment_count());
    }
    keep_segments(group, *segments);
  }

  std::size_t segment_count() const { return inputs_.corpus.references.size(); }

  /// The end of a block that starts at `begin` and has about so many bytes of text.
  std::size_t block_end(std::size_t begin, std::size_t most_bytes) const {
    std::size_t end = begin;
    for (std::size_t bytes = 0; end < segment_count() && bytes < most_bytes; ++end) {
      for (const std::string_view text : inputs_.corpus.references[end]) bytes += text.size();
      bytes += inputs_.corpus.systems.front()[end].size();
    }
    return end;
  }

  /// By segment, of samples that hold the references of segments [begin, end) file after file.
  std::vector<std::vector<SegmentRows>> segment_references(std::size_t begin, std::size_t end,
                                                           const TextSamples& samples) const {
    std::vector<std::vector<SegmentRows>> rows(end - begin);
    std::size_t text = 0;
    for (const Lines::Part& part : references_.parts) {
      for (std::size_t segment = begin; segment < end; ++segment) {
        const std::size_t count = part.file->starts[segment + 1] - part.file->starts[segment];
        for (std::size_t i = 0; i < count; ++i) rows[segment - begin].push_back(samples.view(text++));
      }
    }
    return rows;
  }

  static std::vector<SegmentRows> segment_lines(const TextSamples& samples) {
    std::vector<SegmentRows> rows;
    for (std::size_t text = 0; text < samples.texts(); ++text) rows.push_back(samples.view(text));
    return rows;
  }

  TextSamples encode(embed::SampleEncoder& encoder, std::span<const std::string_view> texts,
                     const std::string& name) {
    TextSamples samples = encoder.encode(texts, name);
    truncated_[name] += samples.counts.truncated;
    encoded_ += texts.size();
    return samples;
  }

  static void require_rows(const TextSamples& samples, const std::string& name) {
    if (samples.rows() == 0)
      throw_invalid(fmt::format("{}: no words, nothing but empty lines and punctuation", name));
  }

  void keep(std::size_t system, std::size_t place, MetricResult result) {
    result.details.emplace_back("truncated_texts", std::uint64_t{texts_[system].truncated});
    result.details.emplace_back("unknown_tokens", std::uint64_t{texts_[system].unknown});
    results_[system * requests_.size() + place] = std::move(result);
  }

  void keep_segments(const Group& group, const metric::SegmentRun& segments) {
    for (std::size_t system = 0; system < systems_.size(); ++system) {
      std::vector<MetricResult> found = segments.results(system, inputs_.system_names[system]);
      for (std::size_t index = 0; index < found.size(); ++index) {
        keep(system, group.segment_places[index], std::move(found[index]));
      }
    }
  }

  /// What `markeval embed` tells too.
  void tell() const {
    for (const auto& [name, count] : truncated_) {
      if (count == 0) continue;
      context_.warn(fmt::format("{}: {} texts are longer than {} and were cut", name, count,
                                length_limit(request_.max_length)));
    }
    if (cache_.counts().hits > 0 && context_.log != nullptr) {
      context_.log->info(fmt::format("{} of {} texts from the cache", cache_.counts().hits, encoded_));
    }
  }

  const ScoreRequest& request_;
  const TextInputs& inputs_;
  std::span<const MetricRequest> requests_;
  embed::EncoderStore& encoders_;
  compute::Device& device_;
  PageBuilder& page_;
  Listener& listener_;
  const RunContext& context_;
  std::vector<report::ExplainedSets>* explanations_;
  std::string folder_;
  cache::VectorCache cache_;
  Lines references_;
  std::vector<Lines> systems_;
  std::vector<MetricResult> results_;       ///< system after system
  std::vector<embed::SampleCounts> texts_;  ///< of each system and its references, in the group at hand
  std::map<std::string, std::size_t> truncated_;
  std::size_t encoded_ = 0;
};

}  // namespace

std::vector<MetricResult> score_set_texts(const ScoreRequest& request, const TextInputs& inputs,
                                          std::span<const MetricRequest> requests,
                                          embed::EncoderStore& encoders, PageBuilder& page,
                                          Listener& listener, const RunContext& context,
                                          std::vector<report::ExplainedSets>* explanations) {
  return SetRun(request, inputs, requests, encoders, page, listener, context, explanations).run();
}

}  // namespace markeval
