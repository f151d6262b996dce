#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/training.hpp"
#include "base/version.hpp"
#include "report/cells.hpp"

namespace markeval {

std::string TrainReport::text() const {
  std::vector<std::vector<std::string>> rows{{"epoch", "loss", "validation_pearson", "learning_rate", ""}};
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    rows.push_back({std::to_string(i + 1), fmt::format("{:.4f}", epochs[i].loss),
                    epochs[i].pearson > -1 ? fmt::format("{:.4f}", epochs[i].pearson) : "-",
                    fmt::format("{:.3g}", epochs[i].learning_rate), i + 1 == best_epoch ? "best" : ""});
  }
  return report::align(rows, 0) + fmt::format(
                                      "\n{}: {} pairs learned from, {} to validate\nsignature: {}\n"
                                      "use it: markeval score -r REFERENCE -s SYSTEM -m {}:weights={}\n",
                                      folder, train_pairs, valid_pairs, signature, architecture, folder);
}

std::string TrainReport::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Epoch& epoch : epochs) {
    list.push_back(
        {{"loss", epoch.loss}, {"pearson", epoch.pearson}, {"learning_rate", epoch.learning_rate}});
  }
  const nlohmann::ordered_json document{
      {"markeval", version()},      {"architecture", architecture}, {"folder", folder},
      {"train_pairs", train_pairs}, {"valid_pairs", valid_pairs},   {"epochs", list},
      {"best_epoch", best_epoch},   {"signature", signature},       {"warnings", warnings}};
  return document.dump(1) + "\n";
}

std::string TrainReport::tsv() const {
  std::string text = "epoch\tloss\tpearson\tlearning_rate\tbest\n";
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    text += fmt::format("{}\t{:.9g}\t{:.9g}\t{:.9g}\t{}\n", i + 1, epochs[i].loss, epochs[i].pearson,
                        epochs[i].learning_rate, i + 1 == best_epoch ? "yes" : "no");
  }
  return text;
}

}  // namespace markeval
