#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "thud/mechanics/tree.hpp"

namespace thud {

/// A condition on the accelerations of a rigid tree: on those of one body, or on the turning in the joint that carries it.
template <class T>
struct HeldRow {
  int body = 0;
  bool joint = false;  ///< turning of the body less that of what carries it; else:
  T turn{};            ///< of the body,
  Vec2<T> move{};      ///< and of its origin
  T wanted{};          ///< value of the row
  double weight = 0;   ///< dependent rows share the load by it
  T force{};           ///< what makes it so
  T rest{};            ///< what is still missing of `wanted`

  T of(const mechanics::Motion<T>& own, const mechanics::Motion<T>& carrier) const {
    return joint ? own.turn - carrier.turn : turn * own.turn + dot(move, own.move);
  }
};

/// Many held rows at once, in a time proportional to the number of bodies (docs/theory/switches.md). Every row is a stiff
/// spring at first, which adds to the inertia of its body or couples the two sides of its joint, so that
///
///   (M + Jᵀ C J) w = Jᵀ C d,   C = weight²/ε
///
/// is solved by one sweep up and one down; the residuals of M w = Jᵀ λ and J w = d are then removed in the same way. Two
/// or three rounds give all digits. Of dependent rows the forces of least Σ (λ/weight)² result, as a ridge would have them.
template <class T>
class HeldSweep {
 public:
  /// Trees of pins and free bodies without beams and gears can be solved in this way.
  static bool fits(const Tree& tree) {
    for (int i = 0; i < tree.body_count(); ++i)
      if ((tree.joint_kind(i) != JointKind::pin && tree.joint_kind(i) != JointKind::free)
          || !is_zero(tree.body(i).joint.inertia))
        return false;
    return !tree.has_beams();
  }
  void prepare(const Tree& tree);

  /// Finds the forces that change the accelerations `vdot` so that the rows are as wanted, and changes them. False when the rounds do not come to an end, which
  /// happens when rows are nearly, but not quite, dependent; nothing is changed then.
  bool solve(const Frames<T>& frames, std::vector<HeldRow<T>>& rows, T* vdot);

 private:
  using Articulated = mechanics::Articulated<T>;
  using Motion = mechanics::Motion<T>;
  using Load = mechanics::Load<T>;

  struct Part {
    int parent = -1, dof = 0;
    bool free = false;
    double mass = 0, inertia = 0, central = 0;  ///< inertia about the origin, and about the mass centre
    BodyPoint center;
    Vec2<T> arm, reach, gain;
    Articulated sum;
    T turn_inverse{}, x_inverse{}, z_inverse{}, lean{}, coupling{}, passed{};
    Load load;
    Motion motion, change;
  };

  double mobility(const HeldRow<T>& row) const;
  void place(const Frames<T>& frames, const T* vdot);
  void stiffen(const std::vector<HeldRow<T>>& rows);
  void eliminate(Part& p);
  double round(std::vector<HeldRow<T>>& rows);
  void sweep();
  Motion carrier(const Part& p) const { return p.parent >= 0 ? parts_[p.parent].change : Motion{}; }

  std::vector<Part> parts_;
  double softness_ = 0;  // ε
};

template <class T>
void HeldSweep<T>::prepare(const Tree& tree) {
  parts_.assign(tree.body_count(), {});
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    Part& p = parts_[i];
    p.parent = b.parent;
    p.dof = tree.joint_dof(i);
    p.free = tree.joint_kind(i) == JointKind::free;
    p.mass = b.mass;
    p.center = b.center;
    p.central = b.inertia;
    p.inertia = b.inertia + b.mass * (b.center.s * b.center.s + b.center.n * b.center.n);
  }
}

// How easily a row is moved, were its body by itself: not less than it is in the tree.
template <class T>
double HeldSweep<T>::mobility(const HeldRow<T>& row) const {
  const Part& p = parts_[row.body];
  if (row.joint) return 1 / p.central + (p.parent >= 0 ? 1 / parts_[p.parent].central : 0);
  const double about = value_of(row.turn - moment(p.arm, row.move));
  return value_of(dot(row.move, row.move)) / p.mass + about * about / p.central;
}

template <class T>
void HeldSweep<T>::place(const Frames<T>& frames, const T* vdot) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& p = parts_[i];
    p.arm = p.center.s * frames.u[i] + p.center.n * frames.w[i];
    p.reach = frames.reach[i];
    p.motion = {};
    // What moves already.
    const T* x = vdot + p.dof;
    const Motion seat = carrier(p);
    p.change = p.free ? Motion{x[2], {x[0], x[1]}} : Motion{x[0], seat.move + seat.turn * turned(p.reach)};
    if (p.parent < 0 && !p.free) p.change.move = {};
  }
}

template <class T>
void HeldSweep<T>::stiffen(const std::vector<HeldRow<T>>& rows) {
  double largest = 0;
  for (const HeldRow<T>& r : rows) largest = std::max(largest, r.weight * r.weight * mobility(r));
  softness_ = 1e-9 * largest;
  for (Part& p : parts_) {
    p.sum = {T(p.inertia), T(p.mass) * turned(p.arm), T(p.mass), T(0), T(p.mass)};
    p.coupling = T(0);
  }
  for (const HeldRow<T>& r : rows) {
    const T stiffness = T(r.weight * r.weight / softness_);
    Part& p = parts_[r.body];
    if (r.joint) {
      p.coupling += stiffness;
      continue;
    }
    const Vec2<T> pull = stiffness * r.move;
    p.sum +=
        {stiffness * r.turn * r.turn, r.turn * pull, pull.x * r.move.x, pull.x * r.move.z, pull.z * r.move.z};
  }
  for (auto p = parts_.rbegin(); p != parts_.rend(); ++p) eliminate(*p);
}

