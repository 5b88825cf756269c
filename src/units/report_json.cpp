// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "elements/stress_field.cpp"
#include "report/frames.cpp"
#include "report/frames_json.cpp"
#include "report/html.cpp"
#include "report/json.cpp"
#include "report/modes_json.cpp"
#include "report/scene.cpp"
#include "scenario/schema_json.cpp"
