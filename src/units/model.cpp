// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "model/model.cpp"
#include "model/result.cpp"
#include "model/sweep.cpp"
