#include "trained/match_trainer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "compute/device.hpp"
#include "support/temp_folder.hpp"
#include "trained/match_head.hpp"
#include "trained/training_json.hpp"
#include "trained/word_source.hpp"

namespace markeval::trained {
namespace {

std::string file_contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Texts that keep some letters of their reference; people like those that keep the letters a to f.
struct MatchTask {
  explicit MatchTask(std::size_t train_pairs = 60) {
    RandomStream random(5, 0);
    const auto add = [&](std::vector<ScoredPair>& pairs) {
      std::string text, reference;
      double kept = 0, all = 0;
      for (std::size_t word = 0, length = 3 + random.below(4); word < length; ++word) {
        const auto letter = random.below(12);
        const bool keep = random.below(2) == 0;
        reference += (word == 0 ? "" : " ") + std::string(1, static_cast<char>('a' + letter));
        text += (word == 0 ? "" : " ") +
                std::string(1, static_cast<char>('a' + (keep ? letter : random.below(12))));
        const double weight = letter < 6 ? 4 : 1;
        all += weight;
        kept += keep ? weight : 0;
      }
      pairs.push_back({data.add_text(text), data.add_text(reference), kept / all, random.below(2)});
    };
    for (std::size_t i = 0; i < train_pairs; ++i) add(data.train);
    for (int i = 0; i < 60; ++i) add(data.valid);
    plan.shape = {kLetterLayers, kLetterWidth, 2, 4, 0};
    plan.encoder = {"letters", "0123456789abcdef", "f32", 16};
    plan.options.batch = 8;
    plan.options.epochs = 3;
    plan.options.seed = 3;
    plan.train = {{"train.tsv", "00", 60}};
    plan.valid = {{"valid.tsv", "11", 60}};
  }
  TrainingData data;
  MatchPlan plan;
};

/// One training, from a start or a checkpoint, as the api runs it.
struct MatchSession {
  explicit MatchSession(const MatchTask& task, std::size_t threads = 2)
      : pool(threads),
        context{pool},
        device(compute::make_cpu_device(pool)),
        texts(kLetterLayers, kLetterWidth),
        network(task.plan.shape) {
    texts.add(encode_letters({task.data.texts.begin(), task.data.texts.end()}), pool);
    trainer.emplace(network, texts, task.data, task.plan.options, device->products());
  }
  void run(
      TrainingState& state, const SaveState& save = [](const TrainingState&) {}) {
    run_training(*trainer, state, save, std::chrono::milliseconds(0), context);
  }

