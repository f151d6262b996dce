// The Hugging Face hub: what a repository holds at a revision, and its files, resumed after a break.
#pragma once

#include <string>

#include "base/run_context.hpp"
#include "models/store.hpp"
#include "models/web_client.hpp"

namespace markeval::models {

struct HubOptions {
  std::string endpoint = "https://huggingface.co";
  std::string token;    ///< sent to an https:// endpoint only, never to where it redirects
  int attempts = 5;     ///< in a row without one byte of progress
  int pause_ms = 1000;  ///< before the second attempt, doubled before each further one
  int timeout_s = 30;   ///< without a byte
};

/// $HF_ENDPOINT and $HF_TOKEN where they are set.
HubOptions hub_options_from_environment();

class HubClient {
 public:
  /// Throws Error(usage) where the endpoint is no http:// or https:// address. Warns where the token cannot
  /// be sent because the endpoint is not encrypted.
  HubClient(HubOptions options, const RunContext& context);

  /// What the hub has there. Throws Error(invalid_input) where there is no such repository or revision or it
  /// is not open to us, Error(io) where the hub cannot be reached.
  ModelOrigin revision(const std::string& repository, const std::string& revision) const;

  /// Brings `path` to the whole file: what is there already is kept, the rest asked for. Then size and
  /// checksum (where the hub gives one) must be right; otherwise `path` is removed and Error(invalid_input)
  /// thrown.
  void download(const std::string& repository, const std::string& commit, const HubFile& file,
                const std::string& path) const;

 private:
  WebRequest request(const std::string& path) const;
  [[noreturn]] void refuse(const WebAnswer& answer, const std::string& repository,
                           const std::string& what) const;
  void pause(int attempt) const;

  HubOptions options_;
  std::string shown_;
  const RunContext& context_;
};

}  // namespace markeval::models
