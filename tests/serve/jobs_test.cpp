// Jobs: their states, what is kept of them, and for how long.
#include "serve/jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/json.hpp"
#include "serve/error_answer.hpp"
#include "serve/job_fixture.hpp"
#include "support/sanitized.hpp"
#include "support/temp_folder.hpp"

namespace markeval::serve {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// While it lives no file can grow.
class FullDisk {
 public:
  FullDisk() {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

class JobsTest : public JobFixture {
 protected:
  JobsTest() { settings_.jobs = folder_.file("jobs.sqlite"); }
  ~JobsTest() override { close(); }  // before its folder goes
  HttpAnswer post(const json& body, const std::string& key = {}) {
    HttpRequest request{.method = "POST", .path = "/v1/jobs", .body = body.dump()};
    if (!key.empty()) request.headers["idempotency-key"] = key;
    return jobs_->post(request);
  }
  std::string id_of(const HttpAnswer& answer) { return json::parse(answer.body)["id"]; }

  TempFolder folder_;
};

TEST_F(JobsTest, EndWithAResultATableAndAReport) {
  open();
  const HttpAnswer posted = post(score_job());
  EXPECT_EQ(posted.status, 202);
  const std::string id = id_of(posted);
  EXPECT_THAT(posted.headers, ::testing::Contains(::testing::Pair("Location", "/v1/jobs/" + id)));
  const json ended = wait_for_end(id);
  EXPECT_EQ(ended["state"], "done") << ended;
  EXPECT_THAT(jobs_->result(id, JobPart::json).body, HasSubstr("\"bleu\""));
  EXPECT_THAT(jobs_->result(id, JobPart::tsv).body, HasSubstr("mine\t"));
  const std::string report = ended["report"];
  const HttpAnswer page = jobs_->report(report.substr(report.rfind('/') + 1));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<html"));
  EXPECT_THAT(page.headers,
              ::testing::Contains(::testing::Pair("Content-Security-Policy", HasSubstr("sandbox"))));
}

TEST_F(JobsTest, AreThereAfterARestartAndThoseThatHadNotEndedAreFailed) {
  open();
  const std::string done = id_of(post(score_job())), running = id_of(post(long_job()));
  const json before = wait_for_end(done);
  const std::string result = jobs_->result(done, JobPart::json).body;
  // As after a crash: the file is copied while the second job runs.
  std::filesystem::copy(settings_.jobs, folder_.file("copy.sqlite"));
  std::filesystem::copy(settings_.jobs + "-wal", folder_.file("copy.sqlite-wal"));
  close();
  settings_.jobs = folder_.file("copy.sqlite");
  open();
  EXPECT_EQ(state(done), before);
  EXPECT_EQ(jobs_->result(done, JobPart::json).body, result);
  EXPECT_EQ(state(running)["state"], "failed");
  EXPECT_EQ(state(running)["error"]["type"], "stopped");
}

TEST_F(JobsTest, StopWhenTheyAreCancelledWhetherTheyRunOrWait) {
  open();
  const std::string runs = id_of(post(long_job())), waits = id_of(post(long_job()));
  for (const std::string& id : {waits, runs}) {
    const json answer = json::parse(jobs_->remove(id).body);
    if (!kSanitized) {
      EXPECT_EQ(answer["state"], "cancelled");  // within a second
    }
    EXPECT_EQ(wait_for_end(id)["state"], "cancelled");
    EXPECT_EQ(jobs_->result(id, JobPart::json).status, 409);
    EXPECT_EQ(jobs_->remove(id).status, 200);  // forgets it
    EXPECT_EQ(jobs_->state(id).status, 404);
  }
}

TEST_F(JobsTest, AreRefusedWhereResultsFillTheirBudget) {
  open();
  const std::string id = id_of(post(score_job()));
  wait_for_end(id);
  settings_.max_results_mib = 0;
  const HttpAnswer refused = post(score_job());
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("MiB, more than 0 (max_results_mib of the server)"));
  settings_.max_results_mib = 1;
  EXPECT_EQ(post(score_job()).status, 202);
  JobStore store("");
  const JobRecord job{.id = "a", .kind = "score", .state = JobState::done, .ended = 1, .report_key = "r"};
  store.add(job);
  const std::uint64_t before = store.bytes();
  store.end(job, std::string(1 << 20, ' '), "", "");
  EXPECT_GE(store.bytes(), before + (1 << 20));
  store.remove("a");
  EXPECT_LT(store.bytes(), before + 10'000);
}

TEST_F(JobsTest, OfOneKeyAreOneJob) {
  open();
  const std::string first = id_of(post(score_job(), "key"));
  EXPECT_EQ(id_of(post(score_job(), "key")), first);
  EXPECT_NE(id_of(post(score_job(), "other key")), first);
  EXPECT_NE(id_of(post(score_job())), first);
  EXPECT_EQ(post(score_job("chrf"), "key").status, 409);
  wait_for_end(first);
  EXPECT_EQ(id_of(post(score_job(), "key")), first);
  EXPECT_EQ(post(score_job(), std::string(201, 'k')).status, 400);
}

TEST_F(JobsTest, OfAKeyAreRunAgainWhereTheServerWasStopped) {
  open();
  const std::string stopped = id_of(post(long_job(), "key"));
  close();
  open();
  ASSERT_EQ(state(stopped)["state"], "failed");
  const std::string again = id_of(post(long_job(), "key"));
  EXPECT_NE(again, stopped);
  EXPECT_EQ(id_of(post(long_job(), "key")), again);
  EXPECT_EQ(state(stopped)["state"], "failed");
}

TEST_F(JobsTest, ThatEndedOnAFullDiskDoNotCountOnceThereIsRoom) {
  settings_.max_jobs = 2;
  open();
  const std::string first = id_of(post(long_job())), second = id_of(post(long_job()));
  {
    const FullDisk full;
    jobs_->remove(second);
    jobs_->remove(first);
    EXPECT_EQ(wait_for_end(first)["state"], "failed");
    EXPECT_THAT(jobs_->result(first, JobPart::json).body, HasSubstr("it is failed"));
  }
  const HttpAnswer next = post(score_job());
  EXPECT_EQ(next.status, 202) << next.body;
  EXPECT_EQ(state(first)["state"], "failed");  // from the store by now
  EXPECT_EQ(jobs_->remove(first).status, 200);
  EXPECT_EQ(jobs_->state(first).status, 404);
}

TEST_F(JobsTest, ThatFailSayWhy) {
  open();
  json job = score_job();
  job["request"]["references"] = {"one"};
  const json ended = wait_for_end(id_of(post(job)));
  EXPECT_EQ(ended["state"], "failed");
  EXPECT_EQ(ended["error"]["type"], "cannot_score");
}

TEST_F(JobsTest, AreRefusedAtOnceWhereTheRequestIsWrong) {
  open();
  EXPECT_THROW(post(json::array()), Error);
  EXPECT_THROW(post({{"kind", "score"}}), Error);
  EXPECT_THROW(post({{"kind", "scor"}, {"request", json::object()}}), Error);
  EXPECT_THROW(post(score_job("blue")), Error);
  json other = score_job();
  other["more"] = 1;
  EXPECT_THROW(post(other), Error);
}

TEST_F(JobsTest, AreRefusedBeyondTheirLimit) {
  settings_.max_jobs = 1;
  open();
  const std::string first = id_of(post(long_job()));
  EXPECT_EQ(post(score_job()).status, 429);
  jobs_->remove(first);
  EXPECT_EQ(wait_for_end(id_of(post(score_job())))["state"], "done");
}

TEST_F(JobsTest, TellTheirProgressAndTheirEnd) {
  open();
  const std::string id = id_of(post(long_job()));
  const HttpAnswer events = jobs_->events(id);
  ASSERT_TRUE(events.stream);
  std::string told;
  bool removed = false;
  events.stream([&](std::string_view piece) {
    told += piece;
    if (!removed && told.find("\"progress\":{") != std::string::npos) {
      jobs_->remove(id);
      removed = true;
    }
    return true;
  });
  EXPECT_THAT(told, HasSubstr("event: progress\ndata: {\"id\":\"" + id));
  EXPECT_THAT(told, HasSubstr("event: end\n"));
  EXPECT_THAT(told, HasSubstr("\"state\":\"cancelled\""));
  EXPECT_THAT(jobs_->events(id).body, HasSubstr("event: end\n"));
  EXPECT_EQ(jobs_->events("nothing").status, 404);
}

TEST_F(JobsTest, EventsEndWhenTheServerStops) {
  open();
  const HttpAnswer events = jobs_->events(id_of(post(long_job())));
  jobs_->stop();
  int pieces = 0;
  events.stream([&](std::string_view) { return ++pieces < 100; });
  EXPECT_EQ(pieces, 1);
}

TEST(JobStoreTest, ForgetsWhatIsOld) {
  JobStore store("");
  JobRecord job{.id = "a", .kind = "score", .created = 100, .report_key = "r"};
  store.add(job);
  store.remove_older_than(1000);
  EXPECT_TRUE(store.find("a"));  // has not ended
  job.state = JobState::done;
  job.ended = 200;
  store.end(job, "{}", "", "<p>");
  EXPECT_EQ(store.part("a", JobPart::json), "{}");
  EXPECT_EQ(store.part("a", JobPart::tsv), std::nullopt);
  EXPECT_EQ(store.page_of("r"), "<p>");
  store.remove_older_than(200);
  EXPECT_TRUE(store.find("a"));
  store.remove_older_than(201);
  EXPECT_FALSE(store.find("a"));
}

TEST(JobStoreTest, IsOfOneServerAtATime) {
  const TempFolder folder;
  const std::string path = folder.file("jobs.sqlite");
  JobStore first(path);
  try {
    JobStore second(path);
    FAIL() << "two servers";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("another server uses this file"));
  }
}

TEST(JobStoreTest, FollowsALinkToItsFolderButIsNoLinkItself) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.file("real"));
  std::filesystem::create_directory_symlink(folder.file("real"), folder.file("link"));
  { JobStore store(folder.file("link/jobs.sqlite")); }
  EXPECT_TRUE(std::filesystem::exists(folder.file("real/jobs.sqlite")));
  std::filesystem::create_symlink(folder.file("real/jobs.sqlite"), folder.file("jobs.sqlite"));
  try {
    JobStore store(folder.file("jobs.sqlite"));
    FAIL() << "a link was opened";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), folder.file("jobs.sqlite") + ": cannot open: it is a symbolic link");
  }
}

