// Rows are chosen by token rules, kept in memory or in a file above 2 GiB, and scored by system at the end.
#include "score/set_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "encoder/pooling.hpp"
#include "metric/layer_choice.hpp"
#include "score/drawn_units.hpp"
#include "score/set_scoring.hpp"
#include "text/utf8.hpp"

namespace markeval::score {
namespace {

using metric::SegmentRows;

/// Above this, rows of a run lie in files.
constexpr std::size_t kMemoryBytes = std::size_t{2} << 30;

bool by_word(const Metric& request) {
  return request.options.text("samples") == "word";
}

bool of_unit_length(const Metric& request) {
  return request.options.yes("unit");
}

/// "2-6", "1+3": the layers in a signature.
std::string layers_text(std::span<const std::size_t> layers) {
  const bool run = layers.size() > 1 && layers.back() - layers.front() + 1 == layers.size();
  return run ? fmt::format("{}-{}", layers.front(), layers.back())
             : fmt::format("{}", fmt::join(layers, "+"));
}

constexpr embed::TokenRules kWordRules{.specials = false};

/// About how many bytes the rows of all texts will take.
std::size_t expected_bytes(const TextInputs& inputs, const embed::EncodeRequest& request, std::size_t width) {
  std::size_t texts = 0, bytes = 0;
  for (const auto* files : {&inputs.references, &inputs.systems}) {
    for (const text::Corpus& file : *files) {
      texts += file.texts.size();
      for (const std::string& text : file.texts) bytes += text.size();
    }
  }
  const std::size_t rows = request.wants_tokens() ? bytes / 5 * request.layers.size() : texts;
  return rows * width * sizeof(float);
}

}  // namespace

std::string layers_of(const Metric& request) {
  const std::string& layers = request.options.text("layers");
  if (layers != "auto") return layers;
  return by_word(request) ? "last5" : "last";
}

embed::EncodeRequest rows_wanted(const Metric& request, const embed::VectorSource& source,
                                 const std::optional<embed::SentenceRequest>& sentence) {
  const std::string text = layers_of(request);
  // Vectors of one layer have no other to choose.
  const bool one = source.last_layer() == 0 && !request.options.given("layers");
  const std::vector<std::size_t> layers =
      one ? std::vector<std::size_t>{0} : metric::choose_layers(text, source.last_layer());
  if (by_word(request)) return {layers, {}, true};
  if (layers.size() > 1) {
    throw_usage(fmt::format("layers '{}': sentences have one row, of one layer; words take several", text));
  }
  embed::SentenceRequest wanted = sentence.value();
  wanted.layer = layers.front();
  wanted.normalize = wanted.normalize || of_unit_length(request);
  return {{}, {wanted}, false};
}

SetRun::SetRun(std::vector<Metric> requests, const SetRunContext& run)
    : requests_(std::move(requests)),
      run_(run),
      wanted_(rows_wanted(requests_.front(), run.source, run.sentence)),
      unit_(of_unit_length(requests_.front())) {
  for (std::size_t which = 0; which < requests_.size(); ++which) {
    const bool segment = requests_[which].options.text("scope") == "segment";
    (segment ? segment_ : corpus_).push_back(requests_[which]);
    (segment ? segment_metrics_ : corpus_metrics_).push_back(which);
  }
  if (!segment_.empty()) {
    metric::SegmentSettings settings;
    settings.seed = run.request.seed;
    settings.segments = run.request.segments || run.request.resamples > 0 || run.page.wanted();
    settings.input_signature = input_signature();
    segments_ = std::make_unique<metric::SegmentRun>(segment_, run.inputs.systems.size(), settings,
                                                     run.device, run.context);
  }
  if (corpus_.empty()) return;
  const std::size_t width = run.source.width();
  const std::string folder =
      expected_bytes(run.inputs, wanted_, width) > kMemoryBytes ? vectors::temporary_folder() : std::string();
  for (const text::Corpus& file : run.inputs.references)
    draw(file, references_.emplace_back(FileRows{vectors::RowStore<float>(width, folder), {0}, {}, {}}));
  for (const text::Corpus& file : run.inputs.systems)
    draw(file, systems_.emplace_back(FileRows{vectors::RowStore<float>(width, folder), {0}, {}, {}}));
}

void SetRun::draw(const text::Corpus& file, FileRows& rows) const {
  if (run_.request.sample == 0) return;
  rows.drawn.assign(file.texts.size(), 0);
  for (const std::uint32_t text : draw_sample(file.texts.size(), run_.request, file.name))
    rows.drawn[text] = 1;
}

std::size_t SetRun::FileRows::text_of(std::size_t row) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(starts, row) - starts.begin()) - 1;
}

