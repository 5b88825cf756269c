#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "thud/math/dual_math.hpp"
#include "thud/math/portable.hpp"

namespace thud {

/// An expression of a file as equations evaluate it: with any scalar of the state, and smooth while its sides stay.
///
/// Where it has a corner or jumps (abs, min, max, sign, step, pulse, a comparison), the sign of some difference decides. A
/// switch is such a difference: which side is taken is told by the caller, so that it belongs to a mode, and the value
/// is given back, so that its zero can be located. Those of the time alone are not switches: their zeros are known instants
/// (timing.hpp), and the time itself decides.
template <class P>
class FormulaOf {
 public:
  enum class Op : std::uint8_t {
    constant,  // index: of constants
    input,     // index: of inputs; the first is the time
    side,      // 1 where a ≥ 0; index: of the switch, or −1 where the value itself decides
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    both,
    either,
    no,
    choose,  // a ? b : c
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    atan2,
    sqrt,
    exp,
    ln,
    log10,
    hypot,
    modulo,
    floor,
    ceil,
    round,
  };
  struct Node {
    Op op;
    int a = -1, b = -1, c = -1, index = -1;
  };
  static constexpr int most_nodes = 160, most_switches = 32, most_inputs = 24;

  std::vector<Node> nodes;  ///< in the order of evaluation; the last is the value
  std::vector<P> constants;
  int input_count = 1, switch_count = 0;

  bool uses(int input) const {
    for (const Node& n : nodes)
      if (n.op == Op::input && n.index == input) return true;
    return false;
  }

  /// `above`: bit k is set where switch k is taken to be positive. `switches`: their values, where they are wanted.
  template <class T>
  T operator()(const T* inputs, std::uint32_t above, T* switches = nullptr) const {
    T v[most_nodes];
    int at = 0;
    for (const Node& n : nodes) v[at++] = value(n, v, inputs, above, switches);
    return at > 0 ? v[at - 1] : T(0);
  }

 private:
  template <class T>
  T value(const Node& n, const T* v, const T* inputs, std::uint32_t above, T* switches) const {
    using portable::acos, portable::asin, portable::atan, portable::atan2, portable::exp, portable::log,
        portable::pow, portable::tan, std::sqrt;
    using portable::cos, portable::sin;
    const auto truth = [](bool yes) { return T(yes ? 1.0 : 0.0); };
    const auto is = [&](int k) { return value_of(v[k]) != 0; };
    switch (n.op) {
      case Op::constant: return T(constants[n.index]);
      case Op::input: return inputs[n.index];
      case Op::side:
        if (n.index < 0) return truth(value_of(v[n.a]) >= 0);
        if (switches) switches[n.index] = v[n.a];
        return truth(above >> n.index & 1u);
      case Op::add: return v[n.a] + v[n.b];
      case Op::subtract: return v[n.a] - v[n.b];
      case Op::multiply: return v[n.a] * v[n.b];
      case Op::divide: return v[n.a] / v[n.b];
      case Op::power: return raise(v[n.a], v[n.b]);
      case Op::negate: return -v[n.a];
      case Op::both: return truth(is(n.a) && is(n.b));
      case Op::either: return truth(is(n.a) || is(n.b));
      case Op::no: return truth(!is(n.a));
      case Op::choose: return is(n.a) ? v[n.b] : v[n.c];
      case Op::sin: return sin(v[n.a]);
      case Op::cos: return cos(v[n.a]);
      case Op::tan: return tan(v[n.a]);
      case Op::asin: return atan2(v[n.a], sqrt(1.0 - v[n.a] * v[n.a]));
      case Op::acos: return acos(v[n.a]);
      case Op::atan: return atan2(v[n.a], T(1.0));
      case Op::atan2: return atan2(v[n.a], v[n.b]);
      case Op::sqrt: return sqrt(v[n.a]);
      case Op::exp: return exp(v[n.a]);
      case Op::ln: return log(v[n.a]);
      case Op::log10: return log(v[n.a]) / 2.302585092994045684;
      case Op::hypot: return sqrt(v[n.a] * v[n.a] + v[n.b] * v[n.b]);
      case Op::modulo: return v[n.a] - v[n.b] * std::floor(value_of(v[n.a]) / value_of(v[n.b]));
      case Op::floor: return T(std::floor(value_of(v[n.a])));
      case Op::ceil: return T(std::ceil(value_of(v[n.a])));
      case Op::round: return T(std::round(value_of(v[n.a])));
    }
    return T(0);
  }

  // Whole exponents by multiplication: their bases may be negative, or zero where a derivative is wanted.
  template <class T>
  static T raise(T base, T exponent) {
    using portable::exp, portable::log, portable::pow;
    const double e = value_of(exponent);
    if (e == std::floor(e) && e >= 0 && e <= 16 && is_constant(exponent)) {
      T out(1.0);
      for (int k = 0; k < static_cast<int>(e); ++k) out = out * base;
      return out;
    }
    if (is_constant(exponent)) return pow(base, e);
    return exp(exponent * log(base));
  }
  static bool is_constant(double) { return true; }
  template <class T>
  requires requires(const T& x) { x.is_constant(); }
  static bool is_constant(const T& x) { return x.is_constant(); }
  template <class T>
  static bool is_constant(const Dual<T>& x) {
    return is_zero(x.d) && is_constant(x.v);
  }
};

}  // namespace thud