  ThreadPool pool;
  RunContext context;
  std::unique_ptr<compute::Device> device;
  MatchTexts texts;
  MatchNetwork<float> network;
  std::optional<MatchTrainer> trainer;
};

std::vector<float> trained_values(const MatchTask& task, std::size_t threads) {
  MatchSession session(task, threads);
  TrainingState state = start_training(session.network, task.plan.options);
  session.run(state);
  return {state.best.values().begin(), state.best.values().end()};
}

TEST(MatchTrainer, LearnsWhatPeopleLike) {
  MatchTask task(400);
  task.plan.options.epochs = 8;
  task.plan.options.learning_rate = 0.01;
  MatchSession session(task);
  TrainingState state = start_training(session.network, task.plan.options);
  session.run(state);
  EXPECT_EQ(state.curve.size(), 8u);
  EXPECT_LT(state.curve.back().loss, 0.9 * state.curve.front().loss);
  EXPECT_GT(state.curve[state.best_epoch - 1].pearson, 0.6);
}

TEST(MatchTrainer, EndsWithTheSameBitsForAnyNumberOfThreads) {
  const MatchTask task;
  EXPECT_EQ(trained_values(task, 1), trained_values(task, 3));
}

TEST(MatchTrainer, AnotherSeedEndsElsewhere) {
  MatchTask task;
  const std::vector<float> one = trained_values(task, 1);
  task.plan.options.seed = 4;
  EXPECT_NE(one, trained_values(task, 1));
}

TEST(MatchTrainer, FromEveryCheckpointOnItEndsWithTheSameBytes) {
  const MatchTask task;
  const std::string plan = task.plan.description();
  TempFolder whole, part;
  std::vector<std::string> checkpoints;
  {
    MatchSession session(task);
    TrainingState state = start_training(session.network, task.plan.options);
    session.run(state, [&](const TrainingState& reached) {
      write_checkpoint(whole.path(), plan, reached);
      checkpoints.push_back(file_contents(whole.path() + "/" + kCheckpointFile));
    });
    write_head(whole.path(), task.plan, session.trainer->scale(state.best, session.context), state);
  }
  ASSERT_EQ(checkpoints.size(), 3u * 7 + 3);  // after every batch and after every epoch
  for (std::size_t index = 0; index < checkpoints.size(); index += 5) {
    part.write(kCheckpointFile, checkpoints[index]);
    MatchSession session(task, 1 + index % 3);
    TrainingState state = read_checkpoint(part.path(), plan, session.network.layout());
    session.run(state);
    write_head(part.path(), task.plan, session.trainer->scale(state.best, session.context), state);
    for (const char* file : {kWeightsFile, kConfigFile})
      EXPECT_EQ(file_contents(part.path() + "/" + file), file_contents(whole.path() + "/" + file));
  }
}

TEST(MatchTrainer, WithoutValidationPairsKeepsTheLastEpoch) {
  MatchTask task;
  task.data.valid.clear();
  MatchSession session(task);
  TrainingState state = start_training(session.network, task.plan.options);
  session.run(state);
  EXPECT_EQ(state.best_epoch, 3u);
  EXPECT_EQ(state.curve.back().pearson, -1);
  EXPECT_TRUE(
      std::equal(state.best.values().begin(), state.best.values().end(), state.values.values().begin()));
}

TEST(MatchTrainer, ScalesATextThatIsItsReferenceToOne) {
  MatchTask task(400);
  MatchSession session(task);
  TrainingState state = start_training(session.network, task.plan.options);
  session.run(state);
  const MatchScale scale = session.trainer->scale(state.best, session.context);
  const std::vector<ScoredPair> pairs{{3, 3, 0}, {5, 5, 0}};
  for (const double score : predict(session.network, state.best, session.texts, pairs,
                                    session.device->products(), session.context))
    EXPECT_NEAR((score - scale.offset) * scale.factor, 1, 1e-5);
}

std::string refusal(const MatchTask& task) {
  try {
    const MatchSession session(task);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(MatchTrainer, RefusesTooFewPairsAndScoresThatAreAllTheSame) {
  MatchTask task;
  task.plan.options.batch = 61;
  EXPECT_EQ(refusal(task), "60 pairs to learn from, expected at least 61: a batch of them");
  task.plan.options.batch = 8;
  for (ScoredPair& pair : task.data.train) pair.gold = 3;
  EXPECT_EQ(refusal(task), "all 60 human scores to learn from are 3: there is nothing to learn");
}

TEST(MatchHead, IsReadAsItWasWritten) {
  const MatchTask task;
  TempFolder folder;
  MatchSession session(task);
  TrainingState state = start_training(session.network, task.plan.options);
  session.run(state);
  const std::string signature = write_head(folder.path(), task.plan, {0.25, 2}, state);
  const MatchHead head = read_head(folder.path());
  EXPECT_EQ(head.shape, task.plan.shape);
  EXPECT_EQ(head.encoder.hash, "0123456789abcdef");
  EXPECT_EQ(head.scale.offset, 0.25);
  EXPECT_EQ(head.scale.factor, 2);
  EXPECT_EQ(signature.substr(0, 20), "match|head:" + head.hash.substr(0, 8) + "|");
  EXPECT_TRUE(
      std::equal(state.best.values().begin(), state.best.values().end(), head.values->values().begin()));
  const std::string bytes = file_contents(folder.path() + "/model.safetensors");
  const MatchHead same = read_head("memory", std::as_bytes(std::span(bytes)));
  EXPECT_EQ(same.hash, head.hash);
}

TEST(ShippedHeads, AreSmallAndFoundByTheHashOfTheirEncoder) {
  const auto files = shipped_heads();
  EXPECT_EQ(files.size(), 2u);
  for (const std::span<const std::byte> file : files) {
    EXPECT_LT(file.size(), std::size_t{1} << 20);
    const MatchHead head = read_head("memory", file);
    EXPECT_EQ(shipped_head(head.encoder).hash, head.hash);
  }
}

TEST(ShippedHeads, AnotherEncoderIsTheBusinessOfTraining) {
  try {
    shipped_head({"letters", "0123456789abcdef", "f32", 16});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "match has no head for letters@01234567, only for all-MiniLM-L6-v2, bge-small-en-v1.5: make one "
        "with markeval train, then match:weights=FOLDER");
  }
}

TEST(MatchHead, DamageIsFound) {
  const MatchTask task;
  TempFolder folder;
  MatchSession session(task);
  TrainingState state = start_training(session.network, task.plan.options);
  session.run(state);
  write_head(folder.path(), task.plan, {0, 1}, state);
  std::string bytes = file_contents(folder.path() + "/model.safetensors");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  try {
    read_head("memory", std::as_bytes(std::span(bytes)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "memory: damaged: its checksum is wrong");
  }
}

TEST(MatchHead, WeightsThatAreNoNumbersAreRefused) {
  const MatchTask task;
  TempFolder folder;
  MatchSession session(task);
  TrainingState state = start_training(session.network, task.plan.options);
  session.run(state);
  write_head(folder.path(), task.plan, {0, 1}, state);
  const std::string weights = folder.file("model.safetensors");
  const encoder::Metadata metadata = encoder::SafetensorsFile(weights).metadata();
  state.best.values()[0] = std::numeric_limits<float>::quiet_NaN();
  encoder::write_safetensors(weights, named_tensors(state.best), metadata);  // with the right checksum
  EXPECT_ERROR(read_head(folder.path()), ErrorCode::invalid_input, "holds NaN or infinity");
}

TEST(MatchHead, OfATrainingThatDidNotStayFiniteIsNotWritten) {
  const MatchTask task;
  TempFolder folder;
  MatchSession session(task);
  TrainingState state = start_training(session.network, task.plan.options);
  session.run(state);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(write_head(folder.path(), task.plan, {nan, 1}, state), ErrorCode::invalid_input,
               "the training did not stay finite: try a smaller learning rate");
  state.best.values()[0] = std::numeric_limits<float>::infinity();
  EXPECT_ERROR(write_head(folder.path(), task.plan, {0, 1}, state), ErrorCode::invalid_input,
               "the training did not stay finite");
  EXPECT_FALSE(std::filesystem::exists(folder.file("model.safetensors")));
}

}  // namespace
}  // namespace markeval::trained
