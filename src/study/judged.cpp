// The studies with human judgements: WMT17, TAC 2008 and 2009, BAGEL and SFHOTEL. Scores of
// every segment are correlated with what people said, ours beside the papers'.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "meta/coefficient.hpp"
#include "metric/registry.hpp"
#include "request/lookup.hpp"
#include "study/agreement.hpp"
#include "study/data_files.hpp"
#include "study/marks.hpp"
#include "study/published_figures.hpp"
#include "study/study_run.hpp"

namespace markeval::study {
namespace {

using meta::Coefficient;

const std::set<std::string> kFivePairs{"cs-en", "de-en", "ru-en", "tr-en", "zh-en"};  // of Mark-Evaluate

/// metric, model, source, then the columns; the papers' rows below ours.
class AgreementTable {
 public:
  AgreementTable(std::string name, std::string title, std::vector<std::string> columns)
      : table_(report::study_table(std::move(name), std::move(title), {"metric", "model", "source"})),
        columns_(std::move(columns)) {
    table_.columns.insert(table_.columns.end(), columns_.begin(), columns_.end());
  }
  void add(const std::string& metric, const std::string& model, const std::string& source,
           std::span<const std::optional<double>> values) {
    auto& row = table_.rows.emplace_back(std::vector<report::Cell>{metric, model, source});
    for (const auto& value : values) row.push_back(cell(value));
  }
  /// `some_parts`: not all the papers have; then a paper's mean is taken over those shown too.
  report::Table finish(std::string_view published, bool some_parts = false) {
    for (PublishedRow& row : published_rows(published, columns_)) {
      const auto mean = std::ranges::find(columns_, "mean") - columns_.begin();
      if (some_parts && mean < std::ssize(columns_)) {
        const auto parts = std::span(row.values).first(static_cast<std::size_t>(mean));
        const bool all = std::ranges::all_of(parts, [](const auto& v) { return v.has_value(); });
        row.values[static_cast<std::size_t>(mean)] = all ? mean_of(parts) : std::nullopt;
        if (std::ranges::none_of(row.values, [](const auto& v) { return v.has_value(); })) continue;
      }
      add(row.metric, row.model, row.source, row.values);
    }
    return std::move(table_);
  }

