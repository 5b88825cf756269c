#pragma once
// A scalar that writes down what is computed with it. The right-hand side of a mode, its guards and its observables are
// templates on their scalar; evaluated with this one they leave a straight-line program behind (tape.hpp).

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "thud/math/dual.hpp"
#include "thud/math/portable.hpp"

namespace thud::lanes {

enum class Op : std::uint8_t {
  input,     // `a`: which
  constant,  // `a`: which
  add,
  sub,
  mul,
  div,
  neg,
  sqrt,
  sin,
  cos,
  pow,
  exp,
  log,
  tan,
  tanh,
  acos,
  atan2,
  abs,
  min,
  max,
  less,     // a < b, as 1 or 0
  sincos,   // of a: sine here, cosine in b (made from a pair of the two)
  mul_add,  // a b + c, rounded twice (made from others, as the next two)
  mul_sub,  // a b − c
  sub_mul,  // c − a b
  require,  // a is c: keeps what is here, otherwise 0
};

struct Node {
  Op op;
  std::int32_t a = -1, b = -1;
};

/// Where a comparison went while the program was recorded: it holds only where it goes the same way.
struct Assumption {
  std::int32_t node;  ///< of Op::less
  bool outcome;
};

/// What is recorded on this thread. Constants are kept in the order in which they enter the computation: the same
/// templates with other parameters enter theirs in the same order, so that a program is used again with constants of
/// its own.
class Recorder {
 public:
  Recorder() : outer_(active) { active = this; }
  ~Recorder() { active = outer_; }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  std::int32_t push(Op op, std::int32_t a, std::int32_t b = -1) {
    nodes.push_back({op, a, b});
    return static_cast<std::int32_t>(nodes.size()) - 1;
  }
  std::int32_t push_constant(double value) {
    constants.push_back(value);
    return push(Op::constant, static_cast<std::int32_t>(constants.size()) - 1);
  }

  std::vector<Node> nodes;
  std::vector<double> constants;
  std::vector<Assumption> assumptions;
  /// Somebody took a number out of the computation: what follows from it is not in the program.
  bool leaked = false;
  bool is_rough = false;  ///< the same for a tolerance

  static thread_local inline Recorder* active = nullptr;

 private:
  Recorder* outer_;
};

/// A number with the node that computes it; −1: a constant so far.
class Traced {
 public:
  constexpr Traced() = default;
  template <class A, std::enable_if_t<std::is_arithmetic_v<A>, int> = 0>
  constexpr Traced(A value) : value_(static_cast<double>(value)) {}  // NOLINT: constants mix freely
  Traced(double value, std::int32_t node) : value_(value), node_(node) {}

  bool is_constant() const { return node_ < 0; }
  double value() const { return value_; }
  std::int32_t node() const { return node_ >= 0 ? node_ : Recorder::active->push_constant(value_); }

  friend Traced operator+(Traced a, Traced b) { return make(Op::add, a, b, a.value_ + b.value_); }
  friend Traced operator-(Traced a, Traced b) { return make(Op::sub, a, b, a.value_ - b.value_); }
  friend Traced operator*(Traced a, Traced b) { return make(Op::mul, a, b, a.value_ * b.value_); }
  friend Traced operator/(Traced a, Traced b) { return make(Op::div, a, b, a.value_ / b.value_); }
  friend Traced operator-(Traced a) { return make(Op::neg, a, -a.value_); }
  friend Traced operator+(Traced a) { return a; }
  Traced& operator+=(Traced b) { return *this = *this + b; }
  Traced& operator-=(Traced b) { return *this = *this - b; }
  Traced& operator*=(Traced b) { return *this = *this * b; }
  Traced& operator/=(Traced b) { return *this = *this / b; }

  friend bool operator<(Traced a, Traced b) { return compare(a, b); }
  friend bool operator>(Traced a, Traced b) { return compare(b, a); }
  friend bool operator<=(Traced a, Traced b) { return !compare(b, a); }
  friend bool operator>=(Traced a, Traced b) { return !compare(a, b); }
  friend bool operator==(Traced a, Traced b) { return !compare(a, b) && !compare(b, a); }

  static Traced make(Op op, Traced a, double value) {
    if (a.is_constant()) return value;
    return {value, Recorder::active->push(op, a.node_)};
  }
  static Traced make(Op op, Traced a, Traced b, double value) {
    if (a.is_constant() && b.is_constant()) return value;
    const std::int32_t left = a.node(), right = b.node();
    return {value, Recorder::active->push(op, left, right)};
  }

 private:
  static bool compare(Traced a, Traced b) {
    const bool outcome = a.value_ < b.value_;
    if (a.is_constant() && b.is_constant()) return outcome;
    const Traced less = make(Op::less, a, b, outcome ? 1.0 : 0.0);
    Recorder::active->assumptions.push_back({less.node_, outcome});
    return outcome;
  }

  double value_ = 0;
  std::int32_t node_ = -1;
};

inline Traced sqrt(Traced a) { return Traced::make(Op::sqrt, a, std::sqrt(a.value())); }
inline Traced sin(Traced a) { return Traced::make(Op::sin, a, portable::sin(a.value())); }
inline Traced cos(Traced a) { return Traced::make(Op::cos, a, portable::cos(a.value())); }
inline Traced exp(Traced a) { return Traced::make(Op::exp, a, portable::exp(a.value())); }
inline Traced log(Traced a) { return Traced::make(Op::log, a, portable::log(a.value())); }
inline Traced tan(Traced a) { return Traced::make(Op::tan, a, portable::tan(a.value())); }
inline Traced tanh(Traced a) { return Traced::make(Op::tanh, a, portable::tanh(a.value())); }
inline Traced acos(Traced a) { return Traced::make(Op::acos, a, portable::acos(a.value())); }
inline Traced abs(Traced a) { return Traced::make(Op::abs, a, std::abs(a.value())); }
inline Traced pow(Traced a, Traced b) {
  return Traced::make(Op::pow, a, b, portable::pow(a.value(), b.value()));
}
inline Traced atan2(Traced a, Traced b) {
  return Traced::make(Op::atan2, a, b, portable::atan2(a.value(), b.value()));
}
inline Traced min(Traced a, Traced b) { return Traced::make(Op::min, a, b, std::fmin(a.value(), b.value())); }
inline Traced max(Traced a, Traced b) { return Traced::make(Op::max, a, b, std::fmax(a.value(), b.value())); }
inline bool isfinite(Traced a) { return std::isfinite(a.value()); }

/// Leaves the computation: what depends on it is not recorded.
inline double value_of(Traced a) {
  if (!a.is_constant()) Recorder::active->leaked = true;
  return a.value();
}
/// A tolerance follows from it.
inline double roughly(Traced a) {
  if (!a.is_constant()) Recorder::active->is_rough = true;
  return a.value();
}
inline Traced positive_part(Traced a) { return max(a, Traced(0)); }
inline Traced measured(Traced a) { return a; }
inline bool is_zero(Traced a) { return a.is_constant() && a.value() == 0; }

}  // namespace thud::lanes
