// Compiled with the include folder of thud alone: the façade asks nothing else of those who use it.
#include "thud/thud.hpp"

#ifdef EIGEN_WORLD_VERSION
#error "thud/thud.hpp includes Eigen"
#endif

static_assert(sizeof(thud::Model) == sizeof(void*));
