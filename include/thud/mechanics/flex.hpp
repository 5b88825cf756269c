#pragma once

#include <cmath>
#include <vector>

#include "thud/beam/beam.hpp"
#include "thud/mechanics/articulated.hpp"
#include "thud/mechanics/body.hpp"

namespace thud::mechanics {

template <class S, class T>
T row_times(const S* __restrict row, const T* __restrict x, int n) {
  T sum{};
  for (int k = 0; k < n; ++k) sum += row[k] * x[k];
  return sum;
}
/// x += row s
template <class S, class T>
void add_times(const S* __restrict row, const T s, T* __restrict x, int n) {
  for (int k = 0; k < n; ++k) x[k] += row[k] * s;
}
template <class S, class T>
T row_times(const std::vector<S>& row, const T* x) {
  return row_times(row.data(), x, static_cast<int>(row.size()));
}

/// Sums over the elastic coordinates of a body in motion.
template <class T>
struct Bending {
  T deflection{};  ///< ∫w dm
  T turning{};     ///< ∫w² dm
  T drift{};       ///< ∫ẇ dm
  T exchange{};    ///< ∫wẇ dm
};

/// A place of a beam that carries a joint: Ψ_k and Ψ'_k there, by themselves and in the basis of Flex.
template <class P>
struct FlexSeatOf {
  std::vector<P> shapes, slopes;
  std::vector<P> shapes_in, slopes_in;
  bool turns = false;  ///< whether what it carries turns with it
};

/// The elastic coordinates η of one body, as a block of the equations of motion. With m the modal mass,
///
///   m η̈_k + first_k α + mean_k ŵ·a = e_k
///
/// and what its joints carry adds inertia at their seats. Of the space of η only the span of mean, first and the shapes
/// at the seats has anything to do with the rest of the system. Q, orthonormal rows, spans it: there the block is
/// dense, H = m I + Σ seats, as small as the seats are few; outside of it, it is m. In factors,
///
///   H/m = L Lᵀ,   G = L⁻¹ C/m      C the coupling of H to the motion (α, a) of the frame
///   the frame feels   A − m GᵀG
///
/// Without seats H = m I, and all of this is constant in the frame of the body.
template <class P>
class FlexOf {
 public:
  FlexOf() = default;
  explicit FlexOf(const BodyOf<P>& body);

  int count() const { return count_; }
  bool linear() const { return linear_; }
  /// Ψ'_k at the joint that carries the body.
  const std::vector<P>& own_slope() const { return own_slope_; }

  /// Takes in the places of joints on the body, once, before use.
  void seat(std::vector<FlexSeatOf<P>*> seats);
  /// Size of the block of factors.
  std::size_t block_size() const { return carries_ ? static_cast<std::size_t>(rank_) * (rank_ + 3) : 0; }
  /// Size of the room that lift and lower want.
  std::size_t room() const { return carries_ ? 2 * static_cast<std::size_t>(rank_) : 0; }
  P inverse_mass() const { return inverse_mass_; }

  /// Deflection and turning only.
  template <class T>
  Bending<T> bend(const T* eta) const;
  /// All of them; and into x the forces e less the inertia terms at v̇ = 0, where the frame turns with `spin` and its
  /// origin accelerates by `lateral` along ŵ.
  template <class T>
  Bending<T> force(const T* eta, const T* rate, T spin, T lateral, const T* e, T* x) const;

  /// The block of the body by itself.
  template <class T>
  void begin(Vec2<T> side, T* block) const;
  /// Adds what a joint feels of the body it carries: at `reach` from the frame's origin, `offset` from the seat.
  template <class T>
  void add(const FlexSeatOf<P>& at, const Articulated<T>& a, Vec2<T> reach, Vec2<T> offset, Vec2<T> side,
           T* block) const;
  /// Factors the block, and takes it out of the body's inertia.
  template <class T>
  void eliminate(Vec2<T> side, T* block, Articulated<T>& a) const;
  template <class T, class X>
  void lift(Vec2<T> side, const T* block, Load<X>& load, X* x, X* room) const;
  template <class T, class X>
  void lower(Vec2<T> side, const T* block, const Motion<X>& motion, X* x, X* room) const;
  /// x from accelerations to forces of inertia; adds to the load on the frame.
  template <class T>
  void multiply(Vec2<T> side, const Motion<T>& motion, Load<T>& load, T* x) const;

 private:
  void add_to_basis(std::vector<P> v);
  std::vector<P> into_basis(const std::vector<P>& x) const;
  // Q x, and x += Qᵀ z
  template <class X>
  void gather(const X* x, X* z) const;
  template <class X>
  void spread(const X* z, X* x) const;

