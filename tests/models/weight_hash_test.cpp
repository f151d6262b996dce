#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "base/cancellation.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "models/model_folder.hpp"
#include "support/stopped.hpp"
#include "support/temp_folder.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file of weights with one tensor of seven bytes.
std::string file_with(const std::string& tensor, const std::string& seven_bytes) {
  std::string header = R"({")" + tensor + R"(": {"dtype": "U8", "shape": [7], "data_offsets": [0, 7]}})";
  header.resize(64, ' ');
  return std::string("\x40\0\0\0\0\0\0\0", 8) + header + seven_bytes;
}

class WeightHash : public ::testing::Test {
 protected:
  encoder::WeightFiles open() const { return encoder::open_weights(model_.path()); }
  std::string hash() const { return weight_hash(open(), notes_); }
  /// As if this file had been hashed before.
  void note(const std::string& hash) const { notes_.keep(open().files.front().identity(), hash); }

  TempFolder model_, cache_;
  HashNotes notes_{cache_.path()};
  const std::string weights_ = model_.write("model.safetensors", file_with("a", "weights"));
  const std::string right_ = sha256_of(file_with("a", "weights")),
                    changed_ = sha256_of(file_with("a", "WEIGHTS"));
  const std::string other_ = sha256_of("other");
};

TEST_F(WeightHash, IsThatOfTheBytes) {
  EXPECT_EQ(hash(), right_);
  EXPECT_EQ(weight_hash(open()), right_);
}

TEST_F(WeightHash, OfShardsIsTakenInOrderOfName) {
  fs::remove(weights_);
  const std::string one = file_with("y", "the one"), two = file_with("x", "the two");
  model_.write("model-2.safetensors", two);
  model_.write("model-1.safetensors", one);
  model_.write("model.safetensors.index.json",
               R"({"weight_map": {"x": "model-2.safetensors", "y": "model-1.safetensors"}})");
  EXPECT_EQ(hash(), sha256_of(sha256_of(one) + sha256_of(two)));
}

TEST_F(WeightHash, IsNotComputedTwice) {
  note(other_);
  EXPECT_EQ(hash(), other_) << "the note was not read";
  EXPECT_EQ(weight_hash(open()), right_);
}

TEST_F(WeightHash, OfAFileThatJustChangedIsNotKept) {
  hash();
  EXPECT_FALSE(fs::exists(notes_.path(open().files.front().identity())));
}

TEST_F(WeightHash, IsThatOfNewBytesWithTheOldSizeAndTime) {
  note(other_);
  const auto time = fs::last_write_time(weights_);
  std::fstream(weights_, std::ios::in | std::ios::out) << file_with("a", "WEIGHTS");
  fs::last_write_time(weights_, time);  // as `cp -p` does
  EXPECT_EQ(hash(), changed_);
}

TEST_F(WeightHash, IsThatOfAnotherFileInItsPlace) {
  note(other_);
  const auto time = fs::last_write_time(weights_);
  const std::string replacement = model_.write("new", file_with("a", "WEIGHTS"));
  fs::last_write_time(replacement, time);
  fs::rename(replacement, weights_);
  EXPECT_EQ(hash(), changed_);
}

TEST_F(WeightHash, IsThatOfTheOpenFileWhateverHasItsNameNow) {
  const encoder::WeightFiles files = open();
  fs::rename(model_.write("new", file_with("a", "WEIGHTS")), weights_);
  EXPECT_EQ(weight_hash(files, notes_), right_);
}

TEST_F(WeightHash, OfAnOpenFileThatIsWrittenToIsRefused) {
  const encoder::WeightFiles files = open();
  std::ofstream(weights_) << std::string(500, 'x');
  EXPECT_ERROR(weight_hash(files, notes_), ErrorCode::io,
               "model.safetensors: was changed while it was in use; run again");
}

