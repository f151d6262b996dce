// Python's pickle format, as far as files of tensors need it. A pickle is a program for a small stack
// machine, and Python's own machine calls whatever functions it names. This one has a closed list of opcodes
// and calls nothing: "call this function with these arguments" becomes a value that says so, and only for
// names its caller allows. Any other opcode or name is an error that says what was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/limits.hpp"
#include "encoder/byte_reader.hpp"

namespace markeval::encoder {

enum class PickleKind { none, flag, integer, number, text, list, tuple, dictionary, global, reference, call };

struct PickleValue {
  PickleKind kind = PickleKind::none;
  std::int64_t integer = 0;  ///< 0 or 1 for a flag
  std::string text;          ///< "module.name" for a global or a call
  /// Numbers of other values: the items of a list or tuple, key and value by turns of a dictionary, the
  /// arguments of a call, the parts of a reference (pickle's "persistent id").
  std::vector<std::uint32_t> items;
};

class Pickle {
 public:
  /// Reads one pickle from where `reader` stands; afterwards it stands behind it. collections.OrderedDict is
  /// a dictionary. Throws Error(invalid_input) where it is damaged, has more than a million values, or names
  /// anything that is not among `allowed`.
  Pickle(ByteReader& reader, std::span<const std::string_view> allowed);

  const PickleValue& root() const { return values_[root_]; }
  std::span<const PickleValue> values() const { return values_; }
  const PickleValue& operator[](std::uint32_t index) const { return values_[index]; }

 private:
  void run();
  void step(std::uint8_t opcode);
  void push(PickleValue value);
  void count_items(std::size_t more);
  /// Throws Error(invalid_input) where there are so many already that no more may come.
  void require_room(std::size_t count, const char* what) const;
  void push_text(std::uint64_t bytes);
  void push_global(std::string name);
  std::uint32_t pop();
  std::uint32_t top() const;
  std::vector<std::uint32_t> pop_to_mark();
  std::vector<std::uint32_t> pop_items(std::size_t count);
  PickleValue& container(PickleKind kind, const char* action);
  void set_items(const std::vector<std::uint32_t>& items);
  void append(const std::vector<std::uint32_t>& items);
  void remember(std::uint64_t key);
  void recall(std::uint64_t key);
  void call();
  PickleValue ordered_dictionary(const std::vector<std::uint32_t>& arguments) const;

  ByteReader& reader_;
  std::span<const std::string_view> allowed_;
  std::vector<PickleValue> values_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, std::uint32_t> memo_;
  std::uint64_t most_values_ = limit_of(Limit::pickle_values);
  std::size_t items_ = 0;
  std::uint32_t root_ = 0;
};

}  // namespace markeval::encoder
