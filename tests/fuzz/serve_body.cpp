#include "base/json_reader.hpp"
#include "fuzz/fuzz.hpp"
#include "serve/work_request.hpp"

// The body of a request for work, as the server reads it: the first byte chooses the kind.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  if (size == 0) return 0;
  const auto kind = static_cast<serve::WorkKind>(data[0] % 4);
  fuzz::answer_or_error([&] {
    nlohmann::json body =
        parse_json_object({reinterpret_cast<const char*>(data) + 1, size - 1}, "the request");
    const auto request = serve::read_work_request(kind, body, {"tiny", "none", 1000});
    request->needs_encoder();
    std::size_t texts = request->references.lines.size() + request->inputs.size();
    for (const auto& system : request->systems) texts += system.lines.size();
    if (kind != serve::WorkKind::correlate) fuzz::require(texts == request->texts, "every text is counted");
  });
  return 0;
}
