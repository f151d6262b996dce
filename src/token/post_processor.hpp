// Post-processors: special tokens around the text, and offsets without the blanks. Described by
// "post_processor" of tokenizer.json.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace markeval::token {

struct JsonPath;

struct PostProcessor {
  /// One part of the template: special tokens, or (ids empty) the text itself.
  struct TemplatePart {
    bool is_text = false;
    std::vector<std::int32_t> ids;
  };
  std::vector<TemplatePart> parts{{true, {}}};  ///< one of them is the text
  std::size_t special_count = 0;
  /// Byte-level models: offsets leave out the blanks a token begins and ends with, once for each entry; the
  /// entry says whether a blank was put before the text.
  std::vector<bool> trims;

  PostProcessor() = default;
  /// Throws Error(invalid_input) naming the component where it is unknown or lacks a field.
  PostProcessor(const nlohmann::json& component, const JsonPath& where);

 private:
  bool has_template = false;
  void read(const nlohmann::json& component, const JsonPath& where);
  void set_parts(std::vector<TemplatePart> template_parts, const JsonPath& where);
};

}  // namespace markeval::token
