#include "fuzz/fuzz.hpp"
#include "metric/registry.hpp"

// "me:k=3,samples=word": a request as a user types it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  fuzz::answer_or_error([&] {
    const Metric request = std::string_view{reinterpret_cast<const char*>(data), size};
    fuzz::require(request.info != nullptr, "a request for nothing");
    for (const auto& option : request.info->options) request.options.shown(option.name);
  });
  return 0;
}
