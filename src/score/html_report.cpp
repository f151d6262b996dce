// Each input file is described with size, checksum and counts; pictures and examples are added during
// scoring.
#include "score/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/digest.hpp"
#include "base/open_file.hpp"
#include "report/html_text.hpp"
#include "request/system_names.hpp"
#include "score/report_data.hpp"
#include "score/segment_column.hpp"
#include "text/corpus.hpp"

namespace markeval::score {
namespace {

namespace fs = std::filesystem;

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

Counts counts_of(const text::Corpus& corpus) {
  return {{"segments", corpus.counts.segments},
          {"empty", corpus.counts.empty},
          {"replaced", corpus.counts.replaced}};
}

Counts counts_of(const vectors::Vectors& vectors) {
  return {{"rows", vectors.rows()}, {"columns", vectors.columns()}};
}

template <typename File>
std::vector<report::PageInput> inputs_of(const ScoreRequest& request, const std::vector<std::string>& names,
                                         const std::vector<File>& references,
                                         const std::vector<File>& systems) {
  std::vector<report::PageInput> inputs;
  for (std::size_t i = 0; i < references.size(); ++i) {
    inputs.push_back(page_input(references.size() == 1 ? "reference" : fmt::format("reference {}", i + 1),
                                request.references[i].source));
    inputs.back().counts = counts_of(references[i]);
  }
  for (std::size_t i = 0; i < systems.size(); ++i) {
    inputs.push_back(page_input("system " + names[i], request.systems[i].source));
    inputs.back().counts = counts_of(systems[i]);
  }
  return inputs;
}

/// The whole path stands among the inputs.
std::string base_name(const std::string& path) {
  return fs::path(path).filename().string();
}

std::string joined(const std::vector<std::string>& names) {
  if (names.size() > 4) return fmt::format("{} systems", names.size());
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

[[noreturn]] void refuse_sources() {
  throw_usage(
      "source texts are shown with the scores of segments, which set metrics have not got: leave --source "
      "out, or add a metric like bertscore");
}

}  // namespace

report::PageInput page_input(const std::string& role, const Source& source) {
  report::PageInput input;
  input.role = role;
  const auto* path = std::get_if<std::string>(&source);
  if (path == nullptr) {
    input.file = std::holds_alternative<Texts>(source) ? "(texts in memory)" : "(rows in memory)";
    return input;
  }
  input.file = *path;
  const std::string file = text::InputSpec::split(*path).path;
  const std::optional<FileIdentity> identity = identity_of(file);
  if (!identity) return input;  // standard input, a pipe
  input.bytes = identity->size;
  if (input.bytes > 0) input.sha256 = sha256_of_file(file);
  return input;
}

std::string page_title(const std::vector<std::string>& systems, const std::vector<Input>& references) {
  if (references.size() > 1)
    return fmt::format("{} against {} references", joined(systems), references.size());
  const auto* path = std::get_if<std::string>(&references.front().source);
  const text::InputSpec file = path == nullptr ? text::InputSpec{} : text::InputSpec::split(*path);
  if (!file.column.empty())
    return fmt::format("{} against {} of {}", joined(systems), file.column, base_name(file.path));
  ScoreRequest names;
  names.systems = references;
  return fmt::format("{} against {}", joined(systems), request::system_names(names).front());
}

std::vector<std::string> PageBuilder::source_texts() const {
  if (request_.source_text.empty()) return request_.source_texts;
  if (!request_.source_texts.empty())
    throw_usage("source_text and source_texts are given, expected one: a column, or the texts");
  return read_segment_column("source", column_named(request_, request_.source_text));
}

void PageBuilder::add_inputs(const TextInputs& inputs) {
  const std::vector<std::string> sources = source_texts();
  if (!sources.empty() && !wanted())
    throw_usage("source texts are shown on the page of `score` only, expected --report FILE too");
  if (!sources.empty() && inputs.corpus.segments() == 0) refuse_sources();
  if (!sources.empty() && sources.size() != inputs.corpus.segments()) {
    throw_invalid(fmt::format("{}, expected {}: one for each segment",
                              report::counted(sources.size(), "source text"), inputs.corpus.segments()));
  }
  if (!wanted()) return;
  page_.facts.title = page_title(inputs.system_names, request_.references);
  page_.facts.inputs = inputs_of(request_, inputs.system_names, inputs.references, inputs.systems);
  segments_ = inputs.corpus.segments();
  for (std::size_t i = 0; i < segments_; ++i) {
    std::vector<std::string> references, texts;
    for (const std::string_view one : inputs.corpus.references[i]) references.emplace_back(one);
    for (const auto& system : inputs.corpus.systems) texts.emplace_back(system[i]);
    page_.texts.add(sources.empty() ? nullptr : &sources[i], std::move(references), std::move(texts));
  }
}

void PageBuilder::add_inputs(const VectorInputs& inputs) {
  if (!request_.source_text.empty() || !request_.source_texts.empty()) refuse_sources();
  if (!wanted()) return;
  page_.facts.title = page_title(inputs.system_names, request_.references);
  page_.facts.inputs = inputs_of(request_, inputs.system_names, inputs.references, inputs.systems);
}

void PageBuilder::add_names(const std::vector<std::string>& systems, std::size_t segments) {
  if (!wanted()) return;
  page_.facts.title = page_title(systems, request_.references);
  segments_ = segments;
}

bool PageBuilder::wants_picture(const std::string& system) const {
  return wanted() && std::ranges::none_of(page_.pictures, [&](const report::SetPicture& picture) {
           return picture.system == system;
         });
}

void PageBuilder::finish(ScoreData& data) {
  if (!wanted()) return;
  page_.run = data.report;
  page_.facts.warnings = data.report.warnings;
  page_.facts.errors = report::reasons_of(data.report.errors);
  page_.facts.summary = report::counted(request_.metrics.size(), "metric");  // the title has the systems
  if (segments_ > 0) page_.facts.summary += ", " + report::counted(segments_, "segment");
  data.page = std::move(page_);
  if (request_.segments || request_.keep_statistics) return;
  for (Result& result : data.report.results) result.segments.clear();
}

}  // namespace markeval::score
