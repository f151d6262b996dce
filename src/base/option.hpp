// What a user may set, described once: a field of a request (request/fields) is this and where it is kept, an
// option of a metric (metric/options) is this and a parsed value. The command line, Python, the schema of the
// server and `markeval metrics` read the description, and every value is checked against it here.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace markeval {

enum class ValueKind { flag, count, real, layer, text, list };

inline constexpr std::uint64_t kAnyCount = std::numeric_limits<std::uint64_t>::max();

/// Bounds of a real number.
struct RealRange {
  double least = std::numeric_limits<double>::lowest(), most = std::numeric_limits<double>::max();
  bool above = false, below = false;  ///< the bounds themselves are outside
};

struct Option {
  std::string name;  ///< "max_length"
  ValueKind kind = ValueKind::text;
  std::string meaning;  ///< one line for a help text
  std::vector<std::string>
      choices{};  ///< the only values; where it names a file: words it takes beside files
  std::uint64_t least = 0, most = kAnyCount;  ///< bounds of a count
  RealRange range{};                          ///< of a real number
  bool names_file = false;                    ///< a file or a folder of this machine
  std::string expected{};  ///< what messages say of the value where all that does not suffice
};

/// A parsed value; a real number without one is an empty text.
using OptionValue = std::variant<std::string, std::uint64_t, double>;

/// As a user would type it: "3", "0.5", "open".
std::string shown(const OptionValue& value);
/// Which values there are, for a list of options: "1 to 100", "0 or more", "closed | open", "text".
std::string possible_values(const Option& option);
/// What messages say after "expected": "a whole number from 1 to 100".
std::string expected_value(const Option& option);

/// Throws Error(usage) where the option does not take the value: "min_rows is 0, expected a whole number from
/// 2 to 100", "unknown test 'x'; did you mean 't'?". `called`: its name for the user. `where` begins the
/// message.
void require_fit(const Option& option, std::string_view called, std::uint64_t number);
void require_fit(const Option& option, std::string_view called, double number);
void require_fit(const Option& option, std::string_view called, const std::string& word,
                 std::string_view where = {});

/// The value that somebody typed. Throws as require_fit(): "--port '99999', expected a whole number from 0 to
/// 65535"; with a `where`: "me: k='0', expected a whole number from 1 to 10000".
OptionValue parse_value(const Option& option, std::string_view called, const std::string& typed,
                        std::string_view where = {});

}  // namespace markeval
