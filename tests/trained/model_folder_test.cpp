#include "trained/model_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <list>

#include "base/error.hpp"
#include "encoder/safetensors.hpp"
#include "support/temp_folder.hpp"
#include "trained/file_contents.hpp"

namespace markeval::trained {
namespace {

using ::testing::HasSubstr;

template <typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

struct ModelFolder : ::testing::Test {
  ModelFolder() : network(shape()), state(network.layout()) {
    plan.shape = shape();
    plan.encoder = {"letters", "0123456789abcdef", "f32", 16};
    plan.options.seed = 7;
    start_parameters(7, state.values);
    start_parameters(8, state.best);
    state.step = 12;
    state.batch = 4;
    state.learning_rate = 2e-4;
    state.loss_sum = 1.0 / 3;
    state.curve = {{0.9, 0.1, 4e-4}, {0.8, -1, 4e-4}};
    state.best_epoch = 1;
  }
  static NetworkShape shape() { return {Architecture::bilstm, 2, 3, 2, 2}; }
  std::string path(const char* file) const { return folder.path() + "/" + file; }

  TempFolder folder;
  TrainingPlan plan;
  Network<float> network;
  TrainingState state;
};

TEST_F(ModelFolder, ACheckpointHoldsTheWholeState) {
  write_checkpoint(folder.path(), plan, state);
  const TrainingState read = read_checkpoint(folder.path(), plan, network.layout());
  EXPECT_THAT(read.values.values(), ::testing::ElementsAreArray(state.values.values()));
  EXPECT_THAT(read.best.values(), ::testing::ElementsAreArray(state.best.values()));
  EXPECT_EQ(read.step, 12u);
  EXPECT_EQ(read.batch, 4u);
  EXPECT_EQ(read.learning_rate, 2e-4);
  EXPECT_EQ(read.loss_sum, 1.0 / 3);
  EXPECT_EQ(read.best_epoch, 1u);
  ASSERT_EQ(read.curve.size(), 2u);
  EXPECT_EQ(read.curve[1].pearson, -1);
}

TEST_F(ModelFolder, ACheckpointOfAnotherTrainingIsRefusedWithWhatDiffers) {
  write_checkpoint(folder.path(), plan, state);
  plan.options.seed = 9;
  EXPECT_EQ(message_of([&] { read_checkpoint(folder.path(), plan, network.layout()); }),
            path(kCheckpointFile) + ": made by another training: training.seed is 7, expected 9");
}

TEST_F(ModelFolder, ACheckpointOfTheOtherReadingIsRefused) {
  write_checkpoint(folder.path(), plan, state);
  plan.pieces = Pieces::first;
  EXPECT_EQ(message_of([&] { read_checkpoint(folder.path(), plan, network.layout()); }),
            path(kCheckpointFile) + ": made by another training: pieces is 'all', expected 'first'");
}

TEST_F(ModelFolder, ACheckpointOfVersion010IsOneOfFirstPieces) {
  write_checkpoint(folder.path(), plan, state);
  const encoder::SafetensorsFile written(path(kCheckpointFile));
  std::string silent = written.metadata().at("plan");
  const std::string field = "\"pieces\":\"all\",";
  ASSERT_NE(silent.find(field), std::string::npos);
  silent.erase(silent.find(field), field.size());
  std::list<std::vector<float>> values;
  std::vector<encoder::NamedTensor> tensors;
  for (const auto& [name, tensor] : written.tensors()) {
    written.read(tensor, 0, values.emplace_back(tensor.elements()));
    tensors.push_back({name, tensor.shape, values.back()});
  }
  encoder::write_safetensors(path(kCheckpointFile), tensors,
                             {{"plan", silent}, {"state", written.metadata().at("state")}});
  EXPECT_EQ(message_of([&] { read_checkpoint(folder.path(), plan, network.layout()); }),
            path(kCheckpointFile) + ": made by another training: pieces is 'first', expected 'all'");
  plan.pieces = Pieces::first;
  EXPECT_EQ(read_checkpoint(folder.path(), plan, network.layout()).step, 12u);
}

TEST_F(ModelFolder, EveryDamageToACheckpointIsFound) {
  write_checkpoint(folder.path(), plan, state);
  const std::string good = contents(path(kCheckpointFile));
  const auto read = [&] { read_checkpoint(folder.path(), plan, network.layout()); };
  std::uint64_t header = 0;
  std::memcpy(&header, good.data(), sizeof header);
  const std::size_t data = sizeof header + header;
  ASSERT_LT(data, good.size());
  for (std::size_t place = 0; place < good.size(); place += 29) {
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ 0x10);
    folder.write(kCheckpointFile, bad);
    const std::string message = message_of(read);
    // A change of the header may leave it readable; one of the data is always noticed.
    if (place >= data) {
      EXPECT_EQ(message, path(kCheckpointFile) + ": damaged: its checksum is wrong") << place;
    }
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, std::size_t{100}, good.size() - 1}) {
    folder.write(kCheckpointFile, good.substr(0, length));
    EXPECT_THAT(message_of(read), HasSubstr(std::string(kCheckpointFile) + ": damaged: ")) << length;
  }
  folder.write(kCheckpointFile, "PK" + good);
  EXPECT_THAT(message_of(read), HasSubstr(": damaged: "));
}

