// Models whose folder changes while a program uses them.
#include "embed/model_pool.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "embed/text_encoder.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<float>;

/// As much of a program as encodes texts.
struct Program {
  Rows encode(TextEncoder& encoder) {
    const std::vector<std::string_view> texts{"ab c"};
    const EncodedTexts encoded =
        encoder.encode(texts, {{}, {encoder.default_sentence()}}, {}, RunContext{pool});
    const std::span<const float> row = encoded.sentence(0, 0);
    return {row.begin(), row.end()};
  }

  ThreadPool pool{1};
  std::unique_ptr<compute::Device> device = compute::make_cpu_device(pool);
  ModelPool models{*device};
};

class ModelInUse : public ::testing::Test {
 protected:
  ModelInUse() {
    for (const char* file : {"config.json", "model.safetensors"})
      fs::copy(std::string(MARKEVAL_TEST_MODELS) + "/bert/" + file, folder_.file(file));
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (char letter = 'a'; letter <= 'z'; ++letter)
      vocabulary += std::string(1, letter) + "\n##" + letter + "\n";
    folder_.write("vocab.txt", vocabulary);
    options_.model = folder_.path();
  }
  std::string other_weights() const {
    std::ifstream file(folder_.file("model.safetensors"), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    // The high bytes of floats: other signs, the same sizes.
    for (std::size_t place = bytes.size() - 1; place > bytes.size() / 2; place -= 4)
      bytes[place] = static_cast<char>(bytes[place] ^ 0x80);
    return bytes;
  }
  void exchange_weights() const {
    fs::rename(folder_.write("new", other_weights()), folder_.file("model.safetensors"));
  }
  void overwrite_weights() const {
    const auto time = fs::last_write_time(folder_.file("model.safetensors"));
    folder_.write("model.safetensors", other_weights());
    fs::last_write_time(folder_.file("model.safetensors"), time);  // as `cp -p` does
  }
  /// What the weights on the disk give, without a cache.
  Rows expected() const {
    Program program;
    cache::VectorCache none("none");
    TextEncoder encoder(program.models, options_, none);
    return program.encode(encoder);
  }

  TempFolder folder_, cache_;
  EnvironmentVariable cache_place_{"MARKEVAL_CACHE", cache_.path()};
  EncoderOptions options_;
};

TEST_F(ModelInUse, OfAnExchangedFolderCachesNothingUnderTheNewHash) {
  const Rows before = expected();
  Program first;
  {
    cache::VectorCache cache(cache_.path());
    TextEncoder encoder(first.models, options_, cache);
    exchange_weights();
    EXPECT_EQ(first.encode(encoder), before) << "a run keeps the model it began with";
  }
  const Rows after = expected();
  ASSERT_NE(after, before);
  Program second;
  cache::VectorCache cache(cache_.path());
  TextEncoder encoder(second.models, options_, cache);
  EXPECT_EQ(second.encode(encoder), after);
}

TEST_F(ModelInUse, LoadedBeforeTheExchangeKeepsItsHash) {
  Program program;
  cache::VectorCache none("none");
  TextEncoder encoder(program.models, options_, none);
  const Rows before = program.encode(encoder);
  const std::string signature =
      ModelPool(*program.device).get(folder_.path(), compute::Precision::f32)->folder().signature();
  exchange_weights();
  EXPECT_EQ(encoder.model().folder().signature(), signature);
  EXPECT_EQ(program.encode(encoder), before);
}

TEST_F(ModelInUse, IsOpenedAgainWhereTheFolderHoldsAnother) {
  Program program;
  cache::VectorCache cache(cache_.path());
  const std::shared_ptr<PooledModel> model = program.models.get(folder_.path(), compute::Precision::f32);
  EXPECT_EQ(program.models.get(folder_.path(), compute::Precision::f32), model);
  exchange_weights();
  const std::shared_ptr<PooledModel> other = program.models.get(folder_.path(), compute::Precision::f32);
  EXPECT_NE(other, model);
  EXPECT_NE(other->folder().weight_hash(), model->folder().weight_hash());
  TextEncoder encoder(program.models, options_, cache);
  EXPECT_EQ(program.encode(encoder), expected());
}

TEST_F(ModelInUse, WrittenOverInPlaceIsAnErrorAndThenTheNewModel) {
  Program program;
  cache::VectorCache none("none");
  TextEncoder encoder(program.models, options_, none);
  overwrite_weights();
  EXPECT_ERROR(program.encode(encoder), ErrorCode::io,
               "model.safetensors: was changed while it was in use; run again");
  TextEncoder again(program.models, options_, none);
  EXPECT_EQ(program.encode(again), expected());
}

TEST_F(ModelInUse, UsedLongestAgoIsDroppedBeyondTheLimitOfMemory) {
  Program program;
  TempFolder others;
  for (const char* name : {"b", "c"})
    fs::copy(folder_.path(), others.file(name), fs::copy_options::recursive);
  const std::uint64_t bytes = fs::file_size(folder_.file("model.safetensors"));
  ModelPool pool(*program.device, 2 * bytes);
  const auto get = [&](const std::string& folder) { return pool.get(folder, compute::Precision::f32); };
  const std::weak_ptr<PooledModel> first = get(folder_.path()), second = get(others.file("b"));
  get(folder_.path());
  EXPECT_FALSE(first.expired() || second.expired());
  const std::weak_ptr<PooledModel> third = get(others.file("c"));
  EXPECT_TRUE(second.expired());
  EXPECT_FALSE(first.expired() || third.expired());
  ModelPool tight(*program.device, 1);
  EXPECT_NE(tight.get(folder_.path(), compute::Precision::f32), nullptr)
      << "the one that is asked for is kept";
}

}  // namespace
}  // namespace markeval::embed
