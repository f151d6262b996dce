// The data of the studies, read from the user's folder (docs/reference/data.md has the layout); every file
// may be gzipped or not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace markeval::study {

/// A score as files of judgements have it; absent where the text is anything else.
std::optional<double> finite_number(std::string_view text);

/// Sentences of MultiNLI, each once, by genre.
struct GenreSentences {
  std::vector<std::string> genres;                  ///< in alphabetical order
  std::vector<std::vector<std::string>> sentences;  ///< by genre, in file order
};

struct MnliData {
  GenreSentences training, validation;
  std::vector<std::string> files{};  ///< that were read
};
/// mnli/mnli_train_subset.tsv and mnli/mnli_dev_matched.tsv, premises and hypotheses.
MnliData read_mnli(const std::string& folder);

/// Some of a part's rows, with a table of their own.
struct RowChoice {
  std::string name;  ///< of the table, after the part: "-without-people"; empty: the papers' own choice
  std::string title;
  std::vector<std::size_t> rows;
  std::optional<std::string>
      papers{};  ///< the choice that has the papers' rows of this one, where it is another
};

/// Texts with human scores, in groups that are correlated each by itself.
struct JudgedTexts {
  std::string name;      ///< of the part: "cs-en", "2009", "BAGEL"
  std::string title{};   ///< "2009: without people's summaries"
  std::string papers{};  ///< the part whose rows of the papers stand beside ours
  std::vector<std::string> hypotheses;
  std::vector<std::string> references;     ///< all of segment 0, then of segment 1, ...
  std::vector<std::size_t> starts{0};      ///< of each segment among the references
  std::vector<std::string> groups;         ///< of each segment; empty: the part is one group
  std::vector<std::string> judgements;     ///< "human"; "pyramid", "responsiveness"; ...
  std::vector<std::vector<double>> human;  ///< by judgement, then by segment
  std::vector<std::string> files{};        ///< that were read
  std::vector<RowChoice> choices{};        ///< empty: one table, of all rows

  std::size_t segments() const { return hypotheses.size(); }
};

/// wmt17/seglevel/PAIR.tsv; `tokenised`: its lower-cased, tokenised columns.
JudgedTexts read_wmt17_segments(const std::string& folder, const std::string& pair, bool tokenised);
std::vector<std::string> wmt17_pairs();
/// Pairs with judged segments but without the texts of all systems: en-ru, en-zh.
std::vector<std::string> wmt17_pairs_out_of_english();

/// A translation direction with all systems and their human scores.
struct JudgedSystems {
  std::string name;
  std::vector<std::string> references;
  std::vector<std::string> systems;
  std::vector<std::vector<std::string>> outputs;  ///< by system
  std::vector<double> human;
  std::vector<std::string> files{};  ///< that were read
};
/// wmt17/newstest2017_raw/PAIR.tsv (or newstest2017_tok) and wmt17/DA-syslevel.csv; systems that have both a
/// text and a score. Only the tokenised copy has all 16 of zh-en.
JudgedSystems read_wmt17_systems(const std::string& folder, const std::string& pair, bool tokenised);

/// tac/tacYY_summaries.jsonl and tac/tacYY_references.jsonl; `year` is 2008 or 2009. Summaries of one
/// sentence are left out, as in MoverScore's program. Summaries written by people are among the references of
/// their topic, so the rows are chosen in three ways: all of them (as published), without those by people,
/// and with those by people against the other references only.
JudgedTexts read_tac(const std::string& folder, const std::string& year);

/// Translations of one direction, and which of two of the same source people think better.
struct JudgedComparisons {
  JudgedTexts texts;                         ///< each translation of a source once; without human scores
  std::vector<std::uint32_t> better, worse;  ///< of each pair: segments of `texts`
  std::vector<std::string> sources;          ///< of each pair
};
/// wmt19_darr/PAIR.jsonl: WMT19's better/worse pairs (DARR).
JudgedComparisons read_wmt19_pairs(const std::string& folder, const std::string& pair);
/// Directions the data have such pairs of.
std::vector<std::string> wmt19_pairs();

/// glove/glove.subset.100d.txt, or its gzip; empty where there is none.
std::string word_vectors_file(const std::string& folder);

/// Samples of language models, and texts of people in groups that stay together (the captions of an image).
struct GenerationData {
  std::string what;                               ///< people's texts, in words
  std::vector<std::vector<std::string>> people;   ///< by group
  std::vector<std::string> systems;               ///< in alphabetical order
  std::vector<std::vector<std::string>> samples;  ///< by system
  std::vector<std::string> files{};               ///< that were read

  std::size_t people_texts() const;
};
/// lm_samples/NAME.txt, a text a line. People's texts are lm_samples/people.txt or, where that is not there,
/// the captions of coco/karpathy_test_captions.jsonl, in lower case and with punctuation split off as the
/// samples have it.
GenerationData read_generation(const std::string& folder);

/// d2t/NAME.jsonl, references each once.
JudgedTexts read_data_to_text(const std::string& folder, const std::string& name);

}  // namespace markeval::study
