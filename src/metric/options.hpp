// The options of a metric: which there are, and the values of one metric that somebody asks for.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"

namespace markeval::metric {

struct OptionSpec : Option {
  OptionValue default_value{};
  bool required = false;  ///< the metric has no default: nothing is computed without it
};

OptionSpec count_option(std::string name, std::uint64_t default_value, std::uint64_t least,
                        std::string meaning, std::uint64_t most = 1'000'000);
/// A number with a fraction. Without a default the metric chooses. Bounds are where beyond them a score would
/// be no number.
OptionSpec real_option(std::string name, std::optional<double> default_value, std::string meaning,
                       RealRange range = {.least = 0});
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
  std::uint64_t count(std::string_view name) const { return std::get<std::uint64_t>(one(name).value); }
  double real(std::string_view name) const { return std::get<double>(one(name).value); }
  const std::string& text(std::string_view name) const { return std::get<std::string>(one(name).value); }
  bool yes(std::string_view name) const { return text(name) == "yes"; }
  /// A value of any kind, as a user would type it.
  std::string shown(std::string_view name) const { return markeval::shown(one(name).value); }
  /// Whether the user gave it, rather than taking the default.
  bool given(std::string_view name) const;
  void set_default(std::string_view name, const OptionValue& value);
  bool operator==(const OptionValues&) const = default;

 private:
  struct Chosen {
    std::string name;
    OptionValue value;
    bool given = false;
    bool operator==(const Chosen&) const = default;
  };
  const Chosen* find(std::string_view name) const;
  const Chosen& one(std::string_view name) const;

  std::string metric_;
  std::vector<Chosen> values_;  ///< in the order of the metric's options
};

}  // namespace markeval::metric
