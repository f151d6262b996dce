// The list of fields, with the help of each option.
#include "study/experiment_fields.hpp"

namespace markeval {

using request::Field;

std::vector<Field> fields_of(ExperimentRequest& request) {
  std::vector<Field> fields{
      Field{"study", &request.study, "",
            "k-sweep, mode-collapse, word-swap, wmt17, wmt19, tac, data-to-text, language-generation or own"}
          .as("STUDY"),
      Field{"data", &request.data, "FOLDER",
            "Where the data lie: mnli/, wmt17/, wmt19_darr/, tac/, d2t/, lm_samples/; of own: a table or a "
            "folder"}
          .naming_a_file(),
      Field{"metrics", &request.metrics, "METRIC", "Metrics in place of the study's own (not in k-sweep)"}
          .as("-m,--metric")
          .of_several_words(),
      Field{"parts", &request.parts, "NAME",
            "wmt17, wmt19, tac, data-to-text, own: only this one (cs-en, 2009, BAGEL, ...); repeated: all of "
            "them"}
          .as("--part"),
      Field{
          "size", &request.size, "N",
          "k-sweep, mode-collapse, word-swap, language-generation: texts of each set (as in the paper, or as "
          "many as there are; language-generation: 400, 1,000, 3,000 and at most 10,000)"}
          .between(2, 1'000'000),
      Field{"repeats", &request.repeats, "N",
            "mode-collapse, word-swap, language-generation: orders or draws to average over (5)"}
          .between(1, 1'000'000),
      Field{"max_k", &request.max_k, "N", "The largest K of k-sweep and --best-k (40)"}.between(1, 1'000'000),
      Field{"best_k", &request.best_k, "",
            "wmt17, tac, data-to-text, own: the K (of prd: clusters) where agreement first drops"},
      Field{"level", &request.level, "segment|system", "wmt17, own: what was judged (segment)"}
          .one_of_words(),
      Field{"texts", &request.texts, "raw|tokenised",
            "wmt17: the texts as submitted, or the lower-cased, tokenised copy the papers used (raw)"}
          .one_of_words(),
      Field{"gold", &request.gold, "COLUMN|NAME",
            "own: human scores, a column or the NAME of a folder's files"},
      Field{"reference", &request.reference, "COLUMN|NAME",
            "own: references, a column or a folder's NAME (all)"}
          .as("--ref"),
      Field{"hypothesis", &request.hypothesis, "COLUMN", "own: the column of texts"}.as("--hyp"),
      Field{"system", &request.system, "COLUMN", "own: the column with names of systems"},
      Field{"group", &request.group, "COLUMN", "own: a column, as language pair or topic"},
      Field{"coefficient", &request.coefficient, "NAME", "own: a coefficient of correlate (pearson)"},
      Field{"test", &request.test, "williams|bootstrap|perm-both",
            "own: for \"not outperformed\" (perm-both, as correlate; for spearman williams, which is fast)"},
      Field{"also", &request.also, "NAME|FOLDER",
            "wmt17, wmt19, tac, data-to-text: rows of these models too"}};
  for (const Field& field : fields_of(request.encoder)) fields.push_back(field);
  fields.push_back({"seed", &request.seed, "N", "For everything random (12345)"});
  return fields;
}

}  // namespace markeval
