// Values are read into the places of their fields, requests written back, and the JSON schema made from the
// same list.
#include "request/json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_reader.hpp"
#include "base/suggestion.hpp"
#include "metric/registry.hpp"
#include "request/requested_metrics.hpp"

namespace markeval::request {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

[[noreturn]] void refuse(const Field& field, const Json& value) {
  throw_usage(fmt::format("{} is {}, expected {}", field.name, brief(value), expected_value(field)));
}

/// A client names what the server has, never a file of it.
[[noreturn]] void refuse_file(const Field& field, std::string_view what) {
  throw_usage(fmt::format("{} names {} of the server, which a request may not", field.name, what));
}

/// Reads a value into the place of a field; checks what the field takes.
class FieldReader {
 public:
  FieldReader(const Field& field, const Json& value) : field_(field), value_(value) {}

  void operator()(bool* target) const {
    if (!field_.choices.empty() && value_.is_string()) {  // the words of the option: the first one is false
      const std::string word = value_.get<std::string>();
      require_fit(field_, field_.name, word);
      *target = word != field_.choices.front();
      return;
    }
    require(value_.is_boolean());
    *target = value_.get<bool>();
  }
  void operator()(std::uint64_t* target) const {
    require(is_count());
    set_value(field_, *target, value_.get<std::uint64_t>());
  }
  void operator()(double* target) const {
    require(value_.is_number());
    set_value(field_, *target, value_.get<double>());
  }
  void operator()(std::optional<int>* target) const {  // a layer
    if (value_ == "all" || value_.is_null()) return target->reset();
    require(is_count() ? value_.get<std::uint64_t>() <= 1'000'000
                       : value_.is_number_integer() && value_.get<std::int64_t>() >= -1'000'000);
    *target = value_.get<int>();
  }
  template <typename Number>
  void operator()(std::optional<Number>* target) const {
    if (value_.is_null()) return target->reset();
    require(std::is_integral_v<Number> ? is_count() : value_.is_number());
    set_value(field_, *target, std::optional(value_.get<Number>()));
  }
  void operator()(std::string* target) const {
    require(value_.is_string());
    set_value(field_, *target, value_.get<std::string>());
  }
  void operator()(std::vector<std::string>* target) const {
    if (value_.is_string()) return set_value(field_, *target, std::vector{value_.get<std::string>()});
    set_value(field_, *target, strings());
  }
  void operator()(std::vector<Metric>* target) const {
    const std::vector<std::string> texts =
        value_.is_string() ? std::vector{value_.get<std::string>()} : strings();
    require_few_metrics(texts.size());
    target->assign(texts.begin(), texts.end());
    for (const Metric& metric : *target) require_no_files_in(metric);
  }

 private:
  std::vector<std::string> strings() const {
    require(value_.is_array() && std::ranges::all_of(value_, &Json::is_string));
    return value_.get<std::vector<std::string>>();
  }
  void require_no_files_in(const Metric& metric) const {
    for (const metric::OptionSpec& option : metric.info->options) {
      const bool named =
          option.names_file && std::ranges::count(option.choices, metric.options.text(option.name)) == 0;
      if (named) refuse_file(field_, fmt::format("a file ({} of {})", option.name, metric.info->name));
    }
  }
  void require(bool right) const {
    if (!right) refuse(field_, value_);
  }
  /// Not `value_ >= 0`, which takes 2^63 and more for negative.
  bool is_count() const {
    return value_.is_number_unsigned() || (value_.is_number_integer() && value_.get<std::int64_t>() >= 0);
  }

  const Field& field_;
  const Json& value_;
};

void require_no_files(const Field& field, const Json& value) {
  if (field.names_file) refuse_file(field, "a file or a folder");
  if (field.name == "model" && value.is_string()) {
    const auto& name = value.get_ref<const std::string&>();
    if (name.empty()) throw_usage("model is empty, expected the name of a model, or no 'model'");
    if (name.find('/') != std::string::npos || name.starts_with('.')) refuse_file(field, "a folder");
  }
}

/// What a metric is asked for by: "chrf", "bertscore.f1:layer=2", "mine=me:k=3".
std::string metric_pattern() {
  std::string names;
  for (const metric::MetricInfo& info : metric::registry()) {
    names += names.empty() ? "" : "|";
    for (const char letter : info.name) names += letter == '+' ? "\\+" : std::string(1, letter);
  }
  return fmt::format("^([^:=]+=)?({})([.:][\\s\\S]*)?$", names);
}

}  // namespace

