#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "thud/base/law_error.hpp"

namespace thud::python {

class PythonFunction;

/// What ends a run in which a function in Python has raised an error. Out of the library, it is that error again.
class PythonError : public LawError {
 public:
  PythonError(const std::string& message, std::shared_ptr<PythonFunction> from)
      : LawError(message),
        from_(std::move(from)) {}
  /// Sets the error of the interpreter.
  void restore() const;

 private:
  std::shared_ptr<PythonFunction> from_;
};

/// A callable that the library calls from any thread, with the first error that it raised: a run that ends by it tells it
/// to nobody, so the caller asks for it.
class PythonFunction : public std::enable_shared_from_this<PythonFunction> {
 public:
  /// `what`: for messages, such as "the law".
  PythonFunction(pybind11::object function, std::string what)
      : function_(std::move(function)),
        what_(std::move(what)) {}
  ~PythonFunction() {
    if (!Py_IsInitialized()) {  // a registered law outlives the interpreter
      function_.release();
      (void)error_.release();
      return;
    }
    const pybind11::gil_scoped_acquire acquire;
    error_.reset();
    function_ = pybind11::object();
  }
  PythonFunction(const PythonFunction&) = delete;
  PythonFunction& operator=(const PythonFunction&) = delete;

  /// Gives use(callable), with the interpreter's lock.
  template <class F>
  auto call(F&& use) {
    const pybind11::gil_scoped_acquire acquire;
    if (error_) throw PythonError(what_ + " has raised an error", shared_from_this());
    try {
      return use(function_);
    } catch (pybind11::error_already_set& e) {
      error_ = std::make_unique<pybind11::error_already_set>(e);
    } catch (const pybind11::builtin_exception& e) {
      e.set_error();
      error_ = std::make_unique<pybind11::error_already_set>();
    }
    throw PythonError(what_ + " raises " + error_->what(), shared_from_this());
  }

  /// Raises what the function raised, once.
  void check() {
    if (const auto error = std::move(error_)) throw pybind11::error_already_set(*error);
  }

 private:
  pybind11::object function_;
  std::string what_;
  std::unique_ptr<pybind11::error_already_set> error_;
};

inline void PythonError::restore() const {
  try {
    from_->check();
    PyErr_SetString(PyExc_RuntimeError, what());
  } catch (pybind11::error_already_set& e) {
    e.restore();
  }
}

}  // namespace thud::python
