#include "fuzz/fuzz.hpp"
#include "metric/baseline.hpp"
#include "metric/idf.hpp"
#include "metric/pair_run.hpp"

// Files that options of metrics name: the corpus of `idf`, a table with a column, and the baseline of
// `rescale`. The first byte chooses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  fuzz::bound_unpacking();
  fuzz::Input input(data, size);
  const std::uint8_t choice = input.byte() % 3;
  const std::string path = folder.write(choice == 1 ? "corpus.tsv" : "corpus", input.rest());
  fuzz::answer_or_error([&] {
    if (choice == 2) {
      const metric::Baseline baseline = metric::Baseline::load(path);
      const metric::Baseline again = metric::Baseline::parse(baseline.text(), "again");
      fuzz::require(again.text() == baseline.text(), "a baseline that is read back has other numbers");
      return;
    }
    const std::vector<Metric> metrics{"moverscore:idf=" + path + (choice == 1 ? ":text" : "")};
    const auto made = metric::make_pair_metrics(metrics);
    fuzz::require(made.front()->idf_corpus()->texts.segments() > 0, "an idf corpus without texts");
  });
  return 0;
}
