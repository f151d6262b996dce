#include "base/json_reader.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  fuzz::answer_or_error([&] {
    const nlohmann::json value = parse_json({reinterpret_cast<const char*>(data), size}, "a.json");
    fuzz::require_harmless(kind_of(value));
    fuzz::require_harmless(brief(value));
  });
  return 0;
}
