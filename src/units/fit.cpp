// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/fit.cpp"
#include "study/fit_model.cpp"
#include "study/fit_statistics.cpp"
#include "study/synth.cpp"
