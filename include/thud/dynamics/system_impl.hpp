#pragma once
// The right-hand side of a mode, templated on its scalar.

#include <cmath>
#include <limits>

#include "thud/dynamics/system.hpp"

namespace thud {

template <class T>
void System::prepare(Work<T>& work) const {
  const auto bodies = static_cast<std::size_t>(tree_.body_count());
  const auto n = static_cast<std::size_t>(dof_count());
  work.frames.resize(tree_);
  work.wrenches.resize(bodies, tree_.elastic_count());
  tree_.prepare(work.factor);
  work.acceleration.assign(n, T(0));
  work.piece.assign(pieces_.size(), {});
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    if (pieces_[k].part.kind != PartKind::beam) continue;
    const int shapes = tree_.body(pieces_[k].body).beam->size();
    work.piece[k].shapes.assign(shapes, T(0));
    work.piece[k].slopes.assign(shapes, T(0));
  }
  work.joint_moment.assign(bodies, T(0));
  work.clamped.assign(bodies, 0);
  work.applied_torque.assign(bodies, T(0));
  work.contact.assign(contacts_.size(), {});
  const std::size_t switches = 3 * pieces_.size() + bodies + 2 * contacts_.size();
  work.jacobian.assign(switches * n, T(0));
  work.applied.assign(switches * n, T(0));
  work.drive.assign(contacts_.empty() ? 0 : switches * n, T(0));
  work.gram.assign(switches * switches, T(0));
  work.hold.assign(2 * switches, T(0));
  work.hold_bias.assign(switches, T(0));
  work.unheld.assign(n, T(0));
  work.moving.resize(tree_);
  work.moving_q.resize(n);
  work.moving_v.resize(n);
}

template <class T>
[[gnu::always_inline]] inline T System::area_speed(const Piece& p, AreaRule rule, const PieceMode& m, T side,
                                                   Vec2<T> velocity, T cross, T along) {
  if (p.part.is_round()) return side * norm(velocity);
  const T across = m.cross * cross;  // |u × v_E|
  switch (p.part.kind == PartKind::block ? AreaRule::silhouette : rule) {
    case AreaRule::side: return side * across;
    case AreaRule::side_or_end: return m.cross == 0 ? p.end_area * (m.along * along) : side * across;
    case AreaRule::silhouette: return side * across + p.end_area * (m.along * along);
    case AreaRule::floor: return m.end_area ? p.end_area * norm(velocity) : side * across;
    case AreaRule::full: return side * norm(velocity);
  }
  return T(0);
}

