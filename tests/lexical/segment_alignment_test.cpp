#include "lexical/segment_alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "base/random.hpp"

namespace markeval::lexical {
namespace {

using Words = std::vector<std::uint32_t>;

SegmentAlignment align(const Words& text, const Words& reference, const std::vector<std::size_t>& ends) {
  ThreadPool pool(1);
  const std::u32string text_marks(text.size(), U'\0'), reference_marks(reference.size(), U'\0');
  return align_segments({text, text_marks}, {reference, reference_marks}, ends, RunContext{pool});
}

/// Plain edit distance of text[a, b) and reference[c, d).
std::size_t distance(const Words& text, std::size_t a, std::size_t b, const Words& reference, std::size_t c,
                     std::size_t d) {
  std::vector<std::vector<std::size_t>> table(b - a + 1, std::vector<std::size_t>(d - c + 1));
  for (std::size_t i = 0; i <= b - a; ++i) {
    for (std::size_t j = 0; j <= d - c; ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
      } else {
        table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                                table[i - 1][j - 1] + (text[a + i - 1] == reference[c + j - 1] ? 0 : 1)});
      }
    }
  }
  return table[b - a][d - c];
}

/// Tries all cuts; of the best ones the latest place of each end.
SegmentAlignment slow_align(const Words& text, const Words& reference, const std::vector<std::size_t>& ends) {
  SegmentAlignment best;
  best.edits = static_cast<std::size_t>(-1);
  std::vector<std::size_t> cut;
  const auto go_on = [&](const auto& self, std::size_t edits) -> void {
    const std::size_t segment = cut.size();
    const std::size_t from = segment == 0 ? 0 : cut.back(), row = segment == 0 ? 0 : ends[segment - 1];
    if (segment + 1 == ends.size()) {
      edits += distance(text, from, text.size(), reference, row, ends.back());
      cut.push_back(text.size());
      if (edits < best.edits) best = {cut, edits};
      if (edits == best.edits) {
        for (std::size_t i = 0; i < cut.size(); ++i) best.ends[i] = std::max(best.ends[i], cut[i]);
      }
      cut.pop_back();
      return;
    }
    for (std::size_t end = from; end <= text.size(); ++end) {
      const std::size_t more = distance(text, from, end, reference, row, ends[segment]);
      cut.push_back(end);
      self(self, edits + more);
      cut.pop_back();
    }
  };
  go_on(go_on, 0);
  return best;
}

TEST(SegmentAlignment, EqualsTheBestOfAllCuts) {
  RandomStream random(3, 0);
  for (int round = 0; round < 400; ++round) {
    Words text(random.below(10)), reference(random.below(12));
    for (auto& word : text) word = static_cast<std::uint32_t>(random.below(4));
    for (auto& word : reference) word = static_cast<std::uint32_t>(random.below(4));
    std::vector<std::size_t> ends(1 + random.below(4));
    for (auto& end : ends) end = random.below(reference.size() + 1);
    ends.back() = reference.size();
    std::sort(ends.begin(), ends.end());
    const SegmentAlignment slow = slow_align(text, reference, ends), fast = align(text, reference, ends);
    ASSERT_EQ(fast.edits, slow.edits) << "round " << round;
    ASSERT_EQ(fast.ends, slow.ends) << "round " << round;
    std::size_t edits = 0;
    for (std::size_t i = 0; i < ends.size(); ++i)
      edits += distance(text, i == 0 ? 0 : fast.ends[i - 1], fast.ends[i], reference,
                        i == 0 ? 0 : ends[i - 1], ends[i]);
    ASSERT_EQ(edits, fast.edits) << "the cuts have the edits they claim";
  }
}

TEST(SegmentAlignment, OfTheReferenceItselfIsItsOwnLines) {
  RandomStream random(4, 0);
  Words reference;
  std::vector<std::size_t> ends;
  for (int segment = 0; segment < 300; ++segment) {
    for (std::uint64_t n = 1 + random.below(20); n > 0; --n)
      reference.push_back(static_cast<std::uint32_t>(reference.size()));
    ends.push_back(reference.size());
  }
  const SegmentAlignment found = align(reference, reference, ends);
  EXPECT_EQ(found.ends, ends);
  EXPECT_EQ(found.edits, 0u);
}

TEST(SegmentAlignment, OfEqualCutsTakesTheOneBehindTheMarkOfTheLine) {
  ThreadPool pool(1);
  // Word 7 matches nothing. It may replace word 2 or word 3.
  const Words text{1, 7, 4}, reference{1, 2, 3, 4};
  const std::vector<std::size_t> ends{2, 4};
  const std::u32string none(4, U'\0');
  const auto cut_at = [&](std::u32string_view text_marks, std::u32string_view reference_marks) {
    return align_segments({text, text_marks}, {reference, reference_marks}, ends, RunContext{pool}).ends[0];
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(cut_at(U"\0\0\0"sv, none), 2u) << "the latest";
  EXPECT_EQ(cut_at(U".\0\0"sv, U"\0.\0\0"sv), 1u) << "behind the full stop";
  EXPECT_EQ(cut_at(U"\0.\0"sv, U"\0.\0\0"sv), 2u);
  EXPECT_EQ(cut_at(U"?\0\0"sv, U"\0.\0\0"sv), 2u) << "another mark";
}

TEST(SegmentAlignment, OfNothingIsNothing) {
  EXPECT_EQ(align({}, {1, 2}, {1, 2}).ends, (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(align({}, {1, 2}, {1, 2}).edits, 2u);
  EXPECT_EQ(align({5, 6}, {}, {0}).ends, (std::vector<std::size_t>{2}));
  EXPECT_TRUE(align({}, {}, {}).ends.empty());
}

TEST(SegmentAlignment, StopsOnRequest) {
  ThreadPool pool(1);
  const std::atomic<bool> stop = true;
  const Words words{1, 2, 3};
  const std::vector<std::size_t> ends{1, 3};
  const std::u32string marks(words.size(), U'\0');
  EXPECT_THROW(
      align_segments({words, marks}, {words, marks}, ends, RunContext{pool, nullptr, nullptr, &stop}), Error);
}

}  // namespace
}  // namespace markeval::lexical
