// Documents that die while no memory is left. The allocator of this test program fails on request.
#include "base/json_document.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <optional>

#include "base/json_reader.hpp"
#include "support/sanitized.hpp"

namespace {

thread_local bool no_memory_left = false;

struct NoMemory {
  NoMemory() { no_memory_left = true; }
  ~NoMemory() { no_memory_left = false; }
};

}  // namespace

#ifndef MARKEVAL_SANITIZED  // what it gives is freed by the library's operator delete, which calls free()
void* operator new(std::size_t bytes) {
  if (no_memory_left) throw std::bad_alloc();
  if (void* const made = std::malloc(bytes == 0 ? 1 : bytes)) return made;
  throw std::bad_alloc();
}
#endif

namespace markeval {
namespace {

constexpr const char* kText = R"({"a": [1, [2, {"b": ["c", "d"]}]], "e": {"f": {"g": "h"}}})";

TEST(JsonDocument, DiesWithoutAskingForMemory) {
  auto document = std::make_optional(parse_json(kText, "f"));
  OwnedJson<nlohmann::ordered_json> answer(nlohmann::ordered_json::parse(kText));
  const NoMemory none;
  document.reset();
  OwnedJson<nlohmann::ordered_json>(std::move(answer));
}

TEST(JsonDocument, GivesItsValueAway) {
  JsonDocument first = parse_json(kText, "f"), second = parse_json("[1, [2]]", "f");
  {
    const NoMemory none;
    first = std::move(second);
    second = JsonDocument();
  }
  EXPECT_EQ(*first, nlohmann::json::parse("[1, [2]]"));
  EXPECT_TRUE(second->is_null());
}

}  // namespace
}  // namespace markeval
