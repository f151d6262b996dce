// What systems are called in results.
#pragma once

#include <string>
#include <vector>

#include "request/score_request.hpp"

namespace markeval::request {

/// The name given, else the file's without folder and endings: "out/good.npy.gz" -> "good"; columns of
/// files of one name are called by the column: "wmt.tsv:uedin" -> "uedin". Throws
/// Error(usage) where two are the same.
std::vector<std::string> system_names(const ScoreRequest& request);

}  // namespace markeval::request
