// Where requests begin and end: what could be read in two ways is refused.
#include "serve/framing.hpp"

#include <gmock/gmock.h>

#include <cstdint>

namespace markeval::serve {
namespace {

using ::testing::HasSubstr;

std::string fault_with(const std::string& lines) {
  return fault_of_head("POST /v1/score HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n");
}

TEST(Framing, TakesUsualHeads) {
  EXPECT_EQ(fault_of_head("GET / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"), "");
  EXPECT_EQ(fault_with("Content-Length: 48\r\nContent-Type: application/json; charset=utf-8\r\n"), "");
  EXPECT_EQ(fault_with("Transfer-Encoding: Chunked\r\nX-Empty:\r\n"), "");
  EXPECT_EQ(fault_with("Accept: a\r\nAccept: b\r\nUser-Agent: caf\xc3\xa9\r\n"), "");
}

TEST(Framing, RefusesWhatTwoProgramsMayReadInTwoWays) {
  for (const auto& [lines, fault] :
       {std::pair{"Content-Length: 2\r\nContent-Length: 48\r\n", "content-length comes twice"},
        {"Content-Length: 48\r\ncontent-length: 48\r\n", "content-length comes twice"},
        {"host: evil.example\r\n", "host comes twice"},
        {"Content-Length : 48\r\n", "name is no word"},
        {"Transfer-Encoding : chunked\r\nContent-Length: 3\r\n", "name is no word"},
        {" folded: x\r\n", "name is no word"},
        {": x\r\n", "name is no word"},
        {"no colon\r\n", "without a colon"},
        {"A: x\nContent-Length: 3\r\n", "control character"},
        {"A: x\ry\r\n", "control character"},
        {"A: \x1b[31m\r\n", "control character"},
        {"Content-Length: 2, 48\r\n", "no number"},
        {"Content-Length: +2\r\n", "no number"},
        {"Content-Length:\r\n", "no number"},
        {"Transfer-Encoding: gzip, chunked\r\n", "expected chunked"},
        {"Transfer-Encoding: identity\r\n", "expected chunked"},
        {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "expected one"}})
    EXPECT_THAT(fault_with(lines), HasSubstr(fault)) << lines;
  EXPECT_THAT(fault_of_head("GET / HTTP/1.1\nHost: x\n\n"), HasSubstr("CR LF"));
  EXPECT_THAT(fault_of_head("\x1b]0;OWNED\x07 / HTTP/1.1\r\n\r\n"), HasSubstr("control character"));
}

/// The body, or "?" where it is none; bytes after the end of it are not looked at.
std::string unchunked(std::string_view bytes) {
  ChunkReader reader;
  std::string body;
  while (!reader.at_end() && !bytes.empty()) {
    const std::string_view piece = bytes.substr(0, reader.wanted());
    if (!reader.take(piece, body)) return "?";
    bytes.remove_prefix(piece.size());
  }
  return reader.at_end() ? body + (bytes.empty() ? "" : " then " + std::string(bytes)) : "cut";
}

TEST(Framing, TakesChunksApart) {
  EXPECT_EQ(unchunked("3\r\nabc\r\n0\r\n\r\n"), "abc");
  EXPECT_EQ(unchunked("0\r\n\r\nGET"), " then GET");
  EXPECT_EQ(unchunked("001\r\na\r\nA\r\n0123456789\r\n0\r\n\r\n"), "a0123456789");
  EXPECT_EQ(unchunked("3\r\nab"), "cut");
}

TEST(Framing, RefusesChunksThatDoNotEndWhereTheySay) {
  for (const char* wrong : {"3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc0\r\n\r\n", "3\nabc\r\n0\r\n\r\n", "\r\nabc",
                            "x\r\n", "-3\r\nabc", "3;ext=1\r\nabc\r\n0\r\n\r\n", "0\r\nTrailer: x\r\n\r\n",
                            " 3\r\nabc", "0x3\r\nabc", "ffffffffffffffff1\r\n"})
    EXPECT_EQ(unchunked(wrong), "?") << wrong;
}

}  // namespace
}  // namespace markeval::serve
