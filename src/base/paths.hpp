// What a name leads to, asked without an exception: a name that is too long, or in a folder that nobody may
// read, leads to nothing. std::filesystem throws its own exception in the plain forms of these calls.
#pragma once

#include <string>
#include <vector>

namespace markeval {

/// Whether there is anything of this name.
bool path_exists(const std::string& path);
/// Links are followed.
bool is_folder(const std::string& path);
bool is_ordinary_file(const std::string& path);
/// Nothing happens where there is none.
void remove_file(const std::string& path);
/// The names in a folder, sorted. Throws Error(io) where it cannot be read.
std::vector<std::string> names_in(const std::string& folder);
/// Its full name; `path` itself where the folder we are in is gone.
std::string full_path(const std::string& path);

}  // namespace markeval
