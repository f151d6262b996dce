// Reading of the table, or of the folder's references, outputs and human scores.
#include "study/own_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/suggestion.hpp"
#include "meta/score_table.hpp"
#include "text/line_reader.hpp"
#include "text/score_columns.hpp"

namespace markeval::study {
namespace {

namespace fs = std::filesystem;
using text::ColumnKind;

constexpr const char* kLayout =
    "references/LP.NAME.txt, system-outputs/LP/SYSTEM.txt, human-scores/LP.NAME.seg.score";

OwnData read_table(const ExperimentRequest& request) {
  if (request.gold.empty() || request.reference.empty() || request.hypothesis.empty())
    throw_usage(fmt::format("{}: a table needs --gold COLUMN --ref COLUMN --hyp COLUMN", request.data));
  if (request.level == "system" && request.system.empty())
    throw_usage("--level system of a table needs --system COLUMN");
  std::vector<text::ColumnRequest> wanted{{request.gold, ColumnKind::number},
                                          {request.reference, ColumnKind::texts},
                                          {request.hypothesis, ColumnKind::texts}};
  if (!request.group.empty()) wanted.push_back({request.group, ColumnKind::label});
  if (!request.system.empty()) wanted.push_back({request.system, ColumnKind::label});
  std::vector<text::Column> columns = text::read_columns(request.data, wanted);
  if (!request.group.empty())
    meta::require_other_names(columns[3].labels, {meta::kAllRows, meta::kMeanRow}, request.data);
  OwnData data;
  data.files = {request.data};
  const std::vector<std::string>* groups = request.group.empty() ? nullptr : &columns[3].labels;
  const std::vector<std::string>* systems = request.system.empty() ? nullptr : &columns.back().labels;
  std::size_t missing = 0;
  const std::vector<std::string>& parts = request.parts;
  std::set<std::string> seen;
  for (std::size_t row = 0; row < columns[0].numbers.size(); ++row) {
    if (groups != nullptr) {
      seen.insert((*groups)[row]);
      if (!parts.empty() && std::ranges::find(parts, (*groups)[row]) == parts.end()) continue;
    }
    if (!columns[0].numbers[row]) {
      ++missing;
      continue;
    }
    data.human.push_back(columns[0].numbers[row]);
    for (std::string& one : columns[1].texts[row]) data.references.push_back(std::move(one));
    data.starts.push_back(data.references.size());
    if (columns[2].texts[row].size() != 1)
      throw_invalid(fmt::format("{}: row {} has {} texts in '{}', expected one", request.data, row + 1,
                                columns[2].texts[row].size(), request.hypothesis));
    data.hypotheses.push_back(std::move(columns[2].texts[row].front()));
    if (groups != nullptr) data.groups.push_back((*groups)[row]);
    if (systems != nullptr) data.systems.push_back((*systems)[row]);
  }
  for (const std::string& part : parts) {
    if (!seen.contains(part))
      throw_usage(
          fmt::format("--part '{}': no row of {} has this {}", part, request.data,
                      request.group.empty() ? "group, --group COLUMN names the column" : request.group));
  }
  if (missing > 0)
    data.notes.push_back(
        fmt::format("{}: {} rows without '{}' left out", request.data, missing, request.gold));
  return data;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  text::LineReader reader(path.string());
  std::string_view line;
  while (reader.next(line)) lines.emplace_back(line);
  return lines;
}

/// Files of a folder whose names start and end so, by what stands between; sorted.
std::map<std::string, fs::path> files_between(const fs::path& folder, const std::string& begin,
                                              const std::string& end) {
  std::map<std::string, fs::path> found;
  if (!is_folder(folder.string())) return found;
  for (const std::string& file : names_in(folder.string())) {
    std::string name = file;
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    if (name.size() < begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) continue;
    found[name.substr(begin.size(), name.size() - begin.size() - end.size())] = folder / file;
  }
  return found;
}

/// "SYSTEM SCORE" on every line, of segments in their order; None is no score.
std::map<std::string, std::vector<std::optional<double>>> read_scores(const fs::path& path) {
  std::map<std::string, std::vector<std::optional<double>>> scores;
  text::LineReader reader(path.string());
  std::string_view line;
  while (reader.next(line)) {
    const std::size_t gap = line.find_first_of("\t ");
    const std::size_t value_at = line.find_first_not_of("\t ", std::min(gap, line.size()));
    if (gap == 0 || value_at == std::string_view::npos)
      throw_invalid(fmt::format("{}:{}: expected SYSTEM SCORE", path.string(), reader.line_number()));
    const std::string_view value = line.substr(value_at);
    std::optional<double>& score = scores[std::string(line.substr(0, gap))].emplace_back();
    if (value == "None") continue;
    score = finite_number(value);
    if (!score)
      throw_invalid(
          fmt::format("{}:{}: '{}' is no number and not None", path.string(), reader.line_number(), value));
  }
  return scores;
}

/// One folder of mt-metrics-eval.
class EvalFolder {
 public:
  explicit EvalFolder(const ExperimentRequest& request) : request_(request), root_(request.data) {
    for (const char* name : {"references", "system-outputs", "human-scores"}) {
      if (!is_folder((root_ / name).string()))
        throw_invalid(fmt::format("{}: no folder {}/, expected {}", request.data, name, kLayout));
    }
    for (const std::string& name : names_in((root_ / "system-outputs").string()))
      if (is_folder((root_ / "system-outputs" / name).string())) pairs_.push_back(name);
    if (pairs_.empty())
      throw_invalid(fmt::format("{}: no folder of outputs, expected system-outputs/LP/SYSTEM.txt",
                                (root_ / "system-outputs").string()));
    for (const std::string& part : request.parts) {
      if (std::ranges::find(pairs_, part) == pairs_.end())
        throw_usage(fmt::format("--part '{}': no folder {}{}", part,
                                (root_ / "system-outputs" / part).string(), suggestion(part, pairs_)));
    }
    if (!request.parts.empty()) pairs_ = request.parts;
  }

