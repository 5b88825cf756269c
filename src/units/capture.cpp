// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/capture.cpp"
#include "study/capture_file.cpp"
#include "study/capture_layout.cpp"
#include "study/capture_plane.cpp"
#include "study/capture_rules.cpp"
#include "study/capture_signal.cpp"
#include "study/capture_text.cpp"
#include "study/measurement_axes.cpp"
