// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/fit_report.cpp"
#include "study/fit_file.cpp"
