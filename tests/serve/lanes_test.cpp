// Who waits for whom.
#include "serve/lanes.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <future>

#include "base/json.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval::serve {
namespace {

class LanesTest : public ::testing::Test {
 protected:
  LanesTest() : model_(write_tiny_model(folder_)) {
    settings_.max_small_kib = 1;
    set_threads(1);
  }

  void set_threads(std::size_t threads) {
    settings_.compute.threads = threads;
    lanes_ = std::make_unique<Lanes>(settings_, counters_);
  }

  std::shared_ptr<LaneTask> task(const std::string& metric, std::size_t letters = 3) {
    auto made = std::make_shared<LaneTask>();
    nlohmann::json body{{"references", {std::string(letters, 'a')}},
                        {"systems", {{{"texts", {"b c"}}}}},
                        {"metrics", {metric}}};
    made->request = read_work_request(WorkKind::score, body, {model_, "none", 1000});
    made->done = [this, raw = made.get()](WorkResult result, std::exception_ptr failure) {
      const std::lock_guard lock(mutex_);
      ended_[raw] = failure ? "failed" : result.json.empty() ? "empty" : "done";
      changed_.notify_all();
    };
    return made;
  }
  /// One that does not go on before let_go().
  std::shared_ptr<LaneTask> blocked(const std::string& metric, std::size_t letters = 3) {
    auto made = task(metric, letters);
    made->started = [this] {
      std::unique_lock lock(mutex_);
      ++running_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return free_; });
    };
    return made;
  }
  void wait_until_running(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_ == count; });
  }
  std::string end_of(const std::shared_ptr<LaneTask>& one) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_.count(one.get()) > 0; });
    return ended_[one.get()];
  }
  bool has_ended(const std::shared_ptr<LaneTask>& one) {
    const std::lock_guard lock(mutex_);
    return ended_.count(one.get()) > 0;
  }
  bool offer(const std::shared_ptr<LaneTask>& one, std::size_t most = 100) {
    return lanes_->lane_of(*one).offer(one, most);
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    free_ = true;
    changed_.notify_all();
  }

  TempFolder folder_;
  std::string model_;
  ServeSettings settings_;
  Counters counters_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  bool free_ = false;
  std::map<const LaneTask*, std::string> ended_;
  std::unique_ptr<Lanes> lanes_;  ///< first to go
};

TEST_F(LanesTest, NeitherWordsNorSmallTextsWaitForALargeOne) {
  const auto large = blocked("bertscore:layer=2", 2000);
  ASSERT_TRUE(offer(large));
  wait_until_running(1);
  const auto small = task("bertscore:layer=2"), words = task("bleu"), many_words = task("bleu", 2000);
  ASSERT_TRUE(offer(small) && offer(words) && offer(many_words));
  EXPECT_EQ(end_of(small), "done");
  EXPECT_EQ(end_of(words), "done");
  EXPECT_EQ(end_of(many_words), "done");
  EXPECT_FALSE(has_ended(large));
  let_go();
  EXPECT_EQ(end_of(large), "done");
}

TEST_F(LanesTest, EncodeTogetherWhatWaitsTogetherToTheSameBits) {
  set_threads(4);
  std::vector<std::shared_ptr<LaneTask>> tasks;
  std::vector<std::string> alone;
  for (const char* text : {"a b c", "the cat", "the cat sat on a mat", "", "x", "yes no yes"}) {
    for (const char* metric :
         {"bertscore:layer=2,idf=yes", "moverscore:layers=last", "me:k=2,samples=word"}) {
      auto one = task(metric);
      nlohmann::json body{{"references", {text, "a dog", "c c c"}},
                          {"systems", {{{"texts", {"b c", text, "d e f g"}}}}},
                          {"metrics", {metric}}};
      one->request = read_work_request(WorkKind::score, body, {model_, "none", 1000});
      alone.push_back(do_work(*std::make_unique<Evaluator>(Settings{.threads = 1}), *one->request, false,
                              nullptr, nullptr)
                          .json);
      tasks.push_back(one);
    }
  }
  std::map<const LaneTask*, std::string> found;
  for (const auto& one : tasks) {
    one->done = [this, &found, raw = one.get(), done = one->done](WorkResult result,
                                                                  std::exception_ptr failure) {
      {
        const std::lock_guard lock(mutex_);
        found[raw] = result.json;
      }
      done(std::move(result), failure);
    };
  }
  const auto first = blocked("bertscore:layer=2");  // the others wait behind it
  ASSERT_TRUE(offer(first));
  wait_until_running(1);
  for (const auto& one : tasks) ASSERT_TRUE(offer(one));
  let_go();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    EXPECT_EQ(end_of(tasks[i]), "done");
    EXPECT_EQ(found[tasks[i].get()], alone[i]) << i;
  }
}

