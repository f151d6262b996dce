// What a request says of every segment besides its texts: a group's label, the text it was made from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "request/score_request.hpp"

namespace markeval::score {

/// "genre" is a column of the first reference's table; "labels.txt" and "more.tsv:genre" are inputs like
/// others.
std::string column_named(const ScoreRequest& request, const std::string& column);

/// Throws Error(usage) where texts, groups and sources come from one stream, which can be read but once.
void require_inputs_once(const ScoreRequest& request);

/// One value for each segment. `what`: the field, for messages. Throws Error(usage) where no such file is
/// there.
std::vector<std::string> read_segment_column(std::string_view what, const std::string& column);

}  // namespace markeval::score
