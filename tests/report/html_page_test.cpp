#include "report/html_page.hpp"

#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "report/cells.hpp"
#include "report/html_text.hpp"
#include "report/page_files.hpp"
#include "report/table_html.hpp"
#include "support/xml_check.hpp"

namespace markeval::report {
namespace {

using markeval::testing::XmlCheck;

PageFacts facts() {
  return {"a <b> title",
          "two systems",
          {"markeval", "score", "-r", "it's here.txt"},
          {{"reference", "<i>.txt", 1234, "abc", {{"segments", 5}}}, {"system a", "-", 0, ""}},
          {"careful & <slow>"}};
}

std::string base64(const std::string& hex) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes, out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

TEST(Page, BreaksNoOptionOfAWarningAfterItsDashes) {
  PageFacts facts;
  facts.title = "t";
  facts.warnings = {"texts are cut: --long window, or 'cut'"};
  const std::string page = html_page(facts, {{"One", "<p>x</p>"}});
  EXPECT_NE(page.find("<li>texts are cut: <span class=\"o\">--long</span> window, or &#39;cut&#39;</li>"),
            std::string::npos);
}

TEST(Escape, LeavesNothingThatIsMarkup) {
  EXPECT_EQ(escape("a < b & \"c\" 'd' >"), "a &lt; b &amp; &quot;c&quot; &#39;d&#39; &gt;");
}

TEST(Escape, ShowsControlCharactersAndMendsInvalidBytes) {
  EXPECT_EQ(escape(std::string("\0\x1b\x7f", 3)), "\u2400\u241b\u2421");
  EXPECT_EQ(escape("\xff|\xc3|\xed\xa0\x80|\xef\xbf\xbf"), "\ufffd|\ufffd|\ufffd\ufffd\ufffd|\ufffd");
  EXPECT_EQ(escape("gr\u00fc\u00dfe \U0001f600\tx\n"), "gr\u00fc\u00dfe \U0001f600\tx\n");
}

TEST(Numbers, AreShortAndHonest) {
  EXPECT_EQ(short_number(0.123456), "0.1235");
  EXPECT_EQ(short_number(0.000417), "0.0004") << "as many decimals as its neighbours";
  EXPECT_EQ(short_number(0), "0.0000");
  EXPECT_EQ(short_number(1.0 / 0.0), "infinite");
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(1200, "row"), "1,200 rows");
}

TEST(FitText, LeavesOutTheMiddle) {
  const std::string cut = fit_text("experiment_with_a_long_name_7", 10, 80);
  EXPECT_TRUE(cut.starts_with("exp")) << cut;
  EXPECT_TRUE(cut.ends_with("_7")) << cut;
}

TEST(FitText, CutsBetweenCharactersNotBytes) {
  EXPECT_EQ(fit_text("short", 10, 100), "short");
  const std::string cut = fit_text("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 10, 40);
  EXPECT_NE(cut.find("\u2026"), std::string::npos);
  EXPECT_EQ((cut.size() - 3) % 2, 0u);
  EXPECT_LE(text_width(cut, 10), 45);
}

TEST(Table, NumbersCarryWhatTheyAreSortedBy) {
  const std::string html =
      to_html(Table{"t", {"name", {"score", CellKind::number}}, {{"<a>", 0.5}, {"b", Cell()}}});
  EXPECT_EQ(XmlCheck(html, true).fault(), "");
  EXPECT_NE(
      html.find(
          "<th scope=\"row\">&lt;a&gt;</th><td data-label=\"score\" class=\"n\" data-v=\"0.5\">0.5000</td>"),
      std::string::npos)
      << html;
  EXPECT_NE(html.find("class=\"n\">-</td>"), std::string::npos);
}

TEST(Table, TellsWhereTheSmallestIsTheBest) {
  const std::string html = to_html(Table{"t", {"name", {"ter", CellKind::number, true}}, {{"a", 1.0}}});
  EXPECT_NE(html.find("<th scope=\"col\" class=\"n l\">ter</th>"), std::string::npos) << html;
}

TEST(Table, BecomesCardsOnAPhoneOnlyWhereItIsTooWide) {
  Table table{"t", {"name", {"score", CellKind::number}}, {{"a", 0.5}}};
  EXPECT_EQ(to_html(table).find("stack"), std::string::npos);
  table.columns[0].kind = CellKind::prose;
  EXPECT_NE(to_html(table).find("stack"), std::string::npos);
}

TEST(Table, LongNamesMayBeBroken) {
  const std::string html = to_html(Table{"t", {"name"}, {{"a_b"}, {std::string(40, 'x')}}});
  EXPECT_NE(html.find(">a_<wbr>b</th>"), std::string::npos) << html;
  EXPECT_NE(html.find("class=\"a\">xxxx"), std::string::npos) << html;
}

TEST(Page, IsWellFormedAndEscapesEverything) {
  const std::string page = html_page(facts(), {{"<Scores>", paragraph("1 < 2")}, {"Nothing", ""}});
  EXPECT_EQ(XmlCheck(page, true).fault(), "");
  EXPECT_EQ(XmlCheck(page, true).count("script"), 1u);
  EXPECT_NE(page.find("<title>a &lt;b&gt; title</title>"), std::string::npos);
  EXPECT_NE(page.find("careful &amp; &lt;slow&gt;"), std::string::npos);
  EXPECT_EQ(page.find("Nothing"), std::string::npos);
  EXPECT_NE(
      page.find(
          "<span class=\"o\">-r</span> <span class=\"o\">&#39;it&#39;\\&#39;&#39;s here.txt&#39;</span>"),
      std::string::npos);
}

TEST(Page, AsksNothingOfAnybody) {
  const std::string page = html_page(facts(), {{"Scores", paragraph("x")}});
  for (const char* address : {"http:", "https:", "src=", "@import", "url("})
    EXPECT_EQ(page.find(address), std::string::npos) << address;
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(Page, AllowsItsOwnScriptsByTheirHash) {
  for (const char* name : {"page.js", "explore.js"})
    EXPECT_EQ("sha256-" + base64(sha256_of(page_file(name))), script_hash(name));
  EXPECT_NE(html_page(facts(), {})
                .find("script-src '" + script_hash("page.js") + "' '" + script_hash("explore.js") + "'"),
            std::string::npos);
}

TEST(Page, HasNoCommentsAndIndentsOfItsFiles) {
  EXPECT_EQ(page_file("style.css").find("/*"), std::string::npos);
  for (const char* name : {"style.css", "page.js", "explore.js"}) {
    EXPECT_FALSE(page_file(name).empty());
    EXPECT_EQ(page_file(name).find("\n "), std::string::npos) << name;
    EXPECT_EQ(page_file(name).find("\n//"), std::string::npos) << name;
  }
}

TEST(Page, TheFindingIsTheHeadlineAndTheTitleStandsBelow) {
  PageFacts found = facts();
  EXPECT_NE(html_page(found, {}).find("<h1>a &lt;b&gt; title</h1>"), std::string::npos);
  found.headline = {name_html("a-b") + " is best", "Not tested."};
  const std::string page = html_page(found, {});
  EXPECT_NE(page.find("<h1><span class=\"o\">a-b</span> is best</h1>"), std::string::npos);
  EXPECT_NE(page.find("<p class=\"lead\">Not tested.</p>"), std::string::npos);
  EXPECT_NE(page.find("<p class=\"about\">a &lt;b&gt; title \u00b7 two systems</p>"), std::string::npos);
}

TEST(Page, IsTheSameBytesEachTime) {
  EXPECT_EQ(html_page(facts(), {{"a", "<p>b</p>"}}), html_page(facts(), {{"a", "<p>b</p>"}}));
}

TEST(ShellWords, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_words({"a", "b c", "", "d'e", "x:y=1,z"}), "a 'b c' '' 'd'\\''e' x:y=1,z");
}

}  // namespace
}  // namespace markeval::report
