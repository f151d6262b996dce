// Reading or borrowing of each input, the check of segment counts, and the place of a text for messages.
#include "score/text_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "metric/lexical_metric.hpp"
#include "request/input_kind.hpp"
#include "request/system_names.hpp"
#include "text/utf8.hpp"

namespace markeval::score {
namespace {

/// Texts in memory as if they had been read.
text::Corpus borrow(const Input& input, const std::string& fallback_name, const Texts& texts) {
  text::Corpus corpus;
  corpus.name = input.name.empty() ? fallback_name : input.name;
  if (texts.lines.empty()) throw_invalid(fmt::format("{}: no texts", corpus.name));
  for (const std::string& line : texts.lines) {
    if (text::valid_prefix(line) != line.size()) {
      throw_invalid(fmt::format("{}: text {} is not valid UTF-8", corpus.name, corpus.texts.size() + 1));
    }
    corpus.texts.push_back(line);
    corpus.counts.empty += text::strip(line).empty() ? 1 : 0;
  }
  if (texts.starts.empty()) {
    for (std::size_t i = 1; i <= texts.lines.size(); ++i) corpus.starts.push_back(i);
  } else {
    corpus.starts.assign(texts.starts.begin(), texts.starts.end());
    const auto not_rising = std::ranges::adjacent_find(corpus.starts, std::greater_equal<>());
    if (corpus.starts.front() != 0 || corpus.starts.back() != texts.lines.size() ||
        not_rising != corpus.starts.end()) {
      throw_invalid(fmt::format("{}: the starts of segments do not rise from 0 to {}", corpus.name,
                                texts.lines.size()));
    }
  }
  corpus.counts.segments = corpus.segments();
  corpus.counts.texts = texts.lines.size();
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
    if (hint.empty() && other.segments() == first.segments() + 1 && text::strip(other.texts.back()).empty())
      hint = fmt::format("; line {} of {} is empty: remove it", other.segments() + other.header_lines,
                         other.name);
    throw_invalid(fmt::format("{} has {} segment{} but {} has {}, expected the same number{}", other.name,
                              other.segments(), other.segments() == 1 ? "" : "s", first.name,
                              first.segments(), hint));
  };
  for (const auto& corpus : inputs.references) check(corpus);
  for (const auto& corpus : inputs.systems) check(corpus);
}

}  // namespace

std::string about_quotes(const std::string& input) {
  return fmt::format("{}: its fields are quoted as in a .csv, so the quotes are taken off", input);
}

text::Corpus load_text_input(const Input& input, const std::string& fallback_name,
                             const text::ReadOptions& options, const RunContext& context) {
  const auto* path = std::get_if<std::string>(&input.source);
  text::Corpus corpus = path != nullptr ? text::read_corpus(*path, options)
                                        : borrow(input, fallback_name, std::get<Texts>(input.source));
  context.find({FindingKind::empty_lines, {corpus.name}, {corpus.counts.empty, corpus.counts.texts}});
  context.find({FindingKind::replaced_parts, {corpus.name}, {corpus.counts.replaced}});
  if (corpus.counts.quotes_off) context.find({FindingKind::other, {about_quotes(corpus.name)}, {}});
  return corpus;
}

std::size_t reference_count(const std::vector<text::Corpus>& references) {
  const bool alike = std::ranges::all_of(
      references, [&](const text::Corpus& file) { return file.segments() == references.front().segments(); });
  std::size_t sum = 0;  // of files of different lengths
  for (const text::Corpus& file : references) {
    const std::size_t count = file.segment(0).size();
    sum += count;
    for (std::size_t i = 0; !alike && i < file.segments(); ++i) {
      if (file.segment(i).size() != count) return 0;
    }
  }
  for (std::size_t i = 0; alike && i < references.front().segments(); ++i) {
    std::size_t count = 0;
    for (const text::Corpus& file : references) count += file.segment(i).size();
    if (count != sum) return 0;
  }
  return sum;
}

std::optional<std::string> where_is(const Input& input, const text::Corpus& corpus, std::string_view text) {
  for (std::size_t segment = 0; segment < corpus.segments(); ++segment) {
    for (const std::string& one : corpus.segment(segment)) {
      if (text::strip(one) != text) continue;
      return std::holds_alternative<std::string>(input.source)
                 ? fmt::format("{}:{}", corpus.name, segment + 1 + corpus.header_lines)
                 : fmt::format("{}: text {}", corpus.name, segment + 1);
    }
  }
  return std::nullopt;
}

std::string where_is(const ScoreRequest& request, const TextInputs& inputs, std::string_view text) {
  for (std::size_t i = 0; i < inputs.references.size(); ++i) {
    if (const auto which = where_is(request.references[i], inputs.references[i], text)) return *which;
  }
  for (std::size_t i = 0; i < inputs.systems.size(); ++i) {
    if (const auto which = where_is(request.systems[i], inputs.systems[i], text)) return *which;
  }
  return "a text";
}

TextInputs load_texts(const ScoreRequest& request, bool aligned, const RunContext& context) {
  TextInputs inputs;
  inputs.system_names = request::system_names(request);
  const text::ReadOptions options{request.replace_invalid};
  const auto tokens =
      request::holds_vectors(request) ? std::make_shared<embed::TokenVectorSource>() : nullptr;
  inputs.token_vectors = tokens;
  const auto load = [&](const Input& input, const std::string& fallback_name) {
    return tokens ? tokens->read(std::get<std::string>(input.source), context.pool)
                  : load_text_input(input, fallback_name, options, context);
  };
  for (const Input& input : request.references) inputs.references.push_back(load(input, "reference"));
  for (std::size_t i = 0; i < request.systems.size(); ++i)
    inputs.systems.push_back(load(request.systems[i], inputs.system_names[i]));
  if (!aligned) return inputs;
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
  for (const Finding& finding : metric::plausible_mistakes(inputs.corpus, inputs.system_names))
    context.find(finding);
  return inputs;
}

}  // namespace markeval::score
