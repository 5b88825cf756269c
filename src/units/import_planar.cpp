// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "import/planar.cpp"
#include "import/touches.cpp"
#include "import/write.cpp"
