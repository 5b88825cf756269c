// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "scenario/schema.cpp"
#include "draw/bar_chart.cpp"
#include "scenario/schema_markdown.cpp"
#include "scenario/schema_tables.cpp"