  OwnData read() {
    const std::string gold = gold_name();
    for (const std::string& pair : pairs_) {
      const fs::path scores = score_file(pair, gold);
      if (scores.empty()) {
        data_.notes.push_back(fmt::format("{} left out: no {}.{}.seg.score or .sys.score in {}", pair, pair,
                                          gold, (root_ / "human-scores").string()));
        continue;
      }
      read_pair(pair, scores);
    }
    if (request_.level == "system") data_.human.clear();
    if (!data_.vectors.empty() && !data_.hypotheses.empty())
      throw_invalid(fmt::format("{}: texts of some pairs and vectors (.npy) of others, expected one of them",
                                request_.data));
    if (data_.hypotheses.empty() && data_.vectors.empty())
      throw_invalid(fmt::format("{}: no system of {} has both a text and a human score", request_.data,
                                fmt::join(pairs_, ", ")));
    return std::move(data_);
  }

 private:
  /// That of systems for the level of systems, where there is one; else that of segments.
  fs::path score_file(const std::string& pair, const std::string& gold) const {
    std::vector<std::string> ends{".seg.score"};
    if (request_.level == "system") ends.insert(ends.begin(), ".sys.score");
    for (const std::string& end : ends) {
      const auto files = files_between(root_ / "human-scores", pair + ".", end);
      const auto found = files.find(gold);
      if (found != files.end()) return found->second;
    }
    return {};
  }

  /// The kind of human scores: the one asked for, or the only one there is.
  std::string gold_name() const {
    std::set<std::string> names;
    for (const std::string& pair : pairs_) {
      for (const auto& [name, path] : files_between(root_ / "human-scores", pair + ".", ".seg.score"))
        names.insert(name);
      if (request_.level != "system") continue;
      for (const auto& [name, path] : files_between(root_ / "human-scores", pair + ".", ".sys.score"))
        names.insert(name);
    }
    const std::string where = (root_ / "human-scores").string();
    if (names.empty())
      throw_invalid(fmt::format("{}: no file {}.NAME.{}.score", where, fmt::join(pairs_, "|"),
                                request_.level == "system" ? "sys" : "seg"));
    if (request_.gold.empty() && names.size() > 1)
      throw_usage(fmt::format("{} has several kinds of human scores, expected --gold NAME with one of {}",
                              where, fmt::join(names, ", ")));
    if (request_.gold.empty()) return *names.begin();
    if (!names.contains(request_.gold))
      throw_usage(fmt::format("{}: no human scores '{}', there are {}", where, request_.gold,
                              fmt::join(names, ", ")));
    return request_.gold;
  }

  std::map<std::string, std::vector<std::string>> references_of(const std::string& pair) {
    std::map<std::string, fs::path> files = files_between(root_ / "references", pair + ".", ".txt");
    if (files.empty()) {
      const auto one = files_between(root_ / "references", pair, ".txt");  // pair.txt
      if (one.contains("")) files["ref"] = one.at("");
    }
    if (!request_.reference.empty())
      std::erase_if(files, [&](const auto& file) { return file.first != request_.reference; });
    if (files.empty())
      throw_invalid(fmt::format("{}: no reference {}.{}.txt", (root_ / "references").string(), pair,
                                request_.reference.empty() ? "NAME" : request_.reference));
    std::map<std::string, std::vector<std::string>> texts;
    for (const auto& [name, path] : files) {
      texts[name] = lines_of(path);
      data_.files.push_back(path.string());
      if (texts[name].size() != texts.begin()->second.size())
        throw_invalid(fmt::format("{}: {} lines, expected {} as in {}", path.string(), texts[name].size(),
                                  texts.begin()->second.size(), files.begin()->second.string()));
    }
    return texts;
  }

