// The results of a training run, written as text, JSON and TSV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/training.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "metric/registry.hpp"
#include "report/cells.hpp"

namespace markeval {
namespace {

std::string pearson_cell(double pearson) {
  return pearson > -1 ? fmt::format("{:.4f}", pearson) : "-";
}

constexpr std::size_t kFewPairs = 300;  // below, metrics that need none are as good: docs/how-to/train.md
constexpr double kWeakest = 0.3;        // Pearson from which on a line to the judges' scale says something
constexpr double kSure = 0.05;          // p-values at most this are no chance

std::string interval_cell(const std::optional<Interval>& interval) {
  return interval ? fmt::format("{:.2f} to {:.2f}", interval->low, interval->high) : "-";
}

std::string name_of(const TrainReport::Known& one) {
  return metric::find_metric(one.metric).stand_in.empty() ? one.metric : "the program's " + one.metric;
}

/// A sentence for what the test says of the trained metric and the best one that needs no training.
std::string verdict_of(const TrainReport& report) {
  const auto better = [](const auto& a, const auto& b) { return a.pearson < b.pearson; };
  const TrainReport::Known& best = *std::ranges::max_element(report.known, better);
  if (report.looks_reversed()) {
    const TrainReport::Known& first = report.known.front();
    return fmt::format(
        "All other metrics disagree with these scores ({} {:.2f}): is a higher score better?\n"
        "If lower is better, turn the column first, and train again\n",
        name_of(first), first.pearson);
  }
  if (report.validation_pearson() <= -1 || best.pearson <= -1) return "";  // not defined
  const auto sure = [](const TrainReport::Known& one) { return one.p_value && *one.p_value <= kSure; };
  if (best.pearson > report.validation_pearson() && sure(best))
    return fmt::format(
        "{} agrees better with these judges (p {}) and needs no training: more pairs may help\n",
        name_of(best), report::probability(best.p_value));
  std::vector<std::string> alike;
  for (const TrainReport::Known& one : report.known) {
    if (one.pearson > -1 && !sure(one)) alike.push_back(name_of(one));
  }
  if (alike.empty())
    return "Trained here agrees better with these judges than all others (perm-both, p at most 0.05)\n";
  return fmt::format(
      "On these pairs no test separates trained here from {} (perm-both), which need{} no training\n",
      report::few_names(alike, "other metrics"), alike.size() == 1 ? "s" : "");
}

/// A table: Pearson of the trained metric and of others on the validation pairs, and what follows from it.
std::string beside_known(const TrainReport& report) {
  if (report.known.empty()) return "";
  std::vector<std::vector<std::string>> rows{
      {fmt::format("{} validation pairs", report.valid_pairs), "pearson", "95 %"}};
  rows.push_back({"trained here", pearson_cell(report.validation_pearson()), interval_cell(report.interval)});
  for (const TrainReport::Known& one : report.known)
    rows.push_back({name_of(one), pearson_cell(one.pearson), interval_cell(one.interval)});
  return "\n" + report::align(rows, 1) + verdict_of(report);
}

std::string caution_of(const TrainReport& report) {
  if (report.train_pairs >= kFewPairs || report.looks_reversed()) return "";
  return fmt::format(
      "{} pairs are few: below about {}, bertscore or the program's match is the safer choice\n",
      report.train_pairs, kFewPairs);
}

/// "The judges gave 1 to 5; on their scale a score is about 1.21 + 3.4 * score", and how far off that is.
std::string on_human_scale(const TrainReport& report) {
  if (!report.human_scale || report.looks_reversed()) return "";
  const TrainReport::HumanScale& human = *report.human_scale;
  const std::string scores =
      "Scores: 1 for a text that equals its reference, about 0 for a text of another reference\n";
  if (report.valid_pairs == 0) return scores;
  if (human.pearson < kWeakest)
    return scores + fmt::format(
                        "The judges gave {:.4g} to {:.4g}; scores agree too little (r {:.2f}) to be put on "
                        "that scale\n",
                        human.low, human.high, human.pearson);
  return scores + fmt::format(
                      "The judges gave {0:.4g} to {1:.4g}; on their scale a score is about {2:.4g} {3} "
                      "{4:.4g} * score,\n"
                      "at least {0:.4g} and at most {1:.4g}, within {5:.2g} on average\n",
                      human.low, human.high, human.offset, human.slope < 0 ? "-" : "+", std::abs(human.slope),
                      human.error);
}

/// How to score with it; not where its scores mean the opposite.
std::string usage_of(const TrainReport& report) {
  if (report.looks_reversed()) return "";
  return fmt::format("score with it: markeval score -r REFERENCE -s SYSTEM -m {}:weights={}\n",
                     report.architecture, report.folder);
}

}  // namespace

bool TrainReport::looks_reversed() const {
  return !known.empty() && std::ranges::all_of(known, [](const Known& one) {
    return one.pearson > -1 && one.interval && one.interval->high < 0;
  });
}

double TrainReport::validation_pearson() const {
  if (!parts.empty()) return pearson;
  return best_epoch == 0 || best_epoch > epochs.size() ? -1 : epochs[best_epoch - 1].pearson;
}

std::string TrainReport::text() const {
  const std::string end =
      fmt::format("\n{}: {} pairs learned from, {} to validate{}\n{}{}{}signature: {}\n{}", folder,
                  train_pairs, valid_pairs, held_out ? " (held out)" : "", beside_known(*this),
                  caution_of(*this), on_human_scale(*this), signature, usage_of(*this));
  if (!parts.empty()) {
    std::vector<std::vector<std::string>> rows{{"metric", "weight", "validation_pearson"}};
    for (const Part& part : parts)
      rows.push_back({part.metric, fmt::format("{:.4f}", part.weight), pearson_cell(part.pearson)});
    rows.push_back({"blend", "", pearson_cell(pearson)});
    return report::align(rows, 1) + end;
  }
  std::vector<std::vector<std::string>> rows{{"epoch", "loss", "validation_pearson", "learning_rate", ""}};
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    rows.push_back({std::to_string(i + 1), fmt::format("{:.4f}", epochs[i].loss),
                    pearson_cell(epochs[i].pearson), fmt::format("{:.3g}", epochs[i].learning_rate),
                    i + 1 != best_epoch ? ""
                    : valid_pairs > 0   ? "best"
                                        : "kept"});
  }
  return report::align(rows, 0) + end;
}

