// The fields of requests (request/fields) as options of a command.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "request/fields.hpp"

namespace markeval::cli {

using request::Field;

/// Adds an option for every field that has one; what the fields point to must live as long as the command.
/// Once the command is chosen, puts what was given where the fields say, and calls `run`. Throws
/// Error(usage):
///   "--threads 'x', expected a whole number from 1 to 4096", "--format 'jsno'; did you mean 'json'?"
void run_when_chosen(CLI::App& command, const std::vector<Field>& fields, std::function<void()> run);

/// What every command takes that has a result to show.
struct CommonOptions {
  std::string format;  ///< empty until choose_format()
  std::string output;  ///< empty: standard output
  bool quiet = false;
  std::string_view formats{};  ///< "text|json|tsv"
};
std::vector<Field> fields_of(CommonOptions& options, std::string_view formats = "text|json|tsv|csv");

/// Where --format is not given: the one the ending of -o names ("scores.json", "table.md"), else text. A page
/// is written where --report would have named it. Throws Error(usage) for a format the command does not have.
void choose_format(CommonOptions& options, std::string* page = nullptr);

/// For the commands whose result has a page.
Field report_field(std::string& file);

/// `more` at the end, or before the field of this name: the order is that of the help text.
void add_fields(std::vector<Field>& fields, const std::vector<Field>& more, std::string_view before = {});
void remove_fields(std::vector<Field>& fields, const std::vector<std::string_view>& names);

}  // namespace markeval::cli
