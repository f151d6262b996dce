// A metric somebody asks for, as a value: its text is parsed once, where it is read; requests hold the value.
// Installed as a part of <markeval/markeval.hpp>.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "metric/options.hpp"

namespace markeval {

namespace metric {
struct MetricInfo;  // the metric's entry in the registry
}

/// [NAME=]METRIC[.RESULT][:OPTION=VALUE,...], understood and checked:
///   me:k=3   bertscore.f1   words=me:samples=word
struct Metric {
  std::string typed;  ///< as it was asked for
  std::string text;   ///< what results are called by: the NAME given, else all of `typed`
  const metric::MetricInfo* info;
  metric::OptionValues options;
  std::string result;  ///< the only one asked for; empty: all of them

  /// Not explicit: where metrics are expected, their texts may stand. Throws Error(usage) with the closest
  /// right word.
  template <typename Text>
  requires std::convertible_to<const Text&, std::string_view> Metric(const Text& asked)
      : Metric(parse(asked)) {}

  /// Whether this result is wanted.
  bool wants(std::string_view one) const { return result.empty() || result == one; }
  /// Number of scores of a system: of the results asked for.
  std::size_t result_count() const;
  /// The result asked for, or the one the metric is known by.
  const std::string& main_result() const;
  /// Whether a score belongs to every segment, so that line i of one file is held against line i of the
  /// others.
  bool scores_segments() const;
  /// Whether it reads vectors of texts.
  bool needs_vectors() const;
  bool lower_is_better() const;

  bool operator==(const Metric&) const = default;

 private:
  Metric(std::string_view asked, std::string_view name, const metric::MetricInfo& entry,
         std::string_view options, std::string result);
  static Metric parse(std::string_view asked);
};

}  // namespace markeval
