// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "draw/pose_strip.cpp"
#include "draw/stills.cpp"

// Last: it opens the namespace svg.
#include "draw/curve_figures.cpp"
