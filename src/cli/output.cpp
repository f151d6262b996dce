// Checks of output paths against inputs and other outputs, conversion of TSV to CSV, and the writing itself.
#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "api/markeval.hpp"
#include "api/models.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "base/quotation.hpp"
#include "cli/terminal.hpp"
#include "text/corpus.hpp"

namespace markeval::cli {
namespace {

namespace fs = std::filesystem;

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

/// By device and inode where both are there, else by their names with links resolved.
bool same_file(const std::string& one, const std::string& other) {
  const auto first = status_of(one), second = status_of(other);
  if (first && second) {
    return S_ISREG(first->st_mode) && first->st_dev == second->st_dev && first->st_ino == second->st_ino;
  }
  if (first || second) return false;
  std::error_code failed;
  return fs::weakly_canonical(full_path(one), failed) == fs::weakly_canonical(full_path(other), failed);
}

/// /dev/tty, /dev/stdout
bool leads_to_terminal(const std::string& path) {
  const auto status = status_of(path);
  if (!status || !S_ISCHR(status->st_mode)) return false;
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  return ::isatty(file.get()) == 1;
}

void require_writable(const NamedPath& output) {
  const auto status = status_of(output.path);
  if (!status && (errno == ENAMETOOLONG || errno == ELOOP)) {
    throw_io(fmt::format("{} {}", output.option, output.path), "write");
  }
  if (status && S_ISDIR(status->st_mode))
    throw_io(fmt::format("{} {}", output.option, output.path), "write", EISDIR);
  if (status && !S_ISREG(status->st_mode)) return;
  if (output.path.ends_with(".gz")) {
    throw_usage(fmt::format("{} '{}', expected a name without .gz: what is written is not compressed",
                            output.option, output.path));
  }
  std::error_code failed;
  const fs::path target = status ? fs::canonical(output.path, failed) : fs::path(output.path);
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  const auto complain = [&](const std::string& why) {
    throw Error(ErrorCode::io, fmt::format("{} {}: cannot write: {}", output.option, output.path, why));
  };
  const auto around = status_of(folder);
  if (!around) complain(fmt::format("no folder '{}'", folder));
  if (!S_ISDIR(around->st_mode)) complain(fmt::format("'{}' is no folder", folder));
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    complain(fmt::format("folder '{}': {}", folder, std::strerror(errno)));
}

}  // namespace

bool is_standard_output(const std::string& path) {
  return path.empty() || path == "-";
}

std::string csv_of(std::string_view tsv) {
  std::string out;
  for (std::size_t begin = 0; begin < tsv.size();) {
    const std::size_t end = std::min(tsv.find_first_of("\t\n", begin), tsv.size());
    const std::string_view field = tsv.substr(begin, end - begin);
    if (field.find_first_of(",\"") == std::string_view::npos) {
      out += field;
    } else {
      out += '"';
      for (const char c : field) out += c == '"' ? "\"\"" : std::string(1, c);
      out += '"';
    }
    if (end < tsv.size()) out += tsv[end] == '\t' ? ',' : '\n';
    begin = end + 1;
  }
  return out;
}

std::vector<NamedPath> metric_files(const std::vector<Metric>& metrics) {
  std::vector<NamedPath> files;
  for (const Metric& one : metrics) {
    const std::string& metric = one.typed;
    for (std::size_t equals = metric.find('='); equals != std::string::npos;
         equals = metric.find('=', equals + 1)) {
      const std::string value = metric.substr(equals + 1, metric.find(',', equals) - equals - 1);
      const auto status = status_of(value);
      if (status && S_ISREG(status->st_mode)) files.push_back({"-m", value});
    }
  }
  return files;
}

void check_outputs(std::span<const NamedPath> outputs, std::span<const NamedPath> inputs,
                   const std::string& model) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedPath& output = outputs[i];
    for (const NamedPath& other : outputs.first(i)) {
      const bool printed = is_standard_output(output.path);
      if (printed && is_standard_output(other.path)) {
        throw_usage(fmt::format("{} and {} both write to standard output, expected a file for one of them",
                                other.option, output.option));
      }
      if (!printed && !is_standard_output(other.path) && same_file(output.path, other.path)) {
        throw_usage(fmt::format("{} '{}' and {} '{}' are the same file, expected two", other.option,
                                other.path, output.option, output.path));
      }
    }
    if (is_standard_output(output.path)) continue;
    for (const NamedPath& input : inputs) {
      if (input.path != "-" && same_file(output.path, text::InputSpec::split(input.path).path)) {
        throw_usage(fmt::format("{} '{}' would overwrite the input {} '{}', expected another file",
                                output.option, output.path, input.option, input.path));
      }
    }
    require_writable(output);
    if (status_of(output.path) && is_model_file(model, output.path))
      throw_usage(
          fmt::format("{} '{}' is a file of the model, expected another file", output.option, output.path));
  }
}

void write_results(const std::string& path, std::string_view contents) {
  if (is_standard_output(path)) return print(contents);
  wipe_progress();  // the file may be the terminal
  write_whole_file(path, leads_to_terminal(path) ? printable(contents) : std::string(contents));
}

}  // namespace markeval::cli
