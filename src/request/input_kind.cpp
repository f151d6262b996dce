// Files are recognised by name and by the first bytes of .npy; a mix of texts and vectors is an error.
#include "request/input_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.hpp"

namespace markeval::request {
namespace {

bool starts_as_vectors(const std::string& path) {
  std::array<char, 6> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  const std::string_view text(start.data(), static_cast<std::size_t>(file.gcount()));
  return text.starts_with("\x93NUMPY") || text.starts_with("PK\x03\x04");
}

/// Nothing of standard input, pipes and whatever else is no file to look into.
std::optional<InputKind> kind_of(const Source& source) {
  if (std::holds_alternative<Texts>(source)) return InputKind::texts;
  const auto* path = std::get_if<std::string>(&source);
  if (path == nullptr) return InputKind::vectors;
  std::string_view name = *path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".npy") || name.ends_with(".npz")) return InputKind::vectors;
  std::error_code unknown;
  const std::filesystem::file_type type = std::filesystem::status(*path, unknown).type();
  if (type == std::filesystem::file_type::regular) {
    return starts_as_vectors(*path) ? InputKind::vectors : InputKind::texts;
  }
  const bool missing =
      type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::none;
  return missing && name != "-" ? std::optional(InputKind::texts) : std::nullopt;
}

/// Which inputs are of which kind: the first of each.
struct FirstInputs {
  const Input* texts = nullptr;
  const Input* vectors = nullptr;
};
FirstInputs first_inputs(const ScoreRequest& request) {
  FirstInputs found;
  for (const auto* list : {&request.references, &request.systems}) {
    for (const Input& input : *list) {
      const std::optional<InputKind> kind = kind_of(input.source);
      if (!kind) continue;
      const Input*& first = *kind == InputKind::texts ? found.texts : found.vectors;
      if (first == nullptr) first = &input;
    }
  }
  return found;
}

bool names_word_vectors(const Metric& metric) {
  return metric.info->has_option("embeddings") && metric.options.text("embeddings") != "encoder";
}

/// Whether it looks at tokens, whoever made their vectors. What comes with the program learned from an
/// encoder's, and a blend has metrics on texts among its parts.
bool reads_tokens(const Metric& metric) {
  if (metric.info->kind == metric::Kind::trained)
    return !metric.info->is(metric::Learned::blend) && !metric.options.text("weights").empty();
  if (metric.info->kind == metric::Kind::set) return metric.options.text("samples") == "word";
  return metric.info->kind == metric::Kind::pair && !names_word_vectors(metric);
}

std::string name_of(const Input& input) {
  const auto* path = std::get_if<std::string>(&input.source);
  return path != nullptr ? *path : input.name.empty() ? "an input in memory" : input.name;
}

}  // namespace

InputKind input_kind(const ScoreRequest& request, const std::vector<Metric>& metrics) {
  const auto [texts, vectors] = first_inputs(request);
  if (vectors == nullptr) return InputKind::texts;
  const auto needs_texts = std::ranges::find_if(metrics, [](const Metric& metric) {
    return metric.info->kind != metric::Kind::set && !reads_tokens(metric);
  });
  if (needs_texts != metrics.end()) {
    throw_usage(
        fmt::format("{} needs texts, but {} holds vectors", needs_texts->info->name, name_of(*vectors)));
  }
  if (texts != nullptr) {
    throw_usage(fmt::format("{} holds vectors but {} texts, expected all of one kind", name_of(*vectors),
                            name_of(*texts)));
  }
  const auto of_tokens = std::ranges::find_if(metrics, reads_tokens);
  if (of_tokens == metrics.end()) return InputKind::vectors;
  const auto of_rows = std::ranges::find_if_not(metrics, reads_tokens);
  if (of_rows != metrics.end()) {
    throw_usage(fmt::format("{} reads the rows of {} as tokens, but {} as samples: expected one of the two",
                            of_tokens->text, name_of(*vectors), of_rows->text));
  }
  for (const auto* list : {&request.references, &request.systems}) {
    for (const Input& input : *list) {
      const auto* path = std::get_if<std::string>(&input.source);
      if (path == nullptr || *path == "-") {
        throw_usage(fmt::format("{} needs texts or files of token vectors, but {} holds rows",
                                of_tokens->text, name_of(input)));
      }
    }
  }
  return InputKind::token_vectors;
}

bool holds_vectors(const ScoreRequest& request) {
  return first_inputs(request).vectors != nullptr;
}

}  // namespace markeval::request
