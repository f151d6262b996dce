#include "base/per_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace markeval {
namespace {

std::atomic<int> living{0};

struct Counted {
  Counted() { ++living; }
  ~Counted() { --living; }
  int value = 0;
};

int count_up() {
  thread_local PerThread<Counted> first;
  thread_local PerThread<Counted> second;
  ++second->value;
  return ++first->value;
}

TEST(PerThread, IsAnotherOneInEveryThreadAndEndsWithIt) {
  const int before = living;
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      EXPECT_EQ(count_up(), 1);
      EXPECT_EQ(count_up(), 2);
      EXPECT_EQ(living, before + 2);
    }).join();
    EXPECT_EQ(living, before);
  }
}

struct Refused {
  Refused() { throw std::bad_alloc(); }
};

TEST(PerThread, IsTriedAgainWhereItCouldNotBeMade) {
  thread_local PerThread<Refused> refused;
  EXPECT_THROW(*refused, std::bad_alloc);
  EXPECT_THROW(*refused, std::bad_alloc);
}

}  // namespace
}  // namespace markeval