std::string TrainReport::json() const {
  using Json = nlohmann::ordered_json;
  Json document{{"markeval", version()},
                {"architecture", architecture},
                {"folder", folder},
                {"train_pairs", train_pairs},
                {"valid_pairs", valid_pairs}};
  for (const Part& part : parts)
    document["parts"].push_back(
        {{"metric", part.metric}, {"weight", part.weight}, {"pearson", part.pearson}});
  if (parts.empty()) {
    document["epochs"] = Json::array();
    for (const Epoch& epoch : epochs)
      document["epochs"].push_back(
          {{"loss", epoch.loss}, {"pearson", epoch.pearson}, {"learning_rate", epoch.learning_rate}});
    document["best_epoch"] = best_epoch;
  } else {
    document["pearson"] = pearson;
  }
  Json& others = document["known"] = Json::array();
  for (const Known& one : known) {
    others.push_back({{"metric", one.metric}, {"pearson", one.pearson}});
    if (one.interval) others.back()["ci"] = {one.interval->low, one.interval->high};
    if (one.p_value) others.back()["p_adjusted"] = *one.p_value;
  }
  document["signature"] = signature;
  document["warnings"] = warnings;
  if (parts.empty()) document["held_out"] = held_out;
  if (interval) document["ci"] = {interval->low, interval->high};
  if (human_scale)
    document["human_scale"] = {{"offset", human_scale->offset}, {"slope", human_scale->slope},
                               {"low", human_scale->low},       {"high", human_scale->high},
                               {"error", human_scale->error},   {"pearson", human_scale->pearson}};
  return json_text(document, 1) + "\n";
}

std::string TrainReport::tsv() const {
  if (!parts.empty()) {
    std::string table = "metric\tweight\tpearson\n";
    for (const Part& part : parts)
      table += fmt::format("{}\t{:.9g}\t{:.9g}\n", part.metric, part.weight, part.pearson);
    return table + fmt::format("blend\t\t{:.9g}\n", pearson);
  }
  std::string text = "epoch\tloss\tpearson\tlearning_rate\tbest\n";
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    text += fmt::format("{}\t{:.9g}\t{:.9g}\t{:.9g}\t{}\n", i + 1, epochs[i].loss, epochs[i].pearson,
                        epochs[i].learning_rate, i + 1 == best_epoch ? "yes" : "no");
  }
  return text;
}

}  // namespace markeval