TEST_F(LanesTest, SmallRequestsRunAtTheSameTime) {
  std::vector<std::shared_ptr<LaneTask>> tasks;
  std::atomic<int> met = 0;
  for (int i = 0; i < 3; ++i) {  // each goes on when the others run, too
    tasks.push_back(task("bertscore:layer=2"));
    tasks.back()->started = [this, &met] {
      std::unique_lock lock(mutex_);
      ++running_;
      changed_.notify_all();
      met += changed_.wait_for(lock, std::chrono::seconds(20), [&] { return running_ == 3; });
    };
  }
  for (const auto& one : tasks) ASSERT_TRUE(offer(one));
  for (const auto& one : tasks) EXPECT_EQ(end_of(one), "done");
  EXPECT_EQ(met, 3);
}

TEST_F(LanesTest, ATaskGivenUpDoesNotHarmItsNeighbours) {
  const auto first = blocked("bertscore:layer=2"), second = blocked("bertscore:layer=2"),
             third = task("bertscore:layer=2");
  for (const auto& one : {first, second, third}) {
    ASSERT_TRUE(offer(one));
  }
  second->cancel = true;
  let_go();
  EXPECT_EQ(end_of(second), "failed");
  EXPECT_EQ(end_of(third), "done");
}

TEST_F(LanesTest, WordsDoNotWaitForTheEncoder) {
  const auto small = blocked("bertscore:layer=2");
  ASSERT_TRUE(offer(small));
  wait_until_running(1);
  const auto words = task("bleu");
  ASSERT_TRUE(offer(words));
  EXPECT_EQ(end_of(words), "done");
  let_go();
  EXPECT_EQ(end_of(small), "done");
}

TEST_F(LanesTest, TakeNoMoreThanTheQueueHolds) {
  const auto first = blocked("bleu"), second = task("bleu"), third = task("bleu"), job = task("bleu", 2000);
  ASSERT_TRUE(offer(first));
  wait_until_running(1);
  EXPECT_TRUE(offer(second, 1));
  EXPECT_FALSE(offer(third, 1));
  job->job = true;
  EXPECT_TRUE(offer(job, 1));  // jobs are counted by themselves
  let_go();
  EXPECT_EQ(end_of(second), "done");
  EXPECT_EQ(end_of(job), "done");
}

TEST_F(LanesTest, JobsAndRequestsTakeTurns) {
  const auto first = blocked("bleu", 2000);
  first->job = true;
  ASSERT_TRUE(offer(first));
  wait_until_running(1);
  std::string order;
  std::vector<std::shared_ptr<LaneTask>> tasks;
  for (const char name : {'j', 'j', 'j', 'r', 'r'}) {
    const auto one = task("bleu", 2000);
    one->job = name == 'j';
    one->started = [this, &order, name] {
      const std::lock_guard lock(mutex_);
      order += name;
    };
    tasks.push_back(one);
    ASSERT_TRUE(offer(one));
  }
  let_go();
  for (const auto& one : tasks) EXPECT_EQ(end_of(one), "done");
  EXPECT_EQ(order, "rjrjj");
}

TEST_F(LanesTest, GiveUpATaskThatWaits) {
  const auto first = blocked("bleu"), second = task("bleu");
  ASSERT_TRUE(offer(first) && (wait_until_running(1), offer(second)));
  lanes_->lane_of(*second).give_up(second);
  EXPECT_EQ(end_of(second), "failed");
  let_go();
  EXPECT_EQ(end_of(first), "done");
}

TEST_F(LanesTest, StopDropsWhatWaitsAndCancelsWhatRuns) {
  const auto first = blocked("bleu"), second = task("bleu");
  ASSERT_TRUE(offer(first) && (wait_until_running(1), offer(second)));
  lanes_->stop();
  EXPECT_EQ(end_of(second), "failed");
  let_go();
  EXPECT_EQ(end_of(first), "failed");
  EXPECT_THROW(offer(task("bleu")), Error);
}

TEST_F(LanesTest, ResamplingIsLargeWorkWhateverTheTexts) {
  const auto one = task("bleu");
  const std::string_view small = lanes_->lane_of(*one).name();
  one->request->score.resamples = 1000;
  EXPECT_EQ(small, "lexical_small");
  EXPECT_EQ(lanes_->lane_of(*one).name(), "lexical_large");
}

}  // namespace
}  // namespace markeval::serve
