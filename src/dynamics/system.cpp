#include "thud/dynamics/system.hpp"

#include <fmt/format.h>

namespace thud {

const char* channel_name(Channel channel) {
  switch (channel) {
    case Channel::drag: return "drag";
    case Channel::static_normal: return "static_vertical";
    case Channel::static_shear: return "static_horizontal";
    case Channel::spin: return "rotation";
    case Channel::air: return "air";
    case Channel::damping: return "joint_damping";
    case Channel::joint_friction: return "joint_friction";
    case Channel::material: return "material_damping";
    case Channel::contact_friction: return "contact_friction";
    case Channel::contact_damping: return "contact_damping";
    case Channel::impact: return "impact";
    case Channel::torque: return "torque";
  }
  return "";
}

System::System(Tree tree, Vec gravity)
    : tree_(std::move(tree)),
      gravity_(gravity),
      gravity_size_(norm(gravity)),
      joints_(tree_.body_count()),
      air_(tree_.body_count(), 0.0) {
  piece_begin_.assign(tree_.body_count() + 1, 0);
  for (const Body& b : tree_.bodies()) {
    const double heavy = b.mass - b.weightless;
    weight_.push_back(heavy * gravity);
    weight_at_.push_back(b.weightless > 0 && heavy > 0
                             ? BodyPoint{(b.mass * b.center.s - b.weightless * b.weightless_at) / heavy,
                                         b.mass * b.center.n / heavy}
                             : b.center);
    has_material_ = has_material_ || (b.beam && b.beam->is_damped());
  }
  assign_slots();
}

int System::add_wall(Wall wall) {
  walls_.push_back(std::move(wall));
  return static_cast<int>(walls_.size()) - 1;
}

std::vector<double> System::shapes_of(const Feature& f, bool slopes) const {
  const ElasticBeam* beam = tree_.body(f.body).beam.get();
  std::vector<double> shape(beam ? beam->size() : 0), slope(shape.size());
  if (beam && f.point.s >= beam->start())
    beam->shapes_at(f.point.s - beam->start(), shape.data(), slope.data());
  return slopes ? slope : shape;
}

int System::add_contact(Contact contact) {
  ContactShapes s;
  s.shape_a = shapes_of(contact.a, false);
  s.slope_a = shapes_of(contact.a, true);
  if (contact.wall < 0) {
    s.shape_b = shapes_of(contact.b, false);
    s.slope_b = shapes_of(contact.b, true);
  }
  contact_shapes_.push_back(std::move(s));
  contacts_.push_back(std::move(contact));
  contact_scale_ = tree_.total_mass() * std::max(gravity_size_, 1.0);
  assign_slots();
  return static_cast<int>(contacts_.size()) - 1;
}

void System::set_contact_law(int contact, ContactLaw law) {
  contacts_[contact].law = std::move(law);
  assign_slots();
}

// What a unit of normal force with its friction does against closing, as a share of what it would do without:
// 1 − μ|ε|/γ when friction helps to close. At zero and below there is no force that keeps a sliding contact closed.
double System::pressing_share(int contact, const Mode& mode, const Work<double>& work) const {
  const int n = dof_count();
  for (std::size_t a = 0; a < mode.stuck.size(); ++a) {
    const SwitchRef s = mode.stuck[a];
    if (s.kind != SwitchKind::contact_normal || s.index != contact) continue;
    double with = 0, without = 0;
    for (int i = 0; i < n; ++i) {
      with += work.jacobian[a * n + i] * work.drive[a * n + i];
      without += work.jacobian[a * n + i] * work.applied[a * n + i];
    }
    return with / without;
  }
  return 1;
}

double System::contact_energy(const Work<double>& work) const {
  double sum = 0;
  for (const Touching<double>& w : work.contact) sum += w.stored;
  return sum;
}

Vec System::contact_force(int body, const Work<double>& work) const {
  Vec sum{};
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& c = contacts_[k];
    const bool is_a = c.a.body == body, is_b = c.wall < 0 && c.b.body == body;
    if (!is_a && !is_b) continue;
    const Touching<double>& w = work.contact[k];
    const Vec f = w.normal_force * w.normal + w.shear_force * w.tangent;
    sum += is_a ? f : -f;
  }
  return sum;
}

void System::gap_accelerations(const double* y, Work<double>& work, std::vector<double>& out) const {
  const int n = dof_count();
  for (int i = 0; i < n; ++i) {
    work.moving_q[i] = {y[i], y[n + i]};
    work.moving_v[i] = {y[n + i], work.acceleration[i]};
  }
  tree_.kinematics(work.moving_q.data(), work.moving_v.data(), work.moving);
  out.resize(contacts_.size());
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Touching<Dual<double>> w;
    measure(contacts_[k], walls_, work.moving, w);
    out[k] = w.gap_rate.d;
  }
}

int System::add_bed(Bed bed) {
  beds_.push_back(std::move(bed));
  return static_cast<int>(beds_.size()) - 1;
}

void System::set_bed(int index, Bed bed) {
  beds_[index] = std::move(bed);
  assign_slots();
}

void System::add_piece(int body, int bed, const Part& part) {
  const Piece piece{body, bed, part, 1 / part.width, part.end_area(), tree_.body(body).mass};
  pieces_.insert(pieces_.begin() + piece_begin_[body + 1], piece);
  for (std::size_t i = body + 1; i < piece_begin_.size(); ++i) ++piece_begin_[i];
  assign_slots();
}

void System::set_joint(int body, JointForces forces) {
  has_torque_ = has_torque_ || forces.torque;
  has_damping_ = has_damping_ || forces.damping > 0;
  has_friction_ = has_friction_ || forces.has_friction();
  has_clamps_ = has_clamps_ || forces.clamp.is_on();
  joints_[body] = std::move(forces);
  assign_slots();
}