std::size_t SetRun::FileRows::texts_with_rows() const {
  std::size_t texts = 0;
  for (std::size_t text = 0; text + 1 < starts.size(); ++text)
    texts += starts[text] < starts[text + 1] ? 1 : 0;
  return texts;
}

void SetRun::mark_needed(const embed::TextTokens& tokens, std::span<std::uint8_t> mask) const {
  for (const std::uint32_t token : embed::kept_tokens(tokens.facts, kWordRules)) mask[token] = 1;
}

/// Words are those tokens that are not special, start a word (not "##ing"; for byte-level BPE and Unigram the
/// first piece of each pre-token) and are no single punctuation character; the layers of a word together.
SetRun::BlockRows SetRun::block_rows(const embed::TextBlock& block) const {
  const embed::EncodedTexts& texts = block.texts();
  const std::size_t width = texts.width();
  BlockRows rows;
  if (!reads_words()) {
    const std::size_t which = texts.request().index_of(wanted_.sentences.front());
    for (std::size_t slot = 0; slot < texts.distinct(); ++slot) {
      const std::span<const float> row = texts.sentence(slot, which);
      rows.values.insert(rows.values.end(), row.begin(), row.end());
      rows.starts.push_back(slot + 1);
    }
    return rows;
  }
  std::vector<std::vector<std::uint32_t>> kept(texts.distinct());
  for (std::size_t slot = 0; slot < texts.distinct(); ++slot) {
    kept[slot] = embed::kept_tokens(texts.text(slot).tokens.facts, kWordRules);
    rows.starts.push_back(rows.starts.back() + kept[slot].size() * wanted_.layers.size());
    for (const std::uint32_t token : kept[slot]) rows.words.push_back(texts.text(slot).tokens.offsets[token]);
  }
  rows.values.resize(rows.starts.back() * width);
  run_.context.pool.for_each(texts.distinct(), [&](std::size_t slot, std::size_t) {
    const embed::EncodedText text = texts.text(slot);
    float* out = rows.values.data() + rows.starts[slot] * width;
    for (const std::uint32_t token : kept[slot]) {
      for (const std::size_t layer : wanted_.layers) {
        std::copy_n(text.layer(layer).row(token).data(), width, out);
        if (unit_) embed::to_unit_length({out, width});
        out += width;
      }
    }
  });
  return rows;
}

void SetRun::append(const BlockRows& rows, std::span<const std::uint32_t> slots, FileRows& file) const {
  const std::size_t width = run_.source.width();
  for (const std::uint32_t slot : slots) {
    const bool left_out = !file.drawn.empty() && file.drawn[file.starts.size() - 1] == 0;
    const std::size_t begin = rows.starts[slot], count = left_out ? 0 : rows.starts[slot + 1] - begin;
    file.rows.append(std::span(rows.values).subspan(begin * width, count * width));
    file.starts.push_back(file.rows.rows());
    if (rows.words.empty()) continue;
    const auto first = rows.words.begin() + static_cast<std::ptrdiff_t>(begin / rows_per_word());
    file.words.insert(file.words.end(), first, first + static_cast<std::ptrdiff_t>(count / rows_per_word()));
  }
}

void SetRun::take(const embed::TextBlock& block) {
  const BlockRows rows = block_rows(block);
  for (std::size_t index = 0; index < block.lines().size() && !corpus_.empty(); ++index) {
    for (std::size_t file = 0; file < references_.size(); ++file)
      append(rows, block.reference(file, index), references_[file]);
    for (std::size_t system = 0; system < systems_.size(); ++system)
      append(rows, block.candidate(system, index), systems_[system]);
  }
  if (segments_) score_block(block, rows);
}

