// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/chunk.cpp"
#include "study/crew.cpp"
#include "study/machines.cpp"
#include "study/study_file.cpp"
#include "study/study_schema.cpp"
#include "study/workers.cpp"
