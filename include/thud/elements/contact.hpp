#pragma once

#include "thud/contact/relation.hpp"
#include "thud/elements/element.hpp"

namespace thud {

/// What a contact does. Rigid ones are open or closed; compliant ones open, pressed, or slack: still indented, with the
/// force cut off at zero.
enum class Touch : std::uint8_t { open, closed, pressed, slack };

struct ContactMode {
  Touch touch = Touch::open;
  std::int8_t normal = 0;  ///< closed: slip::stuck, or slip::idle when others keep it closed
  std::int8_t slip = 1;    ///< slip state of its friction
  bool off = false;        ///< a controller lets nothing touch here

  friend bool operator==(const ContactMode&, const ContactMode&) = default;
};

/// A pair that may touch. Rigid: a normal force that only presses, found with all that is held, and friction that follows
/// it; compliant: F = k δⁿ (1 + d δ̇), not below 0. Impacts are the business of Collider.
///
/// Energy: compliant contacts store k δⁿ⁺¹/(n + 1) and lose what their damping takes; friction loses μ F|γ|; impacts book
/// what they lose on a line of their own.
template <class P>
struct ContactForceOf : ContactOf<P> {
  using Scalar = P;
  // Ψ and Ψ' of the features that are points of beams.
  std::vector<P> shape_a, slope_a, shape_b, slope_b;
  double force_scale = 1;  ///< what a hard contact has in the place of bounds

  using ContactOf<P>::a;
  using ContactOf<P>::b;
  using ContactOf<P>::law;
  using ContactOf<P>::wall;
  using ContactOf<P>::sense;
  using ContactOf<P>::turns;

  ContactForceOf(ContactOf<P> contact, const TreeOf<P>& tree, P gravity);

  using Mode = ContactMode;
  template <class T>
  using Work = Touching<T>;
  enum { friction_loss, damping_loss, impact_loss };  // channels
  enum { normal, shear };                             // switches
  static constexpr std::array<ChannelInfo, 3> channels = {
      {{"contact_friction"}, {"contact_damping"}, {"impact"}}};
  static constexpr std::array<SwitchInfo, 2> switches = {
      {{"", impact_loss, false, SwitchClass::normal},
       {": friction", friction_loss, false, SwitchClass::friction}}};

  static constexpr int cut_off_loss =
      damping_loss;  ///< where what is still stored goes when the force is cut off

  static constexpr const char* store = "contact";
  static constexpr const char* store_about = "energy stored in compliant contacts";
  bool stores() const { return law.compliant; }

  const std::string& subject() const { return ContactOf<P>::name; }
  bool uses(int channel, const SceneOf<P>&) const {
    if (channel == friction_loss) return value_of(law.friction) > 0;
    return channel == impact_loss ? !law.compliant : law.compliant && value_of(law.damping) > 0;
  }
  double length(const SceneOf<P>&) const;
  /// Lengths and speeds in Scales times this are angles and their rates, where the gap is one.
  double unit(const Scales& scales) const { return turns ? 1 / scales.length : 1; }

  // ---- forces ----
  // Compliant contacts press with a force that is known; rigid ones that are closed are held.
  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const;
  template <class L>
  static KernelOn<L> kernel(const SceneOf<P>&, const Mode& m) {
    return m.touch == Touch::pressed ? apply_kernel<ContactForceOf, true, L> : nullptr;
  }
  template <class T>
  static T stored(const Work<T>& w) {
    return w.stored;
  }
  template <class T>
  Vec2<T> force_on(int body, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    const bool is_a = a.body == body, is_b = this->has_other() && b.body == body;
    const Vec2<T> f = w.normal_force * w.normal + w.shear_force * w.tangent;
    return is_a ? f : is_b ? -f : Vec2<T>{};
  }
  /// Stops are part of the joint.
  template <class T>
  T joint_moment(int which, const Work<T>& w) const {
    return wall == facing::stop && which == a.body ? sense * w.normal_force : T(0);
  }

