// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "draw/contours.cpp"
#include "draw/frame.cpp"
#include "draw/gif.cpp"
#include "draw/raster.cpp"
#include "draw/svg.cpp"
#include "draw/trajectory.cpp"

// Last: it opens the namespace svg.
#include "draw/heat_map.cpp"
