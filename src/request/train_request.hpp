// Training a metric: what is asked and what comes back. Installed as a part of <markeval/training.hpp>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/result.hpp"
#include "metric/metric.hpp"

namespace markeval {

struct TrainRequest {
  std::string architecture = "match";  ///< or "blend", "bilstm", "bilstm-attention", "esim"
  std::vector<Metric> metrics{};       ///< blend: of what, as ScoreRequest::metrics
  std::vector<std::string> train{};    ///< tables to learn from: .tsv, .csv or .jsonl, each also .gz
  /// Tables to choose the epoch by. match and blend without any: a tenth of the pairs is held out. {"none"}:
  /// nothing is held out, match keeps the last epoch.
  std::vector<std::string> valid{};
  std::string reference{};     ///< column of references
  std::string hypothesis{};    ///< column of texts people judged
  std::string gold{};          ///< column of their scores
  std::string group{};         ///< match, blend: column of the validation tables, Pearson is taken in each
  std::string folder{};        ///< the result
  EncoderOptions encoder{};    ///< whose states are learned from: float32, cut at its limit
  bool token_vectors = false;  ///< learn from files beside the tables instead: judged.ref.npy for judged.tsv
  std::string pieces = "all";  ///< "all" of a word or the "first": docs/reference/metrics/trained.md
  std::string from{};          ///< folder of a trained model to start from instead of at random
  std::string recipe = "published";  ///< or "tuned": docs/reference/metrics/trained.md
  // What is left open here is, for match and for the others:
  std::optional<double> learning_rate{};  ///< 2e-3; 4e-4, tuned bilstm and bilstm-attention 4e-5
  std::optional<double> dropout{};        ///< 0.1; 0.5
  std::optional<std::uint64_t> epochs{};  ///< 6; at most 20
  std::optional<std::uint64_t> hidden{};  ///< units of a hidden layer, 16; width of the LSTMs, 300
  std::size_t batch = 32;
  std::size_t patience = 4;  ///< epochs in a row without a better validation Pearson; match learns all epochs
  std::optional<std::uint64_t> layers{};  ///< match: reads the first so many; those bertscore reads
  std::size_t heads = 4;                  ///< match: how many
  std::size_t width = 96;                 ///< match: of a head
  std::uint64_t seed = 12345;
  bool resume = false;  ///< go on from the folder's checkpoint
  bool force = false;   ///< replace the model or the unfinished training in the folder
  std::uint64_t checkpoint_every_s = 60;
  bool replace_invalid = false;  ///< U+FFFD for invalid UTF-8 instead of an error

  /// Whether only `valid` can tell when training stops.
  bool needs_validation() const;
};

struct TrainReport {
  struct Epoch {
    double loss = 0;     ///< match: 1 - Pearson in a batch; others: squared error of the standardised scores
    double pearson = 0;  ///< with the validation scores; -1: not defined
    double learning_rate = 0;
  };
  struct Part {
    std::string metric;
    double weight = 0;   ///< of its score in units of its deviation
    double pearson = 0;  ///< its own, with the validation scores; -1: not defined
  };
  struct Known {
    std::string metric;
    double pearson = 0;                  ///< with the validation scores; -1: not defined
    std::optional<Interval> interval{};  ///< of it, 95 %
    std::optional<double> p_value{};     ///< of its difference from what was trained, adjusted by Holm
  };
  /// A straight line from scores to the judges' scale: offset + slope * score, fitted to validation pairs, or
  /// to training pairs where there are none.
  struct HumanScale {
    double offset = 0, slope = 0;
    double low = 0, high = 0;  ///< the judges' scores in the training data; the line is cut to them
    double error = 0;          ///< how far it then is from the judges' scores on average
    double pearson = 0;        ///< of these pairs, whatever their groups
  };
  std::string architecture, folder, signature;
  std::size_t train_pairs = 0, valid_pairs = 0;
  bool held_out = false;                    ///< the validation pairs are a tenth of the tables to learn from
  std::optional<HumanScale> human_scale{};  ///< where `match` was trained
  std::vector<Epoch> epochs;
  std::size_t best_epoch = 0;          ///< from 1: the weights in the folder are of this one
  std::vector<Part> parts;             ///< of a blend, which has no epochs
  double pearson = -1;                 ///< of a blend, with the validation scores
  std::optional<Interval> interval{};  ///< of validation_pearson(), 95 %
  std::vector<Known> known;  ///< what needs no training, on the same validation pairs: chrf, bertscore
  std::vector<std::string> warnings;

  /// Pearson of the trained weights with the validation scores; -1: not defined.
  double validation_pearson() const;
  /// All metrics that need no training surely disagree with the human scores: is the lowest one the best?
  bool looks_reversed() const;
  std::string text() const;
  std::string json() const;
  std::string tsv() const;
};

}  // namespace markeval
