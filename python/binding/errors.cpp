#include "binding/errors.hpp"

#include <exception>
#include <string>

#include "base/error.hpp"
#include "binding/python_words.hpp"

namespace nb = nanobind;

namespace markeval::binding {
namespace {

struct Types {
  PyObject* error = nullptr;
  PyObject* usage = nullptr;
  PyObject* invalid_input = nullptr;
  PyObject* io = nullptr;
  PyObject* cancelled = nullptr;
};
Types types;  // live as long as the interpreter

PyObject* type_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return types.usage;
    case ErrorCode::invalid_input:
      return types.invalid_input;
    case ErrorCode::io:
      return types.io;
    case ErrorCode::cancelled:
      break;
  }
  return types.cancelled;
}

PyObject* make_type(nb::module_& module, const char* name, const char* doc, PyObject* first,
                    PyObject* second = nullptr) {
  const nb::tuple bases = second == nullptr ? nb::make_tuple(nb::handle(first))
                                            : nb::make_tuple(nb::handle(first), nb::handle(second));
  PyObject* type =
      PyErr_NewExceptionWithDoc((std::string("markeval.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (type == nullptr) throw nb::python_error();
  module.attr(name) = nb::handle(type);
  return type;
}

}  // namespace

void add_errors(nb::module_& module) {
  types.error = make_type(module, "Error", "Everything that ends a request.", PyExc_Exception);
  types.usage = make_type(module, "UsageError", "The request is wrong: an unknown metric, option or value.",
                          types.error, PyExc_ValueError);
  types.invalid_input = make_type(module, "InvalidInputError",
                                  "The data are wrong: a damaged file, NaN, numbers of segments that differ.",
                                  types.error, PyExc_ValueError);
  types.io = make_type(module, "InputOutputError", "The machine said no: a missing file, a full disk.",
                       types.error, PyExc_OSError);
  types.cancelled = make_type(module, "Cancelled", "The work was stopped on request.", types.error);
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      PyErr_SetString(type_of(error.code()), in_python(error.what()).c_str());
    }
  });
}

}  // namespace markeval::binding
