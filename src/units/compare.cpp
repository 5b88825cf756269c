// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/compare.cpp"
#include "study/capture_picture.cpp"
#include "study/capture_report.cpp"
#include "study/compare_report.cpp"
