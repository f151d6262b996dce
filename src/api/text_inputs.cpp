#include "api/text_inputs.hpp"

#include <fmt/format.h>

#include "api/system_names.hpp"
#include "metric/lexical_metric.hpp"

namespace markeval {
namespace {

text::Corpus load(const Input& input, const text::ReadOptions& options, const RunContext& context) {
  const auto* path = std::get_if<std::string>(&input.source);
  if (path == nullptr) throw_usage("lexical metrics need texts, but rows of vectors are given");
  if (path->ends_with(".npy") || path->ends_with(".npy.gz")) {
    throw_usage(fmt::format("lexical metrics need texts, but {} holds vectors", *path));
  }
  text::Corpus corpus = text::read_corpus(*path, options);
  if (corpus.counts.empty > 0) {
    context.warn(
        fmt::format("{}: {} of {} lines are empty", corpus.name, corpus.counts.empty, corpus.counts.texts));
  }
  if (corpus.counts.replaced > 0) {
    context.warn(fmt::format("{}: {} invalid parts replaced by U+FFFD", corpus.name, corpus.counts.replaced));
  }
  return corpus;
}

void check_counts(const TextInputs& inputs) {
  const text::Corpus& first = inputs.references.front();
  const auto check = [&](const text::Corpus& other) {
    if (other.segments() == first.segments()) return;
    std::string hint;
    if (inputs.references.size() > 2 && inputs.references.size() == inputs.systems.front().segments()) {
      hint = fmt::format("; {} reference files for as many segments: are the references transposed?",
                         inputs.references.size());
    }
    throw_invalid(fmt::format("{} has {} segments but {} has {}, expected the same number{}", other.name,
                              other.segments(), first.name, first.segments(), hint));
  };
  for (const auto& corpus : inputs.references) check(corpus);
  for (const auto& corpus : inputs.systems) check(corpus);
}

}  // namespace

TextInputs load_texts(const ScoreRequest& request, const RunContext& context) {
  if (request.references.empty()) throw_usage("no reference given");
  if (request.systems.empty()) throw_usage("no system given");
  TextInputs inputs;
  inputs.system_names = system_names(request);
  text::ReadOptions options;
  options.replace_invalid = request.replace_invalid;
  for (const Input& input : request.references) inputs.references.push_back(load(input, options, context));
  for (const Input& input : request.systems) inputs.systems.push_back(load(input, options, context));
  check_counts(inputs);
  inputs.corpus.references.resize(inputs.references.front().segments());
  for (const text::Corpus& file : inputs.references) {
    for (std::size_t i = 0; i < file.segments(); ++i) {
      const auto texts = file.segment(i);
      inputs.corpus.references[i].insert(inputs.corpus.references[i].end(), texts.begin(), texts.end());
    }
  }
  for (const text::Corpus& file : inputs.systems) {
    auto& texts = inputs.corpus.systems.emplace_back();
    for (std::size_t i = 0; i < file.segments(); ++i) {
      const auto segment = file.segment(i);
      if (segment.size() != 1) {
        throw_invalid(
            fmt::format("{}: segment {} has {} texts, expected one", file.name, i + 1, segment.size()));
      }
      texts.emplace_back(segment.front());
    }
  }
  for (const std::string& warning : metric::plausible_mistakes(inputs.corpus, inputs.system_names))
    context.warn(warning);
  return inputs;
}

}  // namespace markeval
