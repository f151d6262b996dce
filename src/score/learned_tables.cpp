// Files are told by their checksums, which FOLDER/config.json of a training has.
#include "score/learned_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/input_bytes.hpp"
#include "metric/registry.hpp"
#include "trained/blend.hpp"
#include "trained/training_files.hpp"

namespace markeval::score {
namespace {

/// The tables behind a metric; of a blend those of its parts too.
std::vector<trained::DataFile> tables_behind(const Metric& request) {
  if (request.info->kind != metric::Kind::trained) return {};
  const std::string& folder = request.options.text("weights");
  if (folder.empty()) return {};
  std::vector<trained::DataFile> tables = trained::train_tables_of(folder);
  if (!request.info->is(metric::Learned::blend)) return tables;
  for (const trained::BlendPart& part : trained::read_blend(folder).parts) {
    for (trained::DataFile& table : tables_behind(part.metric)) tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace

std::vector<std::string> learned_from(std::span<const Metric> metrics, std::span<const std::string> files) {
  std::vector<std::string> told, hashes;  // of the files, once some metric has tables
  for (const Metric& request : metrics) {
    const std::vector<trained::DataFile> tables = tables_behind(request);
    if (tables.empty()) continue;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (hashes.size() == i) hashes.push_back(is_stream(files[i]) ? "" : sha256_of_file(files[i]));
      const auto same = [&](const trained::DataFile& table) { return table.hash == hashes[i]; };
      if (!hashes[i].empty() && std::ranges::any_of(tables, same))
        told.push_back(fmt::format("{} learned from {}; its agreement there says nothing about new texts",
                                   request.text, files[i]));
    }
  }
  return told;
}

}  // namespace markeval::score
