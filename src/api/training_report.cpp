#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "api/training.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "report/cells.hpp"

namespace markeval {

namespace {

std::string pearson_cell(double pearson) {
  return pearson > -1 ? fmt::format("{:.4f}", pearson) : "-";
}

/// "Pearson on the 150 validation pairs: trained here 0.7102, chrf 0.5300, bertscore 0.6612, the program's
/// match 0.6830", and what follows from it.
std::string beside_known(const TrainReport& report) {
  if (report.known.empty()) return "";
  const double own = report.validation_pearson();
  const auto name = [](const TrainReport::Known& one) {
    return one.metric == "match" ? "the program's match" : one.metric;
  };
  std::string out = fmt::format("Pearson on the {} validation pairs: trained here {}", report.valid_pairs,
                                pearson_cell(own));
  const TrainReport::Known* best = &report.known.front();
  for (const TrainReport::Known& one : report.known) {
    out += fmt::format(", {} {}", name(one), pearson_cell(one.pearson));
    if (one.pearson > best->pearson) best = &one;
  }
  if (best->pearson > own)
    out += fmt::format("\n{} agrees better with these judges and needs no training: more pairs may help",
                       name(*best));
  return out + "\n";
}

/// "The judges' scale is 1 to 5; there a score is about 1.21 + 3.4 * score", and what 0 and 1 are.
std::string on_human_scale(const TrainReport& report) {
  if (!report.human_scale) return "";
  const auto& [offset, slope, low, high] = *report.human_scale;
  return fmt::format(
      "Scores: 1 for a text that equals its reference, about 0 for a text of another reference. The judges "
      "gave {:.4g} to {:.4g}; on their scale a score is about {:.4g} {} {:.4g} * score\n",
      low, high, offset, slope < 0 ? "-" : "+", std::abs(slope));
}

}  // namespace

double TrainReport::validation_pearson() const {
  if (!parts.empty()) return pearson;
  return best_epoch == 0 || best_epoch > epochs.size() ? -1 : epochs[best_epoch - 1].pearson;
}

std::string TrainReport::text() const {
  const std::string end = fmt::format(
      "\n{}: {} pairs learned from, {} to validate{}\n{}{}signature: {}\n"
      "use it: markeval score -r REFERENCE -s SYSTEM -m {}:weights={}\n",
      folder, train_pairs, valid_pairs, held_out ? " (held out)" : "", beside_known(*this),
      on_human_scale(*this), signature, architecture, folder);
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
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Epoch& epoch : epochs) {
    list.push_back(
        {{"loss", epoch.loss}, {"pearson", epoch.pearson}, {"learning_rate", epoch.learning_rate}});
  }
  nlohmann::ordered_json others = nlohmann::ordered_json::array();
  for (const Known& one : known) others.push_back({{"metric", one.metric}, {"pearson", one.pearson}});
  if (!parts.empty()) {
    for (const Part& part : parts)
      list.push_back({{"metric", part.metric}, {"weight", part.weight}, {"pearson", part.pearson}});
    const nlohmann::ordered_json blend{{"markeval", version()},      {"architecture", architecture},
                                       {"folder", folder},           {"train_pairs", train_pairs},
                                       {"valid_pairs", valid_pairs}, {"parts", list},
                                       {"pearson", pearson},         {"known", others},
                                       {"signature", signature},     {"warnings", warnings}};
    return json_text(blend, 1) + "\n";
  }
  nlohmann::ordered_json document{{"markeval", version()},      {"architecture", architecture},
                                  {"folder", folder},           {"train_pairs", train_pairs},
                                  {"valid_pairs", valid_pairs}, {"epochs", list},
                                  {"best_epoch", best_epoch},   {"known", others},
                                  {"signature", signature},     {"warnings", warnings}};
  document["held_out"] = held_out;
  if (human_scale)
    document["human_scale"] = {{"offset", human_scale->offset},
                               {"slope", human_scale->slope},
                               {"low", human_scale->low},
                               {"high", human_scale->high}};
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
