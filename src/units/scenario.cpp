// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "scenario/scenario.cpp"
#include "scenario/family.cpp"
#include "scenario/request.cpp"
#include "scenario/run.cpp"
#include "scenario/shapes.cpp"
