// Rows of numbers, 4 at a time.

#include "lanes/kernel.hpp"
#include "lanes/lane_math.h"

#include <sleef.h>

namespace thud::lanes::avx {

namespace {

using Pack = __m256d;
constexpr int pack = 4;

inline Pack load(const double* from) {
  Pack x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
inline void store(double* to, Pack x) { __builtin_memcpy(to, &x, sizeof x); }
inline Pack root(Pack x) { return _mm256_sqrt_pd(x); }
inline Pack tangent(Pack x) { return Sleef_cinz_tand4_u10avx(x); }
inline Pack tangent_h(Pack x) { return Sleef_cinz_tanhd4_u10avx(x); }
inline Pack arc_cosine(Pack x) { return Sleef_cinz_acosd4_u10avx(x); }
inline Pack arc_tangent(Pack y, Pack x) { return Sleef_cinz_atan2d4_u10avx(y, x); }

}  // namespace

#include "lanes/kernel_body.hpp"

extern const Kernel kernel;
const Kernel kernel = {"avx", run, combine, errors, grow, require_positive};

}  // namespace thud::lanes::avx