// Everything is computed in locals, and written to `work` at the end where it is wanted: most of the time goes here.
template <bool Lean, bool Elastic, class T>
[[gnu::always_inline]] inline void System::add_piece_forces(int k, const PieceMode& m, const Frame<T>& f,
                                                            Work<T>& work, Vec2<T>& body_force,
                                                            T& body_moment) const {
  const Piece& p = pieces_[k];
  const Bed& bed = beds_[p.bed];
  const Plane plane = bed.plane;
  Vec2<T> u = f.u;
  PieceWork<T>& w = work.piece[k];
  Levels<T> lv;
  const bool segment = p.part.kind == PartKind::segment;
  const bool beam = Elastic && p.part.kind == PartKind::beam;
  const T dip = dot(plane.normal, u);
  const bool immersed = is_immersed(p.part, m.immersion.regime);
  Immersed<T> im;
  if (beam) {
    if (Lean && !immersed) return;
    if constexpr (Elastic) survey(p.part, m.immersion, p.body, work.frames, plane, lv, im);
  } else if (segment) {
    const T base = plane.depth(f.origin) + p.part.n * dot(plane.normal, f.w);
    lv.value[0] = base + p.part.s0 * dip;
    lv.value[1] = base + p.part.s1 * dip;
    lv.count = 2;
  } else {
    levels(p.part, p.body, work.frames, plane, lv);
  }
  if constexpr (!Lean) {
    w.levels = lv;
    w.is_immersed = immersed;
  }
  if (!immersed) return;

  T rate = f.rate;
  Vec2<T> velocity;
  if (beam) {
    if constexpr (Elastic) {
      const ElasticBeam& elastic = *tree_.body(p.body).beam;
      elastic.shapes_at(im.at, w.shapes.data(), w.slopes.data());
      const int begin = tree_.elastic_begin(p.body);
      T lateral{}, tangent{};
      for (int j = 0; j < elastic.size(); ++j) {
        lateral += w.shapes[j] * work.frames.eta_rate[begin + j];
        rate += w.slopes[j] * work.frames.eta_rate[begin + j];
        tangent += w.slopes[j] * work.frames.eta[begin + j];
      }
      velocity = f.origin_rate + f.rate * turned(im.arm) + lateral * f.w;
      if (!p.part.straight) {  // the axis where it is
        const Vec2<T> axis = u + tangent * f.w;
        u = (T(1) / norm(axis)) * axis;
      }
    }
  } else if (segment) {
    im.whole = m.immersion.regime == 3;
    detail::immerse_segment(p.part, p.end_area, m.immersion, u, f.w, dip, lv, im);
  } else {
    immerse(p.part, m.immersion, p.body, work.frames, plane, lv, im);
  }
  if (!beam) velocity = f.origin_rate + rate * turned(im.arm);
  const T cross = u.x * velocity.z - u.z * velocity.x, along = dot(u, velocity);
  const T normal_rate = dot(plane.normal, velocity), shear_rate = dot(plane.tangent, velocity);

  const bool spins = im.whole && bed.rotation == RotationRule::whole && !p.part.is_round();
  const bool both = spins || m.normal == slip::stuck;
  Flow<T> flow{&im,
               &p.part,
               p.inverse_width,
               area_speed(p, bed.area, m, im.side, velocity, cross, along),
               T(0),
               p.mass,
               gravity_size_,
               both || m.normal > 0,
               both || m.normal < 0};
  Resistance<T> r;
  const auto apply = [&](const auto& law) {
    if constexpr (std::is_same_v<std::decay_t<decltype(law)>, OwnLaw>) {
      // In copies: what is handed out lies in memory, and the others need not.
      const Immersed<T> seen = im;
      Flow<T> own = flow;
      own.immersed = &seen;
      own.speed = norm(velocity);
      own.cross = cross;
      own.along = along;
      own.normal_rate = normal_rate;
      own.shear_rate = shear_rate;
      Resistance<T> answer;
      law.evaluate(own, answer);
      r = answer;
    } else {
      if constexpr (std::decay_t<decltype(law)>::needs_speed) flow.speed = norm(velocity);
      law.evaluate(flow, r);
    }
  };
  if (const auto* lee = std::get_if<LeeLaw>(&bed.law))
    apply(*lee);  // the common law, without the dispatch
  else
    std::visit(apply, bed.law);

  const T normal_force = slip::fixed_force(m.normal, r.plunge, r.withdraw);
  const T shear_force = slip::fixed_force(m.shear, r.shear, r.shear);
  const Vec2<T> force = normal_force * plane.normal + shear_force * plane.tangent - r.drag * velocity;
  T moment_about_e{};
  if (spins) {
    // Uniform pressure over the length, one half plunging while the other withdraws: bound F ℓ/4. Grows from zero as
    // the upper end goes under, so that nothing jumps when a link is swallowed.
    const T pressed = 0.5 * (r.plunge + r.withdraw) * dot(plane.tangent, u);
    const T sheared = r.shear * dot(plane.normal, u);
    const T cover = im.depth > T(0) ? im.top / im.depth : T(0);
    r.spin_bound = 0.25 * cover * im.length * norm(Vec2<T>{pressed, sheared});
    const T spin = slip::fixed_force(m.spin, r.spin_bound, r.spin_bound);
    moment_about_e = spin - cover * (r.spin_linear + r.spin_square * slip::sign(m.spin) * rate) * rate;
    if constexpr (!Lean) w.spin_moment = spin;
    work.power[static_cast<int>(Channel::spin)] += moment_about_e * rate;
  }
  body_force += force;
  body_moment += moment(im.arm, force) + moment_about_e;
  if constexpr (Elastic)
    if (beam) {
      const T lateral = dot(f.w, force);
      T* q = work.wrenches.elastic.data() + tree_.elastic_begin(p.body);
      for (std::size_t j = 0; j < w.shapes.size(); ++j)
        q[j] += w.shapes[j] * lateral + w.slopes[j] * moment_about_e;
    }
  work.power[static_cast<int>(Channel::drag)] -= r.drag * dot(velocity, velocity);
  work.power[static_cast<int>(Channel::static_normal)] += normal_force * normal_rate;
  work.power[static_cast<int>(Channel::static_shear)] += shear_force * shear_rate;
  if constexpr (Lean) return;
  w.immersed = im;
  w.velocity = velocity;
  w.cross = cross;
  w.along = along;
  w.turn = rate;
  w.normal_rate = normal_rate;
  w.shear_rate = shear_rate;
  w.resistance = r;
  w.normal_force = normal_force;
  w.shear_force = shear_force;
}

