#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <future>

namespace thud::python {

/// Computes f(cancel) in a thread of its own, without the interpreter's lock, while this one looks out for Ctrl-C: that
/// sets the flag, waits for the end of f, and throws KeyboardInterrupt.
template <class F>
auto interruptible(F&& f) {
  std::atomic<bool> cancel = false;
  bool interrupted = false;
  auto future = std::async(std::launch::async, [&] { return f(cancel); });
  {
    const pybind11::gil_scoped_release release;
    while (future.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      if (interrupted) continue;
      const pybind11::gil_scoped_acquire acquire;
      interrupted = PyErr_CheckSignals() != 0;
      if (interrupted) cancel = true;
    }
  }
  if (!interrupted) return future.get();
  const pybind11::error_already_set interrupt;
  try {
    (void)future.get();
  } catch (...) {  // what was wrong as well does not matter any more
  }
  throw interrupt;
}

}  // namespace thud::python
