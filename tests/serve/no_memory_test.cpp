// A server whose memory is gone: who asks is refused, what waits is told, and nothing ends the process. The
// allocator of this test program fails on request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "base/json.hpp"
#include "serve/http_server.hpp"
#include "serve/job_fixture.hpp"
#include "serve/raw_client.hpp"
#include "support/sanitized.hpp"
#include "support/sqlite_memory.hpp"
#include "support/temp_folder.hpp"

namespace {

/// Of this thread: how many allocations succeed before the others fail.
constexpr long kAlways = -1;
thread_local long allocations_left = kAlways;
/// Every thread but those that are spared has no memory.
std::atomic<bool> none_for_others{false};
thread_local bool spared = false;

bool fails() {
  if (none_for_others && !spared) return true;
  if (allocations_left == kAlways) return false;
  return allocations_left == 0 || --allocations_left == 0;
}

}  // namespace

#ifndef MARKEVAL_SANITIZED  // what it gives is freed by the library's operator delete, which calls free()
void* operator new(std::size_t bytes) {
  if (fails()) throw std::bad_alloc();
  if (void* const made = std::malloc(bytes == 0 ? 1 : bytes)) return made;
  throw std::bad_alloc();
}
#endif

namespace markeval::serve {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Loses its memory on the way to /gone.
class ForgetfulHandler : public HttpHandler {
 public:
  std::optional<HttpAnswer> refuse(const HttpRequest&) override { return std::nullopt; }
  HttpAnswer answer(HttpRequest& request) override {
    if (request.path == "/gone") {
      allocations_left = 0;
      throw std::bad_alloc();
    }
    return {.body = "here"};
  }
  HttpAnswer failure(int status) override { return {.status = status, .body = std::string(100, 'x')}; }
  std::vector<std::pair<std::string, std::string>> common_headers(const HttpRequest&) override { return {}; }
};

TEST(WithoutMemory, AClientIsRefusedAndTheNextOneIsAnswered) {
  if (kSanitized) GTEST_SKIP() << "the allocator is the sanitizer's";
  ForgetfulHandler handler;
  HttpServer server({.host = "127.0.0.1", .connections = 8, .limits = {1024, 4096, std::chrono::seconds(20)}},
                    handler);
  server.start();
  const auto ask = [&](const std::string& path) {
    const RawClient client(server.port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return client.receive();
  };
  for (int i = 0; i < 3; ++i) {
    const std::string refused = ask("/gone");
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
    const std::string body = refused.substr(refused.find("\r\n\r\n") + 4);
    EXPECT_THAT(refused, HasSubstr("Content-Length: " + std::to_string(body.size()) + "\r\n"));
    EXPECT_EQ(json::parse(body)["error"], "the server has no memory left for this request");
    EXPECT_THAT(ask("/here"), StartsWith("HTTP/1.1 200"));
  }
}

class JobsWithoutMemory : public JobFixture {
 protected:
  JobsWithoutMemory() {
    settings_.max_jobs = 1;
    open();
    spared = true;
  }
  ~JobsWithoutMemory() override { none_for_others = false; }
  HttpAnswer post(const std::string& body) {
    HttpRequest request{.method = "POST", .path = "/v1/jobs", .body = body};
    return jobs_->post(request);
  }
  /// Whether a job finds a place, of which there is one.
  bool has_a_place() {
    const std::string body = score_job().dump();
    for (int i = 0; i < 500; ++i) {
      const HttpAnswer answer = post(body);
      if (answer.status == 202) return wait_for_end(json::parse(answer.body)["id"])["state"] == "done";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
};

TEST_F(JobsWithoutMemory, AJobThatCouldNotBeTakenHoldsNoPlace) {
  if (kSanitized) GTEST_SKIP() << "the allocator is the sanitizer's";
  const std::string body = score_job().dump();
  int failed = 0;
  for (long allocation = 1; allocation < 3000; allocation += 1 + allocation / 30) {
    bool through = false;
    allocations_left = allocation;
    try {
      HttpRequest request{.method = "POST", .path = "/v1/jobs", .body = body};
      through = jobs_->post(request).status == 202;
    } catch (const std::exception&) {
    }
    allocations_left = kAlways;
    failed += !through;
    ASSERT_TRUE(has_a_place()) << "after allocation " << allocation;
  }
  EXPECT_GT(failed, 50);
}

TEST_F(JobsWithoutMemory, AJobEndsAndTheServerLives) {
  if (kSanitized) GTEST_SKIP() << "the allocator is the sanitizer's";
  const std::string id = json::parse(post(long_job().dump()).body)["id"];
  while (state(id)["state"] != "running") std::this_thread::sleep_for(std::chrono::milliseconds(1));
  none_for_others = true;
  jobs_->remove(id);
  const json ended = wait_for_end(id);
  none_for_others = false;
  EXPECT_EQ(ended["state"], "failed") << ended;
  EXPECT_EQ(ended["error"]["type"], "unavailable") << ended;
  EXPECT_TRUE(has_a_place());
}

TEST_F(JobsWithoutMemory, ATaskThatWaitsIsToldOfItsEnd) {
  if (kSanitized) GTEST_SKIP() << "the allocator is the sanitizer's";
  const auto task = [&](std::atomic<int>& ended) {
    auto made = std::make_shared<LaneTask>();
    json body = long_job()["request"];
    made->request = read_work_request(WorkKind::score, body, {"", "none", 1000});
    made->done = [&ended](WorkResult, std::exception_ptr failure) { ended = failure ? 1 : 2; };
    return made;
  };
  std::atomic<int> first_end{0}, second_end{0}, third_end{0};
  const auto first = task(first_end), second = task(second_end), third = task(third_end);
  Lane& lane = lanes_->lane_of(*first);
  for (const auto& one : {first, second, third}) ASSERT_TRUE(lane.offer(one, 10));
  while (lane.waiting() > 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  allocations_left = 0;
  lane.give_up(second);
  const int at_once = second_end;
  lane.stop();
  const int dropped = third_end;
  allocations_left = kAlways;
  EXPECT_EQ(at_once, 1);
  EXPECT_EQ(dropped, 1);
  lanes_->close();
  EXPECT_EQ(first_end, 1);
}

TEST(JobStoreWithoutMemory, GivesNoEmptyTexts) {
  const SqliteMemory memory;
  const TempFolder folder;
  JobStore store(folder.file("jobs.sqlite"));
  const std::string large(200'000, 'x');
  JobRecord job{.id = "a", .kind = "score", .created = 100, .report_key = "r"};
  store.add(job);
  job.state = JobState::done;
  job.ended = 200;
  store.end(job, large, "", "<p>");
  for (const bool for_long : {false, true}) {
    long failed = 0;
    for (long number = 1, more = 1; more > 0; ++number) {
      SqliteMemory::fail_at(number, for_long);
      try {
        const auto found = store.find("a");
        EXPECT_TRUE(found && found->kind == "score" && found->report_key == "r") << number;
        EXPECT_EQ(store.part("a", JobPart::json), large) << number;
        EXPECT_EQ(store.page_of("r"), "<p>") << number;
      } catch (const std::bad_alloc&) {
        ++failed;
      }
      more = SqliteMemory::has_failed();
      SqliteMemory::never_fail();
    }
    EXPECT_GT(failed, 0);
  }
}

}  // namespace
}  // namespace markeval::serve
