// What a page gathers during a run: examples, maps, files.
#include "score/html_report.hpp"
#include "score/set_picture.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/cpu.hpp"
#include "support/examples.hpp"
#include "support/temp_folder.hpp"

namespace markeval::score {
namespace {

/// Two references a line, in two files.
TextInputs inputs_of(std::size_t segments) {
  TextInputs inputs;
  inputs.references.resize(2);
  inputs.systems.resize(1);
  inputs.system_names = {"a"};
  for (std::size_t segment = 0; segment < segments; ++segment) {
    inputs.references[0].add("first");
    inputs.references[1].add("second");
    inputs.systems[0].add("text");
  }
  return inputs;
}

metric::PairExplanation explained(std::size_t segment, std::size_t reference, double score) {
  metric::PairExplanation explanation;
  explanation.metric = "moverscore";
  explanation.system = "a";
  explanation.segment = segment;
  explanation.reference = reference;
  explanation.scores = {{"moverscore", score}};
  return explanation;
}

std::vector<report::PairExamples> examples_of(const TextInputs& inputs, const std::vector<double>& scores) {
  const std::vector<Metric> requests{Metric("moverscore")};
  PairExampleKeeper keeper(inputs, requests);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!keeper.wants(i, 0, 0, std::span(scores).subspan(i, 1))) continue;
    keeper.offer(explained(i + 1, 1, scores[i] - 1));
    keeper.offer(explained(i + 1, 2, scores[i]));
  }
  return keeper.take();
}

std::vector<std::size_t> segments_of(const std::vector<metric::PairExplanation>& list) {
  std::vector<std::size_t> segments;
  for (const auto& explanation : list) segments.push_back(explanation.segment);
  return segments;
}

TEST(PageBuilder, HasNoPlaceForSourceTextsWithoutSegments) {
  ScoreRequest request;
  request.page = true;
  request.source_texts = {"ein Satz"};
  const TextInputs of_sets{};  // set metrics read no segments
  PageBuilder page(request);
  for (const auto& add : std::vector<std::function<void()>>{[&] { page.add_inputs(of_sets); },
                                                            [&] { page.add_inputs(VectorInputs{}); }}) {
    try {
      add();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("which set metrics have not got"), std::string::npos)
          << error.what();
    }
  }
}

TEST(PairExamples, AreTheBestAndTheWorstInOrder) {
  const auto examples = examples_of(inputs_of(8), {0.5, 0.1, 0.9, 0.3, 0.7, 0.2, 0.8, 0.1});
  ASSERT_EQ(examples.size(), 1u);
  EXPECT_EQ(segments_of(examples[0].best), (std::vector<std::size_t>{3, 7, 5}));
  EXPECT_EQ(segments_of(examples[0].worst), (std::vector<std::size_t>{2, 8, 6}));  // equal: the earlier first
}

TEST(PairExamples, AreHeldAgainstTheReferenceThatFitsBest) {
  const auto examples = examples_of(inputs_of(2), {0.5, 0.25});
  EXPECT_EQ(examples[0].best[0].reference, 2u);
}

