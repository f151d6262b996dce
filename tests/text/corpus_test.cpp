#include "text/corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "base/error.hpp"
#include "support/environment.hpp"
#include "support/gzip.hpp"
#include "support/temp_folder.hpp"
#include "text/table_reader.hpp"

namespace markeval::text {
namespace {

using ::testing::ElementsAre;

std::string write_gzip(const TempFolder& folder, const std::string& name, const std::string& content) {
  const std::string path = folder.file(name);
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  return path;
}

TEST(Corpus, ReadsPlainLinesWithAnyLineEndBomAndNoLastNewline) {
  const TempFolder folder;
  EXPECT_THAT(read_corpus(folder.write("a.txt", "one\ntwo\n")).texts, ElementsAre("one", "two"));
  EXPECT_THAT(read_corpus(folder.write("b.txt", "one\r\n\r\ntwo")).texts, ElementsAre("one", "", "two"));
  EXPECT_THAT(read_corpus(folder.write("c.txt", "\xEF\xBB\xBFone\n")).texts, ElementsAre("one"));
  EXPECT_THAT(read_corpus(folder.write("d.txt", "x\ry\n")).texts, ElementsAre("x\ry"));
}

TEST(Corpus, CountsEmptyTexts) {
  const TempFolder folder;
  const Corpus corpus = read_corpus(folder.write("a.txt", "one\n\n \t\ntwo\n"));
  EXPECT_EQ(corpus.counts.segments, 4U);
  EXPECT_EQ(corpus.counts.empty, 2U);
}

TEST(Corpus, ReadsATsvColumn) {
  const TempFolder folder;
  const std::string path = folder.write("t.tsv", "sid\tref\thyp\r\n1\ta b\tc\r\n2\t\td\r\n");
  EXPECT_THAT(read_corpus(path + ":ref").texts, ElementsAre("a b", ""));
  EXPECT_THAT(read_corpus(path + ":hyp").texts, ElementsAre("c", "d"));
}

TEST(Corpus, ReadsJsonlStringsAndLists) {
  const TempFolder folder;
  const std::string path = folder.write(
      "t.jsonl", "{\"hyp\": \"x\\ty\", \"refs\": [\"a\", \"b\"]}\n{\"refs\": [\"\\u00e9\"], \"hyp\": \"z\"}");
  EXPECT_THAT(read_corpus(path + ":hyp").texts, ElementsAre("x\ty", "z"));
  const Corpus references = read_corpus(path + ":refs");
  EXPECT_THAT(references.texts, ElementsAre("a", "b", "\u00E9"));
  EXPECT_THAT(references.starts, ElementsAre(0U, 2U, 3U));
  EXPECT_EQ(references.segment(0).size(), 2U);
}

TEST(Corpus, ReadsGzipOfEachKind) {
  const TempFolder folder;
  EXPECT_THAT(read_corpus(write_gzip(folder, "a.txt.gz", "one\ntwo")).texts, ElementsAre("one", "two"));
  EXPECT_THAT(read_corpus(write_gzip(folder, "a.tsv.gz", "x\ty\n1\t2\n") + ":y").texts, ElementsAre("2"));
  EXPECT_THAT(read_corpus(write_gzip(folder, "a.jsonl.gz", "{\"x\":\"1\"}\n") + ":x").texts,
              ElementsAre("1"));
}

TEST(Corpus, ReadsLinesLongerThanABlock) {
  const TempFolder folder;
  const std::string longest(3'000'000, 'x');
  const Corpus corpus = read_corpus(folder.write("a.txt", "a\n" + longest + "\nb\n"));
  ASSERT_EQ(corpus.texts.size(), 3U);
  EXPECT_EQ(corpus.texts[1], longest);
  EXPECT_EQ(corpus.texts[2], "b");
}

TEST(Corpus, KeepsEveryLineOfAFileOfManyBlocks) {
  const TempFolder folder;
  std::string content;
  for (int line = 0; line < 200'000; ++line) content += "line " + std::to_string(line) + "\n";
  const Corpus corpus = read_corpus(write_gzip(folder, "a.txt.gz", content));
  ASSERT_EQ(corpus.texts.size(), 200'000U);
  for (std::size_t line = 0; line < corpus.texts.size(); line += 997) {
    ASSERT_EQ(corpus.texts[line], "line " + std::to_string(line));
  }
}

TEST(Corpus, InvalidUtf8IsAnErrorWithFileAndLine) {
  const TempFolder folder;
  const std::string path = folder.write("a.txt", "good\nab\xFFz\n");
  EXPECT_ERROR(read_corpus(path), ErrorCode::invalid_input, "a.txt:2: invalid UTF-8 at byte 3 (0xff)");
  const std::string utf16 = folder.write("w.txt", std::string("\xFF\xFEh\0i\0", 6));
  EXPECT_ERROR(read_corpus(utf16), ErrorCode::invalid_input, "looks like UTF-16");
}

TEST(Corpus, InvalidUtf8IsReplacedAndCountedOnRequest) {
  const TempFolder folder;
  const Corpus corpus =
      read_corpus(folder.write("a.txt", "ab\xFFz\n\xC3\ngood\n"), {.replace_invalid = true});
  EXPECT_THAT(corpus.texts, ElementsAre("ab\uFFFDz", "\uFFFD", "good"));
  EXPECT_EQ(corpus.counts.replaced, 2U);
}

TEST(Corpus, EmptyInputsAreErrorsThatNameTheFile) {
  const TempFolder folder;
  EXPECT_ERROR(read_corpus(folder.write("a.txt", "")), ErrorCode::invalid_input, "a.txt: empty, expected");
  EXPECT_ERROR(read_corpus(folder.write("b.txt", "\xEF\xBB\xBF")), ErrorCode::invalid_input, "b.txt: empty");
  EXPECT_ERROR(read_corpus(folder.write("a.tsv", "") + ":x"), ErrorCode::invalid_input,
               "a.tsv: empty, expected a header");
  EXPECT_ERROR(read_corpus(folder.write("b.tsv", "x\ty\n") + ":x"), ErrorCode::invalid_input,
               "b.tsv: a header but no rows");
}

TEST(Corpus, UnknownColumnNamesTheClosest) {
  const TempFolder folder;
  const std::string path = folder.write("t.tsv", "sid\treference\n1\ta\n");
  EXPECT_ERROR(read_corpus(path + ":refrence"), ErrorCode::usage,
               "no column 'refrence'; did you mean 'reference'?");
  EXPECT_ERROR(read_corpus(path), ErrorCode::usage, "which column? expected");
  EXPECT_ERROR(read_corpus(path), ErrorCode::usage, "(columns: sid, reference)");
  const std::string twice = folder.write("u.tsv", "x\tx\n1\t2\n");
  EXPECT_ERROR(read_corpus(twice + ":x"), ErrorCode::invalid_input, "two columns are named 'x'");
  const std::string plain = folder.write("p.txt", "a\n");
  EXPECT_ERROR(read_corpus(plain + ":ref"), ErrorCode::usage, "plain text has no column 'ref'");
}

TEST(Corpus, ColumnCountThatDiffersIsAnErrorWithLine) {
  const TempFolder folder;
  const std::string path = folder.write("t.tsv", "a\tb\tc\n1\t2\t3\n1\t2\n");
  EXPECT_ERROR(read_corpus(path + ":a"), ErrorCode::invalid_input, "t.tsv:3: 2 columns, expected 3");
}

TEST(Corpus, BadJsonlIsAnErrorWithLine) {
  const TempFolder folder;
  const auto read = [&](const std::string& content) {
    read_corpus(folder.write("t.jsonl", content) + ":ref");
  };
  EXPECT_ERROR(read("{\"ref\":\"a\"}\n{\"ref\"\n"), ErrorCode::invalid_input, "t.jsonl:2: not JSON");
  EXPECT_ERROR(read("[1]\n"), ErrorCode::invalid_input, "t.jsonl:1: a list, expected a JSON object");
  EXPECT_ERROR(read("\n"), ErrorCode::invalid_input, "t.jsonl:1: an empty line");
  EXPECT_ERROR(read("{\"refs\":\"a\"}\n"), ErrorCode::usage,
               "t.jsonl:1: no field 'ref'; did you mean 'refs'? (fields: refs)");
  EXPECT_ERROR(read("{\"ref\":\"a\"}\n{\"x\":\"a\"}\n"), ErrorCode::invalid_input,
               "t.jsonl:2: no field 'ref' (fields: x)");
  EXPECT_ERROR(read("{\"ref\":1}\n"), ErrorCode::invalid_input, "field 'ref' is a number, expected a string");
  EXPECT_ERROR(read("{\"ref\":[]}\n"), ErrorCode::invalid_input, "an empty list");
  EXPECT_ERROR(read("{\"ref\":[\"a\",null]}\n"), ErrorCode::invalid_input, "lists null, expected strings");
  EXPECT_ERROR(read_corpus(folder.file("t.jsonl")), ErrorCode::usage, "which field?");
}

TEST(Corpus, DamagedGzipIsAnError) {
  const TempFolder folder;
  EXPECT_ERROR(read_corpus(folder.write("plain.txt.gz", "one\n")), ErrorCode::invalid_input, "not gzip data");
  std::string content;
  for (int line = 0; line < 5000; ++line) content += std::to_string(line * 7919) + "\n";
  const std::string whole = write_gzip(folder, "w.txt.gz", content);
  std::ifstream in(whole, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_ERROR(read_corpus(folder.write("cut.txt.gz", bytes.substr(0, bytes.size() / 2))),
               ErrorCode::invalid_input, "cut off");
  EXPECT_ERROR(read_corpus(folder.write("more.txt.gz", bytes + "garbage")), ErrorCode::invalid_input,
               "more.txt.gz: something else follows the gzip data");
  EXPECT_ERROR(read_corpus(folder.write("two.txt.gz", bytes + bytes.substr(0, 1))), ErrorCode::invalid_input,
               "two.txt.gz: gzip data end too early; the file is cut off");
  EXPECT_ERROR(read_corpus(folder.write("nothing.txt.gz", "")), ErrorCode::invalid_input,
               "nothing.txt.gz: gzip data end too early; the file is cut off");
  std::string damaged = bytes;
  for (std::size_t i = 100; i < 140; ++i) damaged[i] = static_cast<char>(~damaged[i]);
  EXPECT_ERROR(read_corpus(folder.write("bad.txt.gz", damaged)), ErrorCode::invalid_input, "bad.txt.gz: ");
}

TEST(Corpus, MissingFilesAndFoldersAreErrors) {
  const TempFolder folder;
  EXPECT_ERROR(read_corpus(folder.file("none.txt")), ErrorCode::io, "none.txt: cannot open: No such file");
  EXPECT_ERROR(read_corpus(folder.path()), ErrorCode::io, "cannot read: Is a directory");
  EXPECT_ERROR(read_corpus(folder.file("none.tsv") + ":x"), ErrorCode::io, "none.tsv: cannot open");
  EXPECT_ERROR(read_corpus(""), ErrorCode::usage, "an input is empty");
}

TEST(Corpus, AFileWhoseNameHoldsAColonIsReadAsItIs) {
  const TempFolder folder;
  EXPECT_THAT(read_corpus(folder.write("12:30.txt", "one\n")).texts, ElementsAre("one"));
}

TEST(SegmentReader, TellsTheLineOfEachSegment) {
  const TempFolder folder;
  SegmentReader reader(folder.write("t.tsv", "a\nx\ny\n") + ":a");
  std::span<const std::string_view> texts;
  ASSERT_TRUE(reader.next(texts));
  EXPECT_EQ(reader.line_number(), 2U);
  EXPECT_EQ(texts[0], "x");
  ASSERT_TRUE(reader.next(texts));
  EXPECT_FALSE(reader.next(texts));
  EXPECT_EQ(reader.counts().segments, 2U);
}

TEST(Corpus, ReadsColumnsOfCsv) {
  const TempFolder folder;
  const std::string path = folder.write("t.csv", "id,text\n1,\"a, \"\"b\"\"\"\n2,c\n");
  const Corpus corpus = read_corpus(path + ":text");
  EXPECT_EQ(corpus.texts, (std::vector<std::string>{"a, \"b\"", "c"}));
  EXPECT_ERROR(read_corpus(path), ErrorCode::usage, "t.csv: which column? expected");
  const std::string blanks = folder.write("b.csv", "id text\n1 a\n");
  EXPECT_ERROR(read_corpus(blanks + ":text"), ErrorCode::usage,
               "b.csv: no column 'text': the header is one column, 'id text', expected commas");
}

TEST(Corpus, WhatFollowsAClosingQuoteIsAnError) {
  const TempFolder folder;
  const std::string path = folder.write("t.csv", "id,text\n1,\"x\"yz\n");
  EXPECT_ERROR(read_corpus(path + ":text"), ErrorCode::invalid_input,
               "t.csv:2: 'y' behind a closing quote, expected a comma");
}

TEST(Corpus, TheNumberOfLinesIsBounded) {
  // A gzip file of 4 MB can hold 4,000,000,000 line ends.
  const TempFolder folder;
  const EnvironmentVariable lines("MARKEVAL_MAX_LINES", "1000");
  const std::string path = folder.write("t.txt.gz", gzip(std::string(1001, '\n')));
  EXPECT_ERROR(read_corpus(path), ErrorCode::invalid_input,
               "t.txt.gz: 1001 lines, more than 1000 (MARKEVAL_MAX_LINES sets this limit)");
  folder.write("t.txt.gz", gzip(std::string(1000, '\n')));
  EXPECT_EQ(read_corpus(path).segments(), 1000u);
}

TEST(TableReader, GivesAllCells) {
  const TempFolder folder;
  TableReader table(folder.write("t.tsv", "a\tb\n1\t\n"));
  std::vector<std::string_view> cells;
  ASSERT_TRUE(table.next(cells));
  EXPECT_THAT(cells, ElementsAre("1", ""));
  EXPECT_EQ(table.column("b"), 1U);
}

}  // namespace
}  // namespace markeval::text
