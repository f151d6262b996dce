#include "binding/inputs.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string_view>

#include "base/error.hpp"

namespace nb = nanobind;

namespace markeval::binding {
namespace {

constexpr std::size_t kALot = std::size_t{1} << 40;

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A column of Arrow: text i is the bytes [offsets[i], offsets[i + 1]) of `data`.
std::vector<std::string> arrow_texts(nb::handle column) {
  const auto offsets = nb::cast<Flat<std::int64_t>>(column.attr("offsets"), false);
  const auto data = nb::cast<Flat<std::uint8_t>>(column.attr("data"), false);
  const std::string_view bytes(reinterpret_cast<const char*>(data.data()), data.size());
  std::vector<std::string> lines;
  lines.reserve(offsets.size());
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    const auto begin = static_cast<std::size_t>(offsets.data()[i - 1]);
    const auto end = static_cast<std::size_t>(offsets.data()[i]);
    if (begin > end || end > bytes.size()) throw nb::value_error("a text of Arrow lies outside its bytes");
    lines.emplace_back(bytes.substr(begin, end - begin));
  }
  return lines;
}

template <typename T>
Rows<T> rows_of(const Array<T>& array) {
  return {{array.data(), array.shape(0) * array.shape(1)}, array.shape(1)};
}

}  // namespace

std::vector<std::string> text_list(nb::handle list, const std::string& name) {
  const nb::object fast = nb::steal(PySequence_Fast(list.ptr(), "expected a list of texts"));
  if (!fast.is_valid()) throw nb::python_error();
  std::vector<std::string> lines;
  lines.reserve(nb::len(fast));
  const auto where = [&] { return name + ": text " + std::to_string(lines.size() + 1); };
  for (const nb::handle item : fast) {
    if (!nb::isinstance<nb::str>(item)) {
      const auto type = nb::cast<std::string>(item.type().attr("__name__"));
      throw nb::type_error((where() + " is of type " + type + ", expected str").c_str());
    }
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (bytes == nullptr) {
      PyErr_Clear();
      throw_invalid(where() + " is not valid UTF-8");
    }
    lines.emplace_back(bytes, static_cast<std::size_t>(size));
  }
  return lines;
}

std::vector<Input> InputKeeper::inputs(nb::handle pairs) {
  std::vector<Input> out;
  for (const nb::handle pair : pairs) {
    const std::string name = nb::cast<std::string>(pair[0]);
    const nb::object given = pair[1];
    out.push_back({name, source(name, given)});
  }
  return out;
}

Source InputKeeper::source(const std::string& name, nb::handle source) {
  if (nb::isinstance<nb::str>(source)) {
    bytes_ += kALot;
    return nb::cast<std::string>(source);
  }
  if (nb::isinstance<nb::tuple>(source)) {
    HeldTexts& held = texts_.emplace_back();
    held.lines = nb::hasattr(source[0], "offsets") ? arrow_texts(source[0])
                                                   : text_list(source[0], name.empty() ? "reference" : name);
    for (const std::string& line : held.lines) bytes_ += line.size();
    if (!source[1].is_none()) held.starts = nb::cast<std::vector<std::size_t>>(source[1]);
    return Texts{held.lines, held.starts};
  }
  bytes_ += kALot;
  Array<float> narrow;
  if (nb::try_cast(source, narrow, false)) return rows_of(narrow);
  return rows_of(nb::cast<Array<double>>(source, false));
}

}  // namespace markeval::binding