TEST_F(ModelFolder, AModelComesBackAsItWas) {
  write_model(folder.path(), plan, {60, 12}, state);
  const TrainedModel model = read_model(folder.path());
  EXPECT_THAT(model.values->values(), ::testing::ElementsAreArray(state.best.values()));
  EXPECT_EQ(model.scale.mean, 60);
  EXPECT_EQ(model.scale.deviation, 12);
  EXPECT_EQ(model.encoder.hash, "0123456789abcdef");
  EXPECT_EQ(model.shape.architecture, Architecture::bilstm);
  EXPECT_THAT(model.signature, HasSubstr("|model:letters@01234567|seed:7|"));
}

TEST_F(ModelFolder, AModelSaysWhichPiecesItReads) {
  for (const Pieces pieces : {Pieces::all, Pieces::first}) {
    plan.pieces = pieces;
    write_model(folder.path(), plan, {60, 12}, state);
    const TrainedModel model = read_model(folder.path());
    EXPECT_EQ(model.pieces, pieces);
    EXPECT_THAT(model.signature, HasSubstr("|pieces:" + std::string(name(pieces)) + "|"));
  }
}

TEST_F(ModelFolder, AModelOfVersion010ReadsFirstPieces) {
  write_model(folder.path(), plan, {60, 12}, state);
  std::string config = contents(path(kConfigFile));
  const std::string field = "  \"pieces\": \"all\",\n";
  ASSERT_NE(config.find(field), std::string::npos);
  folder.write(kConfigFile, std::string(config).replace(config.find(field), field.size(), ""));
  EXPECT_EQ(read_model(folder.path()).pieces, Pieces::first);
  folder.write(kConfigFile, config.replace(config.find(field), field.size(), "  \"pieces\": \"some\",\n"));
  EXPECT_EQ(message_of([&] { read_model(folder.path()); }),
            path(kConfigFile) + ": damaged: unknown pieces 'some', expected all or first");
}

TEST_F(ModelFolder, AFolderThatIsNoModelSaysWhy) {
  const auto read = [&] { read_model(folder.path()); };
  EXPECT_EQ(message_of(read), path(kConfigFile) + ": cannot open: No such file or directory");
  write_checkpoint(folder.path(), plan, state);
  EXPECT_EQ(message_of(read),
            folder.path() + ": training is not finished, continue it with markeval train --resume");
  write_model(folder.path(), plan, {0, 1}, state);
  const std::string config = contents(path(kConfigFile));
  folder.write(kConfigFile, "{");
  EXPECT_EQ(message_of(read),
            path(kConfigFile) + ": not JSON: unexpected end of input; expected string literal");
  folder.write(kConfigFile, "{\"architecture\": \"esin\"}");
  EXPECT_EQ(message_of(read),
            path(kConfigFile) + ": damaged: unknown architecture 'esin'; did you mean 'esim'?");
  folder.write(kConfigFile, config);
  state.best.values()[0] += 1;
  encoder::write_safetensors(path(kWeightsFile), {}, {});
  EXPECT_EQ(message_of(read), path(kWeightsFile) + ": its weights are not those config.json was written for");
}

}  // namespace
}  // namespace markeval::trained
