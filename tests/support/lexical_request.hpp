// The lexical metrics behind one JSON request, for the golden tests and for tests/parity/lexical.py.
//   {"metric": "bleu", "options": {...}, "references": [["r1", "r2"], ...], "systems": [["s1", ...], ...]}
#pragma once

#include <nlohmann/json.hpp>

namespace markeval::test {

/// Statistics, segment scores, score and signature of each system; with "paired_bs" or "paired_ar" a paired
/// test too.
nlohmann::json answer(const nlohmann::json& request);

}  // namespace markeval::test
