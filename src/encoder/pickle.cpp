// The stack machine: one case per opcode, with bounds on values, items and memo entries.
#include "encoder/pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/cancellation.hpp"
#include "base/quotation.hpp"

namespace markeval::encoder {
namespace {

// Most items of all lists, tuples and calls together, for each value allowed. Three bytes of a pickle can
// copy a whole list.
constexpr std::uint64_t kItemsPerValue = 8;
constexpr std::uint64_t kNewestProtocol = 5;
constexpr std::string_view kOrderedDictionary = "collections.OrderedDict";

// The opcodes of pickletools.py that occur in files of tensors.
enum Opcode : std::uint8_t {
  op_mark = '(',
  op_stop = '.',
  op_frame = 0x95,
  op_protocol = 0x80,
  op_none = 'N',
  op_true = 0x88,
  op_false = 0x89,
  op_int4 = 'J',
  op_int1 = 'K',
  op_int2 = 'M',
  op_long1 = 0x8A,
  op_float8 = 'G',
  op_unicode4 = 'X',
  op_unicode1 = 0x8C,
  op_string1 = 'U',
  op_string4 = 'T',
  op_empty_tuple = ')',
  op_tuple = 't',
  op_tuple1 = 0x85,
  op_tuple2 = 0x86,
  op_tuple3 = 0x87,
  op_empty_list = ']',
  op_append = 'a',
  op_appends = 'e',
  op_empty_dictionary = '}',
  op_set_item = 's',
  op_set_items = 'u',
  op_put1 = 'q',
  op_put4 = 'r',
  op_memoize = 0x94,
  op_get1 = 'h',
  op_get4 = 'j',
  op_global = 'c',
  op_stack_global = 0x93,
  op_instance = 'i',
  op_reduce = 'R',
  op_build = 'b',
  op_persistent = 'Q',
};

}  // namespace

Pickle::Pickle(ByteReader& reader, std::span<const std::string_view> allowed)
    : reader_(reader), allowed_(allowed) {
  run();
}

void Pickle::run() {
  for (std::uint8_t opcode = reader_.byte(); opcode != op_stop; opcode = reader_.byte()) {
    check_cancelled();
    step(opcode);
  }
  root_ = pop();
}

void Pickle::step(std::uint8_t opcode) {
  switch (opcode) {
    case op_protocol:
      if (const std::uint64_t version = reader_.byte(); version > kNewestProtocol)
        reader_.fail(fmt::format("pickle protocol {}, expected at most {}", version, kNewestProtocol));
      return;
    case op_frame:
      reader_.number<8>();
      return;
    case op_none:
      return push({});
    case op_true:
    case op_false:
      return push({.kind = PickleKind::flag, .integer = opcode == op_true, .text = {}, .items = {}});
    case op_int1:
      return push({PickleKind::integer, static_cast<std::int64_t>(reader_.number<1>()), {}, {}});
    case op_int2:
      return push({PickleKind::integer, static_cast<std::int64_t>(reader_.number<2>()), {}, {}});
    case op_int4:
      return push({PickleKind::integer, static_cast<std::int32_t>(reader_.number<4>()), {}, {}});
    case op_long1: {
      const auto bytes = reader_.take(reader_.byte());
      if (bytes.size() > sizeof(std::int64_t))
        reader_.fail(fmt::format("a whole number of {} bytes, expected at most 8", bytes.size()));
      const bool negative = !bytes.empty() && (bytes.back() & std::byte{0x80}) != std::byte{};
      std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
      for (std::size_t index = bytes.size(); index-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[index]);
      return push({PickleKind::integer, static_cast<std::int64_t>(value), {}, {}});
    }
    case op_float8:  // nobody asks for its value
      reader_.number<8>();
      return push({PickleKind::number, 0, {}, {}});
    case op_unicode1:
    case op_string1:
      return push_text(reader_.number<1>());
    case op_unicode4:
    case op_string4:
      return push_text(reader_.number<4>());
    case op_mark:
      require_room(marks_.size(), "marks");
      return marks_.push_back(stack_.size());
    case op_empty_tuple:
      return push({PickleKind::tuple, 0, {}, {}});
    case op_tuple1:
    case op_tuple2:
    case op_tuple3:
      return push({PickleKind::tuple, 0, {}, pop_items(opcode - op_tuple1 + std::size_t{1})});
    case op_tuple:
      return push({PickleKind::tuple, 0, {}, pop_to_mark()});
    case op_empty_list:
      return push({PickleKind::list, 0, {}, {}});
    case op_append:
      return append(pop_items(1));
    case op_appends:
      return append(pop_to_mark());
    case op_empty_dictionary:
      return push({PickleKind::dictionary, 0, {}, {}});
    case op_set_item:
      return set_items(pop_items(2));
    case op_set_items:
      return set_items(pop_to_mark());
    case op_put1:
      return remember(reader_.number<1>());
    case op_put4:
      return remember(reader_.number<4>());
    case op_memoize:
      return remember(memo_.size());
    case op_get1:
      return recall(reader_.number<1>());
    case op_get4:
      return recall(reader_.number<4>());
    case op_instance:
    case op_global: {
      const std::string module(reader_.line());
      push_global(module + "." + std::string(reader_.line()));
      if (opcode == op_global) return;
      break;
    }
    case op_stack_global: {
      const std::vector<std::uint32_t> names = pop_items(2);
      const PickleValue &module = values_[names[0]], &name = values_[names[1]];
      if (module.kind != PickleKind::text || name.kind != PickleKind::text)
        reader_.fail("the name of a function that is no text");
      return push_global(module.text + "." + name.text);
    }
    case op_reduce:
      return call();
    case op_build:  // attributes of a dictionary, such as the version of every part: of no use here
      pop();
      container(PickleKind::dictionary, "attributes are given to");
      return;
    case op_persistent: {
      std::vector<std::uint32_t> parts = values_[pop()].items;
      return push({PickleKind::reference, 0, {}, std::move(parts)});
    }
    default:
      break;
  }
  throw_invalid(fmt::format("{}: its pickle has opcode 0x{:02x} at byte {}, which tensors do not need",
                            reader_.where(), opcode, reader_.position() - 1));
}

void Pickle::push(PickleValue value) {
  require_room(values_.size(), "values");
  count_items(value.items.size());
  stack_.push_back(static_cast<std::uint32_t>(values_.size()));
  values_.push_back(std::move(value));
}

void Pickle::count_items(std::size_t more) {
  items_ += more;
  if (items_ / kItemsPerValue > most_values_)
    reader_.fail(fmt::format("lists of more than {} items together", kItemsPerValue * most_values_));
}

void Pickle::require_room(std::size_t count, const char* what) const {
  if (count >= most_values_)
    throw_beyond(Limit::pickle_values,
                 fmt::format("{}: damaged: a pickle with {} {}", reader_.where(), count + 1, what));
}

void Pickle::push_text(std::uint64_t bytes) {
  push({PickleKind::text, 0, std::string(reader_.text(bytes)), {}});
}

void Pickle::push_global(std::string name) {
  if (std::find(allowed_.begin(), allowed_.end(), name) == allowed_.end()) {
    throw_invalid(fmt::format("{}: loading it with Python would execute {}; markeval reads tensors only",
                              reader_.where(), in_quotes(name)));
  }
  push({PickleKind::global, 0, std::move(name), {}});
}

std::uint32_t Pickle::top() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    reader_.fail("its pickle takes a value that is not there");
  return stack_.back();
}

