#include "trained/trainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "compute/device.hpp"
#include "support/temp_folder.hpp"
#include "trained/file_contents.hpp"
#include "trained/model_folder.hpp"
#include "trained/word_source.hpp"

namespace markeval::trained {
namespace {

/// Texts of a few letters; people like those with letters from the first half of the twelve there are.
struct Task {
  explicit Task(int train_pairs = 60) {
    RandomStream random(5, 0);
    const auto add = [&](std::vector<ScoredPair>& pairs) {
      std::string texts[2];
      double liked = 0;
      const std::size_t length = 2 + random.below(4);
      for (std::string& text : texts) {
        liked = 0;
        for (std::size_t word = 0; word < length; ++word) {
          const auto letter = random.below(12);
          liked += letter < 6 ? 1 : 0;
          text += (word == 0 ? "" : " ") + std::string(1, static_cast<char>('a' + letter));
        }
      }
      pairs.push_back(
          {data.add_text(texts[1]), data.add_text(texts[0]), 50 + 20 * liked / static_cast<double>(length)});
    };
    for (int i = 0; i < train_pairs; ++i) add(data.train);
    for (int i = 0; i < 30; ++i) add(data.valid);
    plan.shape = {Architecture::esim, kLetterLayers, kLetterWidth, 8, 6};
    plan.encoder = {"letters", "0123456789abcdef", "f32", 16};
    plan.options.batch = 8;
    plan.options.epochs = 4;
    plan.options.patience = 4;
    plan.options.learning_rate = 0.01;
    plan.options.dropout = 0.1;
    plan.options.seed = 3;
    plan.train = {{"train.tsv", "00", 60}};
    plan.valid = {{"valid.tsv", "11", 30}};
  }
  TrainingData data;
  TrainingPlan plan;
};

/// One training, from a start or a checkpoint, as the api runs it.
struct Session {
  explicit Session(const Task& task, std::size_t threads = 2)
      : pool(threads),
        context{pool},
        device(compute::make_cpu_device(pool)),
        products(device->products()),
        vectors(letter_vectors(task.data.texts, Pieces::all, pool)),
        network(task.plan.shape),
        trainer(network, vectors, task.data, task.plan.options, products) {}

