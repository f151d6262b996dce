// Where results go: standard output, or a file that appears whole or not at all. What is wrong with such a
// file (no folder to write to, an input or another output as well) is found before a command does any work.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text_options.hpp"
#include "cli/terminal.hpp"
#include "report/run_report.hpp"

namespace markeval::cli {

/// path empty or "-": standard output. Throws Error(io) where it cannot be written, a full disk included.
void write_results(const std::string& path, std::string_view contents);

/// Empty and "-": standard output.
bool is_standard_output(const std::string& path);

/// The same table with commas; fields that hold a comma or a quotation mark are quoted.
std::string csv_of(std::string_view tsv);

/// A report of the library in the form --format asks for.
template <typename Report>
void write_report(const std::string& path, const std::string& format, const Report& report) {
  if (format == "html") return;  // the page is all that was asked for
  write_results(path, format == "json"  ? report.json()
                      : format == "tsv" ? report.tsv()
                      : format == "csv" ? csv_of(report.tsv())
                                        : report.text());
}
/// Likewise of a report that has tables for papers.
template <typename Report>
void write_report(const std::string& path, const std::string& format, const Report& report,
                  TextOptions text) {
  if (format != "text" && format != "markdown" && format != "latex")
    return write_report(path, format, report);
  if (format == "markdown") text.style = TableStyle::markdown;
  if (format == "latex") text.style = TableStyle::latex;
  text.signatures = text.signatures || !is_standard_output(path);  // a file is kept
  if (is_standard_output(path)) text.line_width = width_of_output();
  text.signatures_stand = "--signatures prints them; files of -o and --report have them";
  write_results(path, report.text(text));
}

/// After the results: throws Error(invalid_input) that says which metrics have none, Error(cancelled) where
/// the user did not wait for them.
template <typename Report>
void require_all_metrics(const Report& report) {
  bool cancelled = false;
  std::string message;
  for (const FailedMetric& error : report.errors()) cancelled = cancelled || error.cancelled;
  for (const std::string& line : report::reasons_of(report.errors()))
    message += (message.empty() ? "" : "; ") + line;
  if (!message.empty()) throw Error(cancelled ? ErrorCode::cancelled : ErrorCode::invalid_input, message);
}

/// A file and the option that named it: {"-o", "scores.json"}. Inputs may carry a column: "refs.tsv:ref".
struct NamedPath {
  std::string option;
  std::string path;
};

/// The files metrics read: "bertscore:rescale=FILE" -> {"-m", "FILE"}.
std::vector<NamedPath> metric_files(const std::vector<Metric>& metrics);

/// Throws Error(usage) where an output is the same file as an input, another output or a file of the model,
/// or ends in .gz; Error(io) where its folder is not there or cannot be written to. Pipes and devices may be
/// shared.
void check_outputs(std::span<const NamedPath> outputs, std::span<const NamedPath> inputs,
                   const std::string& model = {});

}  // namespace markeval::cli
