#include "trained/folder_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::trained {
namespace {

namespace fs = std::filesystem;

const std::string kRefusal =
    ": another training is running in this folder; wait for its end, or take another folder";

/// A process that does something and ends with the number that gives.
template <typename Action>
pid_t start_process(const Action& action) {
  const pid_t process = fork();
  if (process == 0) _exit(action());
  return process;
}
int end_of(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(TrainingFolder, IsHeldByOneTrainingAtATime) {
  const TempFolder temp;
  const std::string folder = temp.file("mine");
  {
    const FolderLock first(folder);
    EXPECT_ERROR(FolderLock{folder}, ErrorCode::usage, folder + kRefusal);
    EXPECT_ERROR(FolderLock{folder + "/"}, ErrorCode::usage, kRefusal);
    EXPECT_ERROR(FolderLock{folder}, ErrorCode::usage, kRefusal);  // those refused took nothing with them
  }
  const FolderLock second(folder);
}

TEST(TrainingFolder, IsGoneWhereNothingWasPutIntoIt) {
  const TempFolder temp;
  { const FolderLock lock(temp.file("a/b/c/")); }
  EXPECT_FALSE(fs::exists(temp.file("a")));
  fs::create_directories(temp.file("a"));
  {
    const FolderLock lock(temp.file("a/b/c"));
    temp.write("a/b/checkpoint", "x");
  }
  EXPECT_FALSE(fs::exists(temp.file("a/b/c")));
  EXPECT_TRUE(fs::exists(temp.file("a/b/checkpoint")));
  fs::create_directories(temp.file("before"));
  { const FolderLock lock(temp.file("before")); }
  EXPECT_TRUE(fs::is_empty(temp.file("before"))) << "no lock file is left, and the folder was there before";
}

TEST(TrainingFolder, IsFreeWhereItsTrainingWasKilled) {
  const TempFolder temp;
  const std::string folder = temp.file("mine");
  std::array<int, 2> held{};
  ASSERT_EQ(pipe(held.data()), 0);
  const pid_t process = start_process([&] {
    const FolderLock lock(folder);
    if (write(held[1], "x", 1) == 1) pause();
    return 0;
  });
  char sign = 0;
  ASSERT_EQ(read(held[0], &sign, 1), 1);
  EXPECT_ERROR(FolderLock{folder}, ErrorCode::usage, kRefusal);
  kill(process, SIGKILL);
  end_of(process);
  EXPECT_FALSE(fs::is_empty(folder)) << "the lock file is left";
  { const FolderLock lock(folder); }
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(TrainingFolder, HasOneWinnerOfManyThatStartAtTheSameMoment) {
  const TempFolder temp;
  const std::string folder = temp.file("mine");
  std::array<int, 2> start{}, end{};
  ASSERT_EQ(pipe(start.data()), 0);
  ASSERT_EQ(pipe(end.data()), 0);
  for (int i = 0; i < 8; ++i) {
    start_process([&] {
      close(start[1]);
      char sign = 0;
      if (read(start[0], &sign, 1) != 0) return 3;  // until nobody can write any more
      std::optional<FolderLock> lock;
      try {
        lock.emplace(folder);
      } catch (const Error& error) {
        return error.what() == folder + kRefusal ? 1 : 3;
      }
      alarm(30);  // a second winner would wait for ever
      close(end[1]);
      return static_cast<int>(read(end[0], &sign, 1));  // held until all others are done
    });
  }
  close(start[0]);
  close(start[1]);
  int refused = 0, winners = 0;
  while (refused + winners < 7) {
    int status = 0;
    ASSERT_GT(waitpid(-1, &status, 0), 0);
    (WEXITSTATUS(status) == 1 ? refused : winners) += 1;
  }
  EXPECT_EQ(refused, 7);
  close(end[1]);
  int status = 0;
  ASSERT_GT(waitpid(-1, &status, 0), 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Every end removes file and folder, so the others meet all of the moments between.
TEST(TrainingFolder, IsNeverHeldByTwoHoweverTheyComeAndGo) {
  const TempFolder temp;
  const std::string folder = temp.file("outer/mine");
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i) {
    processes.push_back(start_process([&] {
      for (int round = 0; round < 400; ++round) {
        try {
          const FolderLock lock(folder);
          const std::string inside = folder + "/inside";
          const int file = open(inside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
          if (file < 0) {
            perror(inside.c_str());
            return 2;
          }
          close(file);
          unlink(inside.c_str());
        } catch (const Error& error) {
          if (error.what() != folder + kRefusal) {
            fprintf(stderr, "%s\n", error.what());
            return 3;
          }
        }
      }
      return 0;
    }));
  }
  for (const pid_t process : processes) EXPECT_EQ(end_of(process), 0);
  const FolderLock last(folder);
}

}  // namespace
}  // namespace markeval::trained