TEST(JobsFile, WaitsAtNoPipeBesideIt) {
  for (const char* ending : {"-journal", "-wal", "-shm"}) {
    const TempFolder folder;
    ASSERT_EQ(::mkfifo(folder.file(std::string("jobs.sqlite") + ending).c_str(), 0600), 0);
    EXPECT_ERROR(JobStore(folder.file("jobs.sqlite")), ErrorCode::usage,
                 "no ordinary file, which SQLite needs");
  }
}

TEST(ErrorAnswer, OfAFullDiskIsNoFaultOfTheProgram) {
  const HttpAnswer answer = error_answer(Error(ErrorCode::io, "/srv/jobs.sqlite: cannot write: no space"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("jobs.sqlite: cannot write"), std::string::npos);
  EXPECT_EQ(answer.body.find("please report"), std::string::npos);
}

void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(connection);
}

/// Job "a", whose report has the key "r".
void write_ended_job(const std::string& path, const std::string& json, const std::string& tsv,
                     const std::string& page) {
  const JobRecord job{.id = "a", .kind = "score", .state = JobState::done, .ended = 1, .report_key = "r"};
  JobStore store(path);
  store.add(job);
  store.end(job, json, tsv, page);
}

TEST(JobStoreTest, GivesNoResultThatWasChangedOnTheDisk) {
  const TempFolder folder;
  const std::string path = folder.file("jobs.sqlite");
  write_ended_job(path, R"({"f1":0.5})", "f1\t0.5\n", "<p>0.5");
  run_sql(path, "UPDATE jobs_1 SET json='{\"f1\":0.6}', page='<p>0.6'");
  JobStore store(path);
  EXPECT_ERROR(store.part("a", JobPart::json), ErrorCode::io, "damaged: a result has another checksum");
  EXPECT_ERROR(store.page_of("r"), ErrorCode::io, "damaged: a result has another checksum");
  EXPECT_EQ(store.part("a", JobPart::tsv), "f1\t0.5\n");
}

TEST(JobStoreTest, TakesAFileWithoutChecksums) {
  const TempFolder folder;
  const std::string path = folder.file("jobs.sqlite");
  write_ended_job(path, "{}", "", "");
  run_sql(path, "ALTER TABLE jobs_1 DROP COLUMN digest");
  for (int time = 0; time < 2; ++time) {
    JobStore store(path);
    EXPECT_EQ(store.part("a", JobPart::json), "{}");
  }
}

TEST(JobStoreTest, RefusesAFileThatIsNone) {
  const TempFolder folder;
  EXPECT_THROW(JobStore(folder.write("text", std::string(5000, 'x'))), Error);
  EXPECT_THROW(JobStore(folder.file("no/such/folder")), Error);
}

}  // namespace
}  // namespace markeval::serve
