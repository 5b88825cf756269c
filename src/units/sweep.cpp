// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/sweep.cpp"
#include "study/design.cpp"
#include "study/journal.cpp"
#include "study/measurement.cpp"
#include "study/quick_study.cpp"
#include "study/sweep_file.cpp"
