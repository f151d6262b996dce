// Which findings a person was warned of already: of each cause once, and of one kind no more than anybody
// reads.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "base/finding.hpp"

namespace markeval {

class ToldFindings {
 public:
  /// The warning, where it is still to be told; the last one of a kind adds that there are more. Else empty.
  std::string text_to_tell(const Finding& finding);

 private:
  std::set<std::string> told_;
  std::map<FindingKind, std::size_t> counts_;
};

}  // namespace markeval
