// Included once per set of instructions, inside a namespace of its own, after `Pack`, `pack` and the functions of packs.

namespace {

constexpr int packs = width / pack;

template <class F>
[[gnu::always_inline]] inline void each(double* to, const double* a, F&& f) {
#pragma GCC unroll 8
  for (int i = 0; i < packs; ++i) store(to + i * pack, f(load(a + i * pack)));
}
template <class F>
[[gnu::always_inline]] inline void each(double* to, const double* a, const double* b, F&& f) {
#pragma GCC unroll 8
  for (int i = 0; i < packs; ++i) store(to + i * pack, f(load(a + i * pack), load(b + i * pack)));
}
// Lane by lane: the compiler makes packs of it. Rows are the same, or apart.
template <class F>
[[gnu::always_inline]] inline void single(double* to, const double* a, const double* b, F&& f) {
#pragma GCC ivdep
  for (int i = 0; i < width; ++i) to[i] = f(a[i], b[i]);
}
template <class F>
[[gnu::always_inline]] inline void single(double* to, const double* a, F&& f) {
#pragma GCC ivdep
  for (int i = 0; i < width; ++i) to[i] = f(a[i]);
}

void run(const Instruction* code, const Instruction* end, double* rows) {
  for (; code != end; ++code) {
    const Instruction& x = *code;
    double* to = rows + x.to * width;
    const double *a = rows + x.a * width, *b = rows + x.b * width;
    switch (x.op) {
      case Op::add: each(to, a, b, [](Pack p, Pack q) { return p + q; }); break;
      case Op::sub: each(to, a, b, [](Pack p, Pack q) { return p - q; }); break;
      case Op::mul: each(to, a, b, [](Pack p, Pack q) { return p * q; }); break;
      case Op::mul_add:
#pragma GCC unroll 8
        for (int i = 0; i < width; i += pack)
          store(to + i, load(a + i) * load(b + i) + load(rows + x.c * width + i));
        break;
      case Op::mul_sub:
#pragma GCC unroll 8
        for (int i = 0; i < width; i += pack)
          store(to + i, load(a + i) * load(b + i) - load(rows + x.c * width + i));
        break;
      case Op::sub_mul:
#pragma GCC unroll 8
        for (int i = 0; i < width; i += pack)
          store(to + i, load(rows + x.c * width + i) - load(a + i) * load(b + i));
        break;
      case Op::div: each(to, a, b, [](Pack p, Pack q) { return p / q; }); break;
      case Op::neg: each(to, a, [](Pack p) { return -p; }); break;
      case Op::sqrt: each(to, a, [](Pack p) { return root(p); }); break;
      case Op::sin:
        single(to, a, [](double p) {
          double c;
          return lane_sincos(p, &c);
        });
        break;
      case Op::cos:
        single(to, a, [](double p) {
          double c;
          lane_sincos(p, &c);
          return c;
        });
        break;
      case Op::sincos: {
        double* other = rows + x.b * width;
#pragma GCC ivdep
        for (int i = 0; i < width; ++i) to[i] = lane_sincos(a[i], other + i);
        break;
      }
      case Op::pow: single(to, a, b, [](double p, double q) { return lane_pow(p, q); }); break;
      case Op::exp: single(to, a, [](double p) { return lane_exp(p); }); break;
      case Op::log: single(to, a, [](double p) { return lane_log(p); }); break;
      case Op::tan: each(to, a, [](Pack p) { return tangent(p); }); break;
      case Op::tanh: each(to, a, [](Pack p) { return tangent_h(p); }); break;
      case Op::acos: each(to, a, [](Pack p) { return arc_cosine(p); }); break;
      case Op::atan2: each(to, a, b, [](Pack p, Pack q) { return arc_tangent(p, q); }); break;
      case Op::abs: single(to, a, a, [](double p, double) { return p < 0 ? -p : p; }); break;
      case Op::min: single(to, a, b, [](double p, double q) { return q < p ? q : p; }); break;
      case Op::max: single(to, a, b, [](double p, double q) { return p < q ? q : p; }); break;
      case Op::less: single(to, a, b, [](double p, double q) { return p < q ? 1.0 : 0.0; }); break;
      case Op::require: {
        const double wanted = x.c;
        single(to, a, to, [wanted](double p, double q) { return p == wanted ? q : 0.0; });
        break;
      }
      default: break;
    }
  }
}

// With so many terms, known at compile time.
template <int Count>
void combine_of(const Term* terms, int n, const double* k, int stride, const double* h, const double* base,
                double* out) {
  const double* from[Count];
  double weight[Count];
  for (int j = 0; j < Count; ++j) {
    from[j] = k + static_cast<std::ptrdiff_t>(terms[j].stage) * stride * width;
    weight[j] = terms[j].weight;
  }
  for (int i = 0; i < n * width; i += width)
    for (int l = 0; l < width; l += pack) {
      Pack sum = weight[0] * load(from[0] + i + l);
#pragma GCC unroll 12
      for (int j = 1; j < Count; ++j) sum = sum + weight[j] * load(from[j] + i + l);
      sum = load(h + l) * sum;
      store(out + i + l, base ? load(base + i + l) + sum : sum);
    }
}

void combine(const Term* terms, int count, int n, const double* k, int stride, const double* h,
             const double* base, double* out) {
  switch (count) {
    case 1: return combine_of<1>(terms, n, k, stride, h, base, out);
    case 2: return combine_of<2>(terms, n, k, stride, h, base, out);
    case 3: return combine_of<3>(terms, n, k, stride, h, base, out);
    case 4: return combine_of<4>(terms, n, k, stride, h, base, out);
    case 5: return combine_of<5>(terms, n, k, stride, h, base, out);
    case 6: return combine_of<6>(terms, n, k, stride, h, base, out);
    case 7: return combine_of<7>(terms, n, k, stride, h, base, out);
    case 8: return combine_of<8>(terms, n, k, stride, h, base, out);
    case 9: return combine_of<9>(terms, n, k, stride, h, base, out);
    case 10: return combine_of<10>(terms, n, k, stride, h, base, out);
    case 11: return combine_of<11>(terms, n, k, stride, h, base, out);
    case 12: return combine_of<12>(terms, n, k, stride, h, base, out);
    default: break;
  }
}

void errors(int n, const double* e5, const double* e3, const double* const* scales, const double* h,
            double* out) {
  double sum5[width] = {}, sum3[width] = {};
  for (int i = 0; i < n; ++i)
#pragma GCC ivdep
    for (int l = 0; l < width; ++l) {
      const double a = e5[i * width + l] * scales[i][l], b = e3[i * width + l] * scales[i][l];
      sum5[l] += a * a;
      sum3[l] += b * b;
    }
#pragma GCC ivdep
  for (int l = 0; l < width; ++l) {
    const double denominator = (sum5[l] + 0.01 * sum3[l]) * n;
    const double error = h[l] * sum5[l] / __builtin_sqrt(denominator);
    out[l] = !(denominator < lane_infinity()) ? lane_infinity() : denominator == 0 ? 0.0 : error;
  }
}

void grow(const double* error, const double* last_log_error, double* log_error, double* growth) {
#pragma GCC ivdep
  for (int l = 0; l < width; ++l) growth[l] = lane_growth(error[l], last_log_error[l], log_error + l);
}

void require_positive(const double* row, double* all) {
#pragma GCC ivdep
  for (int l = 0; l < width; ++l) all[l] = row[l] > 0 ? all[l] : 0.0;
}

}  // namespace
