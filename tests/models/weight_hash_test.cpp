#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "models/model_folder.hpp"
#include "support/temp_folder.hpp"

namespace markeval::models {
namespace {

namespace fs = std::filesystem;

class WeightHash : public ::testing::Test {
 protected:
  encoder::WeightFiles open() const { return encoder::open_weights(model_.path()); }
  std::string hash() const { return weight_hash(open(), notes_); }
  /// As if this file had been hashed before.
  void note(const std::string& hash) const { notes_.keep(open().files.front().identity(), hash); }

  TempFolder model_, cache_;
  HashNotes notes_{cache_.path()};
  const std::string weights_ = model_.write("model.safetensors", "weights");
  const std::string other_ = sha256_of("other");
};

TEST_F(WeightHash, IsThatOfTheBytes) {
  EXPECT_EQ(hash(), sha256_of("weights"));
  EXPECT_EQ(weight_hash(open()), sha256_of("weights"));
}

TEST_F(WeightHash, OfShardsIsTakenInOrderOfName) {
  fs::remove(weights_);
  model_.write("model-2.safetensors", "two");
  model_.write("model-1.safetensors", "one");
  model_.write(
      "model.safetensors.index.json",
      R"({"weight_map": {"x": "model-2.safetensors", "y": "model-1.safetensors", "z": "model-2.safetensors"}})");
  EXPECT_EQ(hash(), sha256_of(sha256_of("one") + sha256_of("two")));
}

TEST_F(WeightHash, IsNotComputedTwice) {
  note(other_);
  EXPECT_EQ(hash(), other_) << "the note was not read";
  EXPECT_EQ(weight_hash(open()), sha256_of("weights"));
}

TEST_F(WeightHash, OfAFileThatJustChangedIsNotKept) {
  hash();
  EXPECT_FALSE(fs::exists(notes_.path(open().files.front().identity())));
}

TEST_F(WeightHash, IsThatOfNewBytesWithTheOldSizeAndTime) {
  note(other_);
  const auto time = fs::last_write_time(weights_);
  std::fstream(weights_, std::ios::in | std::ios::out) << "WEIGHTS";
  fs::last_write_time(weights_, time);  // as `cp -p` does
  EXPECT_EQ(hash(), sha256_of("WEIGHTS"));
}

TEST_F(WeightHash, IsThatOfAnotherFileInItsPlace) {
  note(other_);
  const auto time = fs::last_write_time(weights_);
  const std::string replacement = model_.write("new", "WEIGHTS");
  fs::last_write_time(replacement, time);
  fs::rename(replacement, weights_);
  EXPECT_EQ(hash(), sha256_of("WEIGHTS"));
}

TEST_F(WeightHash, IsThatOfTheOpenFileWhateverHasItsNameNow) {
  const encoder::WeightFiles files = open();
  fs::rename(model_.write("new", "WEIGHTS"), weights_);
  EXPECT_EQ(weight_hash(files, notes_), sha256_of("weights"));
}

TEST_F(WeightHash, OfAnOpenFileThatIsWrittenToIsRefused) {
  const encoder::WeightFiles files = open();
  std::ofstream(weights_) << "longer than before";
  EXPECT_ERROR(weight_hash(files, notes_), ErrorCode::io,
               "model.safetensors: was changed while it was in use; run again");
}

TEST_F(WeightHash, DoesNotTrustADamagedNote) {
  note(other_);
  const std::string path = notes_.path(open().files.front().identity());
  std::ofstream(path) << "not a hash";
  EXPECT_EQ(hash(), sha256_of("weights"));
  std::ofstream(path) << open().files.front().identity().text() << "\n1234\n";
  EXPECT_EQ(hash(), sha256_of("weights"));
  std::ofstream(path) << "0 0 0 0 0\n" << other_ << "\n";
  EXPECT_EQ(hash(), sha256_of("weights"));
}

TEST_F(WeightHash, IsRightWhereNoNoteCanBeKept) {
  const HashNotes none("none"), file(weights_);
  none.keep(open().files.front().identity(), other_);
  file.keep(open().files.front().identity(), other_);
  EXPECT_EQ(weight_hash(open(), none), sha256_of("weights"));
  EXPECT_EQ(weight_hash(open(), file), sha256_of("weights"));
}

}  // namespace
}  // namespace markeval::models
