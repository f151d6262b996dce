#include "fuzz/fuzz.hpp"
#include "study/data_files.hpp"
#include "study/experiment.hpp"

// The data of a study. The first byte chooses the study; the parts after it are its files. `own` runs to its
// end on metrics that need no model, for the others their files are read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  fuzz::bound_unpacking();
  for (const char* name : {"mnli", "wmt17/seglevel", "wmt17/newstest2017_raw", "wmt19_darr", "tac", "d2t",
                           "lm_samples", "own/references", "own/system-outputs/p", "own/human-scores"})
    std::filesystem::create_directories(folder.path() + "/" + name);
  fuzz::Input input(data, size);
  const std::uint8_t choice = input.byte();
  const std::string& path = folder.path();
  const auto run_own = [&](const std::string& table) {
    ExperimentRequest request;
    request.study = "own";
    request.data = table;
    request.gold = "human";
    request.reference = "ref";
    request.hypothesis = "hyp";
    request.system = "system";
    if (choice >= 128) request.level = "system";
    if ((choice & 64) != 0) request.group = "group";
    request.metrics = {"chrf", "rouge1"};
    run_experiment(request, {.threads = 1}).json();
  };
  fuzz::answer_or_error([&] {
    switch (choice % 9) {
      case 0:
        fuzz::write_parts(input, folder, {"mnli/mnli_train_subset.tsv", "mnli/mnli_dev_matched.tsv"});
        for (const auto& genre : study::read_mnli(path).validation.sentences)
          fuzz::require(!genre.empty(), "a genre without sentences");
        return;
      case 1:
        fuzz::write_parts(input, folder, {"wmt17/seglevel/cs-en.tsv"});
        study::read_wmt17_segments(path, "cs-en", false);
        return;
      case 2:
        fuzz::write_parts(input, folder, {"wmt17/DA-syslevel.csv", "wmt17/newstest2017_raw/cs-en.tsv"});
        study::read_wmt17_systems(path, "cs-en", false);
        return;
      case 3:
        fuzz::write_parts(input, folder, {"tac/tac08_references.jsonl", "tac/tac08_summaries.jsonl"});
        study::read_tac(path, "2008");
        return;
      case 4:
        fuzz::write_parts(input, folder, {"wmt19_darr/gu-en.jsonl"});
        study::read_wmt19_pairs(path, "gu-en");
        return;
      case 5:
        fuzz::write_parts(input, folder, {"d2t/BAGEL.jsonl"});
        study::read_data_to_text(path, "BAGEL");
        return;
      case 6:
        fuzz::write_parts(input, folder, {"lm_samples/people.txt", "lm_samples/one.txt"});
        study::read_generation(path);
        return;
      case 7:
        fuzz::write_parts(input, folder, {"own.tsv"});
        return run_own(path + "/own.tsv");
      default:
        fuzz::write_parts(
            input, folder,
            {"own/references/p.ref.txt", "own/system-outputs/p/a.txt", "own/system-outputs/p/b.txt",
             "own/system-outputs/p/c.txt", "own/system-outputs/p/d.txt", "own/human-scores/p.human.seg.score",
             "own/human-scores/p.human.sys.score"});
        return run_own(path + "/own");
    }
  });
  return 0;
}
