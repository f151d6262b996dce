#include "models/origin.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_reader.hpp"
#include "base/open_file.hpp"
#include "base/output_file.hpp"
#include "base/quotation.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A file below the folder: whatever the notes say, nothing else is read.
bool stays_inside(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

}  // namespace

std::optional<ModelOrigin> read_origin(const std::string& folder) {
  const std::string path = (fs::path(folder) / kOriginFile).string();
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  const json document = parse_json_object(OpenFile(path).read_all(kMostBytes), path);
  ModelOrigin origin{
      text_of(document, "repository"), text_of(document, "revision"), text_of(document, "endpoint"), {}};
  const auto files = document.find("files");
  if (files == document.end() || !files->is_object()) throw_invalid(path + ": no list of files");
  for (const auto& [name, file] : files->items()) {
    const bool whole = file.is_object() && file.contains("size") && file["size"].is_number_unsigned();
    if (!whole) throw_invalid(fmt::format("{}: no size for {}", path, in_quotes(name)));
    if (!stays_inside(name))
      throw_invalid(fmt::format("{}: {} is no file of this folder", path, in_quotes(name)));
    origin.files.push_back({name, file["size"].get<std::uint64_t>(), text_of(file, "sha256")});
  }
  return origin;
}

void write_origin(const std::string& folder, const ModelOrigin& origin) {
  json files = json::object();
  for (const ModelOrigin::ListedFile& file : origin.files)
    files[file.name] = {{"size", file.size}, {"sha256", file.sha256}};
  const json document = {{"repository", origin.repository},
                         {"revision", origin.revision},
                         {"endpoint", origin.endpoint},
                         {"files", files}};
  write_whole_file((fs::path(folder) / kOriginFile).string(), document.dump(2) + "\n");
}

}  // namespace markeval::models