void SetRun::score_block(const embed::TextBlock& block, const BlockRows& rows) {
  const std::size_t width = run_.source.width(), lines = block.lines().size();
  const auto view = [&](std::uint32_t slot) {
    return SegmentRows(rows.values.data() + rows.starts[slot] * width,
                       rows.starts[slot + 1] - rows.starts[slot], width);
  };
  std::vector<std::vector<SegmentRows>> references(lines);
  for (std::size_t index = 0; index < lines; ++index) {
    for (std::size_t file = 0; file < run_.inputs.references.size(); ++file) {
      for (const std::uint32_t slot : block.reference(file, index)) references[index].push_back(view(slot));
    }
  }
  segments_->start_block(references);
  for (std::size_t system = 0; system < run_.inputs.systems.size(); ++system) {
    std::vector<SegmentRows> candidates;
    for (std::size_t index = 0; index < lines; ++index)
      candidates.push_back(view(block.candidate(system, index).front()));
    segments_->score(system, candidates);
  }
}

Named<std::string> SetRun::input_signature() const {
  const std::vector<std::pair<std::string, std::string>> of_source = run_.source.signature();
  Named<std::string> signature{of_source.front()};  // the model
  if (reads_words()) {
    signature.emplace_back("layers", layers_text(wanted_.layers));
  } else {
    const embed::SentenceRequest& sentence = wanted_.sentences.front();
    signature.emplace_back(
        "layer", sentence.layer == run_.source.last_layer() ? "last" : std::to_string(sentence.layer));
    signature.emplace_back("pool", encoder::pooling_name(sentence.pooling));
  }
  if (unit_) signature.emplace_back("unit", "yes");
  const std::size_t max_length = run_.request.encoder.max_length;
  for (const auto& [name, value] : std::span(of_source).subspan(1)) {
    if (name != "max_length") signature.emplace_back(name, value);
    if (name == "max_length" && max_length > 0) signature.emplace_back(name, std::to_string(max_length));
  }
  return signature;
}

/// The rows of all reference files, one after the other.
SetRun::FileRows SetRun::joined_references() {
  FileRows all = std::move(references_.front());
  for (std::size_t file = 1; file < references_.size(); ++file) {
    const std::size_t before = all.rows.rows();
    const MatrixView<const float> more = references_[file].rows.view();
    all.rows.append({more.data(), more.rows() * more.columns()});
    for (std::size_t text = 1; text < references_[file].starts.size(); ++text)
      all.starts.push_back(before + references_[file].starts[text]);
    all.words.insert(all.words.end(), references_[file].words.begin(), references_[file].words.end());
  }
  references_.clear();
  return all;
}

SampleSet SetRun::sample_set(const FileRows& rows, std::span<const text::Corpus> files,
                             const std::string& name) const {
  if (rows.rows.rows() == 0)
    throw_invalid(fmt::format("{}: no words, nothing but empty lines and punctuation", name));
  SampleSet set{{name, engine_->add(rows.rows.view(), name)}, rows.rows.rows()};
  for (std::size_t text = 0; text + 1 < rows.starts.size(); ++text) {
    if (rows.starts[text] == rows.starts[text + 1]) continue;  // without words, or not in the sample
    const auto [file, slot] = text_in_file(rows, files, rows.starts[text]);
    set.lines.push_back(static_cast<std::uint32_t>(segment_of(files[file], slot)));
    // The words of a text are drawn together where rows are drawn.
    if (reads_words()) set.unit_begins.push_back(rows.starts[text]);
  }
  const std::size_t lines = files.front().segments();
  if (std::ranges::all_of(files, [&](const auto& file) { return file.segments() == lines; }))
    set.file_lines = lines;
  return set;
}

std::pair<std::size_t, std::size_t> SetRun::text_in_file(const FileRows& rows,
                                                         std::span<const text::Corpus> files,
                                                         std::size_t row) {
  std::size_t text = rows.text_of(row), file = 0;
  while (text >= files[file].texts.size()) text -= files[file++].texts.size();
  return {file, text};
}

std::size_t SetRun::segment_of(const text::Corpus& file, std::size_t text) {
  const auto next = std::ranges::upper_bound(file.starts, text);
  return static_cast<std::size_t>(next - file.starts.begin()) - 1;
}

