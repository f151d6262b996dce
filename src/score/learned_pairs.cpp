// Hashes of pairs, their file, and the share of judged texts among them.
#include "score/learned_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "base/digest.hpp"
#include "base/open_file.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "metric/registry.hpp"
#include "text/utf8.hpp"
#include "trained/blend.hpp"
#include "trained/match_head.hpp"

namespace markeval::score {
namespace {

constexpr const char* kPairsFile = "learned_pairs.bin";
constexpr std::size_t kOneIn = 100;  ///< a text that was learned from makes a metric known
constexpr std::size_t kShared = 3;   ///< rows of one reference on average, from which on it is told
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

using Hashes = std::vector<std::uint32_t>;  ///< in rising order

Hashes hashes_in(std::string_view bytes) {
  Hashes hashes;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t hash = 0;
    for (std::size_t byte = 4; byte-- > 0;) hash = hash << 8 | static_cast<std::uint8_t>(bytes[at + byte]);
    hashes.push_back(hash);
  }
  return hashes;
}

Hashes pairs_behind(const Metric& request) {
  if (request.info->kind != metric::Kind::trained) return {};
  const std::string& folder = request.options.text("weights");
  if (folder.empty()) {
    const auto bytes = trained::shipped_pairs();
    return hashes_in({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  Hashes hashes;
  const std::string path = folder + "/" + kPairsFile;
  if (path_exists(path)) hashes = hashes_in(OpenFile(path).read_all(kMostBytes));
  if (!request.info->is(metric::Learned::blend)) return hashes;
  for (const trained::BlendPart& part : trained::read_blend(folder).parts) {
    const Hashes more = pairs_behind(part.metric);
    hashes.insert(hashes.end(), more.begin(), more.end());
  }
  std::ranges::sort(hashes);
  return hashes;
}

}  // namespace

std::uint32_t pair_hash(std::string_view reference, std::string_view text) {
  const std::string hex = sha256_of(fmt::format("{}\n{}", text::strip(reference), text::strip(text)));
  std::uint32_t hash = 0;
  std::from_chars(hex.data(), hex.data() + 8, hash, 16);
  return hash;
}

void write_learned_pairs(const std::string& folder, const trained::TrainingData& data) {
  Hashes hashes;
  for (const trained::ScoredPair& pair : data.train)
    hashes.push_back(pair_hash(data.texts[pair.reference], data.texts[pair.text]));
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  std::string bytes;
  for (const std::uint32_t hash : hashes) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(hash >> shift & 0xff);
  }
  write_whole_file(folder + "/" + kPairsFile, bytes);
}

std::vector<bool> learned_from(std::span<const Metric> metrics, const Texts& references, const Texts& texts) {
  std::vector<bool> learned;
  std::vector<Hashes> rows;  // of each text, once some metric asks
  for (const Metric& request : metrics) {
    const Hashes known = pairs_behind(request);
    for (std::size_t row = rows.size(); row < texts.lines.size() && !known.empty(); ++row) {
      const bool several = !references.starts.empty();
      Hashes& hashes = rows.emplace_back();
      for (std::size_t at = several ? references.starts[row] : row,
                       end = several ? references.starts[row + 1] : row + 1;
           at < end; ++at)
        hashes.push_back(pair_hash(references.lines[at], texts.lines[row]));
    }
    const auto found = std::ranges::count_if(rows, [&](const Hashes& row) {
      return std::ranges::any_of(row,
                                 [&](std::uint32_t one) { return std::ranges::binary_search(known, one); });
    });
    learned.push_back(found > 0 && static_cast<std::size_t>(found) * kOneIn >= rows.size());
  }
  return learned;
}

/// Several systems' texts for one source: such rows are not independent, and a metric may agree with people
/// on all rows because it notices hard sources.
std::string about_shared_references(std::span<const std::string> references) {
  const std::unordered_set<std::string_view> distinct(references.begin(), references.end());
  const std::size_t shared = references.size() / std::max<std::size_t>(1, distinct.size());
  if (shared < kShared) return "";
  return fmt::format(
      "a reference stands in {} rows on average, so rows are not independent: --group COLUMN compares within "
      "documents, --level system --system COLUMN whole systems",
      shared);
}

std::string about_learned(const std::string& metric) {
  return metric + " learned from these texts; its agreement there says nothing about new ones";
}

}  // namespace markeval::score
