// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/fit_checks.cpp"
#include "study/fit_intervals.cpp"
#include "study/fit_local.cpp"
#include "study/fit_minimise.cpp"
#include "study/fit_outliers.cpp"
#include "study/fit_views.cpp"
#include "study/robust.cpp"
