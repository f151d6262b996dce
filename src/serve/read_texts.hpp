// POST /v1/texts: the content of a file as the command line reads it, for pages that let people choose files.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "base/json.hpp"

namespace markeval::serve {

/// {"name": "d.tsv", "content": "...", "column": "ref"}: {"name", "texts"}, a text or a list of texts for
/// each segment. Of a table without a column: {"name", "columns", "rows"}, its first rows. Nothing is opened:
/// the name tells the format alone. Throws Error(usage) or Error(invalid_input), as reading the file would.
nlohmann::ordered_json read_texts(const nlohmann::json& body, std::size_t max_texts);

/// Schema of the body, for /openapi.json.
nlohmann::ordered_json texts_schema();

}  // namespace markeval::serve
