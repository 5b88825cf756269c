// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "report/impact_svg.cpp"