  // ---- switches ----
  bool is_active(int sub, const SceneOf<P>&, const Mode& m) const {
    if (sub == normal) return m.touch == Touch::closed;
    return (m.touch == Touch::closed || m.touch == Touch::pressed) && value_of(law.friction) > 0;
  }
  /// Bounded as a box where the normal force is known.
  SwitchClass class_of(int sub) const {
    return sub == normal ? SwitchClass::normal : law.compliant ? SwitchClass::box : SwitchClass::friction;
  }
  static std::int8_t& state(int sub, Mode& m) { return sub == normal ? m.normal : m.slip; }
  static void set_closed(bool closed, Mode& m) { m.touch = closed ? Touch::closed : Touch::open; }
  template <class T>
  static T& force(int sub, Work<T>& w) {
    return sub == normal ? w.normal_force : w.shear_force;
  }
  template <class T>
  static T rate(int sub, const Work<T>& w) {
    return sub == normal ? w.gap_rate : w.slip_rate;
  }
  template <class T>
  void bounds(int sub, const Work<T>& w, T& lower, T& upper) const {
    if (sub == normal)
      lower = T(0), upper = T(std::numeric_limits<double>::infinity());
    else
      lower = upper = law.friction * w.normal_force;
  }
  template <class T>
  void add_row(int sub, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>& w, T* row) const;
  template <class T>
  T bias(int sub, const SceneOf<P>& s, const Mode&, const Frames<Dual<T>, P>& moving) const {
    if (wall == facing::stop) return T(0);
    Touching<Dual<T>> w;
    measure(*this, s.tree, s.walls, moving, static_cast<const Dual<T>*>(nullptr), w);
    return sub == normal ? w.gap_rate.d : w.slip_rate.d;
  }
  /// The same for features of rigid bodies, and for stops, where it is zero. With A and V, acceleration and velocity of the one centre against the other,
  /// and d their distance: n·A + (t·V)²/d and t·A − (n·V)(t·V)/d; the curvature d is that of pairs.
  template <class T>
  bool plain_bias(int sub, const Frames<T, P>& frames, const Work<T>& w, T& out) const;
  /// A closed contact whose friction is at its bound.
  bool slides(const Mode& m) const {
    return value_of(law.friction) > 0 && m.slip != slip::stuck && m.slip != slip::idle;
  }
  /// Friction per normal force.
  P sliding_friction(const Mode& m) const { return -slip::sign(m.slip) * law.friction; }
  /// Of a contact that lasts: "sticking", or "rolling" when a circle does.
  bool rolls() const { return value_of(a.radius) > 0 || value_of(b.radius) > 0; }

  // ---- events ----
  enum Guard : std::uint8_t { g_gap = guard::first_own, g_slack, g_painleve };
  /// `share`: what a unit of normal force with its friction does against closing, as a share of what it would do without.
  template <class T, class Sink, class Share>
  void guards(const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink, Share&& share) const;
  template <class Log>
  void log(const Mode& before, const Mode& after, Log&& log) const;
  template <class T, class Sink>
  void approaches(const SceneOf<P>&, const Mode& m, const Frames<T, P>&, const Work<T>& w,
                  Sink&& sink) const {
    if (m.touch == Touch::open) sink(w.gap, w.gap_rate);
  }

  template <class Put>
  void observables(const SceneOf<P>&, Put&& put) const {
    const std::string& n = subject();
    if (wall == facing::stop) {
      put(0, n + ".gap", turns ? "rad" : "m", "what is left until " + n);
      put(1, n + ".rate", turns ? "rad/s" : "m/s", "rate of what is left until " + n);
      put(3, n + (turns ? ".moment" : ".force"), turns ? "N m" : "N", "of " + n + ", away from the stop");
      return;
    }
    if (wall == facing::distance) {
      put(0, n + (sense < 0 ? ".slack" : ".gap"), "m", "what is left of the distance of " + n);
      put(1, n + ".rate", "m/s", "its rate");
      put(3, n + (sense < 0 ? ".tension" : ".force"), "N", "force of " + n);
      return;
    }
    put(0, n + ".gap", "m", "distance of " + n);
    put(1, n + ".rate", "m/s", "rate of the distance of " + n);
    put(2, n + ".slip", "m/s", "tangential velocity of " + n);
    put(3, n + ".force", "N", "normal force of " + n);
    put(4, n + ".friction", "N", "friction force of " + n + ", along the tangent");
  }
  template <class T>
  T observe(int code, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    const T all[] = {w.gap, w.gap_rate, w.slip_rate, w.normal_force, w.shear_force};
    return all[code];
  }

