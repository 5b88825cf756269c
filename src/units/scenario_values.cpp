// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "scenario/curve.cpp"
#include "scenario/files.cpp"
#include "scenario/include.cpp"
#include "scenario/knob_text.cpp"
#include "scenario/parameters.cpp"
#include "scenario/quantity.cpp"
#include "scenario/reader.cpp"
#include "scenario/units.cpp"
