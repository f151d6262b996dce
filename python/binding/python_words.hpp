// Messages of the library name the options of the command line; a Python program has keywords.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace markeval::binding {

/// "a smaller k or --clamp-k helps" -> "a smaller k or clamp_k=True helps"; "add -m fid" -> "add the metric
/// fid"; "needs --system COLUMN" -> "needs system=COLUMN". A whole command, "markeval embed --pool none",
/// stays as it is.
std::string in_python(std::string_view message);
std::vector<std::string> in_python(const std::vector<std::string>& messages);

}  // namespace markeval::binding
