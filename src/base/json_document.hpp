// The owner of a JSON document. The library's destructor asks for memory to take a document down, and may not
// throw: where none is left, it ends the program. Whatever parse_json() gives dies here instead.
#pragma once

#include <nlohmann/json.hpp>
#include <utility>

namespace markeval {

/// Empties a document without asking for memory. Its depth is bounded (Limit::json_depth).
template <typename Json>
void dismantle(Json& value) noexcept {
  if (value.is_array()) {
    auto& items = value.template get_ref<typename Json::array_t&>();
    for (Json& item : items) dismantle(item);
    items.clear();
  } else if (value.is_object()) {
    auto& members = value.template get_ref<typename Json::object_t&>();
    for (auto& [name, member] : members) dismantle(member);
    members.clear();
  }
}

/// There is no conversion to `Json`: it would make a copy that nobody dismantles.
template <typename Json>
class OwnedJson {
 public:
  OwnedJson() = default;
  explicit OwnedJson(Json&& value) noexcept : value_(std::move(value)) {}
  OwnedJson(OwnedJson&&) noexcept = default;
  OwnedJson& operator=(OwnedJson&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~OwnedJson() { dismantle(value_); }

  Json& operator*() & { return value_; }
  const Json& operator*() const& { return value_; }
  Json* operator->() { return &value_; }
  const Json* operator->() const { return &value_; }

 private:
  Json value_;
};

using JsonDocument = OwnedJson<nlohmann::json>;

}  // namespace markeval
