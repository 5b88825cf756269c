// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/sensitivity.cpp"
#include "study/sensitivity_report.cpp"
#include "study/sobol.cpp"
#include "study/sweep_summary.cpp"

// Last: it opens the namespace svg.
#include "study/fit_pictures.cpp"