template <class T>
void System::add_joint_forces(double t, const Mode& mode, Work<T>& work) const {
  auto& power = work.power;
  for (int i = 0; i < tree_.body_count(); ++i) {
    const JointForces& j = joints_[i];
    const T rate = tree_.joint_rate(work.frames, i);
    T moment{};
    if (j.damping > 0) {
      moment -= j.damping * rate;
      power[static_cast<int>(Channel::damping)] -= j.damping * rate * rate;
    }
    if (j.torque) {
      const T drive = T(j.torque(t));
      work.applied_torque[i] = drive;
      moment += drive;
      power[static_cast<int>(Channel::torque)] += drive * rate;
    }
    if (j.has_friction()) {
      const std::int8_t s = mode.joint[i];
      work.clamped[i] = mode.clamped[i];
      work.joint_moment[i] = slip::fixed_force(s, T(j.friction_positive), T(j.friction_negative));
      moment += work.joint_moment[i];
      power[static_cast<int>(Channel::joint_friction)] += work.joint_moment[i] * rate;
    }
    tree_.add_joint_moment(i, moment, work.wrenches);
  }
}

// Calls sink(body, place, force) and shape(elastic index in the body, generalised force) for a force on the first body of
// a contact where it touches, and for its opposite on the second.
template <class T, class Sink, class Shape>
void System::each_side(int k, Vec2<T> force, const Work<T>& work, Sink&& sink, Shape&& shape) const {
  const Contact& c = contacts_[k];
  const Touching<T>& w = work.contact[k];
  const ContactShapes& s = contact_shapes_[k];
  const auto one = [&](const Feature& f, Vec2<T> arm, Vec2<T> offset, const std::vector<double>& shapes,
                       const std::vector<double>& slopes, Vec2<T> p) {
    sink(f.body, arm + offset, p);
    if (shapes.empty()) return;
    const T lateral = dot(work.frames.w[f.body], p), turn = moment(offset, p);
    for (std::size_t j = 0; j < shapes.size(); ++j) shape(f.body, j, shapes[j] * lateral + slopes[j] * turn);
  };
  one(c.a, w.arm_a, w.offset_a, s.shape_a, s.slope_a, force);
  if (c.wall < 0) one(c.b, w.arm_b, w.offset_b, s.shape_b, s.slope_b, -force);
}

template <class T>
void System::push(int k, Vec2<T> force, Work<T>& work) const {
  each_side(
      k, force, work, [&](int body, Vec2<T> at, Vec2<T> p) { work.wrenches.add(body, at, p); },
      [&](int body, std::size_t j, T q) { work.wrenches.elastic[tree_.elastic_begin(body) + j] += q; });
}

// Compliant contacts press with a force that is known; rigid ones that are closed are held.
template <bool Lean, class T>
void System::add_contact_forces(const Mode& mode, Work<T>& work) const {
  using std::pow;
  for (int k = 0; k < static_cast<int>(contacts_.size()); ++k) {
    const ContactMode& m = mode.contact[k];
    if (Lean && m.touch != Touch::pressed) continue;
    Touching<T>& w = work.contact[k];
    measure(contacts_[k], walls_, work.frames, w);
    w.normal_force = w.shear_force = w.stored = T(0);
    if (m.touch != Touch::pressed) continue;
    const ContactLaw& law = contacts_[k].law;
    const T depth = -w.gap > T(0) ? -w.gap : T(0);
    const T elastic = law.stiffness * pow(depth, law.exponent);
    const T damping = T(-law.damping) * w.gap_rate * elastic;
    w.stored = elastic * depth / (law.exponent + 1);
    work.power[static_cast<int>(Channel::contact_damping)] += damping * w.gap_rate;
    w.normal_force = elastic + damping;
    const T bound = law.friction * w.normal_force;
    w.shear_force = slip::fixed_force(m.slip, bound, bound);
    work.power[static_cast<int>(Channel::contact_friction)] += w.shear_force * w.slip_rate;
    push(k, w.normal_force * w.normal + w.shear_force * w.tangent, work);
  }
}

