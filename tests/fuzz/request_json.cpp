#include "request/json.hpp"

#include "base/json_reader.hpp"
#include "fuzz/fuzz.hpp"
#include "request/fields.hpp"
#include "request/score_request.hpp"

// The body of a request as a client sends it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  fuzz::answer_or_error([&] {
    ScoreRequest request;
    request::read_request(parse_json({reinterpret_cast<const char*>(data), size}, "the request"),
                          fields_of(request));
  });
  return 0;
}
