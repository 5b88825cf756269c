#include "thud/dynamics/system.hpp"

namespace thud {

System::System(Tree tree, Vec gravity)
    : tree_(std::move(tree)),
      gravity_(gravity),
      gravity_size_(norm(gravity)),
      joints_(tree_.body_count()),
      may_sweep_(HeldSweep<double>::fits(tree_)) {
  for (int i = 0; i < tree_.body_count(); ++i) {
    const Body& b = tree_.body(i);
    const double heavy = b.mass - b.weightless;
    weight_.push_back(heavy * gravity);
    weight_at_.push_back(b.weightless > 0 && heavy > 0
                             ? BodyPoint{(b.mass * b.center.s - b.weightless * b.weightless_at) / heavy,
                                         b.mass * b.center.n / heavy}
                             : b.center);
    if (b.beam) std::get<type_of<BeamStrain>>(elements_).push_back({i});
  }
  assign_slots();
}

int System::add_bed(Bed bed) {
  beds_.push_back(std::move(bed));
  return static_cast<int>(beds_.size()) - 1;
}

void System::set_bed(int index, Bed bed) {
  beds_[index] = std::move(bed);
  assign_slots();
}

// In the order of the bodies.
void System::add_piece(int body, int bed, const Part& part) {
  auto& pieces = std::get<type_of<SandPiece>>(elements_);
  const auto after = std::upper_bound(pieces.begin(), pieces.end(), body,
                                      [](int b, const SandPiece& p) { return b < p.body; });
  pieces.insert(after, SandPiece(tree_, body, bed, part));
  assign_slots();
}

int System::add_wall(Wall wall) {
  walls_.push_back(std::move(wall));
  return static_cast<int>(walls_.size()) - 1;
}

int System::add_contact(Contact contact) {
  return add(ContactForce(std::move(contact), tree_, gravity_size_));
}

void System::set_contact_law(int contact, ContactLaw law) {
  std::get<type_of<ContactForce>>(elements_)[contact].law = std::move(law);
  assign_slots();
}

template <class E>
void System::remove_from_joint(int body) {
  std::erase_if(std::get<type_of<E>>(elements_), [&](const E& e) { return e.body == body; });
}

void System::set_joint(int body, JointForces forces) {
  remove_from_joint<JointDamping>(body);
  remove_from_joint<JointFriction>(body);
  remove_from_joint<JointTorque>(body);
  if (forces.damping > 0) add(JointDamping{body, forces.damping});
  if (forces.has_friction())
    add(JointFriction{body, forces.friction_positive, forces.friction_negative, forces.clamp});
  if (forces.torque) add(JointTorque{body, {forces.torque, forces.torque_varies}});
  joints_[body] = std::move(forces);
  assign_slots();
}

void System::set_air_drag(int body, double k) {
  remove_from_joint<AirDrag>(body);
  if (k > 0) add(AirDrag{body, k});
  assign_slots();
}

void System::assign_slots() {
  std::array<bool, channel_count> used{};
  const Scene here = scene();
  types_in_use_ = 0;
  ElementTypes::each([&]<class E>() { types_in_use_ |= of<E>().empty() ? 0u : 1u << type_of<E>; });
  each([&]<class E>(const E& e, int) {
    for (int c = 0; c < static_cast<int>(E::channels.size()); ++c) {
      bool& u = used[static_cast<int>(channel_of<E>(c))];
      if constexpr (requires { e.uses(c, here); })
        u = u || e.uses(c, here);
      else
        u = true;
    }
  });
  int next = 2 * dof_count();
  for (int c = 0; c < channel_count; ++c) slot_[c] = used[c] ? next++ : -1;
  distance_slot_ = next;
  channels_.clear();
  for (int c = 0; c < channel_count; ++c)
    if (used[c]) channels_.push_back(static_cast<Channel>(c));
}

int System::quadrature_count() const {
  return distance_slot_ - 2 * dof_count() + (track_distance_ ? tree_.body_count() : 0);
}

Mode System::make_mode() const {
  Mode mode;
  reset(mode);
  return mode;
}

void System::reset(Mode& mode) const {
  std::size_t switches = 0;
  ElementTypes::each([&]<class E>() {
    mode.of<E>().assign(of<E>().size(), {});
    switches += E::switches.size() * of<E>().size();
  });
  mode.stuck.clear();
  mode.stuck.reserve(switches);
}

// ---- switches -----------------------------------------------------------------------------------------------------

void System::active_switches(const Mode& mode, std::vector<SwitchRef>& out) const {
  out.clear();
  const Scene here = scene();
  each([&]<class E>(const E& e, int k) {
    if constexpr (E::switches.size() > 0)
      for (int sub = 0; sub < static_cast<int>(E::switches.size()); ++sub)
        if (e.is_active(sub, here, mode.of<E>()[k])) out.push_back(switch_of<E>(k, sub));
  });
}

std::int8_t& System::switch_state(SwitchRef s, Mode& mode) const {
  return with_switch(
      s, [&]<class E>(const E& e) -> std::int8_t& { return e.state(s.sub, mode.of<E>()[s.index]); });
}

void System::set_closed(SwitchRef s, bool closed, Mode& mode) const {
  with_switch(s, [&]<class E>(const E& e) {
    if constexpr (requires { e.set_closed(closed, mode.of<E>()[s.index]); })
      if (E::switches[s.sub].what == SwitchClass::normal) e.set_closed(closed, mode.of<E>()[s.index]);
  });
}

SwitchClass System::switch_class(SwitchRef s) const {
  return with_switch(s, [&]<class E>(const E& e) {
    if constexpr (requires { e.class_of(s.sub); }) return e.class_of(s.sub);
    return E::switches[s.sub].what;
  });
}

bool System::switch_turns(SwitchRef s) const {
  return with_switch(s, [&]<class E>(const E&) { return E::switches[s.sub].turns; });
}

double System::sliding_friction(SwitchRef s, const Mode& mode) const {
  return with_switch(s, [&]<class E>(const E& e) {
    if constexpr (requires { e.slides(mode.of<E>()[s.index]); })
      if (E::switches[s.sub].what == SwitchClass::normal && e.slides(mode.of<E>()[s.index]))
        return e.sliding_friction(mode.of<E>()[s.index]);
    return 0.0;
  });
}

double System::friction_coefficient(SwitchRef s) const {
  return with_switch(s, [&]<class E>(const E& e) {
    if constexpr (requires { e.law.friction; }) return e.law.friction;
    return 0.0;
  });
}

void System::list_stuck(Mode& mode) const {
  active_switches(mode, mode.stuck);
  std::erase_if(mode.stuck, [&](const SwitchRef& s) { return switch_state(s, mode) != slip::stuck; });
}

std::string System::element_name(SwitchRef s) const {
  return ElementTypes::at(s.type, [&]<class E>() -> std::string {
    const E& e = of<E>()[s.index];
    if constexpr (requires { e.subject(); })
      return e.subject();
    else if constexpr (requires { e.name(scene()); })
      return e.name(scene());
    else
      return {};
  });
}

std::string System::switch_name(SwitchRef s) const {
  return element_name(s) + with_switch(s, [&]<class E>(const E&) { return E::switches[s.sub].name; });
}

// What a unit of normal force with its friction does against closing, as a share of what it would do without:
// 1 − μ|ε|/γ when friction helps to close. At zero and below there is no force that keeps a sliding contact closed.
double System::pressing_share(SwitchRef normal, const Mode& mode, const Work<double>& work) const {
  const int n = dof_count();
  for (std::size_t a = 0; a < mode.stuck.size(); ++a) {
    if (!(mode.stuck[a] == normal)) continue;
    double with = 0, without = 0;
    for (int i = 0; i < n; ++i) {
      with += work.jacobian[a * n + i] * work.drive[a * n + i];
      without += work.jacobian[a * n + i] * work.applied[a * n + i];
    }
    return with / without;
  }
  return 1;
}

// ---- contacts, sums -----------------------------------------------------------------------------------------------

void System::gap_accelerations(const double* y, Work<double>& work, std::vector<double>& out) const {
  const int n = dof_count();
  for (int i = 0; i < n; ++i) {
    work.moving_q[i] = {y[i], y[n + i]};
    work.moving_v[i] = {y[n + i], work.acceleration[i]};
  }
  tree_.kinematics(work.moving_q.data(), work.moving_v.data(), work.moving);
  out.resize(contacts().size());
  for (std::size_t k = 0; k < contacts().size(); ++k) {
    Touching<Dual<double>> w;
    measure(contacts()[k], walls_, work.moving, w);
    out[k] = w.gap_rate.d;
  }
}

double System::stored_energy(const Work<double>& work) const {
  double sum = 0;
  ElementTypes::each([&]<class E>() { sum += stored_energy_of<E>(work); });
  return sum;
}

Vec System::element_force(int body, const Work<double>& work) const {
  Vec sum{};
  const Scene here = scene();
  each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.force_on(body, here, work.frames, work.of<E>()[k]); })
      sum += e.force_on(body, here, work.frames, work.of<E>()[k]);
  });
  return sum;
}

double System::joint_moment(int body, const Work<double>& work) const {
  double sum = 0;
  each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.joint_moment(body, work.of<E>()[k]); })
      sum += e.joint_moment(body, work.of<E>()[k]);
  });
  return sum;
}

}  // namespace thud
