#include "thud/dynamics/system.hpp"

namespace thud {

namespace {

bool fits_sweep(const Tree& tree) { return HeldSweep<double>::fits(tree); }
template <class P>
bool fits_sweep(const TreeOf<P>&) {
  return false;
}

}  // namespace

template <class P>
SystemOf<P>::SystemOf(TreeOf<P> tree, Vec2<P> gravity)
    : tree_(std::move(tree)),
      gravity_(gravity),
      gravity_size_(norm(gravity)),
      joints_(tree_.body_count()),
      may_sweep_(fits_sweep(tree_)) {
  for (int i = 0; i < tree_.body_count(); ++i) {
    const BodyOf<P>& b = tree_.body(i);
    const P heavy = b.mass - b.weightless;
    weight_.push_back(heavy * gravity);
    weight_at_.push_back(!is_zero(b.weightless) && value_of(heavy) > 0
                             ? BodyPointOf<P>{(b.mass * b.center.s - b.weightless * b.weightless_at) / heavy,
                                              b.mass * b.center.n / heavy}
                             : b.center);
    if (b.beam) std::get<type_of<BeamStrainOf<P>>>(elements_).push_back({i});
  }
  assign_slots();
}

template <class P>
int SystemOf<P>::add_bed(Bed bed) {
  beds_.push_back(std::move(bed));
  return static_cast<int>(beds_.size()) - 1;
}

template <class P>
void SystemOf<P>::set_bed(int index, Bed bed) {
  beds_[index] = std::move(bed);
  assign_slots();
}

// In the order of the bodies.
template <class P>
void SystemOf<P>::add_piece(int body, int bed, const PartOf<P>& part) {
  auto& pieces = std::get<type_of<SandPieceOf<P>>>(elements_);
  const auto after = std::upper_bound(pieces.begin(), pieces.end(), body,
                                      [](int b, const SandPiece& p) { return b < p.body; });
  pieces.insert(after, SandPiece(tree_, body, bed, part));
  assign_slots();
}

template <class P>
int SystemOf<P>::add_wall(Wall wall) {
  walls_.push_back(std::move(wall));
  return static_cast<int>(walls_.size()) - 1;
}

template <class P>
int SystemOf<P>::add_contact(Contact contact) {
  return add(ContactForce(std::move(contact), tree_, gravity_size_));
}

template <class P>
void SystemOf<P>::set_contact_law(int contact, ContactLawOf<P> law) {
  std::get<type_of<ContactForceOf<P>>>(elements_)[contact].law = std::move(law);
  assign_slots();
}

template <class P>
template <class E>
void SystemOf<P>::remove_from_joint(int body) {
  std::erase_if(std::get<type_of<E>>(elements_), [&](const E& e) { return e.body == body; });
}

template <class P>
void SystemOf<P>::set_joint(int body, JointForces forces) {
  remove_from_joint<JointDampingOf<P>>(body);
  remove_from_joint<JointFrictionOf<P>>(body);
  remove_from_joint<JointTorqueOf<P>>(body);
  if (value_of(forces.damping) > 0) add(JointDampingOf<P>{body, forces.damping});
  if (forces.has_friction())
    add(JointFrictionOf<P>{body, forces.friction_positive, forces.friction_negative, forces.clamp});
  if (forces.torque) add(JointTorqueOf<P>{body, {forces.torque, forces.torque_varies, forces.torque_timing}});
  joints_[body] = std::move(forces);
  assign_slots();
}

template <class P>
void SystemOf<P>::set_air_drag(int body, P k, TimeFunctionOf<P> wind) {
  remove_from_joint<AirDragOf<P>>(body);
  if (value_of(k) > 0) add(AirDragOf<P>{body, k, std::move(wind)});
  assign_slots();
}

template <class P>
void SystemOf<P>::assign_slots() {
  std::array<bool, channel_count> used{};
  const Scene here = scene();
  types_in_use_ = 0;
  Elements::each([&]<class E>() { types_in_use_ |= of<E>().empty() ? 0u : 1u << type_of<E>; });
  each([&]<class E>(const E& e, int) {
    for (int c = 0; c < static_cast<int>(E::channels.size()); ++c) {
      bool& u = used[static_cast<int>(channel_of<E>(c))];
      if constexpr (requires { e.uses(c, here); })
        u = u || e.uses(c, here);
      else
        u = true;
    }
  });
  is_lone_ = tree_.is_lone();
  may_sweep_ = fits_sweep(tree_) && of<AddedMassOf<P>>().empty();
  // The channels of an element that are in use come first among its own, so that it can write to the state's rates.
  Elements::each([&]<class E>() {
    for (int c = 1; c < static_cast<int>(E::channels.size()); ++c)
      if (used[static_cast<int>(channel_of<E>(c))] && !used[static_cast<int>(channel_of<E>(c - 1))])
        is_lone_ = false;
  });
  each([&]<class E>(const E& e, int) {
    if constexpr (requires { e.acts_on_lone(here); })
      is_lone_ = is_lone_ && e.acts_on_lone(here);
    else
      is_lone_ = false;
  });
  constraints_.clear();
  each([&]<class E>(const E& e, int k) {
    if constexpr (Constraining<E>)
      for (int sub = 0; sub < e.constraint_count(); ++sub) constraints_.push_back(switch_of<E>(k, sub));
  });
  int next = 2 * dof_count();
  for (int c = 0; c < channel_count; ++c) slot_[c] = used[c] ? next++ : -1;
  distance_slot_ = next;
  channels_.clear();
  for (int c = 0; c < channel_count; ++c)
    if (used[c]) channels_.push_back(static_cast<Channel>(c));
}

template <class P>
int SystemOf<P>::quadrature_count() const {
  return distance_slot_ - 2 * dof_count() + (track_distance_ ? tree_.body_count() : 0);
}

template <class P>
Mode SystemOf<P>::make_mode() const {
  Mode mode;
  reset(mode);
  return mode;
}

template <class P>
void SystemOf<P>::reset(Mode& mode) const {
  std::size_t switches = 0;
  Elements::each([&]<class E>() {
    auto& modes = mode.template of<E>();
    modes.assign(of<E>().size(), {});
    switches += E::switches.size() * of<E>().size();
    if constexpr (requires(const E& e) { e.begin(0.0, modes[0]); })
      for (std::size_t k = 0; k < modes.size(); ++k) of<E>()[k].begin(0.0, modes[k]);
  });
  mode.stuck.clear();
  mode.stuck.reserve(switches);
}

// ---- switches -----------------------------------------------------------------------------------------------------

template <class P>
void SystemOf<P>::active_switches(const Mode& mode, std::vector<SwitchRef>& out) const {
  out.clear();
  const Scene here = scene();
  each([&]<class E>(const E& e, int k) {
    if constexpr (E::switches.size() > 0)
      for (int sub = 0; sub < static_cast<int>(E::switches.size()); ++sub)
        if (e.is_active(sub, here, mode.template of<E>()[k])) out.push_back(switch_of<E>(k, sub));
  });
}

template <class P>
std::int8_t& SystemOf<P>::switch_state(SwitchRef s, Mode& mode) const {
  return with_switch(
      s, [&]<class E>(const E& e) -> std::int8_t& { return e.state(s.sub, mode.template of<E>()[s.index]); });
}

template <class P>
void SystemOf<P>::set_closed(SwitchRef s, bool closed, Mode& mode) const {
  with_switch(s, [&]<class E>(const E& e) {
    if constexpr (requires { e.set_closed(closed, mode.template of<E>()[s.index]); })
      if (E::switches[s.sub].what == SwitchClass::normal)
        e.set_closed(closed, mode.template of<E>()[s.index]);
  });
}

template <class P>
SwitchClass SystemOf<P>::switch_class(SwitchRef s) const {
  return with_switch(s, [&]<class E>(const E& e) {
    if constexpr (requires { e.class_of(s.sub); }) return e.class_of(s.sub);
    return E::switches[s.sub].what;
  });
}

template <class P>
bool SystemOf<P>::switch_turns(SwitchRef s) const {
  return with_switch(s, [&]<class E>(const E&) { return E::switches[s.sub].turns; });
}

template <class P>
P SystemOf<P>::sliding_friction(SwitchRef s, const Mode& mode) const {
  return with_switch(s, [&]<class E>(const E& e) {
    if constexpr (requires { e.slides(mode.template of<E>()[s.index]); })
      if (E::switches[s.sub].what == SwitchClass::normal && e.slides(mode.template of<E>()[s.index]))
        return e.sliding_friction(mode.template of<E>()[s.index]);
    return P(0);
  });
}

template <class P>
P SystemOf<P>::friction_coefficient(SwitchRef s) const {
  return with_switch(s, [&]<class E>(const E& e) {
    if constexpr (requires { e.law.friction; }) return e.law.friction;
    return P(0);
  });
}

template <class P>
void SystemOf<P>::list_stuck(Mode& mode) const {
  active_switches(mode, mode.stuck);
  std::erase_if(mode.stuck, [&](const SwitchRef& s) { return switch_state(s, mode) != slip::stuck; });
}

// ---- constraints --------------------------------------------------------------------------------------------------

template <class P>
bool SystemOf<P>::keeps_offset(SwitchRef c) const {
  return with_constraint(c, []<class E>(const E& e) { return e.keeps_offset(); });
}

template <class P>
bool SystemOf<P>::constraint_turns(SwitchRef c) const {
  return with_constraint(c, []<class E>(const E& e) { return e.constraint_turns(); });
}

template <class P>
bool SystemOf<P>::constraint_varies(SwitchRef c) const {
  return with_constraint(c, []<class E>(const E&) { return E::constraint_varies; });
}

template <class P>
std::vector<Vec2<P>> SystemOf<P>::constraint_forces(const std::vector<P>& values,
                                                    const Frames<P, P>& frames) const {
  std::vector<Vec2<P>> out(static_cast<std::size_t>(tree_.body_count()));
  const Scene here = scene();
  std::size_t at = 0;
  each([&]<class E>(const E& e, int) {
    if constexpr (Constraining<E>) {
      typename E::template Work<P> w;
      for (int sub = 0; sub < e.constraint_count(); ++sub)
        e.take_reaction(sub, values[at++], here, frames, w, static_cast<P*>(nullptr));
      if constexpr (requires { e.force_on(0, here, frames, w); })
        for (int i = 0; i < tree_.body_count(); ++i) out[i] += e.force_on(i, here, frames, w);
    }
  });
  return out;
}

// ---- plans --------------------------------------------------------------------------------------------------------

template <class P>
template <class L>
void SystemOf<P>::make_plan_on(const Mode& mode, thud::Work<double>& work, PlanOn<L>& plan) const {
  plan.actions.clear();
  const Scene here = scene();
  const auto holds = [&]<class E>(const E& e, typename E::Mode m) {
    if constexpr (E::switches.size() > 0)
      for (int sub = 0; sub < static_cast<int>(E::switches.size()); ++sub)
        if (e.is_active(sub, here, m) && E::state(sub, m) == slip::stuck) return true;
    return false;
  };
  constexpr bool everything = std::is_same_v<L, Load<double>>;
  each([&]<class E>(const E& e, int k) {
    if constexpr (everything || requires { e.acts_on_lone(here); }) {
      const typename E::Mode& m = mode.of<E>()[k];
      KernelOn<L> act = apply_kernel<E, true, L>;
      if (!mode.stuck.empty() && holds(e, m))
        act = apply_kernel<E, false, L>;  // what is held must be known
      else if constexpr (requires { e.template kernel<L>(here, m); })
        act = e.template kernel<L>(here, m);
      const int channel = everything ? static_cast<int>(channel_of<E>()) : channel_slot(channel_of<E>());
      if (act) plan.actions.push_back({act, &e, &m, &work.of<E>()[k], channel});
    }
  });
}

template <class P>
void SystemOf<P>::make_plan(const Mode& mode, thud::Work<double>& work, Plan& plan) const {
  if constexpr (std::is_same_v<P, double>) {
    plan.is_lone = is_lone_ && mode.stuck.empty();
    plan.is_lone ? make_plan_on(mode, work, plan.lone) : make_plan_on(mode, work, plan.all);
  }
}

template <class P>
void SystemOf<P>::evaluate_planned(double t, const double* y, const Mode& mode, const Plan& plan,
                                   thud::Work<double>& work, double* dydt) const {
  if constexpr (std::is_same_v<P, double>) {
    if (plan.is_lone)
      return evaluate_lone<true>(t, y, work, dydt,
                                 [&](LoneLoad<double>& load) { plan.lone.run(load, dydt); });
    load_bodies(t, y, work, [&](Load<double>& load) {
      load.control = mode.of<Controller>().data();
      plan.all.run(load, work.power.data());
    });
    const bool held = !mode.stuck.empty(), constrained = !constraints_.empty();
    double* vdot = held || constrained ? work.acceleration.data() : dydt + dof_count();
    tree_.forward_dynamics(work.frames, work.wrenches, work.factor, vdot);
    if (constrained) constrain(t, y, y + dof_count(), work);
    if (held) hold(mode, y, y + dof_count(), work);
    if (constrained) take_reactions(work);
    fill_rates(y, vdot, work, dydt);
  }
}

template <class P>
std::string SystemOf<P>::element_name(SwitchRef s) const {
  return Elements::at(s.type, [&]<class E>() -> std::string {
    const E& e = of<E>()[s.index];
    if constexpr (requires { e.subject(); })
      return e.subject();
    else if constexpr (requires { e.name(scene()); })
      return e.name(scene());
    else
      return {};
  });
}

template <class P>
std::string SystemOf<P>::switch_name(SwitchRef s) const {
  return element_name(s) + with_switch(s, [&]<class E>(const E&) { return E::switches[s.sub].name; });
}

template class SystemOf<double>;
THUD_WITH_DUALS(template class SystemOf<Dual<double>>;)

}  // namespace thud
