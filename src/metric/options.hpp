// The options of a metric: which there are, which values they take, and what the user chose.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace markeval::metric {

enum class OptionType { number, real, choice, text };

struct OptionSpec {
  std::string name;
  OptionType type = OptionType::choice;
  std::string default_value;
  std::string meaning;               ///< one line for `markeval metrics`
  std::vector<std::string> choices;  ///< values of a choice; words that a file option takes beside files
  bool names_file = false;
  bool required = false;  ///< the metric has no default: nothing is computed without it
  std::uint64_t minimum = 1;  ///< of a number
  std::uint64_t maximum = 1'000'000;
  double least = 0;  ///< of a real
  double most = std::numeric_limits<double>::max();
};

OptionSpec number_option(std::string name, std::uint64_t default_value, std::uint64_t minimum,
                         std::string meaning, std::uint64_t maximum = 1'000'000);
/// A number with a fraction, not negative. Without a default (an empty one) the metric chooses.
/// Bounds are where beyond them a score would be no number.
OptionSpec real_option(std::string name, std::string default_value, std::string meaning, double least = 0,
                       double most = std::numeric_limits<double>::max());
OptionSpec text_option(std::string name, std::string default_value, std::string meaning);
/// A file or a folder, or one of `words`, of which the first is the default.
OptionSpec file_option(std::string name, std::vector<std::string> words, std::string meaning);
/// A file or a folder that the user must name.
OptionSpec required_file(std::string name, const std::string& meaning);
/// The first choice is the default.
OptionSpec choice_option(std::string name, std::vector<std::string> choices, std::string meaning);

/// Every option of one metric with its value: the default, or what the user gave.
class OptionValues {
 public:
  /// Throws Error(usage) naming the metric, and the closest right word, for an unknown option or a value out
  /// of range. given: "k=3,order=shuffle", or nothing.
  OptionValues(std::string_view metric, std::span<const OptionSpec> specs, std::string_view given);

  /// Whose options they are, for messages.
  const std::string& metric() const { return metric_; }
  /// These throw Error(usage) where the metric has no such option.
  std::uint64_t number(const std::string& name) const;
  double real(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  /// Whether the user gave it, rather than taking the default.
  bool given(const std::string& name) const { return given_.contains(name); }
  void set_default(const std::string& name, const std::string& value);
  bool operator==(const OptionValues&) const = default;

 private:
  std::string metric_;
  std::map<std::string, std::string> values_;
  std::map<std::string, std::string> given_;
};

}  // namespace markeval::metric
