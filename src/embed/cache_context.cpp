#include "embed/cache_context.hpp"

#include <algorithm>

namespace markeval::embed {

CacheContext::CacheContext(std::vector<Setting> settings) {
  std::sort(settings.begin(), settings.end());
  // Lengths go first, so that no two lists of settings write the same bytes: {"a", "b=c"} is not {"a=b",
  // "c"}.
  std::string canonical;
  for (const auto& [name, value] : settings) {
    canonical += std::to_string(name.size()) + ":" + name + std::to_string(value.size()) + ":" + value;
  }
  prefix_ = cache::make_key({}, canonical);
}

}  // namespace markeval::embed
