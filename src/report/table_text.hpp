// Tables for people: aligned text, Markdown and LaTeX.
#pragma once

#include <string>

#include "base/text_options.hpp"
#include "report/table.hpp"

namespace markeval::report {

/// The table in the style of the options. Text stays within 80 characters where names allow it and the table
/// may go on below. The best number is bold in Markdown and LaTeX; a star stands where a system is better
/// than the first one given, a dagger where it is worse.
std::string to_text(const Table& table, const TextOptions& options = {});

/// A name may hold what a terminal, Markdown or LaTeX takes for a command.
std::string escaped(const std::string& text, TableStyle style);

}  // namespace markeval::report