std::uint32_t Pickle::pop() {
  const std::uint32_t value = top();
  stack_.pop_back();
  return value;
}

std::vector<std::uint32_t> Pickle::pop_items(std::size_t count) {
  std::vector<std::uint32_t> items(count);
  while (count-- > 0) items[count] = pop();
  return items;
}

std::vector<std::uint32_t> Pickle::pop_to_mark() {
  if (marks_.empty()) reader_.fail("its pickle takes a mark that is not there");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<std::uint32_t> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

PickleValue& Pickle::container(PickleKind kind, const char* action) {
  PickleValue& value = values_[top()];
  if (value.kind != kind) reader_.fail(fmt::format("its pickle: {} a value of another kind", action));
  return value;
}

void Pickle::append(const std::vector<std::uint32_t>& items) {
  PickleValue& list = container(PickleKind::list, "an item is added to");
  count_items(items.size());
  list.items.insert(list.items.end(), items.begin(), items.end());
}

void Pickle::set_items(const std::vector<std::uint32_t>& items) {
  PickleValue& dictionary = container(PickleKind::dictionary, "an entry is added to");
  if (items.size() % 2 != 0) reader_.fail("its pickle: a key without a value");
  count_items(items.size());
  dictionary.items.insert(dictionary.items.end(), items.begin(), items.end());
}

void Pickle::remember(std::uint64_t key) {
  require_room(memo_.size(), "kept values");
  memo_[key] = top();
}

void Pickle::recall(std::uint64_t key) {
  const auto found = memo_.find(key);
  if (found == memo_.end()) reader_.fail("its pickle recalls a value it has not kept");
  require_room(stack_.size(), "values at once");
  stack_.push_back(found->second);
}

void Pickle::call() {
  const std::vector<std::uint32_t> parts = pop_items(2);
  const PickleValue &function = values_[parts[0]], &arguments = values_[parts[1]];
  if (function.kind != PickleKind::global || arguments.kind != PickleKind::tuple)
    reader_.fail("its pickle calls what is no function");
  if (function.text == kOrderedDictionary) return push(ordered_dictionary(arguments.items));
  push({PickleKind::call, 0, function.text, arguments.items});
}

// OrderedDict(), or as Python 2 writes it OrderedDict([[key, value], ...]).
PickleValue Pickle::ordered_dictionary(const std::vector<std::uint32_t>& arguments) const {
  PickleValue result{PickleKind::dictionary, 0, {}, {}};
  if (arguments.empty()) return result;
  for (const std::uint32_t pair : values_[arguments.front()].items) {
    const std::vector<std::uint32_t>& items = values_[pair].items;
    if (items.size() != 2) reader_.fail("its pickle: an OrderedDict of what are no pairs");
    result.items.insert(result.items.end(), items.begin(), items.end());
  }
  return result;
}

}  // namespace markeval::encoder
