// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "base/error.cpp"
#include "base/format.cpp"
#include "store/csv.cpp"
#include "store/file.cpp"
#include "store/hdf5.cpp"
#include "store/seal.cpp"
