// Jobs on lanes of their own, and a job that is done at once.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "base/json.hpp"
#include "serve/jobs.hpp"

namespace markeval::serve {

inline nlohmann::json score_job(const char* metric = "bleu") {
  return {{"kind", "score"},
          {"request",
           {{"references", {"a cat sat", "the dog"}},
            {"systems", {{{"name", "mine"}, {"texts", {"a cat sits", "the dog"}}}}},
            {"metrics", {metric}}}}};
}
inline nlohmann::json long_job() {
  nlohmann::json job = score_job();
  job["request"]["resamples"] = 10'000'000;
  return job;
}

class JobFixture : public ::testing::Test {
 protected:
  JobFixture() { settings_.compute.threads = 1; }
  ~JobFixture() override { close(); }
  void open() {
    lanes_ = std::make_unique<Lanes>(settings_, counters_);
    jobs_ = std::make_unique<Jobs>(settings_, *lanes_, counters_, bodies_);
  }
  void close() {
    if (lanes_) lanes_->close();
    jobs_.reset();
    lanes_.reset();
  }
  nlohmann::json state(const std::string& id) { return nlohmann::json::parse(jobs_->state(id).body); }
  nlohmann::json wait_for_end(const std::string& id) {
    for (;;) {
      nlohmann::json now = state(id);
      if (now.contains("ended")) return now;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  ServeSettings settings_;
  Counters counters_;
  BodyReader bodies_{settings_};
  std::unique_ptr<Lanes> lanes_;
  std::unique_ptr<Jobs> jobs_;
};

}  // namespace markeval::serve