 private:
  report::Table table_;
  std::vector<std::string> columns_;
};

meta::ScoreTable table_of(std::span<const double> human, const std::vector<std::string>& groups,
                          const std::vector<ScoredColumn>& columns) {
  meta::ScoreTable table;
  table.gold.assign(human.begin(), human.end());
  table.group = groups;
  for (const ScoredColumn& column : columns)
    table.predicted.push_back({column.name, {column.values.begin(), column.values.end()}});
  return table;
}

/// Which metrics no other outperforms: a table for all parts, or one for each, as their agreement has. A mean
/// over topics is tested by exchanging scores, which takes too long for coefficients of ranks.
void add_marks(StudyRun& run, const JudgedStudy& study, const Scored& scored) {
  if (scored.front().size() < 2) return;
  Marks marks(scored.front().size());
  for (std::size_t part = 0; part < study.parts.size(); ++part) {
    const JudgedTexts& texts = study.parts[part];
    const auto test = texts.groups.empty() ? meta::MetricTest::williams : meta::MetricTest::perm_both;
    if (!study.mean_over_parts) marks = Marks(scored[part].size());
    for (std::size_t judgement = 0; judgement < texts.judgements.size(); ++judgement) {
      const meta::ScoreTable table = table_of(texts.human[judgement], texts.groups, scored[part]);
      for (const Coefficient coefficient : study.coefficients) {
        if (!texts.groups.empty() && coefficient != Coefficient::pearson) continue;
        marks.add(run, table, coefficient, test,
                  study.mean_over_parts
                      ? texts.name
                      : fmt::format("{} {}", texts.judgements[judgement], meta::name(coefficient)));
      }
    }
    if (study.mean_over_parts && part + 1 < study.parts.size()) continue;
    const std::string of_part = study.mean_over_parts ? "" : "-" + texts.name;
    run.study().tables.push_back(
        marks.table(study.table + of_part + "-not-outperformed",
                    fmt::format("{}{}", meta::name(test), study.mean_over_parts ? "" : ", " + texts.name),
                    {"metric", "model"}, labels_of(scored[part])));
  }
}

void add_agreements(StudyRun& run, const JudgedStudy& study, const Scored& scored) {
  if (study.mean_over_parts) {
    std::vector<std::string> columns = names_of(study.parts);
    columns.emplace_back("mean");
    AgreementTable table(study.table, study.title, columns);
    for (std::size_t column = 0; column < scored.front().size(); ++column) {
      std::vector<std::optional<double>> values;
      for (std::size_t part = 0; part < study.parts.size(); ++part) {
        values.push_back(agreements(study, study.parts[part], scored[part][column].values).front());
      }
      values.push_back(mean_of(values));
      table.add(scored.front()[column].name, scored.front()[column].model, "markeval", values);
    }
    columns.pop_back();
    run.study().tables.push_back(table.finish(study.table, columns != wmt17_pairs()));
    return;
  }
  for (std::size_t part = 0; part < study.parts.size(); ++part) {
    const std::string name = study.table + "-" + study.parts[part].name;
    AgreementTable table(name, fmt::format("{}, {}", study.title, study.parts[part].title),
                         coefficient_columns(study, study.parts[part]));
    for (const ScoredColumn& column : scored[part]) {
      table.add(column.name, column.model, "markeval", agreements(study, study.parts[part], column.values));
    }
    run.study().tables.push_back(table.finish(study.table + "-" + study.parts[part].papers));
  }
}

/// "bleu,me:k=3,samples=word" -> two metrics.
std::vector<Metric> metrics_in(std::string_view list) {
  const std::vector<std::string> texts = metric::split_metrics(list);
  return {texts.begin(), texts.end()};
}

/// Metrics on static word vectors, where the data have a file of them.
std::vector<Metric> static_metrics(const StudyRun& run, const std::string& several = "") {
  const std::string file = word_vectors_file(run.request().data);
  if (file.empty()) return {};
  return {"moverscore:embeddings=" + file, "rougeWE:" + several + "embeddings=" + file};
}

/// Every metric of the program that scores a segment by itself and needs no training, in the variants that
/// the papers compare: BERTScore of the last layer, MoverScore of one and of two words.
std::vector<Metric> segment_metrics(const StudyRun& run) {
  std::vector<Metric> metrics = metrics_in(
      "bertscore:layer=last,bertscore,bertr,moverscore:compat=v1,moverscore:compat=v1,n=2,moverscore,"
      "moverscore:n=2,moverscore:n=sentence,hmd,me:samples=word,scope=segment,"
      "impar:samples=word,scope=segment,prdc:samples=word,scope=segment,prd:samples=word,scope=segment,"
      "fid:samples=word,scope=segment,sentbleu,chrf,chrf++,ter,character,nist,meteor,cider,tfidf,"
      "rouge1,rouge2,rougeL,rougeLsum,rougeW,rougeSU4");
  for (Metric& metric : static_metrics(run)) metrics.push_back(std::move(metric));
  return metrics;
}

/// Words as samples (the papers' Table 2) take minutes a system and are asked for by name.
std::vector<Metric> system_metrics() {
  return metrics_in(
      "me,impar,prdc,prd,fid,bertscore,bertr,moverscore,moverscore:n=2,hmd,bleu,chrf,chrf++,ter,"
      "character,nist,meteor,cider,rouge1,rouge2,rougeL,wer,per,cder,bleu:tokenize=intl,lowercase=yes,"
      "chrf:average=segments");
}

void run_judged(StudyRun& run, const JudgedStudy& study, const std::vector<Metric>& metrics) {
  for (const JudgedTexts& part : study.parts) run.add_files(part.files);
  const std::vector<KSearch> searches = k_searches(run, metrics);
  const ScoredParts all = score_parts(run, study, metrics, searches);
  const JudgedStudy chosen = by_choice(study);
  const Scored scored = by_choice(study, all.metrics);
  add_agreements(run, chosen, scored);
  add_marks(run, chosen, scored);
  add_best_k(run, study, searches, all.searched);
}

/// Means over all pairs and over the five of Mark-Evaluate, where all of those are there.
void add_means(const std::vector<std::string>& pairs, std::vector<std::optional<double>>& values) {
  std::vector<std::optional<double>> of_five;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    if (kFivePairs.contains(pairs[pair])) of_five.push_back(values[pair]);
  }
  values.push_back(mean_of(values));
  if (of_five.size() == kFivePairs.size()) values.push_back(mean_of(of_five));
}

/// Pearson over the systems of every pair.
void run_wmt17_systems(StudyRun& run) {
  const std::vector<std::string> outward = wmt17_pairs_out_of_english();
  for (const std::string& part : run.request().parts) {
    if (std::ranges::find(outward, part) != outward.end())
      throw_usage(
          fmt::format("{} has judged segments only, the texts of its systems are not in the data: "
                      "leave out --level system",
                      part));
  }
  const std::vector<std::string> pairs = chosen_parts(run, wmt17_pairs());
  const std::vector<Metric> metrics = chosen_metrics(run, system_metrics());
  std::vector<JudgedSystems> systems;
  for (const std::string& pair : pairs) {
    systems.push_back(read_wmt17_systems(run.request().data, pair, run.request().texts == "tokenised"));
    run.add_files(systems.back().files);
  }
  std::vector<std::string> columns = pairs;
  columns.emplace_back("mean");
  const auto in_five = [](const std::string& pair) { return kFivePairs.contains(pair); };
  if (std::ranges::count_if(pairs, in_five) == static_cast<std::ptrdiff_t>(kFivePairs.size()))
    columns.emplace_back("mean of five");
  AgreementTable table("wmt17-system", "Pearson with direct assessment, systems of each pair", columns);
  const std::vector<KSearch> searches = k_searches(run, metrics);
  const ScoredParts all = score_pairs(run, systems, metrics, searches);
  const Scored& scored = all.metrics;  // values by system
  for (std::size_t i = 0; i < scored.front().size(); ++i) {
    std::vector<std::optional<double>> values;
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
      values.push_back(meta::evaluate(Coefficient::pearson, systems[pair].human, scored[pair][i].values));
    add_means(pairs, values);
    table.add(scored.front()[i].name, scored.front()[i].model, "markeval", values);
  }
  run.study().tables.push_back(table.finish("wmt17-system", pairs.size() < wmt17_pairs().size()));
  if (scored.front().size() > 1) {
    Marks marks(scored.front().size());
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
      marks.add(run, table_of(systems[pair].human, {}, scored[pair]), Coefficient::pearson,
                meta::MetricTest::williams, pairs[pair]);
    run.study().tables.push_back(marks.table("wmt17-system-not-outperformed", "williams", {"metric", "model"},
                                             labels_of(scored.front())));
  }
  add_best_k(run, systems, searches, all.searched);
}

}  // namespace

