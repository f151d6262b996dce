// Routes, statuses and words of the answers, without a network.
#include "serve/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval::serve {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const json kBody{{"references", {"a cat sat.", "the dog"}},
                 {"systems", {{{"name", "mine"}, {"texts", {"a cat sits.", "the dog"}}}}},
                 {"metrics", {"bleu", "bertscore:layer=2"}}};

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() {
    settings_.model = write_tiny_model(folder_);
    settings_.compute.threads = 1;
  }
  Service& service() {
    if (!service_) service_.emplace(settings_, [this](const std::string& line) { log_ += line + "\n"; });
    return *service_;
  }
  /// As the transport does it.
  HttpAnswer ask(HttpRequest request) {
    request.headers.emplace("host", "localhost");
    if (auto refusal = service().refuse(request)) return *refusal;
    return service().answer(request);
  }
  HttpAnswer get(const std::string& path) { return ask({.method = "GET", .path = path}); }
  HttpAnswer post(const std::string& path, const std::string& body) {
    return ask(
        {.method = "POST", .path = path, .headers = {{"content-type", "application/json"}}, .body = body});
  }

  TempFolder folder_;
  ServeSettings settings_;
  std::string log_;
  std::optional<Service> service_;
};

TEST_F(ServiceTest, AnswersWhatTheLibraryWrites) {
  const std::vector<std::string> references{"a cat sat.", "the dog"}, texts{"a cat sits.", "the dog"};
  ScoreRequest request;
  request.references = {{"reference", Texts{references}}};
  request.systems = {{"mine", Texts{texts}}};
  request.metrics = {"bleu", "bertscore:layer=2"};
  request.encoder.model = settings_.model;
  request.encoder.cache = "none";
  const HttpAnswer answer = post("/v1/score", kBody.dump());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, Evaluator({.threads = 2}).score(request).json());
}

