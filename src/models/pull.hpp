// Brings a model from the Hugging Face hub into the model folder: the files an encoder needs, nothing else,
// pinned to a commit, checked, and in place only when all of them are there.
#pragma once

#include <string>
#include <vector>

#include "base/run_context.hpp"
#include "models/hub_client.hpp"

namespace markeval::models {

struct PullRequest {
  std::string name;               ///< as name_on_hub() takes it: OWNER/NAME, kDefaultModel, roberta-large
  std::string revision = "main";  ///< branch, tag or commit
  std::string into;               ///< a folder of models; empty: the first of model_folders()
  HubOptions hub;
  /// A hub may list files without a checksum (some mirrors do). Then nobody can tell whether what came is
  /// what was published, and the pull is refused unless this is false.
  bool require_checksums = true;
};

struct PullResult {
  std::string folder;
  std::string revision;  ///< the commit
  bool already_there = false;
};

/// What was fetched before a break lies in INTO/.partial and is gone on with by the next pull of the same
/// commit. A model of that name at another commit is exchanged in one step. Throws Error: usage (no such
/// name), invalid_input (the hub refuses, a checksum is wrong or missing, no weights we can read), io (no
/// network, no space).
PullResult pull_model(const PullRequest& request, const RunContext& context);

/// Those of a repository's files that a model folder needs. Throws Error(invalid_input) where weights or
/// config.json are missing.
std::vector<HubFile> needed_files(const std::string& repository, const std::vector<HubFile>& files);

/// Everything in the folder reaches the disk before this returns. Throws Error(io).
void sync_folder(const std::string& folder);

/// Renames `from` to `to`, so that whoever opens the name meanwhile gets the old folder or the new one. One
/// called `to` is exchanged in one step and then removed; where the file system cannot exchange (or
/// `in_one_step` is false), it is moved to `aside` for a moment. All three must lie on one file system.
/// Throws Error(io); the old folder is then in its place.
void put_in_place(const std::string& from, const std::string& to, const std::string& aside,
                  bool in_one_step = true);

}  // namespace markeval::models
