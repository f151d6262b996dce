#include <string>

#include "fuzz/fuzz.hpp"
#include "serve/framing.hpp"

// Bytes of a connection: a head that is taken has one length at most, and a body in chunks is what its chunks
// hold, however the bytes are cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (serve::fault_of_head(bytes).empty()) {
    const std::string_view head = bytes.substr(0, bytes.find("\r\n\r\n"));
    std::size_t lengths = 0;
    std::string lower(head);
    for (char& letter : lower)
      letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
    for (const char* name : {"\r\ncontent-length:", "\r\ntransfer-encoding:"})
      for (std::size_t at = lower.find(name); at != std::string::npos; at = lower.find(name, at + 1))
        ++lengths;
    fuzz::require(lengths <= 1, "one length");
    fuzz::require(lower.find('\x1b') == std::string::npos, "no escape sequence");
  }
  const auto read = [&](std::size_t most) {
    serve::ChunkReader reader;
    std::string body;
    std::string_view left = bytes;
    while (!reader.at_end() && !left.empty()) {
      const std::string_view piece = left.substr(0, std::min(most, reader.wanted()));
      if (!reader.take(piece, body)) return std::string("no body");
      left.remove_prefix(piece.size());
    }
    return std::to_string(left.size()) + (reader.at_end() ? " whole " : " cut ") + body;
  };
  fuzz::require(read(1) == read(size + 1), "however it is cut");
  return 0;
}
