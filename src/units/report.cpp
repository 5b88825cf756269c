// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "report/csv.cpp"
#include "report/impacts.cpp"
#include "report/live.cpp"
#include "report/summary.cpp"
#include "report/sweep_plots.cpp"