template <class T>
void System::add_contact_row(int k, bool tangent, const Work<T>& work, T* row) const {
  each_side(
      k, tangent ? work.contact[k].tangent : work.contact[k].normal, work,
      [&](int body, Vec2<T> at, Vec2<T> p) { tree_.add_point_force(work.frames, body, at, p, row); },
      [&](int body, std::size_t j, T q) { row[tree_.elastic_dof(body) + j] += q; });
}

// Strain and material damping; gravity on the deflection.
template <class T>
void System::add_beam_forces(int i, const Mode& mode, Work<T>& work) const {
  const Body& b = tree_.body(i);
  const ElasticBeam& beam = *b.beam;
  const int begin = tree_.elastic_begin(i);
  const T *eta = work.frames.eta.data() + begin, *rate = work.frames.eta_rate.data() + begin;
  T* q = work.wrenches.elastic.data() + begin;
  T lateral = dot(gravity_, work.frames.w[i]), air{};
  if (air_[i] > 0) {
    const Vec2<T> vc = tree_.center_velocity(work.frames, i);
    air = -air_[i] * norm(vc) * dot(vc, work.frames.w[i]) * (1 / b.mass);
  }
  T power{};
  const bool held = joints_[i].clamp.is_on() ? mode.clamped[i] != 0 : mode.joint[i] == slip::stuck;
  const std::vector<double>& damping = held ? beam.damping_when_held() : beam.damping();
  for (int k = 0; k < beam.size(); ++k) {
    q[k] = beam.weight()[k] * lateral + beam.mean()[k] * air - beam.stiffness()[k] * eta[k]
         - damping[k] * rate[k];
    power -= damping[k] * rate[k] * rate[k];
  }
  work.power[static_cast<int>(Channel::material)] += power;
}

template <class T>
T System::switch_rate(SwitchRef s, const Work<T>& work) const {
  switch (s.kind) {
    case SwitchKind::normal: return work.piece[s.index].normal_rate;
    case SwitchKind::shear: return work.piece[s.index].shear_rate;
    case SwitchKind::contact_normal: return work.contact[s.index].gap_rate;
    case SwitchKind::contact_shear: return work.contact[s.index].slip_rate;
    case SwitchKind::spin: return work.piece[s.index].turn;
    case SwitchKind::joint: return tree_.joint_rate(work.frames, s.index);
  }
  return T(0);
}

template <class T>
T& System::switch_force(SwitchRef s, Work<T>& work) {
  switch (s.kind) {
    case SwitchKind::normal: return work.piece[s.index].normal_force;
    case SwitchKind::shear: return work.piece[s.index].shear_force;
    case SwitchKind::contact_normal: return work.contact[s.index].normal_force;
    case SwitchKind::contact_shear: return work.contact[s.index].shear_force;
    case SwitchKind::spin: return work.piece[s.index].spin_moment;
    case SwitchKind::joint: break;
  }
  return work.joint_moment[s.index];
}

template <class T>
void System::add_switch_row(SwitchRef s, const Work<T>& work, T* row) const {
  if (s.kind == SwitchKind::joint) return tree_.add_joint_moment(s.index, T(1), row);
  if (s.kind == SwitchKind::contact_normal || s.kind == SwitchKind::contact_shear)
    return add_contact_row(s.index, s.kind == SwitchKind::contact_shear, work, row);
  const Piece& p = pieces_[s.index];
  const PieceWork<T>& w = work.piece[s.index];
  if (s.kind == SwitchKind::spin) {
    row[tree_.angle_dof(p.body)] += T(1);
    for (std::size_t j = 0; j < w.slopes.size(); ++j) row[tree_.elastic_dof(p.body) + j] += w.slopes[j];
    return;
  }
  const Plane& plane = beds_[p.bed].plane;
  const Vec e = s.kind == SwitchKind::normal ? plane.normal : plane.tangent;
  tree_.add_point_force(work.frames, p.body, w.immersed.arm, Vec2<T>{T(e.x), T(e.z)}, row,
                        w.shapes.empty() ? nullptr : w.shapes.data());
}

