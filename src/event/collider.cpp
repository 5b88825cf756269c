#include "event/collider.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "event/reset.hpp"
#include "thud/base/law_error.hpp"
#include "thud/event/joint_impulse.hpp"

namespace thud {

namespace {

// Bounces that last shorter than this, in times of the system, are closed at once: what is left of the series is known.
constexpr double short_bounce = 1e-5;

void add_note(ImpactResult& result, const char* text) {
  if (!result.note.empty()) result.note += "; ";
  result.note += text;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Collider::Collider(const System& system) : system_(system) {
  for (const Contact& c : system.contacts()) rigid_ = rigid_ || !c.law.compliant;
  forget();
}

void Collider::forget() { strikes_.assign(system_.contacts().size(), {}); }

// See ContactForce::unit.
double Collider::unit(int contact, const Scales& scales) const {
  return system_.contacts()[contact].unit(scales);
}

int Collider::find_overlap(const Work<double>& work, const Scales& scales) const {
  for (int k = 0; k < static_cast<int>(system_.contacts().size()); ++k)
    if (!system_.contacts()[k].law.compliant
        && work.of<ContactForce>()[k].gap < -100 * scales.touching() * unit(k, scales))
      return k;
  return -1;
}

void Collider::find_touching(const Work<double>& work, const Scales& scales) {
  touching_.clear();
  for (int k = 0; k < static_cast<int>(system_.contacts().size()); ++k)
    if (!system_.contacts()[k].law.compliant
        && work.of<ContactForce>()[k].gap <= scales.touching() * unit(k, scales))
      touching_.push_back(k);
}

// A row of the Jacobian and M⁻¹ times it.
void Collider::add_row(int contact, int sub, const Work<double>& work) {
  const auto n = static_cast<std::size_t>(system_.dof_count());
  Row r{contact, std::vector<double>(n, 0.0), {}, std::vector<double>(system_.constraints().size())};
  system_.add_switch_row(switch_of<ContactForce>(contact, sub), work, r.row.data());
  r.applied = r.row;
  system_.solve(work, r.applied.data(), r.reaction.data());
  rows_.push_back(std::move(r));
}

// Tangent and normal in turn when both are wanted.
void Collider::fill_rows(const std::vector<int>& contacts, bool tangents, const Work<double>& work) {
  rows_.clear();
  held_.assign(system_.constraints().size(), 0.0);
  for (int k : contacts) {
    if (tangents) add_row(k, ContactForce::shear, work);
    add_row(k, ContactForce::normal, work);
  }
}

// x += M⁻¹ Jᵀ p of one row, and what the constraints hold against it.
void Collider::push(double* x, const Row& row, double impulse) {
  for (std::size_t i = 0; i < row.applied.size(); ++i) x[i] += row.applied[i] * impulse;
  for (std::size_t c = 0; c < held_.size(); ++c) held_[c] += row.reaction[c] * impulse;
}

// Prescribed motions go on with their rates while they are struck: they work.
double Collider::work_of_constraints(const double* v, const Work<double>& work) const {
  const auto n = static_cast<std::size_t>(system_.dof_count());
  double sum = 0;
  for (std::size_t c = 0; c < held_.size(); ++c) {
    if (!system_.constraint_varies(system_.constraints()[c])) continue;
    const double* row = work.constrained.rows.data() + c * n;
    for (std::size_t i = 0; i < n; ++i) sum += held_[c] * row[i] * v[i];
  }
  return sum;
}

double Collider::coupling(std::size_t a, std::size_t b) const {
  return product(rows_[a].row, rows_[b].applied);
}

// A body whose motion is prescribed cannot be stopped by an impulse.
void Collider::refuse_driven(const Work<double>& work, const Scales& scales) const {
  if (system_.constraints().empty()) return;
  for (std::size_t i = 0; i < touching_.size(); ++i)
    if (!(coupling(2 * i + 1, 2 * i + 1) > 0)
        && work.of<ContactForce>()[touching_[i]].gap_rate
               < -1e-12 * scales.speed * unit(touching_[i], scales))
      throw LawError(fmt::format(
          "{}: what is prescribed drives it on at {:.3g} m/s, and no impulse can stop it",
          system_.contacts()[touching_[i]].name, -work.of<ContactForce>()[touching_[i]].gap_rate));
}

// Places in `touching_` of contacts that feel each other; the rows of all of them are filled.
std::vector<std::vector<int>> Collider::find_groups() const {
  const auto count = touching_.size();
  std::vector<int> group(count);
  for (std::size_t i = 0; i < count; ++i) group[i] = static_cast<int>(i);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      bool coupled = false;
      for (std::size_t a : {2 * i, 2 * i + 1})
        for (std::size_t b : {2 * j, 2 * j + 1})
          coupled = coupled || std::abs(coupling(a, b)) > 1e-12 * std::sqrt(coupling(a, a) * coupling(b, b));
      if (!coupled) continue;
      const int from = group[i], to = group[j];
      for (int& g : group)
        if (g == from) g = to;
    }
  std::vector<std::vector<int>> out(count);
  for (std::size_t i = 0; i < count; ++i) out[group[i]].push_back(static_cast<int>(i));
  std::erase_if(out, [](const auto& members) { return members.empty(); });
  return out;
}

bool Collider::strike(double t, double* y, const Mode& mode, const Scales& scales, Work<double>& work,
                      Outcome& out) {
  // A contact that was closed has drifted by what the integration leaves: that is no approach.
  const auto approaches = [&](int k) {
    const bool closed = mode.of<ContactForce>()[k].touch == Touch::closed;
    return work.of<ContactForce>()[k].gap_rate
         < -(closed ? tolerance::touch_speed : 1e-12) * scales.speed * unit(k, scales);
  };
  bool any = false;
  for (int pass = 0; pass < 3; ++pass) {
    find_touching(work, scales);
    if (std::none_of(touching_.begin(), touching_.end(), approaches)) break;
    fill_rows(touching_, true, work);
    refuse_driven(work, scales);
    for (const std::vector<int>& members : find_groups()) {
      if (std::none_of(members.begin(), members.end(), [&](int i) { return approaches(touching_[i]); }))
        continue;
      strike_group(t, members, y, work, scales, out);
      any = true;
    }
  }
  return any;
}

// Frames and contacts of a state.
void Collider::place(const double* y, Work<double>& work) const {
  system_.tree().kinematics(y, y + system_.dof_count(), work.frames);
  for (std::size_t k = 0; k < system_.contacts().size(); ++k) {
    Touching<double>& w = work.of<ContactForce>()[k];
    measure(system_.contacts()[k], system_.tree(), system_.walls(), work.frames, y, w);
    if (w.off) w.hide();
  }
}

// Goes from the velocities in `work` to those in y, and books the change of kinetic energy.
Collider::Booked Collider::book(double* y, Work<double>& work) const {
  const double before = system_.tree().kinetic_energy(work.frames);
  place(y, work);
  const double after = system_.tree().kinetic_energy(work.frames);
  const double supplied = work_of_constraints(y + system_.dof_count(), work);
  if (const int slot = system_.channel_slot(channel_of<ContactForce>(ContactForce::impact_loss)); slot >= 0)
    y[slot] += after - before - supplied;
  if (const int slot = system_.channel_slot(channel_of<PrescribedMotion>()); slot >= 0) y[slot] += supplied;
  return {after, supplied};
}

bool Collider::separate(double* y, const Scales& scales, Work<double>& work) {
  bool any = false;
  for (int pass = 0; pass < 4; ++pass) {
    std::vector<int> contacts;
    std::vector<double> gap;
    for (int k = 0; k < static_cast<int>(system_.contacts().size()); ++k) {
      const double g = work.of<ContactForce>()[k].gap, size = unit(k, scales);
      if (system_.contacts()[k].law.compliant || g > -0.01 * scales.small_gap() * size
          || g < -100 * scales.touching() * size)
        continue;
      contacts.push_back(k);
      gap.push_back(-g);
    }
    if (contacts.empty()) break;
    fill_rows(contacts, false, work);
    shift(y, gap);
    place(y, work);
    any = true;
  }
  return any;
}

// The impact of the touching contacts in `group`, without its result.
ImpactRecord Collider::make_record(double t, const std::vector<int>& group, const Work<double>& work,
                                   const Scales& scales) const {
  ImpactRecord record;
  record.time = t;
  ImpactProblem& p = record.problem;
  std::vector<std::size_t> rows;
  for (const int i : group) {
    record.contacts.push_back(touching_[i]);
    rows.push_back(2 * i);
    rows.push_back(2 * i + 1);
  }
  fill_contacts(system_, impact_mode(system_, record.contacts, work, scales), work, p);
  p.matrix.resize(rows.size() * rows.size());
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b < rows.size(); ++b) p.matrix[a * rows.size() + b] = coupling(rows[a], rows[b]);
  return record;
}

void Collider::strike_group(double t, const std::vector<int>& group, double* y, Work<double>& work,
                            const Scales& scales, Outcome& out) {
  ImpactRecord record = make_record(t, group, work, scales);
  bool shared = false;  // several contacts, and a law that is for one
  bool mixed = false;   // several laws
  for (const int k : record.contacts) {
    const ContactLaw& law = system_.contacts()[k].law;
    if (group.size() == 1) record.problem.own = law.impulse;
    shared = shared || (group.size() > 1 && law.impulse);
    mixed = mixed || law.law != record.problem.law;
    strikes_[k] = {t, strikes_[k].last};
  }
  record.result = solve_impact(record.problem);
  if (record.problem.own && !record.result.solved)
    throw LawError(fmt::format("{}: {}", system_.contacts()[record.contacts[0]].name, record.result.note));
  if (shared)
    add_note(record.result,
             "several contacts strike at once: an own impact law is for one, so the restitution counts");
  if (mixed)
    add_note(record.result, "contacts with different laws strike at once: they take turns, as by stronge");
  take_effect(group, y, work, out, std::move(record));
}

// The impulses of the touching contacts in `group`.
void Collider::give(const std::vector<int>& group, const std::vector<double>& impulse, double* v) {
  for (std::size_t i = 0; i < group.size(); ++i)
    for (std::size_t a : {0, 1}) push(v, rows_[2 * group[i] + a], impulse[2 * i + a]);
}

// Gives the impulses of a solved impact to the state, and keeps the record.
void Collider::take_effect(const std::vector<int>& group, double* y, Work<double>& work, Outcome& out,
                           ImpactRecord record) {
  std::fill(held_.begin(), held_.end(), 0.0);
  give(group, record.result.impulse, y + system_.dof_count());
  record.constraints = held_;
  record.energy_before = system_.tree().kinetic_energy(work.frames);
  const std::vector<Vec> before = momenta(system_.tree(), work.frames);
  const Booked booked = book(y, work);
  record.energy_after = booked.kinetic;
  record.supplied = booked.supplied;
  std::vector<Vec> moved = momenta(system_.tree(), work.frames);
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= before[i];
  std::vector<Vec> pushed = contact_impulses(system_, record.contacts, record.result.impulse, work);
  if (!held_.empty()) {
    const std::vector<Vec> loops = system_.constraint_forces(held_, work.frames);
    for (std::size_t i = 0; i < pushed.size(); ++i) pushed[i] += loops[i];
  }
  record.joints = joint_impulses(system_.tree(), moved, pushed);
  const long number = out.impact_count++;
  out.events.push_back(
      {record.time, EventKind::impact, switch_of<ContactForce>(static_cast<int>(number)), 0, 0});
  if (static_cast<long>(out.impacts.size()) < max_logged_impacts) out.impacts.push_back(std::move(record));
}

// x += M⁻¹ Jᵀ p with the p that changes J x by `target`. Rows that depend on others are left to them.
void Collider::shift(double* x, const std::vector<double>& target) {
  const auto k = rows_.size();
  std::vector<double> g(k * k), p(k), size(k);
  for (std::size_t a = 0; a < k; ++a) size[a] = std::sqrt(coupling(a, a));
  for (std::size_t a = 0; a < k; ++a) {
    if (!(size[a] > 0)) return;
    p[a] = target[a] / size[a];
    for (std::size_t b = 0; b < k; ++b) g[a * k + b] = coupling(a, b) / (size[a] * size[b]);
  }
  solve_hold(g.data(), p.data(), static_cast<int>(k), 1e-10);
  for (std::size_t a = 0; a < k; ++a) push(x, rows_[a], p[a] / size[a]);
}

// Bounces lower than this drown in the rounding of positions.
double Collider::lowest_bounce(int contact, const Scales& scales, const Work<double>& work) const {
  const Feature& f = system_.contacts()[contact].a;
  return 2e-10 * (norm(work.frames.origin[f.body] + work.of<ContactForce>()[contact].arm_a) + scales.length)
       * unit(contact, scales);
}

std::vector<Collider::Closing> Collider::close_short_bounces(double t, double* y, const Mode& mode,
                                                             const Scales& scales, Work<double>& work) {
  std::vector<Closing> out;
  const int n = system_.dof_count();
  std::vector<int> contacts;
  std::vector<double> target;
  bool measured = false;
  for (int k = 0; k < static_cast<int>(system_.contacts().size()); ++k) {
    const ContactLaw& law = system_.contacts()[k].law;
    const Touching<double>& w = work.of<ContactForce>()[k];
    if (law.compliant || w.gap > scales.touching() * unit(k, scales)) continue;
    if (mode.of<ContactForce>()[k].touch == Touch::closed) {
      contacts.push_back(k);
      target.push_back(0.0);
      continue;
    }
    if (!(w.gap_rate > 1e-13 * scales.speed * unit(k, scales))) continue;
    if (!measured) system_.gap_accelerations(y, work, acceleration_);
    measured = true;
    const double flight = -2 * w.gap_rate / acceleration_[k];
    const double height = -0.5 * w.gap_rate * w.gap_rate / acceleration_[k];
    if (!(acceleration_[k] < 0
          && (flight < short_bounce * scales.time || height < lowest_bounce(k, scales, work))))
      continue;
    const double ratio =
        ratio_of_flights(k, t, flight, restitution_of<double>(system_.contacts()[k], w.gap_rate));
    out.push_back({k, ratio < 1 ? t + flight / (1 - ratio) : t});
    contacts.push_back(k);
    target.push_back(-w.gap_rate);
  }
  if (out.empty()) return out;
  if (out.size() > 1 || contacts.size() > 1)  // no closed form for how several take turns
    for (Closing& c : out) c.end = t;
  double fastest = 0;
  for (const double x : target) fastest = std::max(fastest, std::abs(x));
  // Closing the one may press another together.
  for (int pass = 0; pass < 4; ++pass) {
    fill_rows(contacts, false, work);
    end_slips(contacts, fastest, work, target);
    shift(y + n, target);
    book(y, work);
    const std::size_t before = contacts.size();
    for (int k = 0; k < static_cast<int>(system_.contacts().size()); ++k) {
      const Touching<double>& w = work.of<ContactForce>()[k];
      const double size = unit(k, scales);
      if (!system_.contacts()[k].law.compliant && w.gap <= scales.touching() * size
          && w.gap_rate < -1e-12 * scales.speed * size && w.gap_rate > -10 * fastest
          && std::find(contacts.begin(), contacts.end(), k) == contacts.end())
        contacts.push_back(k);
    }
    if (contacts.size() == before) break;
    target.clear();
    for (const int k : contacts) target.push_back(-work.of<ContactForce>()[k].gap_rate);
  }
  return out;
}

// The bounces that are left also hold what friction can hold against the speed that they take away: without that, closing
// them would let corners slip that stick.
void Collider::end_slips(const std::vector<int>& contacts, double speed, const Work<double>& work,
                         std::vector<double>& target) {
  for (const int k : contacts) {
    const double slip = work.of<ContactForce>()[k].slip_rate;
    const double friction = system_.contacts()[k].law.friction;
    if (!(friction > 0 && std::abs(slip) <= friction * speed)) continue;
    add_row(k, ContactForce::shear, work);
    target.push_back(-slip);
  }
}

// How much shorter each bounce is than the one before it: as they were, where two are known.
double Collider::ratio_of_flights(int contact, double t, double flight, double restitution) const {
  const Strikes& s = strikes_[contact];
  if (s.last != t || !(t > s.before)) return restitution;
  const double ratio = flight / (t - s.before);
  return ratio < 1 ? ratio : restitution;
}

double Collider::next_flight(const double* y, const Mode& mode, const Scales& scales, Work<double>& work) {
  system_.gap_accelerations(y, work, acceleration_);
  double shortest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < static_cast<int>(system_.contacts().size()); ++k) {
    const Touching<double>& w = work.of<ContactForce>()[k];
    if (mode.of<ContactForce>()[k].touch != Touch::open || w.gap > scales.touching() * unit(k, scales))
      continue;
    if (!(acceleration_[k] < 0 && w.gap_rate > 0)) continue;
    const double flight = -2 * w.gap_rate / acceleration_[k];
    if (flight < 10 * scales.time) shortest = std::min(shortest, flight);
  }
  return shortest;
}

bool Collider::keep_closed(double* y, const Mode& mode, const Scales& scales, const Work<double>& work) {
  const int n = system_.dof_count();
  std::vector<int> contacts;
  std::vector<double> gap, rate;
  bool drifted = false;
  for (int k = 0; k < static_cast<int>(system_.contacts().size()); ++k) {
    if (mode.of<ContactForce>()[k].touch != Touch::closed) continue;
    const Touching<double>& w = work.of<ContactForce>()[k];
    contacts.push_back(k);
    gap.push_back(-w.gap);
    rate.push_back(-w.gap_rate);
    const double size = unit(k, scales);
    drifted = drifted || std::abs(w.gap) > 0.1 * scales.small_gap() * size
           || std::abs(w.gap_rate) > 1e-12 * scales.speed * size;
  }
  if (!drifted) return false;
  fill_rows(contacts, false, work);
  shift(y, gap);
  shift(y + n, rate);
  return true;
}

}  // namespace thud
