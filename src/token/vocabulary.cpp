// Filling from JSON, with checks of ids and lengths.
#include "token/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/cancellation.hpp"
#include "base/json_reader.hpp"
#include "base/quotation.hpp"
#include "token/json_fields.hpp"

namespace markeval::token {
namespace {

// An id far beyond the number of pieces would only make a table of holes.
constexpr std::uint64_t kMaxId = 1U << 24;
/// Real vocabularies have gaps; this is far more than any of them needs.
constexpr std::uint64_t kIdsPerPiece = 16, kSpareIds = 1U << 16;

}  // namespace

Vocabulary::Vocabulary(const json& entries, const JsonPath& where) {
  if (!entries.is_object()) where.fail(fmt::format("'vocab' is {}, expected an object", kind_of(entries)));
  const std::uint64_t most = std::min(kMaxId, kIdsPerPiece * entries.size() + kSpareIds);
  for (const auto& [piece, id] : entries.get_ref<const json::object_t&>()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= most) {
      where.fail(fmt::format("the id of {} in 'vocab' is {}, expected a whole number below {}",
                             in_quotes(piece), brief(id), most));
    }
    add(piece, id.get<std::int32_t>(), where);
  }
}

void Vocabulary::add(std::string_view piece, std::int32_t id, const JsonPath& where) {
  check_cancelled();
  if (id < 0 || static_cast<std::uint64_t>(id) >= kMaxId)
    where.fail(fmt::format("id {} of the piece {} is out of range", id, in_quotes(piece)));
  if (piece.size() > most_piece_bytes_) require_piece_length(piece, where);
  trie_.insert(piece, id);
  const auto index = static_cast<std::size_t>(id);
  if (index >= pieces_.size()) pieces_.resize(index + 1);
  if (!pieces_[index].empty()) {
    where.fail(
        fmt::format("the pieces {} and {} have one id, {}", in_quotes(pieces_[index]), in_quotes(piece), id));
  }
  pieces_[index] = piece;
}

}  // namespace markeval::token
