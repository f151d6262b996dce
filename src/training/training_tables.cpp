// Rows become pairs of distinct texts; some are held out where no validation table is given, and shared pairs
// are refused.
#include "training/training_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/input_bytes.hpp"
#include "base/quotation.hpp"
#include "base/random.hpp"
#include "metric/registry.hpp"
#include "text/utf8.hpp"

namespace markeval::training {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNoValidation = "none";
constexpr std::size_t kFewestToHoldOut = 100;
constexpr double kLargestGold = 1e150;
constexpr std::uint64_t kHoldOutStream = std::uint64_t{3} << 56;

/// "judged.tsv.gz", "ref" -> "judged.ref.npy"
std::string token_vectors_beside(std::string table, const std::string& column) {
  for (const std::string_view ending : {".gz", ".tsv", ".csv", ".jsonl"}) {
    if (table.ends_with(ending)) table.resize(table.size() - ending.size());
  }
  return fmt::format("{}.{}.npy", table, column);
}

}  // namespace

TrainingTables::TrainingTables(const TrainRequest& request, const RunContext& context)
    : request_(request), context_(context) {
  const TableGoal train{data_.train, train_, false}, valid{data_.valid, valid_, !request.group.empty()};
  for (const std::string& path : request.train) read_table(path, train);
  const bool none = request.valid == std::vector<std::string>{kNoValidation};
  if (!none) {
    for (const std::string& path : request.valid) read_table(path, valid);
  }
  refuse_shared_pairs();
  if (request.valid.empty()) hold_out();
  columns_ = fmt::format("ref {}, hyp {}, gold {}", request.reference, request.hypothesis, request.gold);
  if (!request.group.empty()) columns_ += fmt::format(", group {}", request.group);
  if (request.token_vectors) columns_ += ", token vectors";
  if (held_out_) columns_ += ", a tenth held out";
}

std::vector<std::string_view> TrainingTables::texts() const {
  if (request_.token_vectors) return tokens_of_texts_;
  return {data_.texts.begin(), data_.texts.end()};
}

std::string TrainingTables::origin(std::size_t text) const {
  const TableRow& origin = origins_.at(text);
  return fmt::format("{}: row {}", origin.file, origin.row);
}

std::size_t TrainingTables::add_text(std::string_view text, const TableRow& origin) {
  const std::size_t number = data_.add_text(std::string(text::strip(text)));
  if (number == origins_.size()) origins_.push_back(origin);
  return number;
}

std::size_t TrainingTables::group_number(const std::string& name) {
  const auto found = std::ranges::find(groups_, name);
  const auto number = static_cast<std::size_t>(found - groups_.begin());
  if (found == groups_.end()) groups_.push_back(name);
  return number;
}

/// Adds the pairs of one table.
void TrainingTables::read_table(const std::string& path, const TableGoal& goal) {
  std::vector<text::ColumnRequest> columns{{request_.gold, text::ColumnKind::number}};
  if (goal.grouped) columns.push_back({request_.group, text::ColumnKind::label});
  if (!request_.token_vectors) {
    columns.push_back({request_.reference, text::ColumnKind::texts});
    columns.push_back({request_.hypothesis, text::ColumnKind::texts});
  }
  if (is_stream(path))
    throw_usage("tables to learn from must be files: their bytes are part of the result's name");
  const std::vector<text::Column> found = text::read_columns(path, columns, {request_.replace_invalid});
  const std::size_t before = goal.pairs.size(), origin = goal.files.size();
  goal.files.push_back({fs::path(path).filename().string(), sha256_of_file(path), 0});
  if (request_.token_vectors) {
    add_token_vectors(path, found, goal);
  } else {
    add_texts(path, found, goal);
  }
  if (goal.pairs.size() == before) throw_invalid(fmt::format("{}: no row has a human score", path));
  goal.files[origin].pairs = goal.pairs.size() - before;
}

void TrainingTables::for_scored_rows(const std::string& path, std::span<const text::Column> columns,
                                     bool grouped,
                                     const std::function<void(std::size_t, double, std::size_t)>& add_row) {
  const std::vector<std::optional<double>>& gold = columns[0].numbers;
  for (std::size_t row = 0; row < gold.size(); ++row) {
    if (gold[row] && std::abs(*gold[row]) > kLargestGold)
      throw_invalid(fmt::format("{}: row {}: the human score {} is too large to be squared", path, row + 1,
                                *gold[row]));
    if (gold[row]) add_row(row, *gold[row], grouped ? group_number(columns[1].labels[row]) : 0);
  }
  const auto unscored = std::count(gold.begin(), gold.end(), std::nullopt);
  if (unscored > 0)
    context_.warn(fmt::format("{}: {} rows left out, the human score is missing", path, unscored));
}

/// A pair per reference where a cell lists several.
void TrainingTables::add_texts(const std::string& path, std::span<const text::Column> columns,
                               const TableGoal& goal) {
  const auto &references = columns[columns.size() - 2].texts, &judged = columns.back().texts;
  for (std::size_t row = 0; row < judged.size(); ++row) {
    if (judged[row].size() != 1) {
      throw_invalid(
          fmt::format("{}: row {}: {} texts to judge, expected one", path, row + 1, judged[row].size()));
    }
  }
  for_scored_rows(path, columns, goal.grouped, [&](std::size_t row, double gold, std::size_t group) {
    const TableRow origin{path, row + 1};
    const std::size_t text = add_text(judged[row].front(), origin);
    for (const std::string& reference : references[row])
      goal.pairs.push_back({text, add_text(reference, origin), gold, group});
  });
}

