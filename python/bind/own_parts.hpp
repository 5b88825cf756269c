#pragma once

#include <pybind11/pybind11.h>

namespace thud::python {

/// Observables and impact laws written in Python, and the force of sand for integrators in Python.
void add_own_parts(pybind11::module_& m);

}  // namespace thud::python