template <class T>
void System::switch_bounds(SwitchRef s, const Work<T>& work, double& lower, double& upper) const {
  if (s.kind == SwitchKind::joint) {
    lower = joints_[s.index].friction_positive;
    upper = joints_[s.index].friction_negative;
    // What is clamped holds any moment; its beam tears it loose, see clamp_load.
    if (work.clamped[s.index])
      lower = upper = 1e9 * (joints_[s.index].clamp.static_positive + joints_[s.index].clamp.static_negative);
    return;
  }
  if (s.kind == SwitchKind::contact_normal) {
    lower = 0;
    upper = std::numeric_limits<double>::infinity();
    return;
  }
  if (s.kind == SwitchKind::contact_shear) {
    lower = upper = contacts_[s.index].law.friction * value_of(work.contact[s.index].normal_force);
    return;
  }
  const Resistance<T>& r = work.piece[s.index].resistance;
  switch (s.kind) {
    case SwitchKind::normal: lower = value_of(r.plunge), upper = value_of(r.withdraw); break;
    case SwitchKind::shear: lower = upper = value_of(r.shear); break;
    default: lower = upper = value_of(r.spin_bound); break;
  }
}

// dγ/dt at v̇ = 0: E moves along the body as the immersion changes, which the dual numbers see.
template <class T>
T System::hold_bias(SwitchRef s, const Mode& mode, const Work<T>& work) const {
  if (s.kind == SwitchKind::joint) return T(0);
  if (s.kind == SwitchKind::contact_normal || s.kind == SwitchKind::contact_shear) {
    Touching<Dual<T>> w;
    measure(contacts_[s.index], walls_, work.moving, w);
    return s.kind == SwitchKind::contact_normal ? w.gap_rate.d : w.slip_rate.d;
  }
  const Piece& p = pieces_[s.index];
  const bool beam = p.part.kind == PartKind::beam;
  if (s.kind == SwitchKind::spin && !beam) return T(0);
  const Plane& plane = beds_[p.bed].plane;
  Levels<Dual<T>> lv;
  Immersed<Dual<T>> im;
  survey(p.part, mode.piece[s.index].immersion, p.body, work.moving, plane, lv, im);
  Vec2<Dual<T>> velocity = work.moving.velocity(p.body, im.arm);
  if (beam) {
    Dual<T> lateral, turn;
    tree_.body(p.body).beam->deflect(im.at, work.moving.eta_rate.data() + tree_.elastic_begin(p.body),
                                     lateral, turn);
    if (s.kind == SwitchKind::spin) return turn.d;
    velocity += lateral * work.moving.w[p.body];
  }
  return dot(s.kind == SwitchKind::normal ? plane.normal : plane.tangent, velocity).d;
}

// M⁻¹ times the force that comes with one unit of a switch: a normal force brings its sliding friction along.
template <class T>
void System::fill_drive(SwitchRef s, const Mode& mode, const T* row, const T* applied, const Work<T>& work,
                        T* drive) const {
  const int n = dof_count();
  if (s.kind != SwitchKind::contact_normal || !slides(s.index, mode)) {
    std::copy(applied, applied + n, drive);
    return;
  }
  std::fill(drive, drive + n, T(0));
  add_contact_row(s.index, true, work, drive);
  const double friction = sliding_friction(s.index, mode);
  for (int i = 0; i < n; ++i) drive[i] = row[i] + friction * drive[i];
  tree_.solve(work.factor, drive);
}

