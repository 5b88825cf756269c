#pragma once

#include <pybind11/pybind11.h>

namespace thud::python {

/// Resistance laws: written in Python, or loaded from shared libraries.
void add_laws(pybind11::module_& m);

}  // namespace thud::python
