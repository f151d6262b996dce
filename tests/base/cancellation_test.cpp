#include "base/cancellation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "support/stopped.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

TEST(Cancellation, HoldsForItsScopeOnly) {
  std::atomic<bool> cancel{true};
  EXPECT_NO_THROW(check_cancelled());
  {
    const CancelScope outer(&cancel);
    const CancelScope none(nullptr);
    EXPECT_ERROR(check_cancelled(), ErrorCode::cancelled, "stopped on request");
  }
  EXPECT_NO_THROW(check_cancelled());
}

TEST(Cancellation, ReachesTheThreadsOfAPool) {
  std::atomic<bool> cancel{true};
  ThreadPool pool(3);
  const auto loop = [&] { pool.for_each(100, [](std::size_t, std::size_t) { check_cancelled(); }); };
  {
    const CancelScope stoppable(&cancel);
    EXPECT_ERROR(loop(), ErrorCode::cancelled, "stopped on request");
  }
  EXPECT_NO_THROW(loop());
}

TEST(Cancellation, EndsEveryLoopOfThePool) {
  std::atomic<bool> cancel{false};
  std::atomic<std::size_t> begun{0};
  const auto body = [&](std::size_t, std::size_t) { cancel = ++begun >= 5; };
  ThreadPool pool(3);
  const CancelScope stoppable(&cancel);
  EXPECT_ERROR(pool.for_each(1'000'000, body), ErrorCode::cancelled, "stopped on request");
  EXPECT_LT(begun, 10u);
  const auto inner = [&](std::size_t, std::size_t) {
    cancel = false;
    begun = 0;
    pool.for_each(1'000'000, body);
  };
  cancel = false;
  EXPECT_ERROR(pool.for_each(1, inner), ErrorCode::cancelled, "stopped on request");
  EXPECT_EQ(begun, 5u);
}

TEST(Cancellation, GivesTheWritingOfWhatWasDoneAMoment) {
  std::atomic<bool> cancel{false};
  const CancelScope stoppable(&cancel);
  {
    const FinishScope finishing;
    EXPECT_NO_THROW(check_cancelled());
    cancel = true;
    EXPECT_ERROR(check_cancelled(), ErrorCode::cancelled, "stopped on request");
  }
  {
    const FinishScope finishing;
    EXPECT_NO_THROW(check_cancelled());
    const auto write_for_ever = [] {
      for (;;) check_cancelled();
    };
    EXPECT_ERROR(write_for_ever(), ErrorCode::cancelled, "stopped on request");
  }
  EXPECT_ERROR(check_cancelled(), ErrorCode::cancelled, "stopped on request");
}

TEST(Cancellation, EndsHashingAndReadingAtRandomMoments) {
  const TempFolder folder;
  const std::string path = folder.write("sparse", "");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);  // takes no room, lasts for an hour
  double longest = 0;
  const auto pause = [](std::uint64_t round) {
    return std::chrono::microseconds(RandomStream(1, round).below(20'000));
  };
  for (std::uint64_t round = 0; round < 20; ++round) {
    longest = std::max(longest, cpu_seconds_after_stop(pause(round), [&] { sha256_of_file(path); }));
    longest = std::max(longest, cpu_seconds_after_stop(pause(round + 100), [&] {
                         InputBytes input(path);
                         std::vector<char> bytes(1 << 16);
                         while (input.read(bytes) > 0) continue;
                       }));
  }
  EXPECT_LT(longest, 1.0);
}

}  // namespace
}  // namespace markeval