template <class T>
void System::hold(const Mode& mode, const T* q, const T* v, Work<T>& work) const {
  const int n = dof_count(), k = static_cast<int>(mode.stuck.size());
  for (int i = 0; i < n; ++i) {
    work.moving_q[i] = {q[i], v[i]};
    work.moving_v[i] = {v[i], T(0)};
  }
  tree_.kinematics(work.moving_q.data(), work.moving_v.data(), work.moving);
  std::copy(work.acceleration.begin(), work.acceleration.end(), work.unheld.begin());

  T* scale =
      work.hold.data() + k;  // widths of the boxes: dependent switches share the load by their strength
  T* x = work.hold.data();
  bool symmetric = true;
  const auto drive = [&](int a) { return (symmetric ? work.applied.data() : work.drive.data()) + a * n; };
  for (const SwitchRef& s : mode.stuck)
    symmetric = symmetric && !(s.kind == SwitchKind::contact_normal && slides(s.index, mode));
  for (int a = 0; a < k; ++a) {
    const SwitchRef s = mode.stuck[a];
    T* row = work.jacobian.data() + a * n;
    T* applied = work.applied.data() + a * n;
    std::fill(row, row + n, T(0));
    add_switch_row(s, work, row);
    std::copy(row, row + n, applied);
    tree_.solve(work.factor, applied);
    if (!symmetric) fill_drive(s, mode, row, applied, work, drive(a));
    T rate = work.hold_bias[a] = hold_bias(s, mode, work);
    for (int i = 0; i < n; ++i) rate += row[i] * work.acceleration[i];
    if (is_rigid_contact(s)) {
      scale[a] = T(contact_scale_);
    } else {
      double lower, upper;
      switch_bounds(s, work, lower, upper);
      scale[a] = T(lower + upper);
    }
    x[a] = -scale[a] * rate;
  }
  T* g = work.gram.data();
  double largest = 0;
  for (int a = 0; a < k; ++a)
    for (int b = 0; b <= (symmetric ? a : k - 1); ++b) {
      T sum{};
      for (int i = 0; i < n; ++i) sum += work.jacobian[a * n + i] * drive(b)[i];
      g[a * k + b] = scale[a] * scale[b] * sum;
      if (a == b) largest = std::max(largest, std::abs(value_of(g[a * k + a])));
    }
  if (symmetric)
    solve_hold(g, x, k, 1e-12 * largest + 1e-300);
  else
    solve_general(g, x, k, 1e-12 * largest + 1e-300);

  for (int a = 0; a < k; ++a) {
    const T force = scale[a] * x[a];
    for (int i = 0; i < n; ++i) work.acceleration[i] += drive(a)[i] * force;
    const SwitchRef s = mode.stuck[a];
    switch_force(s, work) = force;
    work.power[static_cast<int>(channel_of(s.kind))] += force * switch_rate(s, work);
    if (s.kind != SwitchKind::contact_normal || !slides(s.index, mode)) continue;
    Touching<T>& w = work.contact[s.index];
    w.shear_force = sliding_friction(s.index, mode) * force;
    work.power[static_cast<int>(Channel::contact_friction)] += w.shear_force * w.slip_rate;
  }
}

template <class T>
void System::evaluate(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt) const {
  choose_evaluation(t, y, mode, work, dydt, false);
}

template <class T>
void System::evaluate_lean(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt) const {
  choose_evaluation(t, y, mode, work, dydt, mode.stuck.empty());  // what holds needs to know the pieces
}

template <class T>
void System::choose_evaluation(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt,
                               bool lean) const {
  if (tree_.has_beams())
    lean ? evaluate_as<true, true>(t, y, mode, work, dydt) : evaluate_as<false, true>(t, y, mode, work, dydt);
  else
    lean ? evaluate_as<true, false>(t, y, mode, work, dydt)
         : evaluate_as<false, false>(t, y, mode, work, dydt);
}

