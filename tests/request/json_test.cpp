#include "request/json.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "api/compare.hpp"
#include "api/correlate.hpp"
#include "api/embedding.hpp"
#include "api/markeval.hpp"
#include "api/training.hpp"
#include "request/requested_metrics.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

template <typename Request>
Request read(const json& object, const std::vector<std::string>& data = {}) {
  Request request;
  request::read_request(object, fields_of(request), data);
  return request;
}

template <typename Request>
void expect_unique_names() {
  Request request;
  std::set<std::string_view> names;
  for (const request::Field& field : fields_of(request)) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(field.meaning.empty()) << field.name;
  }
}

TEST(RequestFields, HaveEveryNameOnceAndAHelpText) {
  expect_unique_names<Settings>();
  expect_unique_names<ScoreRequest>();
  expect_unique_names<CompareOptions>();
  expect_unique_names<CorrelateRequest>();
  expect_unique_names<EmbedRequest>();
  expect_unique_names<TrainRequest>();
  expect_unique_names<BaselineRequest>();
}

TEST(RequestJson, MetricsAreBoundedInNumber) {
  const EnvironmentVariable limit("MARKEVAL_MAX_METRICS", "2");
  EXPECT_ERROR(read<ScoreRequest>({{"metrics", json::array({"bleu", "chrf", "ter"})}}),
               ErrorCode::invalid_input, "3 metrics, more than 2 (MARKEVAL_MAX_METRICS sets this limit)");
  ScoreRequest request;
  request.metrics = {"bleu", "chrf", "ter"};
  EXPECT_ERROR(request::requested_metrics(request), ErrorCode::invalid_input, "3 metrics, more than 2");
}

TEST(RequestJson, SetsTheFieldsItNames) {
  const auto request = read<ScoreRequest>({{"metrics", json::array({"me:k=3", "bleu"})},
                                           {"seed", 7},
                                           {"clamp_k", true},
                                           {"precision", "bf16"},
                                           {"max_length", 64}});
  EXPECT_THAT(request.metrics, ElementsAre("me:k=3", "bleu"));
  EXPECT_EQ(request.seed, 7u);
  EXPECT_TRUE(request.clamp_k);
  EXPECT_EQ(request.encoder.precision, "bf16");
  EXPECT_EQ(request.encoder.max_length, 64u);
  EXPECT_EQ(request.encoder.model, "all-MiniLM-L6-v2");
  EXPECT_EQ(read<CompareOptions>({{"alpha", 0.01}}).alpha, 0.01);
  EXPECT_EQ(read<CorrelateRequest>({{"min_rows", 5}, {"tie_threshold", 0}}).min_rows, 5u);
  EXPECT_EQ(read<EmbedRequest>({{"layer", -2}}).layer, -2);
  EXPECT_EQ(read<EmbedRequest>({{"layer", "all"}}).layer, std::nullopt);
  EXPECT_EQ(read<ScoreRequest>({{"seed", UINT64_MAX}}).seed, UINT64_MAX);
}

TEST(RequestJson, LeavesDataToTheCaller) {
  EXPECT_EQ(read<ScoreRequest>({{"references", json::array()}, {"seed", 7}}, {"references"}).seed, 7u);
  EXPECT_ERROR(read<ScoreRequest>({{"refrences", json::array()}}, {"references"}), ErrorCode::usage,
               "unknown field 'refrences'; did you mean 'references'?");
}

TEST(RequestJson, NamesTheFieldThatIsWrong) {
  EXPECT_ERROR(read<ScoreRequest>(json::array()), ErrorCode::usage, "expected an object");
  EXPECT_ERROR(read<ScoreRequest>({{"max_lenght", 3}}), ErrorCode::usage, "did you mean 'max_length'?");
  EXPECT_ERROR(read<ScoreRequest>({{"max_length", "12"}}), ErrorCode::usage,
               "max_length is '12', expected a whole number from 3 to 1000000");
  EXPECT_ERROR(read<ScoreRequest>({{"max_length", 2}}), ErrorCode::usage, "max_length is 2, expected");
  EXPECT_ERROR(read<ScoreRequest>({{"seed", -1}}), ErrorCode::usage, "seed is -1, expected a whole number");
  EXPECT_ERROR(read<ScoreRequest>({{"seed", 1.5}}), ErrorCode::usage, "seed is 1.5, expected a whole number");
  EXPECT_ERROR(read<EmbedRequest>({{"layer", UINT64_MAX}}), ErrorCode::usage,
               "layer is 18446744073709551615, expected a layer's number");
  EXPECT_ERROR(read<EmbedRequest>({{"layer", INT64_MIN}}), ErrorCode::usage, "expected a layer's number");
  EXPECT_ERROR(read<ScoreRequest>({{"clamp_k", 1}}), ErrorCode::usage,
               "clamp_k is 1, expected true or false");
  EXPECT_EQ(read<ScoreRequest>({{"metrics", "bleu"}}).metrics, std::vector<Metric>{"bleu"});
  EXPECT_ERROR(read<ScoreRequest>({{"metrics", json::array({1})}}), ErrorCode::usage,
               "expected a list of strings");
  EXPECT_ERROR(read<ScoreRequest>({{"precision", "f23"}}), ErrorCode::usage,
               "unknown precision 'f23'; did you mean 'f32'?");
  EXPECT_ERROR(read<CompareOptions>({{"alpha", 1}}), ErrorCode::usage,
               "alpha is 1, expected a number between 0 and 1");
  EXPECT_ERROR(read<CorrelateRequest>({{"min_rows", 1}}), ErrorCode::usage, "min_rows is 1, expected");
  EXPECT_ERROR(read<EmbedRequest>({{"layer", "last"}}), ErrorCode::usage, "expected a layer's number");
}