  // ---- selection ----
  /// Rigid contacts that touch and neither open nor close: whether they press is decided with the switches.
  void settle_touch(const Work<double>& w, const Scales& scales, Mode& m) const;
  /// Compliant contacts. True when it has changed.
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const;

  // ---- sizes of compliant contacts ----
  /// How deep it is pressed by a mass that moves with `speed`: k δⁿ⁺¹/(n + 1) = ½ m v². Infinite for rigid ones.
  double indentation(double mass, double speed) const;
  /// For damped contacts: their loss is a quadrature that the control of errors does not see, and towards the end of a
  /// contact it is not smooth either.
  double longest_step(const StepState& s, const Mode& m, const Work<double>& w) const;
  /// Into a contact that was open before: its force starts like δ^1.5, which no order of a method sees.
  double longest_first_step(const StepState& s, const Mode& before, const Mode& m,
                            const Work<double>& w) const;

 private:
  // Positive where the damping of a compliant contact would pull. In units of the elastic force; of a linear one, which has
  // none at its beginning, in units of length.
  template <class T>
  T slackness(const Work<T>& w) const {
    if (!law.linear) return law.damping * w.gap_rate - 1;
    return w.gap + law.damping / law.stiffness * w.gap_rate;
  }
  // Calls sink(body, place, force) and shape(body, elastic index, generalised force) for a force on the first body where
  // it touches, and for its opposite on the second.
  template <class T, class Sink, class Shape>
  void each_side(Vec2<T> f, const Frames<T, P>& frames, const Work<T>& w, Sink&& sink, Shape&& shape) const;
};
using ContactForce = ContactForceOf<double>;

template <class P>
template <class T, class Sink, class Shape>
void ContactForceOf<P>::each_side(Vec2<T> f, const Frames<T, P>& frames, const Work<T>& w, Sink&& sink,
                                  Shape&& shape) const {
  const auto one = [&](const FeatureOf<P>& feature, Vec2<T> arm, Vec2<T> offset, const std::vector<P>& shapes,
                       const std::vector<P>& slopes, Vec2<T> p) {
    sink(feature.body, arm + offset, p);
    if (shapes.empty()) return;
    const T lateral = dot(frames.w[feature.body], p), turn = moment(offset, p);
    for (std::size_t j = 0; j < shapes.size(); ++j)
      shape(feature.body, j, shapes[j] * lateral + slopes[j] * turn);
  };
  one(a, w.arm_a, w.offset_a, shape_a, slope_a, f);
  if (this->has_other()) one(b, w.arm_b, w.offset_b, shape_b, slope_b, -f);
}

template <class P>
template <bool Lean, class T>
void ContactForceOf<P>::apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
  if (Lean && m.touch != Touch::pressed) return;
  measure(*this, load.scene.tree, load.scene.walls, load.frames, load.q, w);
  w.off = m.off;
  if (m.off) w.hide();
  w.normal_force = w.shear_force = w.stored = T(0);
  if (m.touch != Touch::pressed) return;
  if (law.linear) {
    const T elastic = -law.stiffness * w.gap, damping = -law.damping * w.gap_rate;
    w.stored = 0.5 * law.stiffness * w.gap * w.gap;
    w.normal_force = elastic + damping;
    load.power[damping_loss] += damping * w.gap_rate;
    load.scene.tree.add_joint_moment(load.frames, a.body, T(sense * w.normal_force), load.wrenches);
    return;
  }
  const T depth = positive_part(T(-w.gap));
  const T elastic = law.stiffness * detail::depth_power(depth, law.exponent);
  const T damping = T(-law.damping) * w.gap_rate * elastic;
  w.stored = elastic * depth / (law.exponent + 1);
  load.power[damping_loss] += damping * w.gap_rate;
  w.normal_force = elastic + damping;
  const T bound = law.friction * w.normal_force;
  w.shear_force = slip::fixed_force(m.slip, bound, bound);
  load.power[friction_loss] += w.shear_force * w.slip_rate;
  each_side(
      w.normal_force * w.normal + w.shear_force * w.tangent, load.frames, w,
      [&](int body, Vec2<T> at, Vec2<T> p) { load.wrenches.add(body, at, p); },
      [&](int body, std::size_t j, T q) {
        load.wrenches.elastic[load.scene.tree.elastic_begin(body) + j] += q;
      });
}

