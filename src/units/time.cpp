// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "draw/plot.cpp"

// Last: it opens the namespace svg.
#include "draw/time_figure.cpp"