  int count_ = 0;
  P mass_ = P(1), inverse_mass_ = P(1);
  bool linear_ = false;                       // no inertia of the deflection: see Body::linear
  std::vector<P> mean_, first_;               // ∫Ψ dm, ∫sΨ dm
  std::vector<P> mean_share_, first_share_;   // the same over m
  P turn_share_{}, cross_share_{}, share_{};  // Σ first²/m, Σ first mean/m, Σ mean²/m
  std::vector<P> tip_;  // Ψ'_k at the tip times the root of the tip's rotary inertia; empty: none
  std::vector<P> own_slope_;
  bool carries_ = false;
  int rank_ = 0;
  std::vector<P> basis_;  // Q, rank × count; empty: the identity
  std::vector<P> mean_in_, first_in_;
};

template <class P>
template <class T>
Bending<T> FlexOf<P>::bend(const T* eta) const {
  Bending<T> out;
  out.deflection = row_times(mean_.data(), eta, count_);
  if (linear_) return out;
  for (int k = 0; k < count_; ++k) out.turning += eta[k] * eta[k];
  out.turning = mass_ * out.turning;
  if (!tip_.empty()) {  // the tip turns with the tangent
    const T turn = row_times(tip_.data(), eta, count_);
    out.turning -= turn * turn;
  }
  return out;
}

template <class P>
template <class T>
Bending<T> FlexOf<P>::force(const T* eta, const T* rate, T spin, T lateral, const T* e, T* x) const {
  Bending<T> out;
  if (linear_) {
    for (int k = 0; k < count_; ++k) {
      out.deflection += mean_[k] * eta[k];
      x[k] = e[k];
    }
    return out;
  }
  const T square = spin * spin, pull = mass_ * square;
  T turning{}, exchange{};
  for (int k = 0; k < count_; ++k) {
    turning += eta[k] * eta[k];
    exchange += eta[k] * rate[k];
    out.deflection += mean_[k] * eta[k];
    out.drift += mean_[k] * rate[k];
    x[k] = e[k] - mean_[k] * lateral + pull * eta[k];
  }
  out.turning = mass_ * turning;
  out.exchange = mass_ * exchange;
  if (!tip_.empty()) {
    const T turn = row_times(tip_.data(), eta, count_);
    out.turning -= turn * turn;
    out.exchange -= turn * row_times(tip_.data(), rate, count_);
    for (int k = 0; k < count_; ++k) x[k] -= square * turn * tip_[k];
  }
  return out;
}

template <class P>
template <class T>
void FlexOf<P>::begin(Vec2<T> side, T* block) const {
  T *h = block, *turn = block + rank_ * rank_, *x = turn + rank_, *z = x + rank_;
  for (int j = 0; j < rank_; ++j) {
    for (int k = 0; k < j; ++k) h[j * rank_ + k] = T(0);
    h[j * rank_ + j] = T(mass_);
    turn[j] = T(first_in_[j]);
    x[j] = mean_in_[j] * side.x;
    z[j] = mean_in_[j] * side.z;
  }
}

template <class P>
template <class T>
void FlexOf<P>::add(const FlexSeatOf<P>& at, const Articulated<T>& a, Vec2<T> reach, Vec2<T> offset,
                    Vec2<T> side, T* block) const {
  T *h = block, *turn = block + rank_ * rank_, *x = turn + rank_, *z = x + rank_;
  const Vec2<T> swing = turned(reach), push = a.push(side);
  const T stiff = dot(side, push);
  const T across = at.turns ? dot(a.cross, side) + dot(swing, push) : dot(swing, push);
  const P* shape = at.shapes_in.data();
  for (int j = 0; j < rank_; ++j) {
    for (int k = 0; k <= j; ++k) h[j * rank_ + k] += shape[j] * shape[k] * stiff;
    turn[j] += shape[j] * across;
    x[j] += shape[j] * push.x;
    z[j] += shape[j] * push.z;
  }
  if (!at.turns) return;
  // The seat turns with the tangent: by Ψ'_k, and moves what is off it.
  const Vec2<T> own = turned(offset), pull = a.cross + a.push(own);
  const T twist = a.turn + dot(a.cross, own);
  const T mixed = dot(side, pull), bend = twist + dot(own, pull), lever = twist + dot(swing, pull);
  const P* slope = at.slopes_in.data();
  for (int j = 0; j < rank_; ++j) {
    for (int k = 0; k <= j; ++k)
      h[j * rank_ + k] += (shape[j] * slope[k] + slope[j] * shape[k]) * mixed + slope[j] * slope[k] * bend;
    turn[j] += slope[j] * lever;
    x[j] += slope[j] * pull.x;
    z[j] += slope[j] * pull.z;
  }
}

template <class P>
template <class T>
void FlexOf<P>::eliminate(Vec2<T> side, T* block, Articulated<T>& a) const {
  if (!carries_) {
    a.turn -= turn_share_;
    a.cross -= cross_share_ * side;
    a.xx -= share_ * side.x * side.x;
    a.xz -= share_ * side.x * side.z;
    a.zz -= share_ * side.z * side.z;
    return;
  }
  using std::sqrt;
  T *h = block, *turn = block + rank_ * rank_, *x = turn + rank_, *z = x + rank_;
  for (int j = 0; j < rank_; ++j) {
    T* row = h + j * rank_;
    T diagonal = row[j] * inverse_mass_, t = turn[j] * inverse_mass_, gx = x[j] * inverse_mass_,
      gz = z[j] * inverse_mass_;
    for (int k = 0; k < j; ++k) {
      T l = row[k] * inverse_mass_;
      for (int c = 0; c < k; ++c) l -= row[c] * h[k * rank_ + c];
      l *= h[k * rank_ + k];
      row[k] = l;
      diagonal -= l * l;
      t -= l * turn[k];
      gx -= l * x[k];
      gz -= l * z[k];
    }
    row[j] = T(1) / sqrt(diagonal);  // the inverse is what is wanted
    turn[j] = t = t * row[j];
    x[j] = gx = gx * row[j];
    z[j] = gz = gz * row[j];
    a.turn -= mass_ * t * t;
    a.cross -= mass_ * t * Vec2<T>{gx, gz};
    a.xx -= mass_ * gx * gx;
    a.xz -= mass_ * gx * gz;
    a.zz -= mass_ * gz * gz;
  }
}

template <class P>
template <class X>
void FlexOf<P>::gather(const X* x, X* z) const {
  for (int j = 0; j < rank_; ++j)
    z[j] = row_times(basis_.data() + static_cast<std::ptrdiff_t>(j) * count_, x, count_);
}

template <class P>
template <class X>
void FlexOf<P>::spread(const X* z, X* x) const {
  for (int j = 0; j < rank_; ++j)
    add_times(basis_.data() + static_cast<std::ptrdiff_t>(j) * count_, z[j], x, count_);
}

// In the span x becomes L⁻¹ x.
template <class P>
template <class T, class X>
void FlexOf<P>::lift(Vec2<T> side, const T* block, Load<X>& load, X* x, X* room) const {
  if (!carries_) {
    load.moment -= row_times(first_share_.data(), x, count_);
    load.force -= row_times(mean_share_.data(), x, count_) * side;
    return;
  }
  const T *h = block, *turn = block + rank_ * rank_, *gx = turn + rank_, *gz = gx + rank_;
  X *y = x, *was = room + rank_;
  if (!basis_.empty()) {
    y = room;
    gather(x, y);
    for (int j = 0; j < rank_; ++j) was[j] = y[j];
  }
  for (int j = 0; j < rank_; ++j) {
    X value = y[j];
    for (int k = 0; k < j; ++k) value -= h[j * rank_ + k] * y[k];
    y[j] = value = value * h[j * rank_ + j];
    load.moment -= turn[j] * value;
    load.force -= value * Vec2<T>{gx[j], gz[j]};
  }
  if (basis_.empty()) return;
  for (int j = 0; j < rank_; ++j) y[j] -= was[j];
  spread(y, x);
}

template <class P>
template <class T, class X>
void FlexOf<P>::lower(Vec2<T> side, const T* block, const Motion<X>& motion, X* x, X* room) const {
  if (!carries_) {
    const X across = dot(side, motion.move);
    for (int k = 0; k < count_; ++k)
      x[k] = inverse_mass_ * x[k] - first_share_[k] * motion.turn - mean_share_[k] * across;
    return;
  }
  const T *h = block, *turn = block + rank_ * rank_, *gx = turn + rank_, *gz = gx + rank_;
  X *y = x, *was = room + rank_;
  if (!basis_.empty()) {
    for (int k = 0; k < count_; ++k) x[k] = inverse_mass_ * x[k];
    y = room;
    gather(x, y);
    for (int j = 0; j < rank_; ++j) was[j] = y[j];
  }
  const P share = basis_.empty() ? inverse_mass_ : P(1);
  for (int j = rank_ - 1; j >= 0; --j) {
    X value = share * y[j] - turn[j] * motion.turn - gx[j] * motion.move.x - gz[j] * motion.move.z;
    for (int k = j + 1; k < rank_; ++k) value -= h[k * rank_ + j] * y[k];
    y[j] = value * h[j * rank_ + j];
  }
  if (basis_.empty()) return;
  for (int j = 0; j < rank_; ++j) y[j] -= was[j];
  spread(y, x);
}

template <class P>
template <class T>
void FlexOf<P>::multiply(Vec2<T> side, const Motion<T>& motion, Load<T>& load, T* x) const {
  const T across = dot(side, motion.move);
  T turn{}, push{};
  for (int k = 0; k < count_; ++k) {
    turn += first_[k] * x[k];
    push += mean_[k] * x[k];
    x[k] = mass_ * x[k] + first_[k] * motion.turn + mean_[k] * across;
  }
  load.moment += turn;
  load.force += push * side;
}

}  // namespace thud::mechanics
