#include "token/vocabulary.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "token/json_fields.hpp"

namespace markeval::token {
namespace {

// An id far beyond the number of pieces would only make a table of holes.
constexpr std::int32_t kMaxId = 1 << 24;

}  // namespace

Vocabulary::Vocabulary(const json& entries, const JsonPlace& place) {
  if (!entries.is_object()) place.fail(fmt::format("'vocab' is {}, expected an object", entries.type_name()));
  for (const auto& [piece, id] : entries.items())
    add(piece, as_id(id, place / fmt::format("vocab '{}'", piece)));
}

void Vocabulary::add(std::string_view piece, std::int32_t id) {
  if (id < 0 || id >= kMaxId)
    throw_invalid(fmt::format("id {} of the piece '{}' is out of range", id, piece));
  trie_.insert(piece, id);
  const auto index = static_cast<std::size_t>(id);
  if (index >= pieces_.size()) pieces_.resize(index + 1);
  pieces_[index] = piece;
}

}  // namespace markeval::token