template <class P>
template <class T>
void ContactForceOf<P>::add_row(int sub, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>& w,
                                T* row) const {
  if (wall == facing::stop) {
    if (sub == normal) s.tree.add_joint_moment(a.body, T(sense), row);
    return;
  }
  each_side(
      sub == shear ? w.tangent : w.normal, frames, w,
      [&](int body, Vec2<T> at, Vec2<T> p) { s.tree.add_point_force(frames, body, at, p, row); },
      [&](int body, std::size_t j, T q) { row[s.tree.elastic_dof(body) + j] += q; });
}

template <class P>
template <class T>
bool ContactForceOf<P>::plain_bias(int sub, const Frames<T, P>& frames, const Work<T>& w, T& out) const {
  if (wall == facing::stop) return out = T(0), true;
  const bool other = this->has_other();
  if (this->rides || frames.beam[a.body] || (other && frames.beam[b.body])) return false;
  const auto pull = [&](int body, Vec2<T> arm) {
    return frames.centripetal[body] - frames.rate[body] * frames.rate[body] * arm;
  };
  Vec2<T> relative = pull(a.body, w.arm_a);
  if (other) relative = relative - pull(b.body, w.arm_b);
  out = dot(sub == normal ? w.normal : w.tangent, relative);
  if (wall == facing::distance) {
    const T across = w.slip_rate / (this->limit + sense * w.gap);
    out += T(sense) * (sub == normal ? w.slip_rate : -w.gap_rate) * across;
    return true;
  }
  const T distance = w.gap + (a.radius + b.radius);
  if (wall >= 0 || !(distance > T(0))) return true;
  const T slip_ = w.slip_rate - (frames.rate[a.body] * a.radius + frames.rate[b.body] * b.radius);
  out += (sub == normal ? slip_ : -w.gap_rate) * slip_ / distance;
  return true;
}

template <class P>
template <class T, class Sink, class Share>
void ContactForceOf<P>::guards(const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink,
                               Share&& share) const {
  using std::abs;
  const double small_speed = tolerance::slip * scales.speed * unit(scales);
  const double small_gap = scales.small_gap() * unit(scales);
  switch (m.touch) {
    case Touch::open: sink(w.gap, small_gap, GuardRole::change, g_gap, 0); return;
    case Touch::pressed:
      sink(-w.gap, small_gap, GuardRole::change, g_gap, 0);
      if (value_of(law.damping) > 0) sink(-slackness(w), 1e-12, GuardRole::change, g_slack, 0);
      break;
    case Touch::slack:
      sink(-w.gap, small_gap, GuardRole::change, g_gap, 0);
      sink(slackness(w), 1e-12, GuardRole::change, g_slack, 0);
      return;
    case Touch::closed:
      if (m.normal == slip::idle) {
        sink(tolerance::carried * small_speed - abs(w.gap_rate), 0.0, GuardRole::change, guard::carried,
             normal);
        return;
      }
      sink(w.normal_force, tolerance::bound_force * (turns ? scales.moment : scales.force), GuardRole::change,
           guard::bound_lower, normal);
      if (slip::is_slipping(m.slip) && slides(m) && law.painleve != Painleve::slide)
        sink(share() - tolerance::painleve, 0.0, GuardRole::painleve, g_painleve, 0);
      break;
  }
  if (value_of(law.friction) > 0) slip_guards(*this, shear, m.slip, w, scales, sink);
}

template <class P>
template <class Log>
void ContactForceOf<P>::log(const Mode& before, const Mode& after, Log&& log) const {
  const bool was = before.touch != Touch::open, is = after.touch != Touch::open;
  if (!was && is) log.push(EventKind::touch);
  if (was && !is) log.push(EventKind::lift);
  if (was && is && value_of(law.friction) > 0) log.push_switch(shear, before.slip, after.slip);
}

}  // namespace thud
