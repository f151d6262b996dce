#include <nlohmann/json.hpp>

#include "base/json_reader.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  fuzz::answer_or_error([&] {
    const JsonDocument document = parse_json({reinterpret_cast<const char*>(data), size}, "a.json");
    const nlohmann::json& value = *document;
    fuzz::require_harmless(kind_of(value));
    fuzz::require_harmless(brief(value));
  });
  return 0;
}
