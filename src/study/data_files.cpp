// One reader per data set: MNLI, WMT17, WMT19, TAC, data-to-text and samples of language models.
#include "study/data_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <unordered_set>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/plain_text.hpp"
#include "text/line_reader.hpp"
#include "text/score_columns.hpp"
#include "text/table_reader.hpp"

namespace markeval::study {
namespace {

using text::Column;
using text::ColumnKind;

/// The file itself or its gzip, whichever is there.
std::string data_file(const std::string& path) {
  return path_exists(path + ".gz") ? path + ".gz" : path;
}

GenreSentences read_genres(const std::string& path) {
  const std::vector<Column> columns =
      text::read_columns(path, std::vector<text::ColumnRequest>{{"genre", ColumnKind::label},
                                                                {"premise", ColumnKind::texts},
                                                                {"hypothesis", ColumnKind::texts}});
  std::map<std::string, std::vector<std::string>> by_genre;
  std::unordered_set<std::string> seen;
  for (std::size_t row = 0; row < columns[0].labels.size(); ++row) {
    for (const Column* column : {&columns[1], &columns[2]}) {
      for (const std::string& text : column->texts[row]) {
        if (!text.empty() && seen.insert(text).second) by_genre[columns[0].labels[row]].push_back(text);
      }
    }
  }
  if (by_genre.empty())
    throw_invalid(path + ": all sentences are empty, expected texts in the columns premise and hypothesis");
  GenreSentences found;
  for (auto& [genre, sentences] : by_genre) {
    found.genres.push_back(genre);
    found.sentences.push_back(std::move(sentences));
  }
  return found;
}

double number_of(const Column& column, std::size_t row, const std::string& path, const std::string& name) {
  if (column.numbers[row]) return *column.numbers[row];
  throw_invalid(fmt::format("{}: row {} has no {}", path, row + 1, name));
}

/// "LP HUMAN SYSTEM", separated by blanks, with a header: system -> score of one pair.
std::map<std::string, double> read_system_scores(const std::string& path, const std::string& pair) {
  std::map<std::string, double> scores;
  text::LineReader reader(path);
  std::string_view line;
  while (reader.next(line)) {
    std::vector<std::string> fields;
    std::size_t begin = 0;
    while (begin <= line.size()) {
      const std::size_t end = std::min(line.find(' ', begin), line.size());
      fields.emplace_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    if (fields.size() != 3) {
      throw_invalid(fmt::format("{}:{}: {} fields, expected LP HUMAN SYSTEM", path, reader.line_number(),
                                fields.size()));
    }
    if (fields[0] != pair) continue;
    const std::optional<double> score = finite_number(fields[1]);
    if (!score) throw_invalid(fmt::format("{}:{}: '{}' is no number", path, reader.line_number(), fields[1]));
    scores[fields[2]] = *score;
  }
  return scores;
}

/// All lines that are not empty.
std::vector<std::string> nonempty_lines(const std::string& path) {
  std::vector<std::string> lines;
  text::LineReader reader(path);
  std::string_view line;
  while (reader.next(line)) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

/// As the samples of lm_samples are written: lower case, a blank before punctuation.
///   "A dog, running." -> "a dog , running ."
std::string like_samples(std::string_view text) {
  std::string written;
  for (const char c : text) {
    if (std::string_view(".,;:!?").find(c) != std::string_view::npos && !written.ends_with(' '))
      written += ' ';
    written += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return written;
}

}  // namespace

std::optional<double> finite_number(std::string_view text) {
  const auto number = read_number<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

MnliData read_mnli(const std::string& folder) {
  const std::string training = data_file(folder + "/mnli/mnli_train_subset.tsv");
  const std::string validation = data_file(folder + "/mnli/mnli_dev_matched.tsv");
  return {read_genres(training), read_genres(validation), {training, validation}};
}

std::vector<std::string> wmt17_pairs() {
  return {"cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en"};
}

std::vector<std::string> wmt17_pairs_out_of_english() {
  return {"en-ru", "en-zh"};
}

JudgedTexts read_wmt17_segments(const std::string& folder, const std::string& pair, bool tokenised) {
  const std::string path = data_file(folder + "/wmt17/seglevel/" + pair + ".tsv");
  const std::vector<Column> columns = text::read_columns(
      path, std::vector<text::ColumnRequest>{{"human", ColumnKind::number},
                                             {tokenised ? "ref_tok" : "ref", ColumnKind::texts},
                                             {tokenised ? "hyp_tok" : "hyp", ColumnKind::texts}});
  JudgedTexts found;
  found.name = pair;
  found.files = {path};
  found.judgements = {"human"};
  found.human.resize(1);
  for (std::size_t row = 0; row < columns[0].numbers.size(); ++row) {
    found.human[0].push_back(number_of(columns[0], row, path, "human"));
    found.references.push_back(columns[1].texts[row].front());
    found.starts.push_back(found.references.size());
    found.hypotheses.push_back(columns[2].texts[row].front());
  }
  return found;
}

JudgedSystems read_wmt17_systems(const std::string& folder, const std::string& pair, bool tokenised) {
  const std::string judged = folder + "/wmt17/DA-syslevel.csv";
  const std::map<std::string, double> scores = read_system_scores(judged, pair);
  const std::string copy = tokenised ? "newstest2017_tok/" : "newstest2017_raw/";
  const std::string path = data_file(folder + "/wmt17/" + copy + pair + ".tsv");
  const std::vector<std::string> header = text::TableReader(path).columns();
  JudgedSystems found;
  found.name = pair;
  found.files = {judged, path};
  std::vector<text::ColumnRequest> requests{{"ref", ColumnKind::texts}};
  for (const std::string& column : header) {
    const auto score = scores.find(column);
    if (score == scores.end()) continue;
    found.systems.push_back(column);
    found.human.push_back(score->second);
    requests.push_back({column, ColumnKind::texts});
  }
  if (found.systems.size() < 2) {
    throw_invalid(
        fmt::format("{}: {} systems with a human score, expected at least 2", path, found.systems.size()));
  }
  std::vector<Column> columns = text::read_columns(path, requests);
  const auto flat = [](Column& column) {
    std::vector<std::string> lines;
    for (auto& texts : column.texts) lines.push_back(std::move(texts.front()));
    return lines;
  };
  found.references = flat(columns[0]);
  for (std::size_t i = 1; i < columns.size(); ++i) found.outputs.push_back(flat(columns[i]));
  return found;
}

JudgedTexts read_tac(const std::string& folder, const std::string& year) {
  const std::string stem = folder + "/tac/tac" + year.substr(2);
  const std::string path = data_file(stem + "_references.jsonl");
  const std::vector<Column> references = text::read_columns(
      path, std::vector<text::ColumnRequest>{{"topic", ColumnKind::label}, {"text", ColumnKind::texts}});
  std::map<std::string, std::vector<std::string>> by_topic;
  for (std::size_t row = 0; row < references[0].labels.size(); ++row) {
    by_topic[references[0].labels[row]].push_back(references[1].texts[row].front());
  }
  const std::string summaries = data_file(stem + "_summaries.jsonl");
  const std::vector<Column> columns =
      text::read_columns(summaries, std::vector<text::ColumnRequest>{{"topic", ColumnKind::label},
                                                                     {"human_written", ColumnKind::label},
                                                                     {"n_sent", ColumnKind::number},
                                                                     {"responsiveness", ColumnKind::number},
                                                                     {"pyr_score", ColumnKind::number},
                                                                     {"text", ColumnKind::texts}});
  JudgedTexts found;
  found.name = year;
  found.files = {path, summaries};
  found.judgements = {"responsiveness", "pyramid"};
  found.human.resize(2);
  const auto add = [&](std::size_t row, const std::string& topic, std::span<const std::string> against) {
    found.groups.push_back(topic);
    found.references.insert(found.references.end(), against.begin(), against.end());
    found.starts.push_back(found.references.size());
    found.hypotheses.push_back(columns[5].texts[row].front());
    found.human[0].push_back(number_of(columns[3], row, summaries, "responsiveness"));
    found.human[1].push_back(number_of(columns[4], row, summaries, "pyr_score"));
    return found.segments() - 1;
  };
  RowChoice published{"", "people's summaries against themselves too, as published", {}};
  RowChoice systems{"-without-people", "without people's summaries", {}};
  RowChoice all{"-all", "all summaries, people's against themselves too", {}, published.name};
  RowChoice all_systems{"-all-without-people", "all summaries of systems", {}};
  std::vector<std::size_t> by_people;  // rows of the file
  for (std::size_t row = 0; row < columns[0].labels.size(); ++row) {
    const auto topic = by_topic.find(columns[0].labels[row]);
    if (topic == by_topic.end()) {
      throw_invalid(
          fmt::format("{}: topic {} has no reference in {}", summaries, columns[0].labels[row], path));
    }
    const std::size_t segment = add(row, topic->first, topic->second);
    const bool of_people = columns[1].labels[row] == "true";
    all.rows.push_back(segment);
    if (!of_people) all_systems.rows.push_back(segment);
    if (number_of(columns[2], row, summaries, "n_sent") <= 1) continue;  // as the authors' program does
    published.rows.push_back(segment);
    if (of_people)
      by_people.push_back(row);
    else
      systems.rows.push_back(segment);
  }
  RowChoice others{"-other-references", "people's summaries against the other references", systems.rows};
  for (const std::size_t row : by_people) {
    std::vector<std::string> against = by_topic[columns[0].labels[row]];
    std::erase(against, columns[5].texts[row].front());
    if (!against.empty()) others.rows.push_back(add(row, columns[0].labels[row], against));
  }
  const bool some_are_short = all.rows.size() > published.rows.size();
  found.choices = {std::move(published), std::move(systems), std::move(others)};
  if (some_are_short) {
    found.choices.push_back(std::move(all));
    found.choices.push_back(std::move(all_systems));
  }
  return found;
}

std::vector<std::string> wmt19_pairs() {
  return {"gu-en", "kk-en", "lt-en"};
}

JudgedComparisons read_wmt19_pairs(const std::string& folder, const std::string& pair) {
  const std::string path = data_file(folder + "/wmt19_darr/" + pair + ".jsonl");
  std::vector<Column> columns =
      text::read_columns(path, std::vector<text::ColumnRequest>{{"src", ColumnKind::texts},
                                                                {"ref", ColumnKind::texts},
                                                                {"better", ColumnKind::texts},
                                                                {"worse", ColumnKind::texts}});
  JudgedComparisons found;
  found.texts.name = pair;
  found.texts.files = {path};
  std::map<std::array<std::string, 3>, std::uint32_t> known;  // by source, reference and translation
  const auto segment_of = [&](std::size_t row, const Column& side) {
    const std::string &reference = columns[1].texts[row].front(), &text = side.texts[row].front();
    const auto [segment, is_new] = known.try_emplace({columns[0].texts[row].front(), reference, text},
                                                     static_cast<std::uint32_t>(found.texts.segments()));
    if (is_new) {
      found.texts.hypotheses.push_back(text);
      found.texts.references.push_back(reference);
      found.texts.starts.push_back(found.texts.references.size());
    }
    return segment->second;
  };
  for (std::size_t row = 0; row < columns[0].texts.size(); ++row) {
    found.better.push_back(segment_of(row, columns[2]));
    found.worse.push_back(segment_of(row, columns[3]));
    found.sources.push_back(columns[0].texts[row].front());
  }
  return found;
}

std::string word_vectors_file(const std::string& folder) {
  const std::string path = data_file(folder + "/glove/glove.subset.100d.txt");
  return path_exists(path) ? path : "";
}

JudgedTexts read_data_to_text(const std::string& folder, const std::string& name) {
  const std::string path = data_file(folder + "/d2t/" + name + ".jsonl");
  JudgedTexts found;
  found.name = name;
  found.files = {path};
  found.judgements = {"informativeness", "naturalness", "quality"};
  std::vector<text::ColumnRequest> requests{{"refs", ColumnKind::texts}, {"hyp", ColumnKind::texts}};
  for (const std::string& judgement : found.judgements) requests.push_back({judgement, ColumnKind::number});
  const std::vector<Column> columns = text::read_columns(path, requests);
  found.human.resize(found.judgements.size());
  for (std::size_t row = 0; row < columns[0].texts.size(); ++row) {
    std::set<std::string> seen;
    for (const std::string& text : columns[0].texts[row]) {
      if (seen.insert(text).second) found.references.push_back(text);
    }
    found.starts.push_back(found.references.size());
    found.hypotheses.push_back(columns[1].texts[row].front());
    for (std::size_t judgement = 0; judgement < found.judgements.size(); ++judgement) {
      found.human[judgement].push_back(
          number_of(columns[2 + judgement], row, path, found.judgements[judgement]));
    }
  }
  return found;
}

std::size_t GenerationData::people_texts() const {
  std::size_t texts = 0;
  for (const auto& group : people) texts += group.size();
  return texts;
}

GenerationData read_generation(const std::string& folder) {
  GenerationData found;
  std::error_code unreadable;
  std::map<std::string, std::string> files;  // by name: the order of a folder is nobody's
  for (std::filesystem::directory_iterator file(folder + "/lm_samples", unreadable), end;
       !unreadable && file != end; file.increment(unreadable)) {
    std::string name = file->path().filename().string();
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    if (name.ends_with(".txt")) files[name.substr(0, name.size() - 4)] = file->path().string();
  }
  if (unreadable)
    throw Error(ErrorCode::io,
                fmt::format("{}/lm_samples: no such folder, expected NAME.txt of each model", folder));
  const auto people = files.find("people");
  if (people != files.end()) {
    found.what = "texts of people";
    for (std::string& line : nonempty_lines(people->second)) found.people.push_back({std::move(line)});
    found.files.push_back(people->second);
    files.erase(people);
  } else {
    const std::string path = data_file(folder + "/coco/karpathy_test_captions.jsonl");
    found.what = "captions of COCO by people";
    const std::vector<Column> columns = text::read_columns(
        path, std::vector<text::ColumnRequest>{{"refs", ColumnKind::texts}, {"human", ColumnKind::texts}});
    for (std::size_t row = 0; row < columns[0].texts.size(); ++row) {
      auto& group = found.people.emplace_back();
      for (const Column& column : columns)
        for (const std::string& text : column.texts[row]) group.push_back(like_samples(text));
    }
    found.files.push_back(path);
  }
  for (const auto& [name, path] : files) {
    found.systems.push_back(name);
    found.samples.push_back(nonempty_lines(path));
    found.files.push_back(path);
  }
  if (found.systems.empty())
    throw_invalid(fmt::format("{}/lm_samples: no samples, expected NAME.txt of each model", folder));
  if (found.people.size() < 4)
    throw_invalid(
        fmt::format("{}: {} texts of people, expected at least 4", found.files.front(), found.people.size()));
  return found;
}

}  // namespace markeval::study
