// Where a model came from: FOLDER/markeval-origin.json, written by a pull before the folder takes its name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace markeval::models {

struct ModelOrigin {
  struct ListedFile {
    std::string name;
    std::uint64_t size = 0;
    std::string sha256;
  };
  std::string repository;
  std::string revision;  ///< commit
  std::string endpoint;
  std::vector<ListedFile> files;
};

inline constexpr const char* kOriginFile = "markeval-origin.json";

/// Nothing where the folder has no such file. Throws Error(invalid_input) where it is damaged.
std::optional<ModelOrigin> read_origin(const std::string& folder);
void write_origin(const std::string& folder, const ModelOrigin& origin);

}  // namespace markeval::models
