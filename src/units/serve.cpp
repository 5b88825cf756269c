// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "serve/library.cpp"
#include "serve/query.cpp"
#include "serve/sweep_job.cpp"

// Last: it brings the macros of httplib.
#include "serve/server.cpp"
