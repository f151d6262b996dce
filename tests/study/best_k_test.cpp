// The search for K over systems, on small invented data.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "api/markeval.hpp"
#include "request/observer.hpp"
#include "study/experiment.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

using Json = nlohmann::json;

class BestK : public ::testing::Test {
 protected:
  BestK() {
    std::filesystem::create_directories(folder_.file("wmt17/newstest2017_raw"));
    request_.study = "wmt17";
    request_.level = "system";
    request_.data = folder_.path();
    request_.encoder.model = write_tiny_model(folder_);
    request_.encoder.cache = "none";
  }
  static std::string word(std::size_t i) {
    static const char* const kAnimals[] = {"ant", "bee", "cat",  "dog", "eel",  "fox",
                                           "gnu", "hen", "ibis", "jay", "kite", "lynx"};
    return kAnimals[i % std::size(kAnimals)];
  }
  Json run() { return Json::parse(run_experiment(request_, {.threads = 2}).json()); }

  TempFolder folder_;
  ExperimentRequest request_;
};

TEST_F(BestK, OverSystemsAndOfClusters) {
  std::string text = "sid\tsrc\tref\ta.1\tb.2\tc.3\n";
  for (std::size_t i = 0; i < 12; ++i) {
    text += std::to_string(i) + "\tx\t" + word(i) + " ran\t" + word(i) + " ran\t" + word(i) + " sat\t" +
            word(i / 4) + " fled far\n";
  }
  folder_.write("wmt17/newstest2017_raw/cs-en.tsv", text);
  folder_.write("wmt17/DA-syslevel.csv", "LP HUMAN SYSTEM\ncs-en 0.5 a.1\ncs-en 0.1 b.2\ncs-en -0.5 c.3\n");
  request_.parts = {"cs-en"};
  request_.metrics = {"me", "prd", "me:k=3", "chrf"};
  request_.best_k = true;
  request_.max_k = 3;
  const Json json = run();
  ASSERT_EQ(json["tables"].size(), 5u) << "agreement, marks, two curves, choices";
  EXPECT_EQ(json["tables"][2]["name"], "wmt17-system-cs-en-me-by-k");
  EXPECT_EQ(json["tables"][3]["name"], "wmt17-system-cs-en-prd-by-k");
  const Json& choices = json["tables"][4]["rows"];
  ASSERT_EQ(choices.size(), 6u);
  EXPECT_EQ(choices[0][1], "me.petersen");
  EXPECT_EQ(choices[4][1], "prd.f8");
  const Json curve = json["tables"][2]["rows"];
  request_.best_k = false;
  request_.metrics = {"me:k=2", "prd:clusters=3"};
  const Json rows = run()["tables"][0]["rows"];
  EXPECT_EQ(curve[1][1], rows[0][3]) << "K = 2 of the curve is a run with k=2";
  EXPECT_EQ(json["tables"][3]["rows"][2][1], rows[4][3]);
}

// The table is computed again from a run that has every K as a metric of its own.
TEST_F(BestK, EachPairHasTheKThatTheOtherPairsChoose) {
  std::string judged = "LP HUMAN SYSTEM\n";
  const std::vector<std::string> pairs{"cs-en", "de-en", "ru-en"};
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    std::string text = "sid\tsrc\tref\ta.1\tb.2\tc.3\td.4\n";
    for (std::size_t i = 0; i < 10; ++i)
      text += std::to_string(i) + "\tx\t" + word(i + pair) + " ran\t" + word(i) + " ran\t" + word(i / 2) +
              " sat\t" + word(i / (2 + pair)) + " fled far\t" + word(i * i) + " ran far\n";
    folder_.write("wmt17/newstest2017_raw/" + pairs[pair] + ".tsv", text);
    for (const char* system : {"0.5 a.1", "0.1 b.2", "-0.5 c.3", "0.2 d.4"})
      judged += pairs[pair] + " " + system + "\n";
  }
  folder_.write("wmt17/DA-syslevel.csv", judged);
  request_.parts = pairs;
  request_.metrics = {"impar:k=1", "impar:k=2", "impar:k=3"};
  const Json by_k = run()["tables"][0]["rows"];  // two results of each K
  request_.metrics = {"impar"};
  request_.best_k = true;
  request_.max_k = 3;
  const Json tables = run()["tables"], table = tables.back();
  EXPECT_EQ(table["name"], "wmt17-system-k-of-others");
  EXPECT_EQ(table["columns"], Json({"metric", "cs-en", "de-en", "ru-en", "mean", "k of each part"}));
  ASSERT_EQ(table["rows"].size(), 2u);
  for (std::size_t result = 0; result < 2; ++result) {
    std::string chosen;
    for (std::size_t pair = 0; pair < 3; ++pair) {
      const auto others = [&](std::size_t k) {
        double sum = 0;
        for (std::size_t other = 0; other < 3; ++other)
          sum += other == pair ? 0 : by_k[2 * k + result][3 + other].get<double>();
        return sum;
      };
      std::size_t k = 0;
      while (k < 2 && others(k + 1) >= others(k)) ++k;
      EXPECT_EQ(table["rows"][result][1 + pair], by_k[2 * k + result][3 + pair]);
      chosen += (pair == 0 ? "" : " ") + std::to_string(k + 1);
    }
    EXPECT_EQ(table["rows"][result][5], chosen);
  }
}

// Every K is scored with the metric itself: a pair's texts are read and encoded once.
TEST_F(BestK, ScoresEachPairOnce) {
  struct Steps : Observer {
    std::vector<std::string> told;
    void info(const std::string& message) override { told.push_back(message); }
  } steps;
  folder_.write("wmt17/newstest2017_raw/cs-en.tsv",
                "sid\tsrc\tref\ta.1\tb.2\n0\tx\tant ran\tant ran\tbee sat\n1\tx\tbee ran\tcat\tbee ran\n"
                "2\tx\tdog sat\tdog\tant sat\n3\tx\teel fled\teel ran\tfox\n");
  folder_.write("wmt17/DA-syslevel.csv", "LP HUMAN SYSTEM\ncs-en 0.5 a.1\ncs-en 0.1 b.2\n");
  request_.parts = {"cs-en"};
  request_.metrics = {"me", "impar", "chrf"};
  request_.best_k = true;
  request_.max_k = 2;
  const Json json = Json::parse(run_experiment(request_, {.threads = 2}, &steps).json());
  EXPECT_EQ(steps.told, std::vector<std::string>{"cs-en (1 of 1)"});
  const Json& rows = json["tables"][0]["rows"];  // ours, then the papers'
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const Json& row) { return row[2] == "markeval"; }), 7)
      << "me has four results, impar two, chrf one; none of a K";
}

}  // namespace
}  // namespace markeval
