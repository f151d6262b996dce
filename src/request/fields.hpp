// The fields of every request, written down once: what they are called, what they mean and what they take.
// The command line makes options of them (cli/request_options), Python keyword arguments (binding/options),
// the server JSON (request/json). What a request works on (texts, vectors, tables in memory) is no field:
// it comes in another way into each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/option.hpp"
#include "metric/metric.hpp"

namespace markeval {

struct BaselineRequest;  // of the other headers of this folder
struct CompareOptions;
struct CorrelateRequest;
struct EmbedRequest;
struct ScoreRequest;
struct Settings;
struct TrainRequest;

}  // namespace markeval

namespace markeval::request {

static_assert(std::is_same_v<std::size_t, std::uint64_t>, "one kind of count");

/// Where a field is kept.
using FieldTarget = std::variant<bool*, std::uint64_t*, double*, std::string*, std::vector<std::string>*,
                                 std::vector<Metric>*, std::optional<int>*, std::optional<std::uint64_t>*,
                                 std::optional<double>*>;

/// Most resamples of an interval or of a test between systems.
inline constexpr std::uint64_t kMostResamples = 10'000'000;

/// Mark of a field that is no option of the command line.
inline constexpr std::string_view kNoOption = "no option";

/// An option of a request, and where its value is kept.
struct Field : Option {
  FieldTarget target;         ///< in the request the fields were asked of
  std::string_view words;     ///< what stands for the value in a help text: "N", "COLUMN", "f32|bf16"
  std::string_view option{};  ///< on the command line: "-m,--metric"; empty: --max-length of max_length
  std::string also{};         ///< another name that a server's client may use
  bool several = false;       ///< one option may be followed by several words of a list
  bool listed = true;         ///< false: taken, but not in the help

  /// `its_name`: in Python and JSON. `help`: one line, the default in brackets at its end.
  Field(std::string_view its_name, FieldTarget kept, std::string_view value = {}, std::string_view help = {});

  /// The same field with one thing more said of it, so that a line of a table holds a field.
  Field as(std::string_view its_option) const { return with(&Field::option, its_option); }
  /// One of `words`; for a bool: false is the first, true the second.
  Field one_of_words() const;
  Field between(std::uint64_t from, std::uint64_t to) const {
    return with(&Field::least, from).with(&Field::most, to);
  }
  Field within(const RealRange& bounds) const { return with(&Field::range, bounds); }
  Field expecting(std::string_view text) const { return with(&Field::expected, text); }
  Field of_several_words() const { return with(&Field::several, true); }
  Field unlisted() const { return with(&Field::listed, false); }
  /// Nothing for a server's client.
  Field naming_a_file() const { return with(&Field::names_file, true).expecting(words); }
  Field or_named(std::string_view other) const { return with(&Field::also, other); }

 private:
  template <typename Member, typename Value>
  Field with(Member member, const Value& value) const {
    Field field = *this;
    field.*member = value;
    return field;
  }
};

/// Gives a field a value that came in its own type, from Python or JSON. Throws as require_fit(). What the
/// field has already is always taken: a default may stand for "none", as 0 resamples do.
template <typename Value>
void set_value(const Field& field, Value& target, Value value) {
  if (value != target) {
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      for (const std::string& word : value) require_fit(field, field.name, word);
    } else if constexpr (std::is_same_v<Value, std::optional<std::uint64_t>> ||
                         std::is_same_v<Value, std::optional<double>>) {
      if (value) require_fit(field, field.name, *value);
    } else if constexpr (!std::is_same_v<Value, bool> && !std::is_same_v<Value, std::optional<int>> &&
                         !std::is_same_v<Value, std::vector<Metric>>) {
      require_fit(field, field.name, value);
    }
  }
  target = std::move(value);
}

}  // namespace markeval::request

namespace markeval {

/// Their addresses are those of `request`, which must live as long.
std::vector<request::Field> fields_of(EncoderOptions& options);
std::vector<request::Field> fields_of(Settings& settings);
std::vector<request::Field> fields_of(ScoreRequest& request);
std::vector<request::Field> fields_of(CompareOptions& request);
std::vector<request::Field> fields_of(CorrelateRequest& request);
std::vector<request::Field> fields_of(EmbedRequest& request);
std::vector<request::Field> fields_of(TrainRequest& request);
std::vector<request::Field> fields_of(BaselineRequest& request);

}  // namespace markeval
