// The Hugging Face hub over HTTP: what a repository holds at a revision, and its files, resumed after a
// break.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/run_context.hpp"

namespace markeval::embed {

struct HubOptions {
  std::string endpoint = "https://huggingface.co";
  std::string token;    ///< sent to the endpoint only, never to where it redirects
  int attempts = 5;     ///< in a row without one byte of progress
  int pause_ms = 1000;  ///< before the second attempt, doubled before each further one
  int timeout_s = 30;   ///< without a byte
};

/// $HF_ENDPOINT and $HF_TOKEN where they are set.
HubOptions hub_options_from_environment();

struct HubFile {
  std::string name;  ///< as "1_Pooling/config.json"
  std::uint64_t size = 0;
  std::string sha256;   ///< of large files; empty where the hub gives none
  std::string blob_id;  ///< git's id, of small files
};

struct HubRevision {
  std::string commit;  ///< 40 hex digits
  std::vector<HubFile> files;
};

class HubClient {
 public:
  /// Throws Error(usage) where the endpoint is no http:// or https:// address.
  HubClient(HubOptions options, const RunContext& context);

  /// Throws Error(invalid_input) where there is no such repository or revision or it is not open to us,
  /// Error(io) where the hub cannot be reached.
  HubRevision revision(const std::string& repository, const std::string& revision) const;

  /// Brings `path` to the whole file: what is there already is kept, the rest asked for. Then size and
  /// checksum must be right; otherwise `path` is removed and Error(invalid_input) thrown.
  void download(const std::string& repository, const std::string& commit, const HubFile& file,
                const std::string& path) const;

 private:
  struct Answer;
  Answer get(const std::string& address, const std::string& path, std::uint64_t offset,
             const HubFile* file) const;
  [[noreturn]] void refuse(const Answer& answer, const std::string& repository,
                           const std::string& what) const;
  void pause(int attempt) const;

  HubOptions options_;
  const RunContext& context_;
};

}  // namespace markeval::embed
