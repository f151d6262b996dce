// The content goes through the readers of text/. The answer has the texts, or the columns and first rows of a
// table.
#include "serve/read_texts.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "text/corpus.hpp"

namespace markeval::serve {
namespace {

using OrderedJson = nlohmann::ordered_json;
constexpr std::size_t kPreviewRows = 4;

std::string text_field(const nlohmann::json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end() || !found->is_string()) throw_usage(fmt::format("{}: expected a string", name));
  return found->get<std::string>();
}

}  // namespace

OrderedJson read_texts(const nlohmann::json& body, std::size_t max_texts) {
  for (const auto& [name, value] : body.items()) {
    if (name != "name" && name != "content" && name != "column")
      throw_usage(fmt::format("unknown field '{}', expected name, content, column", name));
  }
  text::InputSpec input{text_field(body, "name"), "", {}};
  const std::string content = text_field(body, "content");
  if (body.contains("column")) input.column = text_field(body, "column");
  if (input.path.empty()) throw_usage("name: expected the name of a file");
  input.format = text::format_of(input.path);
  if (input.format == text::InputFormat::plain && !input.column.empty())
    throw_usage(
        fmt::format("{}: plain text has no columns, expected a .tsv, .csv or .jsonl file", input.path));
  text::LineReader lines(input.path, std::string_view(content));
  OrderedJson answer = OrderedJson::object();
  answer["name"] = input.path;
  if (input.format != text::InputFormat::plain && !body.contains("column")) {
    const text::TablePreview preview = text::preview_table(input, std::move(lines), kPreviewRows);
    answer["columns"] = preview.columns;
    answer["rows"] = preview.rows;
    return answer;
  }
  text::SegmentReader reader(input, std::move(lines));
  OrderedJson& texts = answer["texts"] = OrderedJson::array();
  std::span<const std::string_view> segment;
  std::size_t count = 0;
  while (reader.next(segment)) {
    count += segment.size();
    if (count > max_texts)
      throw_invalid(fmt::format("{}: more than {} texts (max_texts of the server)", input.path, max_texts));
    if (segment.size() == 1) {
      texts.push_back(segment.front());
    } else {
      texts.push_back(std::vector<std::string>(segment.begin(), segment.end()));
    }
  }
  return answer;
}

OrderedJson texts_schema() {
  const OrderedJson text{{"type", "string"}};
  return {{"type", "object"},
          {"properties",
           {{"name",
             {{"type", "string"},
              {"minLength", 1},
              {"description", "Name of the file; its ending gives the format"}}},
            {"content", {{"type", "string"}, {"description", "Content of the file, unpacked"}}},
            {"column", {{"type", "string"}, {"description", "Column of a .tsv, .csv or .jsonl"}}}}},
          {"required", {"name", "content"}},
          {"additionalProperties", false}};
}

}  // namespace markeval::serve
