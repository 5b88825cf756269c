// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "scenario/knob_text.cpp"
#include "scenario/parameters.cpp"
#include "scenario/quantity.cpp"
#include "scenario/reader.cpp"
#include "scenario/units.cpp"