template <bool Lean, bool Elastic, class T>
void System::evaluate_as(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt) const {
  using std::sqrt;
  const int n = dof_count();
  const T *q = y, *v = y + n;
  work.power = {};
  for (int i = 0; i < tree_.body_count(); ++i) {
    const Frame<T> f = tree_.place(i, q, v, work.frames);
    Vec2<T> arm, force{T(weight_[i].x), T(weight_[i].z)};
    T torque;
    const BodyPoint c = tree_.body(i).center;
    if constexpr (Elastic) {
      torque = moment(tree_.weight_moment(work.frames, i), Vec2<T>{T(gravity_.x), T(gravity_.z)});
      arm = tree_.center_arm(work.frames, i);
      if (tree_.body(i).beam) add_beam_forces(i, mode, work);
    } else {
      arm = c.s * f.u + c.n * f.w;
      const BodyPoint g = weight_at_[i];
      torque = moment(g.s * f.u + g.n * f.w, force);
    }
    if (air_[i] > 0) {
      const Vec2<T> vc =
          Elastic ? tree_.center_velocity(work.frames, i) : f.origin_rate + f.rate * turned(arm);
      const T k = air_[i] * norm(vc);
      force -= k * vc;
      torque -= moment(arm, k * vc);
      work.power[static_cast<int>(Channel::air)] -= k * dot(vc, vc);
    }
    for (int k = piece_begin_[i]; k < piece_begin_[i + 1]; ++k)
      add_piece_forces<Lean, Elastic>(k, mode.piece[k], f, work, force, torque);
    work.wrenches.force[i] = force;
    work.wrenches.moment[i] = torque;
  }
  if (has_torque_ || has_damping_ || has_friction_) add_joint_forces(t, mode, work);
  if (!contacts_.empty()) add_contact_forces<Lean>(mode, work);

  if constexpr (Lean) {
    tree_.forward_dynamics(work.frames, work.wrenches, work.factor, dydt + n);
    for (int i = 0; i < n; ++i) dydt[i] = v[i];
  } else {
    tree_.forward_dynamics(work.frames, work.wrenches, work.factor, work.acceleration.data());
    if (!mode.stuck.empty()) hold(mode, q, v, work);
    for (int i = 0; i < n; ++i) {
      dydt[i] = v[i];
      dydt[n + i] = work.acceleration[i];
    }
  }
  T* work_rate = dydt + 2 * n;  // the channels in use follow the velocities, in their order
  for (const Channel c : channels_) *work_rate++ = work.power[static_cast<int>(c)];
  if (track_distance_)
    for (int i = 0; i < tree_.body_count(); ++i)
      dydt[distance_slot_ + i] = norm(tree_.center_velocity(work.frames, i));
}

