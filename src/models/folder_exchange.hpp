// A folder takes its name, or takes it over from another one, so that whoever opens the name meanwhile gets
// the one or the other.
#pragma once

#include <string>

namespace markeval::models {

/// Everything in the folder reaches the disk before this returns. Throws Error(io).
void sync_folder(const std::string& folder);

/// Renames `from` to `to`. A folder called `to` is exchanged in one step and then removed; where the file
/// system cannot exchange (or `in_one_step` is false), it is moved to `aside` for a moment. All three must
/// lie on one file system. Throws Error(io); the old folder is then in its place.
void put_in_place(const std::string& from, const std::string& to, const std::string& aside,
                  bool in_one_step = true);

}  // namespace markeval::models
