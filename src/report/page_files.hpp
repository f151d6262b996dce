// Style and scripts of the pages, from src/report/page. They are inside the program, without their indents
// and comments.
#pragma once

#include <string>
#include <string_view>

namespace markeval::report {

/// "style.css", "chart.css", "page.js" or "explore.js".
const std::string& page_file(std::string_view name);

/// What a page's policy allows: "sha256-" and the base64 of the script's sha256.
const std::string& script_hash(std::string_view name);

}  // namespace markeval::report