TEST(PairExamples, OfFewSegmentsAreEachShownOnce) {
  const auto examples = examples_of(inputs_of(3), {0.5, 0.25, 0.75});
  EXPECT_EQ(segments_of(examples[0].best), (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ(segments_of(examples[0].worst), (std::vector<std::size_t>{2}));
}

TEST(PairExamples, PassOverEmptyTexts) {
  TextInputs inputs = inputs_of(3);
  inputs.systems[0].texts[0] = "";
  for (text::Corpus& file : inputs.references) file.texts[1] = "";
  const auto examples = examples_of(inputs, {0, 0, 0.5});
  EXPECT_EQ(segments_of(examples[0].best), (std::vector<std::size_t>{3}));
  EXPECT_TRUE(examples[0].worst.empty());
}

report::RowLookup rows_named(const std::string& name) {
  return [name](std::size_t row) { return report::RowOrigin{"folder/" + name, row + 1, false, "", "", 0}; };
}

report::SetPicture drawn(const metric::SetExplanation& explanation, const geometry::Points& reference,
                         const geometry::Points& system, testing::Cpu& cpu) {
  const auto engine = geometry::make_set_engine(*cpu.device);
  const geometry::SetId r = engine->add(reference, "r"), s = engine->add(system, "s");
  const report::RowLookup reference_row = rows_named("r");
  return SetPictures(*engine, r, reference_row).draw(explanation, s, rows_named("s"), {cpu.pool});
}

TEST(SetPicture, LiesInTheWidestPlaneAndMarksWhatIsOutside) {
  // Wide along the third column, less so along the first, not at all along the second.
  std::vector<double> reference, system;
  for (int i = 0; i < 50; ++i) {
    reference.insert(reference.end(), {i % 2 * 1.0, 5, i * 10.0});
    system.insert(system.end(), {i % 2 * 1.0, 5, i * 10.0 + 1});
  }
  metric::SetExplanation explanation;
  explanation.metric = "impar";
  explanation.system = "mine";
  explanation.off_manifold = {{7, 3, 2.5, 1.0}};
  testing::Cpu one(1), four(4);
  const geometry::Points r{MatrixView<const double>(reference.data(), 50, 3)},
      s{MatrixView<const double>(system.data(), 50, 3)};
  const auto picture = drawn(explanation, r, s, one);
  EXPECT_GT(picture.shares[0], 0.99);
  EXPECT_NEAR(picture.shares[0] + picture.shares[1], 1, 1e-6);
  ASSERT_EQ(picture.points.size(), 100u);
  EXPECT_NEAR(std::abs(picture.points[1].x - picture.points[0].x), 10, 0.1);
  EXPECT_EQ(picture.points[50 + 7].role, report::MapRole::off_manifold);
  EXPECT_EQ(picture.points[50 + 7].label, "g1");
  EXPECT_EQ(picture.points[50 + 8].role, report::MapRole::system);
  ASSERT_EQ(picture.off_manifold.size(), 1u);
  EXPECT_EQ(describe(picture.off_manifold[0].origin), "s, row 8");
  EXPECT_EQ(describe(picture.off_manifold[0].nearest), "r, row 4");
  EXPECT_EQ(picture.off_manifold[0].distance - picture.off_manifold[0].radius, 1.5);
  const auto again = drawn(explanation, r, s, four);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(picture.points[i].x, again.points[i].x);
}

TEST(SetPicture, OfOneColumnOrOneValueIsDrawn) {
  const std::vector<float> same(6, 1.0f);
  testing::Cpu pool(1);
  const geometry::Points points{MatrixView<const float>(same.data(), 6, 1)};
  const auto picture = drawn({}, points, points, pool);
  EXPECT_EQ(picture.points.size(), 12u);
  EXPECT_NEAR(picture.points[0].x, 0, 1e-12);
}

TEST(PageInput, HasTheChecksumOfTheFileBehindAColumn) {
  const TempFolder folder;
  const std::string path = folder.path() + "/t.tsv";
  std::ofstream(path) << "abc";
  const report::PageInput input = score::page_input("reference", path + ":ref");
  EXPECT_EQ(input.bytes, 3u);
  EXPECT_EQ(input.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(score::page_input("system", std::string("-")).sha256, "");
}

TEST(Page, IsThereOnlyWhereAskedForAndChangesNoResult) {
  ScoreRequest request{.references = {{"", kExamples + "/reference.txt"}},
                       .systems = {{"", kExamples + "/careful.txt"}, {"", kExamples + "/hasty.txt"}},
                       .metrics = {"chrf", "bleu"}};
  Evaluator evaluator;
  const Report plain = evaluator.score(request);
  EXPECT_THROW(plain.html(), Error);
  request.page = true;
  const Report paged = evaluator.score(request);
  EXPECT_EQ(plain.json(), paged.json());
  EXPECT_EQ(plain.tsv(), paged.tsv());
  const std::string page = paged.html({"markeval", "score"});
  EXPECT_NE(page.find("<title>careful and hasty against reference</title>"), std::string::npos);
  EXPECT_NE(page.find("Distribution: chrf"), std::string::npos);
  EXPECT_EQ(page, evaluator.score(request).html({"markeval", "score"}));
}

TEST(Page, OfVectorsHasAMapPerSystem) {
  ScoreRequest request{.references = {{"", kExamples + "/reference.npy"}},
                       .systems = {{"", kExamples + "/good.npy"}, {"", kExamples + "/poor.npy"}},
                       .metrics = {"fid", "impar", "me"}};
  request.page = true;
  const std::string page = Evaluator().score(request).html();
  EXPECT_NE(page.find("Map: good over the reference"), std::string::npos);
  EXPECT_NE(page.find("Map: poor over the reference"), std::string::npos);
  EXPECT_NE(page.find("poor.npy, row 69"), std::string::npos);
}

}  // namespace
}  // namespace markeval::score
