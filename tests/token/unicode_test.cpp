#include "token/unicode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "token/normal_forms.hpp"

namespace markeval::token {
namespace {

using ::testing::ElementsAre;

std::vector<std::size_t> cluster_bytes(const std::string& text) {
  std::vector<std::size_t> bytes;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t end = cluster_end(text, position);
    bytes.push_back(end - position);
    position = end;
  }
  return bytes;
}

TEST(Clusters, FollowTheRulesOfUnicode) {
  EXPECT_THAT(cluster_bytes("ab"), ElementsAre(1, 1));
  EXPECT_THAT(cluster_bytes("\r\n\n"), ElementsAre(2, 1));
  EXPECT_THAT(cluster_bytes("e\u0301x"), ElementsAre(3, 1));
  EXPECT_THAT(cluster_bytes("\n\u0301"), ElementsAre(1, 2));
  EXPECT_THAT(cluster_bytes("\u1100\u1161\u11A8\uAC00\u11A8"), ElementsAre(9, 6));
  EXPECT_THAT(cluster_bytes("\U0001F1E9\U0001F1EA\U0001F1E9"), ElementsAre(8, 4));
  EXPECT_THAT(cluster_bytes("\U0001F468\u200D\U0001F469x"), ElementsAre(11, 1));
  EXPECT_THAT(cluster_bytes("a\u200D\U0001F469"), ElementsAre(4, 4));
  EXPECT_THAT(cluster_bytes("\u0915\u094D\u0937"), ElementsAre(9));
  EXPECT_THAT(cluster_bytes("\u0915\u0937"), ElementsAre(3, 3));
  EXPECT_THAT(cluster_bytes("\u0600x"), ElementsAre(3));
}

std::string form(std::string text, NormalForm which) {
  AlignedText aligned;
  aligned.text = std::move(text);
  NormalizerScratch scratch;
  apply_normal_form(aligned, which, scratch);
  return aligned.text;
}

TEST(NormalForms, DecomposeAndComposeAgain) {
  EXPECT_EQ(form("\u1E69", NormalForm::nfd), "s\u0323\u0307");
  EXPECT_EQ(form("s\u0307\u0323", NormalForm::nfd), "s\u0323\u0307");
  EXPECT_EQ(form("s\u0307\u0323", NormalForm::nfc), "\u1E69");
  EXPECT_EQ(form("\uFB01\u00BD", NormalForm::nfkd), "fi1\u20442");
  EXPECT_EQ(form("\uFB01", NormalForm::nfc), "\uFB01");
  EXPECT_EQ(form("\uAC01", NormalForm::nfd), "\u1100\u1161\u11A8");
  EXPECT_EQ(form("\u1100\u1161\u11A8", NormalForm::nfc), "\uAC01");
  EXPECT_EQ(form("\u212B", NormalForm::nfc), "\u00C5");
  EXPECT_EQ(form("\u0958", NormalForm::nfc), "\u0915\u093C");  // excluded from composition
  EXPECT_EQ(form("a\u0334\u0301", NormalForm::nfc), "\u00E1\u0334");
}

TEST(NormalForms, ComposeEveryCharacterThatTheTablesSayComposes) {
  const UnicodeData& unicode = UnicodeData::get();
  std::size_t checked = 0;
  for (char32_t c = 0x80; c < 0x30000; ++c) {
    if (!unicode.has(c, kComposes)) continue;
    std::string whole;
    text::append(whole, c);
    ASSERT_EQ(form(form(whole, NormalForm::nfd), NormalForm::nfc), whole);
    ++checked;
  }
  EXPECT_GT(checked, 900U);
}

TEST(Unicode, KnowsTheMixtureOfVersions) {
  const UnicodeData& unicode = UnicodeData::get();
  EXPECT_TRUE(unicode.has(U'\u3000', kWhiteSpace));
  EXPECT_TRUE(unicode.has(U'$', kPunctuation));  // ASCII symbols count
  EXPECT_FALSE(unicode.has(U'\u20AC', kPunctuation));
  EXPECT_FALSE(unicode.has(U'\u0378', kOther));  // unassigned is not "other" there
  EXPECT_TRUE(unicode.has(U'\u200B', kOther));
  EXPECT_EQ(static_cast<std::uint32_t>(unicode.lower(U'\u1E9E')), 0xDFU);
  EXPECT_EQ(unicode[U'\u0345'].combining_class, 240);
  EXPECT_TRUE(is_bert_ideograph(U'\u4E2D'));
  EXPECT_FALSE(is_bert_ideograph(U'\uAC00'));
}

}  // namespace
}  // namespace markeval::token
