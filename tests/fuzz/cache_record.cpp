#include <cstring>

#include "cache/record.hpp"
#include "fuzz/fuzz.hpp"

// One record of the cache: damaged, it is a miss; a right one comes back as it was.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  const cache::Key key = cache::make_key({}, "a text");
  const std::vector<std::byte> exact(reinterpret_cast<const std::byte*>(data),
                                     reinterpret_cast<const std::byte*>(data) + size);
  cache::CachedMatrix found;
  if (!cache::read_record(exact, key, found)) return 0;
  fuzz::require(found.values.size() == found.rows * found.columns, "sizes that contradict themselves");
  const auto again = cache::make_record(key, found.view(), found.note, size);
  fuzz::require(again && *again == exact, "another record of the same matrix");
  return 0;
}