TEST(RequestJson, RefusesFilesOfTheServer) {
  EXPECT_ERROR(read<ScoreRequest>({{"cache", "/tmp"}}), ErrorCode::usage, "cache names a file or a folder");
  EXPECT_ERROR(read<CorrelateRequest>({{"table", "t.tsv"}}), ErrorCode::usage, "table names a file");
  EXPECT_ERROR(read<ScoreRequest>({{"model", "../secret"}}), ErrorCode::usage, "model names a folder");
  EXPECT_ERROR(read<ScoreRequest>({{"model", ""}}), ErrorCode::usage, "model is empty, expected the name");
  EXPECT_ERROR(read<ScoreRequest>({{"metrics", json::array({"bertscore:rescale=/etc/passwd"})}}),
               ErrorCode::usage, "metrics names a file (rescale of bertscore)");
  EXPECT_ERROR(read<ScoreRequest>({{"metrics", json::array({"moverscore:idf=/etc/passwd"})}}),
               ErrorCode::usage, "metrics names a file (idf of moverscore)");
  EXPECT_ERROR(read<ScoreRequest>({{"metrics", json::array({"esim:weights=mine"})}}), ErrorCode::usage,
               "metrics names a file");
  EXPECT_THAT(read<ScoreRequest>({{"metrics", json::array({"meteor:wordnet=none"})}}).metrics,
              ElementsAre("meteor:wordnet=none"));
}

TEST(RequestJson, WritesWhatItReads) {
  EmbedRequest embed;
  embed.layer = 3;
  embed.pool = "cls";
  json written = json::parse(request::request_to_json(fields_of(embed)).dump());
  EXPECT_EQ(written["layer"], 3);
  EXPECT_EQ(written["max_length"], 0);
  for (const char* file : {"input", "output", "cache"}) written.erase(file);
  const auto again = read<EmbedRequest>(written);
  EXPECT_EQ(again.layer, 3);
  EXPECT_EQ(again.pool, "cls");
}

TEST(RequestSchema, TellsTypeDefaultAndLimits) {
  ScoreRequest request;
  const auto schema = request::request_schema(fields_of(request));
  EXPECT_EQ(
      schema["seed"].dump(),
      R"x({"type":"integer","minimum":0,"default":12345,"description":"For everything random (12345)"})x");
  EXPECT_EQ(schema["precision"]["enum"].dump(), R"(["f32","bf16"])");
  EXPECT_EQ(schema["max_length"]["anyOf"].dump(), R"([{"const":0},{"minimum":3,"maximum":1000000}])");
  EXPECT_FALSE(schema["max_length"].contains("default"));
  EXPECT_EQ(schema["metrics"]["items"]["type"], "string");
  EXPECT_FALSE(schema.contains("cache"));
}

TEST(RequestSchema, TakesWhatTheReaderTakes) {
  CorrelateRequest correlate;
  EXPECT_EQ(request::request_schema(fields_of(correlate))["min_rows"]["type"].dump(),
            R"(["integer","null"])");
  ScoreRequest score;
  const std::regex metric(
      request::request_schema(fields_of(score))["metrics"]["items"]["pattern"].get<std::string>());
  for (const char* good : {"chrf", "chrf++", "bertscore.f1:layer=2", "mine=me:k=3"})
    EXPECT_TRUE(std::regex_match(good, metric)) << good;
  for (const char* bad : {"", "chrfx", "blue", "chrf+"}) EXPECT_FALSE(std::regex_match(bad, metric)) << bad;
}

}  // namespace
}  // namespace markeval