void read_request(const Json& object, std::span<const Field> fields, std::span<const std::string> data) {
  if (!object.is_object()) throw_usage(fmt::format("the request is {}, expected an object", brief(object)));
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::find(data, name) != data.end()) continue;
    const auto field = std::ranges::find_if(fields, [&name = name](const Field& one) {
      return one.name == name || (!one.also.empty() && one.also == name);
    });
    if (field == fields.end()) {
      std::vector<std::string> known(data.begin(), data.end());
      for (const Field& one : fields) {
        if (!one.names_file) known.emplace_back(one.name);
      }
      throw_usage(fmt::format("unknown field {}{}", brief(Json(name)), suggestion(name, known)));
    }
    if (name != field->name && object.contains(field->name))
      throw_usage(fmt::format("{} and {} are two names of one field, expected one", field->name, name));
    require_no_files(*field, value);
    std::visit(FieldReader(*field, value), field->target);
  }
}

OrderedJson request_to_json(std::span<const Field> fields) {
  OrderedJson out = OrderedJson::object();
  for (const Field& field : fields) {
    std::visit(
        [&]<typename Value>(const Value* target) {
          OrderedJson& value = out[field.name];
          if constexpr (requires { target->has_value(); }) {
            value = *target ? OrderedJson(**target) : OrderedJson(nullptr);
          } else if constexpr (std::is_same_v<Value, std::vector<Metric>>) {
            value = OrderedJson::array();
            for (const Metric& metric : *target) value.push_back(metric.typed);
          } else {
            value = *target;
          }
        },
        field.target);
  }
  return out;
}

OrderedJson request_schema(std::span<const Field> fields) {
  OrderedJson properties = OrderedJson::object();
  const OrderedJson defaults = request_to_json(fields);
  for (const Field& field : fields) {
    if (field.names_file) continue;
    OrderedJson& property = properties[field.name];
    const bool count = field.kind == ValueKind::count;
    const OrderedJson& value = defaults[field.name];
    // A default that is no value stands for "none", "as the model does it": null, 0, "".
    const bool none = value.is_null() || value == "" || (count && value < field.least);
    const bool metrics = std::holds_alternative<std::vector<Metric>*>(field.target);
    switch (field.kind) {
      case ValueKind::flag:
        if (field.choices.empty()) {
          property["type"] = "boolean";
        } else {
          property["enum"] = field.choices;
          property["enum"].insert(property["enum"].end(), {false, true});
        }
        break;
      case ValueKind::text:
        property["type"] = "string";
        if (field.choices.empty()) break;
        property["enum"] = field.choices;
        if (none) property["enum"].push_back(value);
        break;
      case ValueKind::list:
        property["type"] = "array";
        property["items"] = {{"type", "string"}};
        if (metrics) property["items"]["pattern"] = metric_pattern();
        break;
      case ValueKind::layer:
        property["oneOf"] = {{{"type", {"integer", "null"}}}, {{"const", "all"}}};
        break;
      case ValueKind::count:
      case ValueKind::real:
        const std::string number = count ? "integer" : "number";
        property["type"] = value.is_null() ? OrderedJson{number, "null"} : OrderedJson(number);
    }
    if (count) {
      OrderedJson bounds{{"minimum", field.least}};
      if (field.most != kAnyCount) bounds["maximum"] = field.most;
      if (none && !value.is_null()) {
        property["anyOf"] = {{{"const", value}}, bounds};
      } else {
        property.update(bounds);
      }
    }
    if (!none) property["default"] = value;
    property["description"] = field.meaning;
  }
  return properties;
}

}  // namespace markeval::request
