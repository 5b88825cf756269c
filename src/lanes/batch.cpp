#include "lanes/batch.hpp"

#include <algorithm>
#include <array>

namespace thud::lanes {

namespace {

template <std::size_t N>
std::vector<Term> terms_of(const std::array<tableau::Entry, N>& row) {
  std::vector<Term> out;
  for (const tableau::Entry& e : row) out.push_back({e.stage, e.weight});
  return out;
}

}  // namespace

const std::vector<Term>& stage_terms(int stage) {
  static const std::vector<std::vector<Term>> all = {
      {},
      terms_of(Pair::a1),
      terms_of(Pair::a2),
      terms_of(Pair::a3),
      terms_of(Pair::a4),
      terms_of(Pair::a5),
      terms_of(Pair::a6),
      terms_of(Pair::a7),
      terms_of(Pair::a8),
      terms_of(Pair::a9),
      terms_of(Pair::a10),
      terms_of(Pair::a11),
      terms_of(Pair::b),
      terms_of(Pair::a13),
      terms_of(Pair::a14),
      terms_of(Pair::a15),
  };
  return all[stage];
}

const std::vector<Term>& dense_terms(int term) {
  static const std::vector<std::vector<Term>> all = {terms_of(Pair::d0), terms_of(Pair::d1),
                                                     terms_of(Pair::d2), terms_of(Pair::d3)};
  return all[term];
}

const std::vector<Term>& error_terms(bool of_order_5) {
  static const std::vector<Term> e5 = terms_of(Pair::e5), e3 = terms_of(Pair::e3);
  return of_order_5 ? e5 : e3;
}

void Batch::make_room(const Program& program, int moving_) {
  total = program.state_size;
  moving = moving_;
  const auto size = static_cast<std::size_t>(total) * width;
  y.resize(size);
  next.resize(size);
  e5.resize(size);
  e3.resize(size);
  k.resize(16 * size);
}

void Batch::evaluate(Shape& shape, int stage, double c, Depth depth) {
  const Program& p = shape.program;
  double* rows = shape.rows.data();
  const std::vector<Term>& terms = stage_terms(stage);
  const int n = stage == Pair::stages ? total : moving;  // quadratures do not feed back
  kernel.combine(terms.data(), static_cast<int>(terms.size()), n, k.data(), total, h, y.data(), rows);
  if (depth != Depth::lean)
    for (int l = 0; l < width; ++l) rows[p.time_row() * width + l] = t[l] + c * h[l];
  kernel.carry_out(depth == Depth::full ? p.full : depth == Depth::probe ? p.probe : p.lean, rows);
  double* slopes = k.data() + static_cast<std::ptrdiff_t>(stage) * total * width;
  const std::vector<std::uint16_t>& from = depth == Depth::full  ? p.rates
                                         : depth == Depth::probe ? p.probe_rates
                                                                 : p.lean_rates;
  for (int i = 0; i < total; ++i)
    for (int l = 0; l < width; ++l) slopes[i * width + l] = rows[from[i] * width + l];
}

void Batch::find_errors() {
  alignas(64) static constexpr auto one = [] {
    std::array<double, width> x{};
    for (double& v : x) v = 1;
    return x;
  }();
  for (const bool fifth : {true, false}) {
    const std::vector<Term>& terms = error_terms(fifth);
    kernel.combine(terms.data(), static_cast<int>(terms.size()), moving, k.data(), total, one.data(), nullptr,
                   (fifth ? e5 : e3).data());
  }
}

}  // namespace thud::lanes
