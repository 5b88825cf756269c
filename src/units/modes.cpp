// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/modes.cpp"
#include "report/mode_poses.cpp"
#include "report/modes_svg.cpp"
#include "report/modes_text.cpp"
#include "study/spectrum.cpp"
