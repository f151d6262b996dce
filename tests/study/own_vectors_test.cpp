// experiment own on vectors that were made elsewhere: .npy files instead of texts.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/markeval.hpp"
#include "study/experiment.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

using Json = nlohmann::json;

/// Rows of two numbers as a .npy file.
std::string npy(const std::vector<std::pair<float, float>>& rows) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows.size()) + ", 2), }";
  header.resize(117, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() % 256);
  file += static_cast<char>(header.size() / 256);
  file += header;
  for (const auto& row : rows) file.append(reinterpret_cast<const char*>(&row), sizeof(row));
  return file;
}

class OwnVectors : public ::testing::Test {
 protected:
  OwnVectors() {
    for (const char* name : {"references", "system-outputs/all", "human-scores"})
      std::filesystem::create_directories(folder_.file(name));
    request_.study = "own";
    request_.data = folder_.path();
  }
  static std::vector<std::pair<float, float>> line(std::size_t rows, float above) {
    std::vector<std::pair<float, float>> found;
    for (std::size_t i = 0; i < rows; ++i) found.emplace_back(static_cast<float>(i), above);
    return found;
  }
  Json run() { return Json::parse(run_experiment(request_, {.threads = 2}).json()); }

  TempFolder folder_;
  ExperimentRequest request_;
};

TEST_F(OwnVectors, AreScoredAsSetsAndHeldAgainstPeople) {
  folder_.write("references/all.people.npy", npy(line(12, 0)));
  std::string scores;
  for (std::size_t i = 0; i < 7; ++i) {
    const std::string name = "system" + std::to_string(i);
    folder_.write("system-outputs/all/" + name + ".npy", npy(line(12, 0.3f * static_cast<float>(i))));
    scores += name + "\t" + std::to_string(10 - static_cast<int>(i * i)) + "\n";
  }
  folder_.write("human-scores/all.fluency.sys.score", scores);
  request_.level = "system";
  request_.metrics = {"fid", "prdc.density"};
  const Json study = run();
  EXPECT_EQ(study["about"], "Metrics and people on vectors of " + folder_.path());
  const Json rows = study["tables"][0]["rows"];
  EXPECT_EQ(rows[0][0], "fid");
  EXPECT_EQ(rows[0][1], "that of the vectors") << "no model of ours made them";
  EXPECT_NEAR(rows[0][4].get<double>(), 1, 1e-9)
      << "squared distance against squares: turned, as lower is better";
  EXPECT_GT(rows[1][4].get<double>(), 0.3) << "density falls with the distance";
  request_.best_k = true;
  EXPECT_ERROR(run(), ErrorCode::usage, "--best-k needs texts");
}

TEST_F(OwnVectors, NeedAJudgedSystem) {
  folder_.write("references/all.people.npy", npy(line(12, 0)));
  folder_.write("human-scores/all.fluency.sys.score", "other\t1\n");
  request_.level = "system";
  request_.metrics = {"fid", "prdc.density"};
  EXPECT_ERROR(run(), ErrorCode::invalid_input, "no SYSTEM.npy with a human score");
}

}  // namespace
}  // namespace markeval
