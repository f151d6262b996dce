// JSON that is written: its members keep their order, and it dies without asking for memory.
#pragma once

#include <cstddef>

#include "base/json_document.hpp"

namespace markeval {

/// For what a server answers, built by assignment: an object in braces would be copied together from lists
/// that the library takes down.
using OrderedDocument = OwnedJson<nlohmann::ordered_json>;

/// An object with room for so many members: an ordered one copies them where it grows.
inline OrderedDocument ordered_object(std::size_t members) {
  OrderedDocument made(nlohmann::ordered_json::object());
  made->get_ref<nlohmann::ordered_json::object_t&>().reserve(members);
  return made;
}

}  // namespace markeval