void System::set_air_drag(int body, double k) {
  air_[body] = k;
  has_air_ = has_air_ || k > 0;
  assign_slots();
}

void System::assign_slots() {
  bool spin = false;
  for (const Piece& p : pieces_)
    spin = spin || (!p.part.is_round() && beds_[p.bed].rotation == RotationRule::whole);
  const bool sand = !pieces_.empty();
  bool rigid = false, damped = false, rough = false;
  for (const Contact& c : contacts_) {
    rigid = rigid || !c.law.compliant;
    damped = damped || (c.law.compliant && c.law.damping > 0);
    rough = rough || c.law.friction > 0;
  }
  const std::array<bool, channel_count> used = {sand,     sand,         sand,          spin,
                                                has_air_, has_damping_, has_friction_, has_material_,
                                                rough,    damped,       rigid,         has_torque_};
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
  mode.piece.assign(pieces_.size(), {});
  mode.joint.assign(tree_.body_count(), slip::forward);
  mode.clamped.assign(tree_.body_count(), 0);
  mode.contact.assign(contacts_.size(), {});
  mode.stuck.clear();
  mode.stuck.reserve(3 * pieces_.size() + tree_.body_count() + 2 * contacts_.size());
}

bool System::has_spin(int piece, const Mode& mode) const {
  const Piece& p = pieces_[piece];
  return beds_[p.bed].rotation == RotationRule::whole && !p.part.is_round()
      && is_whole(p.part, mode.piece[piece].immersion.regime);
}

void System::active_switches(const Mode& mode, std::vector<SwitchRef>& out) const {
  out.clear();
  for (int k = 0; k < static_cast<int>(pieces_.size()); ++k) {
    if (!is_immersed(pieces_[k].part, mode.piece[k].immersion.regime)) continue;
    out.push_back({SwitchKind::normal, k});
    out.push_back({SwitchKind::shear, k});
    if (has_spin(k, mode)) out.push_back({SwitchKind::spin, k});
  }
  if (has_friction_)
    for (int i = 0; i < tree_.body_count(); ++i)
      if (joints_[i].has_friction()) out.push_back({SwitchKind::joint, i});
  for (int k = 0; k < static_cast<int>(contacts_.size()); ++k) {
    const Touch touch = mode.contact[k].touch;
    if (touch == Touch::closed) out.push_back({SwitchKind::contact_normal, k});
    if ((touch == Touch::closed || touch == Touch::pressed) && contacts_[k].law.friction > 0)
      out.push_back({SwitchKind::contact_shear, k});
  }
}

std::int8_t& System::switch_state(SwitchRef s, Mode& mode) const {
  switch (s.kind) {
    case SwitchKind::normal: return mode.piece[s.index].normal;
    case SwitchKind::shear: return mode.piece[s.index].shear;
    case SwitchKind::contact_normal: return mode.contact[s.index].normal;
    case SwitchKind::contact_shear: return mode.contact[s.index].slip;
    case SwitchKind::spin: return mode.piece[s.index].spin;
    case SwitchKind::joint: break;
  }
  return mode.joint[s.index];
}

// Held still, the hub needs the moment Σ ∫sΨ_k dm η̈_k; the bending alone gives η̈_k = −ω_k² η_k, without the damping.
double System::clamp_load(int body, const Work<double>& work) const {
  const ElasticBeam& beam = *tree_.body(body).beam;
  const ClampRule& rule = joints_[body].clamp;
  const double* eta = work.frames.eta.data() + tree_.elastic_begin(body);
  double moment = 0;
  for (int k = 0; k < beam.size(); ++k)
    moment -= beam.first()[k] * beam.stiffness()[k] / beam.modal_mass() * eta[k];
  return moment / (moment > 0 ? rule.static_negative : rule.static_positive);
}

double System::clamp_margin(int body, const Work<double>& work) const {
  const ElasticBeam& beam = *tree_.body(body).beam;
  const ClampRule& rule = joints_[body].clamp;
  const double* rate = work.frames.eta_rate.data() + tree_.elastic_begin(body);
  double kinetic = 0;
  for (int k = 0; k < beam.size(); ++k) kinetic += 0.5 * beam.modal_mass() * rate[k] * rate[k];
  // A little inside the band that lets go: where the load is the last to come down, it must be seen to be inside.
  constexpr double inside = 1 + 1e-6;
  return std::max({std::abs(tree_.joint_rate(work.frames, body)) / rule.rate, kinetic / rule.energy,
                   inside * std::abs(clamp_load(body, work))})
       - 1;
}

void System::list_stuck(Mode& mode) const {
  active_switches(mode, mode.stuck);
  std::erase_if(mode.stuck, [&](const SwitchRef& s) { return switch_state(s, mode) != slip::stuck; });
}

std::string System::piece_name(int piece) const {
  const Piece& p = pieces_[piece];
  std::string name = tree_.body(p.body).name;
  return beds_.size() > 1 ? fmt::format("{} in {}", name, beds_[p.bed].name) : name;
}

std::string System::switch_name(SwitchRef s) const {
  switch (s.kind) {
    case SwitchKind::normal: return piece_name(s.index) + ": vertical";
    case SwitchKind::shear: return piece_name(s.index) + ": horizontal";
    case SwitchKind::spin: return piece_name(s.index) + ": rotation";
    case SwitchKind::contact_normal: return contacts_[s.index].name;
    case SwitchKind::contact_shear: return contacts_[s.index].name + ": friction";
    case SwitchKind::joint: return tree_.body(s.index).name + ": joint";
  }
  return {};
}

}  // namespace thud
