// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "import/import.cpp"
#include "import/fold.cpp"
#include "import/plane.cpp"
#include "import/solids.cpp"
#include "import/urdf.cpp"
#include "import/xml.cpp"
