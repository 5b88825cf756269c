// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/reproduce.cpp"
#include "study/json_node.cpp"
#include "study/paper_figure_file.cpp"
#include "study/paper_figures.cpp"
#include "study/reference.cpp"
#include "study/reproduce_grid.cpp"
#include "study/reproduce_json.cpp"
#include "study/reproduce_report.cpp"