void run_wmt17(StudyRun& run) {
  request::require_known("level", run.request().level, std::array<std::string, 2>{"segment", "system"});
  request::require_known("texts", run.request().texts, std::array<std::string, 2>{"raw", "tokenised"});
  run.study().about = fmt::format("Metrics and direct assessment of translations (WMT17 metrics task){}",
                                  run.request().texts == "raw" ? "" : ", tokenised texts");
  if (run.request().level == "system") return run_wmt17_systems(run);
  const std::vector<Metric> metrics = chosen_metrics(run, segment_metrics(run));
  JudgedStudy study;
  std::vector<std::string> known = wmt17_pairs();  // out of English on request: other models serve there
  if (!run.request().parts.empty())
    for (std::string& pair : wmt17_pairs_out_of_english()) known.push_back(std::move(pair));
  for (const std::string& pair : chosen_parts(run, known))
    study.parts.push_back(read_wmt17_segments(run.request().data, pair, run.request().texts == "tokenised"));
  study.coefficients = {Coefficient::pearson};
  study.mean_over_parts = true;
  study.table = "wmt17-segment";
  study.title = "Pearson with direct assessment, segments of each pair";
  run_judged(run, study, metrics);
}

void run_tac(StudyRun& run) {
  // The mean over the four references for all, as in MoverScore's program: a best reference would be compared
  // with a mean. Without prd and fid, which for so many pairs take longer than all the others together.
  std::vector<Metric> usual = metrics_in(
      "bertscore:multi=mean,bertr:multi=mean,moverscore:compat=v1,moverscore,moverscore:n=2,hmd,"
      "me:samples=word,scope=segment,impar:samples=word,scope=segment,prdc:samples=word,scope=segment,"
      "rouge1:multi=mean,stem=yes,rouge2:multi=mean,stem=yes,rougeL:multi=mean,stem=yes,"
      "rougeW:multi=mean,rougeSU4:multi=mean,chrf:multi=mean,sentbleu:multi=mean,meteor:multi=mean,"
      "tfidf:multi=mean,tfidf:n=2,multi=mean");
  for (Metric& metric : static_metrics(run, "multi=mean,")) usual.push_back(std::move(metric));
  const std::vector<Metric> metrics = chosen_metrics(run, usual);
  JudgedStudy study;
  for (const std::string& year : chosen_parts(run, {"2008", "2009"}))
    study.parts.push_back(read_tac(run.request().data, year));
  study.coefficients = {Coefficient::pearson, Coefficient::spearman, Coefficient::kendall};
  study.table = "tac";
  study.title = "Mean over topics of the correlation with responsiveness and pyramid scores";
  run.study().about =
      "Metrics and judgements of multi-document summaries (TAC). Every summary written by a person is one of "
      "the references of its topic: the papers' figures count texts scored against themselves. Tables "
      "\"without people's summaries\" and \"against the other references\" do not. Summaries of one sentence "
      "stand in the tables \"all summaries\" only, as in MoverScore's program they are left out";
  run_judged(run, study, metrics);
}

void run_data_to_text(StudyRun& run) {
  std::vector<Metric> usual = segment_metrics(run);
  std::erase(usual, "fid:samples=word,scope=segment");
  const std::vector<Metric> metrics = chosen_metrics(run, usual);
  JudgedStudy study;
  for (const std::string& name : chosen_parts(run, {"BAGEL", "SFHOT", "SFRES"}))
    study.parts.push_back(read_data_to_text(run.request().data, name));
  study.coefficients = {Coefficient::spearman};
  study.table = "data-to-text";
  study.title = "Spearman with the median of three judges";
  run.study().about = "Metrics and judgements of generated utterances (Novikova et al. 2017)";
  run_judged(run, study, metrics);
}

}  // namespace markeval::study