template <class Sink>
void System::guards(const Mode& mode, const Work<double>& work, const Scales& scales, Sink&& sink) const {
  const double small_length = 1e-13 * scales.length, small_speed = 5e-10 * scales.speed;
  // The side of the drag does not matter while there is no flow to speak of: the force is quadratic.
  const double small_flow = 1e-8 * scales.speed;
  const auto slip_guards = [&](SwitchRef s, std::int8_t state, double tolerance) {
    const double rate = switch_rate(s, work);
    const auto index = s.index;
    if (slip::is_slipping(state)) {
      sink(state * rate, tolerance, GuardId{GuardKind::slip, s.kind, 0, index});
    } else if (state == slip::stuck) {
      double lower, upper;
      switch_bounds(s, work, lower, upper);
      const double force = switch_force(s, work);
      const double small =
          1e-10 * (lower + upper) + 1e-12 * (s.kind < SwitchKind::spin ? scales.force : scales.moment);
      sink(upper - force, small, GuardId{GuardKind::bound_upper, s.kind, 0, index});
      sink(force + lower, small, GuardId{GuardKind::bound_lower, s.kind, 0, index});
    } else {
      sink(200 * tolerance - std::abs(rate), 0.0, GuardId{GuardKind::carried, s.kind, 0, index});
    }
  };

  for (int k = 0; k < static_cast<int>(pieces_.size()); ++k) {
    const Piece& p = pieces_[k];
    const PieceMode& m = mode.piece[k];
    const PieceWork<double>& w = work.piece[k];
    const std::uint8_t regime = m.immersion.regime;
    for (std::int16_t l = 0; l < w.levels.count; ++l)
      sink(regime >> l & 1 ? w.levels.value[l] : -w.levels.value[l], small_length,
           GuardId{GuardKind::level, SwitchKind::normal, l, k});
    if (!is_immersed(p.part, regime)) continue;
    const Bed& bed = beds_[p.bed];

    if ((p.part.kind == PartKind::segment || p.part.kind == PartKind::beam) && (regime & 3) == 3)
      sink(m.immersion.deepest * (w.levels.value[1] - w.levels.value[0]), small_length,
           GuardId{GuardKind::deepest, SwitchKind::normal, 0, k});
    if (p.part.kind == PartKind::block)
      for (std::int16_t side : {std::int16_t(1), std::int16_t(3)}) {
        const int other = (m.immersion.deepest + side) % 4;
        sink(w.levels.value[m.immersion.deepest] - w.levels.value[other], small_length,
             GuardId{GuardKind::deepest, SwitchKind::normal, static_cast<std::int16_t>(other), k});
      }
    if (bed.bottom > 0 && !m.at_bottom)
      sink(bed.bottom - w.immersed.depth, small_length, GuardId{GuardKind::bottom, SwitchKind::normal, 0, k});

    const bool held = !slip::is_slipping(m.normal) && !slip::is_slipping(m.shear);
    if (!p.part.is_round() && !held) {
      const bool block = p.part.kind == PartKind::block;
      const AreaRule rule = bed.area;
      if (rule == AreaRule::side_or_end && m.cross == 0 && !block) {
        sink(10 * small_flow - std::abs(w.cross), 0.0, GuardId{GuardKind::aligned, SwitchKind::normal, 0, k});
        sink(m.along * w.along, small_flow, GuardId{GuardKind::along, SwitchKind::normal, 0, k});
      } else {
        if (block || (rule != AreaRule::full && !(rule == AreaRule::floor && m.end_area)))
          sink(m.cross * w.cross, small_flow, GuardId{GuardKind::cross, SwitchKind::normal, 0, k});
        if (block || rule == AreaRule::silhouette)
          sink(m.along * w.along, small_flow, GuardId{GuardKind::along, SwitchKind::normal, 0, k});
      }
      if (rule == AreaRule::floor && !block) {
        const double excess = p.part.end_area() * norm(w.velocity) - w.immersed.side * std::abs(w.cross);
        sink(m.end_area ? excess : -excess, small_speed * p.part.end_area(),
             GuardId{GuardKind::end_area, SwitchKind::normal, 0, k});
      }
    }
    slip_guards({SwitchKind::normal, k}, m.normal, small_speed);
    slip_guards({SwitchKind::shear, k}, m.shear, small_speed);
    if (has_spin(k, mode)) slip_guards({SwitchKind::spin, k}, m.spin, 5e-10 * scales.rate);
  }
  if (has_friction_)
    for (int i = 0; i < tree_.body_count(); ++i)
      if (joints_[i].has_friction()) {
        const bool by_rule = joints_[i].clamp.is_on();
        const GuardId id{GuardKind::clamp, SwitchKind::joint, 0, i};
        if (by_rule && mode.clamped[i]) {
          sink(1 - std::abs(clamp_load(i, work)), 1e-12, id);
          continue;
        }
        slip_guards({SwitchKind::joint, i}, mode.joint[i], 5e-10 * scales.rate);
        if (by_rule) sink(clamp_margin(i, work), 1e-12, id);
      }
  for (int k = 0; k < static_cast<int>(contacts_.size()); ++k) {
    const ContactMode& m = mode.contact[k];
    const Touching<double>& w = work.contact[k];
    const ContactLaw& law = contacts_[k].law;
    const auto id = [&](GuardKind kind) { return GuardId{kind, SwitchKind::contact_normal, 0, k}; };
    switch (m.touch) {
      case Touch::open: sink(w.gap, scales.small_gap(), id(GuardKind::gap)); continue;
      case Touch::pressed:
        sink(-w.gap, scales.small_gap(), id(GuardKind::gap));
        if (law.damping > 0) sink(1 - law.damping * w.gap_rate, 1e-12, id(GuardKind::slack));
        break;
      case Touch::slack:
        sink(-w.gap, scales.small_gap(), id(GuardKind::gap));
        sink(law.damping * w.gap_rate - 1, 1e-12, id(GuardKind::slack));
        continue;
      case Touch::closed:
        if (m.normal == slip::idle) {
          sink(200 * small_speed - std::abs(w.gap_rate), 0.0, id(GuardKind::carried));
          continue;
        }
        sink(w.normal_force, 1e-12 * scales.force, id(GuardKind::bound_lower));
        if (slides(k, mode)) sink(pressing_share(k, mode, work) - 1e-4, 0.0, id(GuardKind::painleve));
        break;
    }
    if (law.friction > 0) slip_guards({SwitchKind::contact_shear, k}, m.slip, small_speed);
  }
}

}  // namespace thud
