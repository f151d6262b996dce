// The template is read from the supported kinds of post-processors, with checks that it has one text.
#include "token/post_processor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json_reader.hpp"
#include "base/quotation.hpp"
#include "token/json_fields.hpp"

namespace markeval::token {
namespace {

// ["</s>", 2]
std::int32_t read_special(const json& component, const char* key, const JsonPath& where) {
  const json& pair = require_array(component, key, where);
  if (pair.size() != 2) where.fail(fmt::format("'{}' must be a token and its id", key));
  return as_id(pair[1], where / key);
}

/// The encoder gives every token the first kind of text.
void require_first_kind(const json& part, const JsonPath& where) {
  const json* const kind = find_field(part, "type_id");
  if (kind != nullptr && *kind != 0)
    where.fail(fmt::format("the template for one text has the type_id {}, expected 0", brief(*kind)));
}

std::vector<PostProcessor::TemplatePart> read_template(const json& component, const JsonPath& where) {
  const json& specials = require_field(component, "special_tokens", where);
  std::vector<PostProcessor::TemplatePart> parts;
  for (const json& item : require_array(component, "single", where)) {
    if (const json* text = find_field(item, "Sequence")) {
      require_first_kind(*text, where);
      const std::string which = read_string(*text, "id", std::nullopt, where);
      if (which != "A")
        where.fail(
            fmt::format("the template for one text names the text {}, expected 'A'", in_quotes(which)));
      parts.push_back({true, {}});
    } else if (const json* special = find_field(item, "SpecialToken")) {
      require_first_kind(*special, where);
      const std::string name = read_string(*special, "id", std::nullopt, where);
      const json* entry = find_field(specials, name.c_str());
      if (entry == nullptr)
        where.fail(fmt::format("the template names {}, which special_tokens lacks", in_quotes(name)));
      PostProcessor::TemplatePart part;
      for (const json& id : require_array(*entry, "ids", where)) part.ids.push_back(as_id(id, where / name));
      parts.push_back(std::move(part));
    } else {
      where.fail("a template part must be a Sequence or a SpecialToken");
    }
  }
  // Lengths are reckoned with one text among the special tokens.
  const auto texts = std::ranges::count_if(parts, &PostProcessor::TemplatePart::is_text);
  if (texts != 1)
    where.fail(fmt::format("the template for one text holds it {} times, expected once", texts));
  return parts;
}

}  // namespace

PostProcessor::PostProcessor(const json& component, const JsonPath& where) {
  read(component, where);
}

void PostProcessor::set_parts(std::vector<TemplatePart> template_parts, const JsonPath& where) {
  if (std::exchange(has_template, true)) where.fail("a second template; one is supported");
  parts = std::move(template_parts);
  for (const TemplatePart& part : parts) special_count += part.ids.size();
}

void PostProcessor::read(const json& component, const JsonPath& where) {
  const std::string type = read_type(component, where);
  const JsonPath inside = where / type;
  if (type == "TemplateProcessing") {
    set_parts(read_template(component, inside), inside);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    if (type == "RobertaProcessing" && read_bool(component, "trim_offsets", std::nullopt, inside)) {
      trims.push_back(read_bool(component, "add_prefix_space", std::nullopt, inside));
    }
    set_parts({{false, {read_special(component, "cls", inside)}},
               {true, {}},
               {false, {read_special(component, "sep", inside)}}},
              inside);
  } else if (type == "ByteLevel") {
    if (read_bool(component, "trim_offsets", std::nullopt, inside)) {
      trims.push_back(read_bool(component, "add_prefix_space", std::nullopt, inside));
    }
  } else if (type == "Sequence") {
    for (const json& part : require_array(component, "processors", inside)) read(part, inside);
  } else {
    fail_unknown_type(
        type, {"TemplateProcessing", "BertProcessing", "RobertaProcessing", "ByteLevel", "Sequence"}, where);
  }
}

}  // namespace markeval::token
