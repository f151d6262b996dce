// What can be computed: the only list to extend for a new metric. The command line, its help, `markeval
// metrics`, the C++ API and the documentation tests all read it.
//
// To add a metric: write it in a file of its own behind the interface of its kind (set_metric.hpp for sets of
// rows; pair, lexical and trained metrics bring interfaces of their own), with its entry below it, and name
// the entry in registry.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "metric/lexical_metric.hpp"
#include "metric/metric.hpp"
#include "metric/options.hpp"
#include "metric/pair_metric.hpp"
#include "metric/set_metric.hpp"

namespace markeval::metric {

enum class Kind { set, pair, lexical, trained };  // in the order of Factory
enum class Better { higher, lower };

std::string_view name(Kind kind);

/// What makes trained metrics stands above this folder (src/trained, src/score), so the registry has only
/// which of three things they are.
enum class Learned {
  match,    ///< a head on token vectors, which scores as pair metrics do
  network,  ///< a network in a folder
  blend     ///< a weighted sum of other metrics
};

/// One alternative per kind that exists; a new kind of metric adds its factory type here.
using Factory = std::variant<SetMetricFactory, PairMetricFactory, LexicalMetricFactory, Learned>;

/// An option as a public package has it: what `compat` sets where its user did not.
struct CompatOption {
  std::string compat, option, value;  ///< "prdc", "ball", "open"
};

struct MetricInfo {
  std::string name;
  Kind kind = Kind::set;  ///< follows from `factory`
  Better better = Better::higher;
  std::string summary;  ///< one line
  std::vector<std::string> results;
  std::string main{};  ///< the result the metric is known by where one number must do; the first of `results`
  std::string range{};  ///< of the main result: "0 to 1"
  std::vector<OptionSpec> options;
  std::string paper;
  Factory factory;
  std::vector<std::string> amounts{};  ///< results without an upper limit, whatever `range` says
  std::vector<CompatOption> compats{};
  std::string stand_in{};  ///< it needs a head for the model; the metric to take where the program has none

  bool has_option(std::string_view option) const;
  bool is(Learned what) const {
    const auto* learned = std::get_if<Learned>(&factory);
    return learned != nullptr && *learned == what;
  }
};

std::span<const MetricInfo> registry();

/// Whether `train` makes this of a metric with that name.
bool learns_as(std::string_view name, Learned what);

/// In any spelling: BLEU, chrF++, ROUGE-2. Throws Error(usage) naming the closest right word, or what is
/// nearest to a metric of other tools.
const MetricInfo& find_metric(std::string_view name);

/// The number its metric is known by, f1 of bertscore; of a request for one result that one.
double main_score(const Result& result);

/// Requests in one word: "bleu,me:k=3,samples=word,ter" -> bleu; me:k=3,samples=word; ter. A comma ends a
/// request where a metric follows it. Metrics get their usual spelling.
std::vector<std::string> split_metrics(std::string_view text);

}  // namespace markeval::metric
