// Rows of numbers, 8 at a time.

#include "lanes/kernel.hpp"
#include "lanes/lane_math.h"

#include <sleef.h>

namespace thud::lanes::avx512 {

namespace {

using Pack = __m512d;
constexpr int pack = 8;

inline Pack load(const double* from) {
  Pack x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
inline void store(double* to, Pack x) { __builtin_memcpy(to, &x, sizeof x); }
inline Pack root(Pack x) { return _mm512_sqrt_pd(x); }
inline Pack tangent(Pack x) { return Sleef_cinz_tand8_u10avx512fnofma(x); }
inline Pack tangent_h(Pack x) { return Sleef_cinz_tanhd8_u10avx512fnofma(x); }
inline Pack arc_cosine(Pack x) { return Sleef_cinz_acosd8_u10avx512fnofma(x); }
inline Pack arc_tangent(Pack y, Pack x) { return Sleef_cinz_atan2d8_u10avx512fnofma(y, x); }

}  // namespace

#include "lanes/kernel_body.hpp"

extern const Kernel kernel;
const Kernel kernel = {"avx512", run, combine, errors, grow, require_positive};

}  // namespace thud::lanes::avx512
