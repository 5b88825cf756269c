// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "scenario/beams.cpp"
#include "scenario/beds.cpp"
#include "scenario/bodies.cpp"
#include "scenario/elements.cpp"
#include "scenario/initial.cpp"
#include "scenario/joints.cpp"
#include "scenario/own_parts.cpp"
#include "scenario/register_law.cpp"
