// Where a request begins and ends on a connection, read strictly: what two programs on its way could read in
// two ways is refused, so that nothing in a body is ever taken for a request.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace markeval::serve {

/// What is wrong with the head of a request, its bytes as they came, for a message; empty: nothing.
///   "Content-Length comes twice", "a header line without a colon"
std::string fault_of_head(std::string_view head);

/// Takes a body in chunks apart (RFC 9112, 7.1), without extensions and trailers.
class ChunkReader {
 public:
  /// How many bytes may be read at once: never more than belong to the body. 0 at its end.
  std::size_t wanted() const;
  /// The next bytes, at most as many as wanted; those of the body are appended. False: this is no such body.
  bool take(std::string_view bytes, std::string& body);
  bool at_end() const { return state_ == State::end; }

 private:
  enum class State { first_digit, size, size_end, data, data_return, data_end, last_return, last_end, end };
  bool take_sign(char sign);

  State state_ = State::first_digit;
  std::size_t left_ = 0;  ///< of the chunk
};

}  // namespace markeval::serve