// Takes the coordinates of a joint out, and hands the rest to what carries it. With c the coupling of the two turnings,
//
//   D = turn + c,   A' = (c turn/D,  c cross/D,  M − cross crossᵀ/D)
template <class T>
void HeldSweep<T>::eliminate(Part& p) {
  Articulated a = p.sum;
  p.turn_inverse = T(1) / (a.turn + p.coupling);
  p.gain = p.turn_inverse * a.cross;
  p.passed = p.coupling * p.turn_inverse;
  a.xx -= a.cross.x * p.gain.x;
  a.xz -= a.cross.x * p.gain.z;
  a.zz -= a.cross.z * p.gain.z;
  if (p.free) {
    p.x_inverse = T(1) / a.xx;
    p.lean = a.xz * p.x_inverse;
    p.z_inverse = T(1) / (a.zz - a.xz * p.lean);
    return;
  }
  if (p.parent < 0) return;
  a.turn = p.passed * a.turn;
  a.cross = p.passed * a.cross;
  const Vec2<T> swing = turned(p.reach), pushed = a.push(swing);
  a.turn += T(2) * dot(a.cross, swing) + dot(swing, pushed);
  a.cross += pushed;
  parts_[p.parent].sum += a;
}

// Changes of the motion by the loads.
template <class T>
void HeldSweep<T>::sweep() {
  for (auto p = parts_.rbegin(); p != parts_.rend(); ++p) {
    if (p->parent < 0) continue;
    const Vec2<T> force = p->load.force - p->load.moment * p->gain;
    Load& to = parts_[p->parent].load;
    to.force += force;
    to.moment += p->passed * p->load.moment + moment(p->reach, force);
  }
  for (Part& p : parts_) {
    const Motion seat = carrier(p);
    Vec2<T>& move = p.change.move;
    if (p.free) {
      const Vec2<T> force = p.load.force - p.load.moment * p.gain;
      move.z = p.z_inverse * (force.z - p.lean * force.x);
      move.x = p.x_inverse * force.x - p.lean * move.z;
    } else {
      move = seat.move + seat.turn * turned(p.reach);
      if (p.parent < 0) move = {};
    }
    p.change.turn = p.turn_inverse * p.load.moment + p.passed * seat.turn - dot(p.gain, move);
  }
}

// One round: by how much it changed the motion, of the largest. The forces of dependent rows are known less well, and
// change by rounding without end.
template <class T>
double HeldSweep<T>::round(std::vector<HeldRow<T>>& rows) {
  for (Part& p : parts_) {
    const Vec2<T> cross = T(p.mass) * turned(p.arm);
    p.load.moment = -(T(p.inertia) * p.motion.turn + dot(cross, p.motion.move));
    p.load.force = -(p.motion.turn * cross + T(p.mass) * p.motion.move);
  }
  const auto stiffness = [&](const HeldRow<T>& r) { return r.weight * r.weight / softness_; };
  for (const HeldRow<T>& r : rows) {
    const T push = r.force + stiffness(r) * r.rest;
    Part& p = parts_[r.body];
    if (r.joint) {
      p.load.moment += push;
      if (p.parent >= 0) parts_[p.parent].load.moment -= push;
    } else {
      p.load.moment += r.turn * push;
      p.load.force += push * r.move;
    }
  }
  sweep();
  for (HeldRow<T>& r : rows) {
    const Part& p = parts_[r.body];
    r.rest -= r.of(p.change, carrier(p));  // not anew from the motion: it has to be right to its own size
    r.force += stiffness(r) * r.rest;
  }
  double turned_most = 0, moved_most = 0, turn_change = 0, move_change = 0;
  for (Part& p : parts_) {
    p.motion.turn += p.change.turn;
    p.motion.move += p.change.move;
    turned_most = std::max(turned_most, std::abs(value_of(p.motion.turn)));
    moved_most = std::max(moved_most, value_of(dot(p.motion.move, p.motion.move)));
    turn_change = std::max(turn_change, std::abs(value_of(p.change.turn)));
    move_change = std::max(move_change, value_of(dot(p.change.move, p.change.move)));
  }
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  return std::max(share(turn_change, turned_most), std::sqrt(share(move_change, moved_most)));
}

template <class T>
bool HeldSweep<T>::solve(const Frames<T>& frames, std::vector<HeldRow<T>>& rows, T* vdot) {
  constexpr int most_rounds = 8;
  constexpr double good_enough = 1e-12;
  place(frames, vdot);
  for (HeldRow<T>& r : rows) {
    const Part& p = parts_[r.body];
    r.rest = r.wanted - r.of(p.change, carrier(p));
    r.force = T(0);
  }
  stiffen(rows);
  int rounds = 0;
  while (!(round(rows) < good_enough))
    if (++rounds == most_rounds) return false;
  for (const Part& p : parts_) {
    if (p.free) {
      vdot[p.dof] += p.motion.move.x;
      vdot[p.dof + 1] += p.motion.move.z;
    }
    vdot[p.dof + (p.free ? 2 : 0)] += p.motion.turn;
  }
  return true;
}

}  // namespace thud
