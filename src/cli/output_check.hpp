// What is wrong with the files a command is to write, found before it does any work: no folder to write to,
// or a file that is an input or another output as well.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace markeval::cli {

/// A file and the option that named it: {"-o", "scores.json"}. Inputs may carry a column: "refs.tsv:ref".
struct NamedPath {
  std::string option;
  std::string path;
};

/// Empty and "-": standard output.
bool is_standard_output(const std::string& path);

/// The files metrics read: "bertscore:rescale=FILE" -> {"-m", "FILE"}.
std::vector<NamedPath> metric_files(const std::vector<std::string>& metrics);

/// Throws Error(usage) where an output is the same file as an input or another output, or ends in .gz;
/// Error(io) where its folder is not there or cannot be written to. Pipes and devices may be shared.
void check_outputs(std::span<const NamedPath> outputs, std::span<const NamedPath> inputs);

}  // namespace markeval::cli
