// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "scenario/contacts.cpp"
#include "scenario/controllers.cpp"
#include "scenario/observable_hint.cpp"
#include "scenario/outline.cpp"
#include "scenario/result_rules.cpp"
#include "scenario/rules.cpp"
#include "scenario/strike.cpp"
#include "scenario/walls.cpp"
