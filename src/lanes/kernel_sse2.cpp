// Rows of numbers, 2 at a time.

#include "lanes/kernel.hpp"
#include "lanes/lane_math.h"

#include <sleef.h>

namespace thud::lanes::sse2 {

namespace {

using Pack = __m128d;
constexpr int pack = 2;

inline Pack load(const double* from) {
  Pack x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
inline void store(double* to, Pack x) { __builtin_memcpy(to, &x, sizeof x); }
inline Pack root(Pack x) { return _mm_sqrt_pd(x); }
inline Pack tangent(Pack x) { return Sleef_cinz_tand2_u10sse2(x); }
inline Pack tangent_h(Pack x) { return Sleef_cinz_tanhd2_u10sse2(x); }
inline Pack arc_cosine(Pack x) { return Sleef_cinz_acosd2_u10sse2(x); }
inline Pack arc_tangent(Pack y, Pack x) { return Sleef_cinz_atan2d2_u10sse2(y, x); }

}  // namespace

#include "lanes/kernel_body.hpp"

extern const Kernel kernel;
const Kernel kernel = {"sse2", run, combine, errors, grow, require_positive};

}  // namespace thud::lanes::sse2