  ThreadPool pool;
  RunContext context;
  std::unique_ptr<compute::Device> device;
  const compute::Products& products;
  WordVectors vectors;
  Network<float> network;
  Trainer trainer;
};

/// What is left of a training when its network is gone.
struct Outcome {
  std::vector<EpochRecord> curve;
  std::size_t best_epoch;
  std::vector<float> best;
};

Outcome train_to_the_end(const Task& task, std::size_t threads) {
  Session run(task, threads);
  TrainingState state = start_training(run.network, task.plan.options);
  run.trainer.run(
      state, [](const TrainingState&) {}, std::chrono::hours(1), run.context);
  return {state.curve, state.best_epoch, {state.best.values().begin(), state.best.values().end()}};
}

TEST(Trainer, Learns) {
  Task task(400);
  task.plan.shape.architecture = Architecture::bilstm;
  task.plan.options.epochs = 12;
  task.plan.options.patience = 12;
  Session run(task);
  TrainingState state = start_training(run.network, task.plan.options);
  run.trainer.run(
      state, [](const TrainingState&) {}, std::chrono::hours(1), run.context);
  EXPECT_EQ(state.curve.size(), 12u);
  EXPECT_LT(state.curve.back().loss, 0.5 * state.curve.front().loss);
  EXPECT_GT(state.curve[state.best_epoch - 1].pearson, 0.5);
}

TEST(Trainer, EndsWithTheSameBitsForAnyNumberOfThreads) {
  const Task task;
  const Outcome one = train_to_the_end(task, 1), three = train_to_the_end(task, 3);
  EXPECT_EQ(one.best, three.best);
  EXPECT_EQ(one.curve.back().pearson, three.curve.back().pearson);
}

TEST(Trainer, AnotherSeedEndsElsewhere) {
  Task task;
  const Outcome one = train_to_the_end(task, 1);
  task.plan.options.seed = 4;
  const Outcome other = train_to_the_end(task, 1);
  EXPECT_NE(one.best, other.best);
}

// Whatever moment a process is killed at, some whole checkpoint is on the disk: from each of them on,
// training ends with the same bytes.
TEST(Trainer, FromEveryCheckpointOnItEndsWithTheSameBytes) {
  const Task task;
  TempFolder whole, part;
  std::vector<std::string> checkpoints;
  {
    Session run(task);
    TrainingState state = start_training(run.network, task.plan.options);
    const auto save = [&](const TrainingState& reached) {
      write_checkpoint(whole.path(), task.plan, reached);
      checkpoints.push_back(contents(whole.path() + "/" + kCheckpointFile));
    };
    run.trainer.run(state, save, std::chrono::milliseconds(0), run.context);
    write_model(whole.path(), task.plan, run.trainer.scale(), state);
  }
  ASSERT_EQ(checkpoints.size(), 4u * 8 + 4);  // after every batch and after every epoch
  for (std::size_t index = 0; index < checkpoints.size(); index += 5) {
    part.write(kCheckpointFile, checkpoints[index]);
    Session run(task, 1 + index % 3);
    TrainingState state = read_checkpoint(part.path(), task.plan, run.network.layout());
    run.trainer.run(
        state, [](const TrainingState&) {}, std::chrono::hours(1), run.context);
    write_model(part.path(), task.plan, run.trainer.scale(), state);
    EXPECT_EQ(contents(part.path() + "/model.safetensors"), contents(whole.path() + "/model.safetensors"));
    EXPECT_EQ(contents(part.path() + "/config.json"), contents(whole.path() + "/config.json"));
  }
}

TEST(Trainer, SavesBeforeItStopsOnRequest) {
  const Task task;
  Session run(task);
  std::atomic<bool> cancel{true};
  const RunContext context{run.pool, nullptr, nullptr, &cancel};
  TrainingState state = start_training(run.network, task.plan.options);
  std::size_t saved = 0;
  try {
    run.trainer.run(
        state, [&](const TrainingState&) { ++saved; }, std::chrono::hours(1), context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
  EXPECT_EQ(saved, 1u);
}

TEST(Trainer, HalvesTheRateOnAPlateauAndStops) {
  Task task;
  task.plan.options.learning_rate = 1e-30;  // nothing changes, so no epoch is better than the first
  task.plan.options.epochs = 10;
  task.plan.options.patience = 2;
  const Outcome state = train_to_the_end(task, 1);
  ASSERT_EQ(state.curve.size(), 3u);
  EXPECT_EQ(state.best_epoch, 1u);
  EXPECT_EQ(state.curve[1].learning_rate, 1e-30);
  EXPECT_EQ(state.curve[2].learning_rate, 0.5e-30);
}

TEST(Trainer, StartsFromADistanceFittedToTheScores) {
  Task task(200);
  for (ScoredPair& pair : task.data.train) {  // people like what has the words of the reference
    const std::string &text = task.data.texts[pair.text], &reference = task.data.texts[pair.reference];
    pair.gold = 0;
    for (const char letter : text) pair.gold += letter != ' ' && reference.find(letter) != std::string::npos;
    pair.gold /= static_cast<double>(text.size());
  }
  task.plan.shape.architecture = Architecture::bilstm;
  task.plan.options.dropout = 0;
  task.plan.options.learning_rate = 1e-30;  // the start as it is
  task.plan.options.epochs = 1;
  const double random_loss = train_to_the_end(task, 1).curve[0].loss;
  task.plan.options.distance_start = task.plan.options.shared_dropout = true;
  const Outcome one = train_to_the_end(task, 1), three = train_to_the_end(task, 3);
  EXPECT_LT(one.curve[0].loss, 0.97);  // 1 is what the mean score alone would give
  EXPECT_LT(one.curve[0].loss, random_loss);
  EXPECT_EQ(one.best, three.best);
}

TEST(Trainer, StandardisesTheVectorsAndLeavesItAtThat) {
  Task task;
  task.plan.shape.standardised = true;
  const Outcome one = train_to_the_end(task, 1), three = train_to_the_end(task, 3);
  EXPECT_EQ(one.best, three.best);
  // The same over the words of all pairs, by two passes.
  const Session run(task);
  const std::size_t size = task.plan.shape.layers * task.plan.shape.width;
  std::vector<const Half*> words;
  for (const ScoredPair& pair : task.data.train) {
    for (const std::size_t text : {pair.text, pair.reference}) {
      for (std::size_t word = 0; word < run.vectors.words(text); ++word)
        words.push_back(run.vectors.word(text, word));
    }
  }
  const auto specs = run.network.layout().specs();
  ASSERT_EQ(specs[2].name, "mix.offset");
  ASSERT_EQ(specs[3].name, "mix.factor");
  for (std::size_t i = 0; i < size; ++i) {
    double mean = 0, variance = 0;
    for (const Half* word : words) mean += from_half(word[i]) / static_cast<double>(words.size());
    for (const Half* word : words)
      variance += std::pow(from_half(word[i]) - mean, 2) / static_cast<double>(words.size());
    EXPECT_NEAR(one.best[specs[2].offset + i], mean, 1e-6) << i;
    EXPECT_NEAR(one.best[specs[3].offset + i] * std::sqrt(variance), 1, 1e-5) << i;
  }
}

TEST(Trainer, UndoesTheStandardisation) {
  const Task task;
  Session run(task);
  EXPECT_NEAR(run.trainer.scale().mean, 60, 3);
  TrainingState state = start_training(run.network, task.plan.options);
  const std::vector<double> scores = predict(run.network, state.values, run.trainer.scale(),
                                             VectorWords(run.vectors, run.network, state.values),
                                             task.data.valid, run.products, run.context);
  for (const double score : scores) EXPECT_NEAR(score, 60, 20);
}

TEST(GoldScale, RefusesScoresThatAreAllTheSame) {
  const std::vector<ScoredPair> pairs{{0, 1, 3}, {1, 0, 3}};
  try {
    gold_scale(pairs);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "all 2 human scores to learn from are 3: there is nothing to learn");
  }
}

TEST(EpochBatches, HoldEveryPairOnceAndPairsOfLikeLengthTogether) {
  const Task task;
  const Session run(task);
  const auto batches = epoch_batches(run.vectors, task.data.train, 8, 1, 0);
  std::vector<std::size_t> all;
  for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(all.at(i), i);
  EXPECT_EQ(batches, epoch_batches(run.vectors, task.data.train, 8, 1, 0));
  EXPECT_NE(batches, epoch_batches(run.vectors, task.data.train, 8, 1, 1));
  for (const auto& batch : batches) {
    for (std::size_t i = 1; i < batch.size(); ++i) {
      const auto length = [&](std::size_t pair) {
        return run.vectors.words(task.data.train[pair].text) +
               run.vectors.words(task.data.train[pair].reference);
      };
      EXPECT_GE(length(batch[i - 1]), length(batch[i]));
    }
  }
}

}  // namespace
}  // namespace markeval::trained