const text::Corpus& TrainingTables::read_token_vectors(const std::string& path, const std::string& column,
                                                       std::size_t rows,
                                                       std::vector<trained::DataFile>& files) {
  const std::string array = token_vectors_beside(path, column);
  const text::Corpus& texts = token_texts_.emplace_back(tokens_.read(array, context_.pool));
  if (texts.segments() != rows) {
    throw_invalid(fmt::format("{} has {} texts, but {} has {} rows, expected the same number", array,
                              texts.segments(), path, rows));
  }
  for (const std::string& file : {array, embed::token_table_of(array)})
    files.push_back({fs::path(file).filename().string(), sha256_of_file(file), rows});
  return texts;
}

void TrainingTables::add_token_vectors(const std::string& path, std::span<const text::Column> columns,
                                       const TableGoal& goal) {
  const std::size_t rows = columns[0].numbers.size();
  const text::Corpus& references = read_token_vectors(path, request_.reference, rows, goal.files);
  const text::Corpus& judged = read_token_vectors(path, request_.hypothesis, rows, goal.files);
  const auto add = [&](const text::Corpus& texts, std::size_t row) {
    tokens_of_texts_.push_back(texts.texts[row]);
    return data_.add_apart(texts.texts[row]);
  };
  for_scored_rows(path, columns, goal.grouped, [&](std::size_t row, double gold, std::size_t group) {
    const std::size_t text = add(judged, row);
    goal.pairs.push_back({text, add(references, row), gold, group});
  });
}

/// What was learned by heart is no measure of what was learned.
void TrainingTables::refuse_shared_pairs() const {
  using Pair = std::pair<std::string_view, std::string_view>;
  const auto written = [&](const trained::ScoredPair& pair) {
    return Pair(data_.texts[pair.text], data_.texts[pair.reference]);
  };
  std::set<Pair> seen;
  for (const trained::ScoredPair& pair : data_.train) seen.insert(written(pair));
  const trained::ScoredPair* first = nullptr;
  std::size_t shared = 0;
  for (const trained::ScoredPair& pair : data_.valid) {
    if (!seen.contains(written(pair))) continue;
    if (shared++ == 0) first = &pair;
  }
  if (shared == 0) return;
  throw_invalid(
      fmt::format("{} of {} pairs to validate with are in the training data too, the first is {}: leave them "
                  "out of one of "
                  "the two",
                  shared, data_.valid.size(), in_quotes(data_.texts[first->text])));
}

void TrainingTables::hold_out() {
  const std::size_t all = data_.train.size();
  if (all < kFewestToHoldOut) {
    context_.warn(fmt::format("{} pairs are too few to hold some out: nothing is validated", all));
    return;
  }
  std::vector<std::size_t> references;  // in the order of the tables
  std::map<std::size_t, std::size_t> pairs_of;
  for (const trained::ScoredPair& pair : data_.train) {
    if (pairs_of[pair.reference]++ == 0) references.push_back(pair.reference);
  }
  const auto order =
      RandomStream(request_.seed, kHoldOutStream).permutation(static_cast<std::uint32_t>(references.size()));
  std::set<std::size_t> chosen;
  std::size_t count = 0;
  for (std::size_t i = 0; count * 10 < all && i + 1 < references.size(); ++i) {
    const std::size_t reference = references[order[i]];
    chosen.insert(reference);
    count += pairs_of[reference];
  }
  std::erase_if(data_.train, [&](const trained::ScoredPair& pair) {
    if (!chosen.contains(pair.reference)) return false;
    data_.valid.push_back(pair);
    return true;
  });
  held_out_ = true;
  if (context_.log != nullptr)
    context_.log->info(fmt::format(
        "no --valid: {} of {} pairs, drawn with seed {}{}, are held out to choose {} and to compare "
        "with other metrics; --valid TABLE takes others, of other documents too, --valid none learns from "
        "all",
        data_.valid.size(), all, request_.seed,
        references.size() < all ? " (all pairs of a reference together)" : "",
        metric::learns_as(request_.architecture, metric::Learned::blend) ? "the penalty" : "the epoch"));
}

/// Pairs with a text of no words cannot be learned from.
void TrainingTables::drop_empty(std::vector<trained::ScoredPair>& pairs, const char* what,
                                const std::function<std::size_t(std::size_t)>& words) const {
  const std::size_t dropped = std::erase_if(pairs, [&](const trained::ScoredPair& pair) {
    return words(pair.text) == 0 || words(pair.reference) == 0;
  });
  if (dropped > 0) context_.warn(fmt::format("{} {} pairs left out, a text has no words", dropped, what));
  if (dropped > 0 && pairs.empty()) throw_invalid(fmt::format("no {} pair has words in both texts", what));
}

void TrainingTables::leave_out_empty(const std::function<std::size_t(std::size_t)>& words) {
  drop_empty(data_.train, "training", words);
  drop_empty(data_.valid, "validation", words);
  if (!data_.valid.empty() &&
      std::all_of(data_.valid.begin(), data_.valid.end(),
                  [&](const trained::ScoredPair& pair) { return pair.gold == data_.valid.front().gold; })) {
    throw_invalid(fmt::format("all {} human scores to validate with are the same", data_.valid.size()));
  }
}

}  // namespace markeval::training
