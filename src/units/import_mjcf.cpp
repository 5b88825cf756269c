// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "import/mjcf.cpp"
#include "import/mjcf_actuators.cpp"
#include "import/mjcf_equalities.cpp"
#include "import/mjcf_settings.cpp"
