// A column is read from the reference's table or from a file of its own, one value per segment.
#include "score/segment_column.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/paths.hpp"
#include "text/corpus.hpp"

namespace markeval::score {

std::string column_named(const ScoreRequest& request, const std::string& column) {
  const auto* path =
      request.references.empty() ? nullptr : std::get_if<std::string>(&request.references.front().source);
  if (path == nullptr) return column;
  const text::InputSpec reference = text::InputSpec::split(*path);
  const bool table = reference.format != text::InputFormat::plain && !reference.column.empty();
  return table && column.find(':') == std::string::npos ? reference.path + ":" + column : column;
}

void require_inputs_once(const ScoreRequest& request) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& input) { paths.push_back(text::InputSpec::split(input).path); };
  for (const auto* list : {&request.references, &request.systems}) {
    for (const Input& input : *list) {
      if (const auto* path = std::get_if<std::string>(&input.source)) add(*path);
    }
  }
  for (const std::string* column : {&request.group, &request.source_text}) {
    if (!column->empty()) add(column_named(request, *column));
  }
  require_streams_once(paths);
}

std::vector<std::string> read_segment_column(std::string_view what, const std::string& column) {
  const std::string path = text::InputSpec::split(column).path;
  if (path != "-" && !path_exists(path)) {
    throw_usage(fmt::format(
        "{} '{}': no file of that name is here, and the reference is no table with columns; expected "
        "-r TABLE:COLUMN, or FILE[:COLUMN] with one for every segment",
        what, column));
  }
  const text::Corpus file = text::read_corpus(column);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < file.segments(); ++i) values.push_back(file.segment(i).front());
  return values;
}

}  // namespace markeval::score
