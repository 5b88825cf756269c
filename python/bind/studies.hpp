#pragma once

#include <pybind11/pybind11.h>

namespace thud::python {

/// fit, reproduce and their like: each gives its JSON document with the text and the page for people.
void add_studies(pybind11::module_& m);

}  // namespace thud::python
