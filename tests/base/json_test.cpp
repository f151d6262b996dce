// JSON values while no memory is left. The allocator of this test program fails on request.
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <optional>

#include "base/json_reader.hpp"
#include "support/sanitized.hpp"

namespace {

constexpr long kAlways = -1;
thread_local long allocations_left = kAlways;

struct AllocationsLeft {
  explicit AllocationsLeft(long count) { allocations_left = count; }
  ~AllocationsLeft() { allocations_left = kAlways; }
};

}  // namespace

#ifndef MARKEVAL_SANITIZED  // what it gives is freed by the library's operator delete, which calls free()
void* operator new(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left != kAlways) --allocations_left;
  if (void* const made = std::malloc(bytes == 0 ? 1 : bytes)) return made;
  throw std::bad_alloc();
}
#endif

namespace markeval {
namespace {

constexpr const char* kText = R"({"a": [1, [2, {"b": ["c", "d"]}]], "e": {"f": {"g": "h"}}})";

/// Built of lists in braces, which the library copies together and takes down again.
template <typename Json>
Json made_of_lists() {
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i) rows.push_back({{"name", "a name too long to stand in the string"}, {"at", i}});
  return Json{{"rows", std::move(rows)}, {"limits", {{"one", {1, 2}}, {"two", {{"three", nullptr}}}}}};
}

/// The list in braces is taken down wherever its making ends.
template <typename Json>
long failures_while_made() {
  long failed = 0;
  for (long allocations = 0;; ++allocations) {
    try {
      const AllocationsLeft few(allocations);
      made_of_lists<Json>();
      return failed;
    } catch (const std::bad_alloc&) {
      ++failed;
    }
  }
}

TEST(JsonValues, DieWithoutAskingForMemory) {
  auto document = std::make_optional(parse_json(kText, "f"));
  auto answer = std::make_optional(made_of_lists<nlohmann::ordered_json>());
  const AllocationsLeft none(0);
  document.reset();
  answer.reset();
}

TEST(JsonValues, DieWhereverTheirMakingFails) {
  if (kSanitized) GTEST_SKIP() << "the allocator is the sanitizer's";
  EXPECT_GT(failures_while_made<nlohmann::json>(), 20);
  EXPECT_GT(failures_while_made<nlohmann::ordered_json>(), 20);
}

TEST(JsonValues, AreGivenAwayWithoutAskingForMemory) {
  nlohmann::json first = parse_json(kText, "f"), second = parse_json("[1, [2]]", "f");
  {
    const AllocationsLeft none(0);
    first = std::move(second);
    second = nullptr;
  }
  EXPECT_EQ(first, nlohmann::json::parse("[1, [2]]"));
}

}  // namespace
}  // namespace markeval