  /// References and outputs as .npy: references/LP.NAME.npy, system-outputs/LP/SYSTEM.npy.
  void read_vectors(const std::string& pair, const fs::path& scores_path,
                    const std::map<std::string, fs::path>& references) {
    OwnVectors& found = data_.vectors.emplace_back();
    found.group = pair;
    for (const auto& [name, path] : references) {
      if (request_.reference.empty() || name == request_.reference) found.references.push_back(path.string());
    }
    if (found.references.empty())
      throw_invalid(fmt::format("{}: no reference {}.{}.npy", (root_ / "references").string(), pair,
                                request_.reference));
    const auto scores = read_scores(scores_path);
    std::size_t unjudged = 0;
    for (const auto& [system, path] : files_between(root_ / "system-outputs" / pair, "", ".npy")) {
      const auto judged = scores.find(system);
      if (references.contains(system)) continue;
      if (judged == scores.end() || !mean_of_judged(judged->second)) {
        ++unjudged;
        continue;
      }
      found.systems.emplace_back(system, path.string());
      found.human.push_back(judged->second);
    }
    data_.files.insert(data_.files.end(), found.references.begin(), found.references.end());
    for (const auto& [name, path] : found.systems) data_.files.push_back(path);
    data_.files.push_back(scores_path.string());
    if (unjudged > 0)
      data_.notes.push_back(
          fmt::format("{}: outputs left out, as they have no human score: {}", pair, unjudged));
    if (found.systems.empty())
      throw_invalid(
          fmt::format("{}: no SYSTEM.npy with a human score", (root_ / "system-outputs" / pair).string()));
  }

  void read_pair(const std::string& pair, const fs::path& scores_path) {
    const auto arrays = files_between(root_ / "references", pair + ".", ".npy");
    if (!arrays.empty()) return read_vectors(pair, scores_path, arrays);
    const auto references = references_of(pair);
    const std::size_t segments = references.begin()->second.size();
    const auto scores = read_scores(scores_path);
    data_.files.push_back(scores_path.string());
    const bool by_system = scores_path.string().find(".sys.score") != std::string::npos;
    std::size_t unjudged = 0;
    for (const auto& [system, path] : files_between(root_ / "system-outputs" / pair, "", ".txt")) {
      if (references.contains(system)) continue;  // people's own texts are among the outputs
      const auto judged = scores.find(system);
      if (judged == scores.end()) {
        ++unjudged;
        continue;
      }
      const std::size_t expected = by_system ? 1 : segments;
      if (judged->second.size() != expected)
        throw_invalid(fmt::format("{}: {} scores of {}, expected {}", scores_path.string(),
                                  judged->second.size(), system, expected));
      const std::vector<std::string> lines = lines_of(path);
      if (lines.size() != segments)
        throw_invalid(fmt::format("{}: {} lines, expected {} as in the references of {}", path.string(),
                                  lines.size(), segments, pair));
      if (request_.level == "system") {
        const std::optional<double> score = mean_of_judged(judged->second);
        if (!score) {
          ++unjudged;
          continue;
        }
        data_.system_human[{pair, system}] = *score;
      }
      add_system(pair, system, lines, references, by_system ? nullptr : &judged->second);
    }
    if (unjudged > 0)
      data_.notes.push_back(
          fmt::format("{}: outputs left out, as they have no human score: {}", pair, unjudged));
  }

  /// All segments for the level of systems, else those that were judged.
  void add_system(const std::string& pair, const std::string& system, const std::vector<std::string>& lines,
                  const std::map<std::string, std::vector<std::string>>& references,
                  const std::vector<std::optional<double>>* judged) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool has_score = judged != nullptr && (*judged)[i].has_value();
      if (request_.level != "system" && !has_score) continue;
      data_.hypotheses.push_back(lines[i]);
      for (const auto& [name, texts] : references) data_.references.push_back(texts[i]);
      data_.starts.push_back(data_.references.size());
      data_.groups.push_back(pair);
      data_.systems.push_back(system);
      data_.human.push_back(has_score ? (*judged)[i] : std::nullopt);
    }
  }

  const ExperimentRequest& request_;
  fs::path root_;
  std::vector<std::string> pairs_;
  OwnData data_;
};

}  // namespace

std::optional<double> mean_of_judged(const std::vector<std::optional<double>>& human) {
  double sum = 0;
  std::size_t judged = 0;
  for (const auto& score : human) {
    if (score) sum += *score, ++judged;
  }
  return judged == 0 ? std::nullopt : std::optional(sum / static_cast<double>(judged));
}

OwnData read_own(const ExperimentRequest& request) {
  if (is_folder(request.data)) return EvalFolder(request).read();
  return read_table(request);
}

}  // namespace markeval::study