report::RowOrigin SetRun::origin(const FileRows& rows, std::span<const text::Corpus> files,
                                 std::size_t row) const {
  const auto [file, text] = text_in_file(rows, files, row);
  report::RowOrigin origin;
  origin.file = files[file].name;
  origin.row = segment_of(files[file], text) + 1 + files[file].header_lines;
  origin.is_line = true;
  const std::string_view written = text::strip(files[file].texts[text]);
  origin.text = written;
  if (reads_words()) {
    const embed::TextRange& range = rows.words[row / rows_per_word()];
    origin.word = written.substr(range.begin, range.end - range.begin);
    origin.layer = wanted_.layers[row % rows_per_word()];
  }
  return origin;
}

void SetRun::score_corpus(std::vector<Result>& results) {
  const TextInputs& inputs = run_.inputs;
  std::string name;
  for (const text::Corpus& file : inputs.references) name += (name.empty() ? "" : " + ") + file.name;
  engine_ = geometry::make_set_engine(run_.device);
  const FileRows reference_rows = joined_references();
  SetCorpus corpus{.reference = sample_set(reference_rows, inputs.references, name)};
  corpus.reference_row = [&](std::size_t row) { return origin(reference_rows, inputs.references, row); };
  corpus.segment_of = [&](std::size_t row) {
    const auto [file, text] = text_in_file(reference_rows, inputs.references, row);
    return segment_of(inputs.references[file], text);
  };
  for (const text::Corpus& file : inputs.references)
    corpus.segments = std::max(corpus.segments, file.segments());
  corpus.files = inputs.references.size();
  corpus.system_names = inputs.system_names;
  for (const FileRows& rows : systems_) corpus.system_units.push_back(rows.texts_with_rows());
  corpus.system = [&](std::size_t system) {
    if (system > 0) systems_[system - 1].rows = vectors::RowStore<float>(run_.source.width(), "");  // scored
    const std::span<const text::Corpus> file(&inputs.systems[system], 1);
    return SetCorpus::System{
        sample_set(systems_[system], file, file.front().name),
        [this, system, file](std::size_t row) { return origin(systems_[system], file, row); }};
  };
  metric::SetSettings settings;
  settings.samples = reads_words() ? "word" : "sentence";
  settings.input_signature = input_signature();
  SetOutcome outcome =
      score_set_corpus(corpus, corpus_, settings,
                       {run_.request, *engine_, run_.page, run_.listener, run_.context, run_.explanations});
  ceilings_ = std::move(outcome.ceilings);
  for (std::size_t index = 0; index < corpus_.size(); ++index) {
    errors_[corpus_metrics_[index]] = outcome.errors[index];
    for (std::size_t system = 0; system < systems_.size(); ++system)
      results[system * requests_.size() + corpus_metrics_[index]] =
          std::move(outcome.results[system * corpus_.size() + index]);
  }
}

std::vector<Result> SetRun::results() {
  const std::size_t systems = run_.inputs.systems.size();
  std::vector<Result> results(systems * requests_.size());
  errors_.assign(requests_.size(), std::nullopt);
  if (!corpus_.empty()) score_corpus(results);
  for (std::size_t system = 0; segments_ && system < systems; ++system) {
    std::vector<Result> found = segments_->results(system, run_.inputs.system_names[system]);
    for (std::size_t index = 0; index < found.size(); ++index)
      results[system * requests_.size() + segment_metrics_[index]] = std::move(found[index]);
  }
  return results;
}

std::vector<NumberedSetRun> make_set_runs(std::span<const Metric> requests, const SetRunContext& run) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t which = 0; which < requests.size(); ++which) {
    const auto same = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& group) {
      const Metric& first = requests[group.front()];
      return by_word(first) == by_word(requests[which]) && layers_of(first) == layers_of(requests[which]) &&
             of_unit_length(first) == of_unit_length(requests[which]);
    });
    (same != groups.end() ? *same : groups.emplace_back()).push_back(which);
  }
  std::vector<NumberedSetRun> runs;
  for (std::vector<std::size_t>& members : groups) {
    std::vector<Metric> mine;
    for (const std::size_t which : members) mine.push_back(requests[which]);
    runs.push_back({std::make_unique<SetRun>(std::move(mine), run), std::move(members)});
  }
  return runs;
}

}  // namespace markeval::score