TEST_F(ServiceTest, TellsEveryErrorWithTypeAndHint) {
  struct Case {
    HttpAnswer answer;
    int status;
    const char* type;
  };
  json wrong = kBody;
  wrong["metrics"] = {"blue"};
  json short_texts = kBody;
  short_texts["systems"][0]["texts"] = {"one"};
  json short_sources = kBody;
  short_sources["source"] = {"one"};
  settings_.max_body_mib = 1;
  std::vector<Case> cases{{post("/v1/score", "{"), 400, "wrong_request"},
                          {post("/v1/score", "[]"), 400, "wrong_request"},
                          {post("/v1/score", std::string(10'000, '[')), 400, "wrong_request"},
                          {post("/v1/score", wrong.dump()), 400, "wrong_request"},
                          {post("/v1/score", short_texts.dump()), 422, "cannot_score"},
                          {post("/v1/score", short_sources.dump()), 422, "cannot_score"},
                          {post("/v1/score", std::string((1 << 20) + 1, ' ')), 413, "too_large"},
                          {get("/nothing"), 404, "not_found"},
                          {get("/v1/score"), 405, "method_not_allowed"},
                          {ask({.method = "POST", .path = "/v1/score", .body = "{}"}), 400, "wrong_request"}};
  const auto with_head = [](const char* name, const char* value) {
    return HttpRequest{.method = "POST",
                       .path = "/v1/score",
                       .headers = {{"content-type", "application/json"}, {name, value}}};
  };
  cases.push_back({ask(with_head("content-length", "1048577")), 413, "too_large"});
  cases.push_back({ask(with_head("content-length", "-1")), 400, "wrong_request"});
  cases.push_back({ask(with_head("content-encoding", "gzip")), 400, "wrong_request"});
  for (const Case& one : cases) {
    EXPECT_EQ(one.answer.status, one.status) << one.answer.body;
    const json body = json::parse(one.answer.body);
    EXPECT_EQ(body["type"], one.type);
    EXPECT_FALSE(body["error"].get<std::string>().empty());
    EXPECT_FALSE(body["hint"].get<std::string>().empty());
  }
}

TEST_F(ServiceTest, NamesTheMethodsOfAPath) {
  EXPECT_THAT(get("/v1/score").headers, ::testing::Contains(::testing::Pair("Allow", "POST")));
  EXPECT_EQ(ask({.method = "HEAD", .path = "/health"}).status, 200);
}

TEST_F(ServiceTest, ShowsEveryLimit) {
  const json info = json::parse(get("/info").body);
  for (const request::Field& field : limits_of(settings_))
    EXPECT_EQ(info["limits"][std::string(field.name)]["value"], *std::get<std::uint64_t*>(field.target));
  EXPECT_TRUE(info["limits"].contains("MARKEVAL_MAX_JSON_DEPTH"));
  EXPECT_EQ(info["version"], version());
}

TEST_F(ServiceTest, DescribesTheMetricsAsTheCommandLine) {
  EXPECT_EQ(get("/v1/metrics").body, describe_as_json(metric_names()));
}

TEST_F(ServiceTest, CountsRequestsAndFailures) {
  post("/v1/score", kBody.dump());
  post("/v1/score", "{");
  const std::string text = get("/metrics").body;
  EXPECT_THAT(text, HasSubstr("markeval_requests_total{route=\"/v1/score\",status=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("markeval_failures_total{type=\"wrong_request\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("markeval_request_seconds_count{route=\"/v1/score\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("markeval_waiting_requests{lane=\"lexical_small\"} 0\n"));
}

TEST_F(ServiceTest, WritesNoTextIntoTheLog) {
  json body = kBody;
  body["systems"][0]["texts"] = {"secret words", "secret words too", "more"};
  body["systems"][0]["name"] = "secret name";
  post("/v1/score", body.dump());
  get("/secret/path");
  EXPECT_THAT(log_, HasSubstr("POST /v1/score 422"));
  EXPECT_THAT(log_, HasSubstr("GET other 404"));
  EXPECT_THAT(log_, Not(HasSubstr("secret")));
}

TEST_F(ServiceTest, GivesEmbeddingsInBothForms) {
  const json floats = json::parse(post("/v1/embeddings", R"({"input": ["a b", "c"]})").body);
  const json coded =
      json::parse(post("/v1/embeddings", R"({"input": "c", "encoding_format": "base64"})").body);
  ASSERT_EQ(floats["data"].size(), 2U);
  EXPECT_EQ(floats["data"][1]["index"], 1);
  const std::vector<std::string> texts{"a b", "c"};
  EmbedRequest request;
  request.layer = -1;
  request.encoder.model = settings_.model;
  request.encoder.cache = "none";
  const TextVectors vectors = Evaluator().embed(texts, request);
  const std::vector<float> last(vectors.values.end() - static_cast<std::ptrdiff_t>(vectors.columns),
                                vectors.values.end());
  EXPECT_EQ(floats["data"][1]["embedding"].get<std::vector<float>>(), last);
  EXPECT_EQ(floats["usage"]["total_tokens"], vectors.report.counts.tokens);
  EXPECT_EQ(coded["data"][0]["embedding"].get<std::string>().size(), (last.size() * 4 + 2) / 3 * 4);
}

TEST_F(ServiceTest, TakesNoWorkBeforeTheModelIsLoadedNorWhenItStops) {
  settings_.preload = true;
  EXPECT_EQ(get("/ready").status, 503);
  EXPECT_EQ(post("/v1/score", kBody.dump()).status, 503);
  service().load_model();
  EXPECT_EQ(get("/ready").status, 200);
  EXPECT_EQ(post("/v1/score", kBody.dump()).status, 200);
  service().begin_stop();
  EXPECT_EQ(get("/ready").status, 503);
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(post("/v1/score", kBody.dump()).status, 503);
}

TEST_F(ServiceTest, HoldsOnlySoManyBytesOfRequests) {
  settings_.max_waiting_mib = 1;
  HttpRequest second;
  {
    HttpRequest first;
    EXPECT_TRUE(service().make_room(first, 1 << 20));
    EXPECT_FALSE(service().make_room(second, 1));
  }
  EXPECT_TRUE(service().make_room(second, 1));
  EXPECT_THAT(service().failure(429).body, ::testing::HasSubstr("1 MiB of requests may wait or run"));
}

TEST_F(ServiceTest, CountsTheValuesOfABodyBeforeTheyAreBuilt) {
  settings_.max_texts = 10;
  std::string body = R"({"references":[)";
  for (int i = 0; i < 11'000; ++i) body += "[],";
  const HttpAnswer answer = post("/v1/score", body + "[]]}");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, ::testing::HasSubstr("values of JSON, expected at most 10020"));
}

TEST_F(ServiceTest, ErrorsDoNotNameFoldersOfTheServer) {
  const HttpAnswer answer = post("/v1/embeddings", R"({"input": "a", "model": "nothing"})");
  EXPECT_EQ(answer.status, 400) << answer.body;
  EXPECT_EQ(json::parse(answer.body)["error"].get<std::string>().find("/"), std::string::npos) << answer.body;
}

TEST_F(ServiceTest, StopsARequestThatTakesTooLong) {
  settings_.max_seconds = 1;
  json body = kBody;
  body["metrics"] = {"bleu"};
  body["resamples"] = 10'000'000;
  const HttpAnswer answer = post("/v1/score", body.dump());
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(json::parse(answer.body)["type"], "timeout");
}

TEST_F(ServiceTest, StopsWhenTheClientHasHungUp) {
  HttpRequest request{
      .method = "POST", .path = "/v1/score", .headers = {{"content-type", "application/json"}}};
  json body = kBody;
  body["metrics"] = {"bleu"};
  body["resamples"] = 10'000'000;
  request.body = body.dump();
  request.client_gone = [] { return true; };
  EXPECT_EQ(ask(std::move(request)).status, 503);
}

}  // namespace
}  // namespace markeval::serve