TEST_F(WeightHash, WhoWaitsForAnotherThreadsHashCanBeStopped) {
  std::string header =
      R"({"a": {"dtype": "U8", "shape": [1099511627776], "data_offsets": [0, 1099511627776]}})";
  header.resize(128, ' ');
  model_.write("model.safetensors", std::string("\x80\0\0\0\0\0\0\0", 8) + header);
  fs::resize_file(weights_, 8 + 128 + (std::uintmax_t{1} << 40));  // takes no room, lasts for an hour
  const ModelFolder model(model_.path());
  std::atomic<bool> stop_first{false};
  std::thread first([&] {
    const CancelScope stoppable(&stop_first);
    EXPECT_ERROR(model.weight_hash(), ErrorCode::cancelled, "stopped on request");
  });
  clockid_t clock{};
  ASSERT_EQ(pthread_getcpuclockid(first.native_handle(), &clock), 0);
  while (cpu_seconds(clock) < 0.02) std::this_thread::yield();
  {
    std::atomic<bool> cancel{true};
    const CancelScope stoppable(&cancel);
    EXPECT_ERROR(model.weight_hash(), ErrorCode::cancelled, "stopped on request");
  }
  stop_first = true;
  first.join();
}

TEST_F(WeightHash, DoesNotTrustADamagedNote) {
  note(other_);
  const std::string path = notes_.path(open().files.front().identity());
  std::ofstream(path) << "not a hash";
  EXPECT_EQ(hash(), right_);
  std::ofstream(path) << open().files.front().identity().text() << "\n1234\n";
  EXPECT_EQ(hash(), right_);
  std::ofstream(path) << "0 0 0 0 0\n" << other_ << "\n";
  EXPECT_EQ(hash(), right_);
}

TEST_F(WeightHash, DoesNotTrustANoteWithOneWrongDigit) {
  note(other_);
  const std::string path = notes_.path(open().files.front().identity());
  std::string text = text_of(path);
  char& digit = text[text.find('\n') + 1];
  digit = digit == '0' ? '1' : '0';
  std::ofstream(path) << text;
  EXPECT_EQ(hash(), right_);
}

TEST_F(WeightHash, DoesNotFollowALinkInPlaceOfTheNote) {
  const std::string target = model_.write("precious", "mine");
  note(other_);
  const std::string path = notes_.path(open().files.front().identity());
  fs::remove(path);
  fs::create_symlink(target, path);
  EXPECT_EQ(hash(), right_);
  note(other_);
  EXPECT_EQ(text_of(target), "mine");
  EXPECT_EQ(hash(), other_) << "the link was not replaced";
}

TEST_F(WeightHash, DoesNotFollowALinkInPlaceOfTheFolder) {
  const TempFolder elsewhere;
  fs::create_directory_symlink(elsewhere.path(), cache_.file("model-hashes"));
  note(other_);
  EXPECT_TRUE(fs::is_empty(elsewhere.path()));
  EXPECT_EQ(hash(), right_);
}

TEST_F(WeightHash, DoesNotWaitAtAPipeInPlaceOfTheNote) {
  note(other_);
  const std::string path = notes_.path(open().files.front().identity());
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(hash(), right_);
}

TEST_F(WeightHash, IsNotComputedOfBytesThatAreNoWeights) {
  // A file of 2 TB that takes no room on the disk: hashing it would last for hours.
  model_.write("model.safetensors", "");
  ASSERT_EQ(::truncate(weights_.c_str(), off_t{2} << 40), 0);
  EXPECT_ERROR(hash(), ErrorCode::invalid_input, "model.safetensors: damaged: the header");
}

TEST_F(WeightHash, CanBeStopped) {
  std::atomic<bool> cancel{true};
  const CancelScope stoppable(&cancel);
  EXPECT_ERROR(hash(), ErrorCode::cancelled, "stopped on request");
}

TEST_F(WeightHash, IsRightWhereNoNoteCanBeKept) {
  const HashNotes none("none"), file(weights_);
  none.keep(open().files.front().identity(), other_);
  file.keep(open().files.front().identity(), other_);
  EXPECT_EQ(weight_hash(open(), none), right_);
  EXPECT_EQ(weight_hash(open(), file), right_);
}

}  // namespace
}  // namespace markeval::models
