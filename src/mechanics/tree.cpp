#include "thud/mechanics/tree.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace thud {

Tree::Tree(std::vector<Body> bodies) : bodies_(std::move(bodies)) {
  const int count = body_count();
  subtree_mass_.resize(count);
  diagonal_.resize(count);
  first_moment_.resize(count);
  number_coordinates();

  for (int i = 0; i < count; ++i) {
    const Body& b = bodies_[i];
    subtree_mass_[i] = b.mass;
    diagonal_[i] = b.inertia + b.mass * (b.center.s * b.center.s + b.center.n * b.center.n);
    first_moment_[i] = {b.mass * b.center.s, b.mass * b.center.n};
  }
  for (int i = count - 1; i >= 0; --i) {
    const Body& b = bodies_[i];
    if (!(diagonal_[i] > 0))
      throw std::invalid_argument(
          fmt::format("body \"{}\" has no inertia about its joint: its angle cannot move", b.name));
    if (b.parent < 0) continue;
    const double m = subtree_mass_[i];
    subtree_mass_[b.parent] += m;
    diagonal_[b.parent] += m * (b.attach.s * b.attach.s + b.attach.n * b.attach.n);
    first_moment_[b.parent].s += m * b.attach.s;
    first_moment_[b.parent].n += m * b.attach.n;
  }
  fill_flex();
  find_alone();
}

void Tree::number_coordinates() {
  const int count = body_count();
  angle_dof_.resize(count);
  translation_dof_.assign(count, -1);
  elastic_dof_.assign(count, -1);
  elastic_begin_.assign(count, 0);
  std::vector<char> is_leaf(count, 1);
  for (const Body& b : bodies_)
    if (b.parent >= 0 && b.parent < count) is_leaf[b.parent] = 0;
  std::vector<int> last(count);  // the coordinate that those of a joint's body follow
  const auto add = [&](int above, bool angle, double frequency) {
    dof_parent_.push_back(above);
    dof_is_angle_.push_back(angle);
    dof_frequency_.push_back(frequency);
    return dof_count_++;
  };
  for (int i = 0; i < count; ++i) {
    const Body& b = bodies_[i];
    if (b.parent >= i)
      throw std::invalid_argument(fmt::format("body \"{}\" comes before its parent", b.name));
    if (!(b.mass >= 0) || !(b.inertia >= 0))
      throw std::invalid_argument(fmt::format(
          "body \"{}\": mass {} kg and inertia {} kg m2 must not be negative", b.name, b.mass, b.inertia));
    int above = b.parent >= 0 ? last[b.parent] : -1;
    if (b.parent < 0 && b.free) {
      translation_dof_[i] = dof_count_;
      above = add(above, false, 0);
      above = add(above, false, 0);
    }
    last[i] = angle_dof_[i] = add(above, true, 0);
    elastic_begin_[i] = elastic_count_;
    if (!b.beam) continue;
    elastic_dof_[i] = dof_count_;
    // The elastic coordinates of a last link do not touch one another.
    for (int k = 0; k < b.beam->size(); ++k)
      last[i] = add(is_leaf[i] ? angle_dof_[i] : last[i], false, b.beam->frequency(k));
    elastic_count_ += b.beam->size();
  }
}

void Tree::fill_flex() {
  flex_.resize(bodies_.size());
  attach_.resize(bodies_.size());
  for (int i = 0; i < body_count(); ++i) {
    const ElasticBeam* beam = bodies_[i].beam.get();
    if (!beam) continue;
    Flex& x = flex_[i];
    const int n = x.count = beam->size();
    x.linear = bodies_[i].linear;
    x.mean = beam->mean();
    x.first = beam->first();
    x.offset.assign(n, 0.0);
    x.inertia.assign(static_cast<std::size_t>(n) * n, 0.0);
    for (int k = 0; k < n; ++k) x.inertia[k * n + k] = beam->modal_mass();
    std::vector<double> value(n), tip(n);
    beam->shapes_at(beam->length(), value.data(), tip.data());
    x.swing = x.inertia;
    const double rotary = beam->basis().data().tip_inertia;
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < n; ++l) x.swing[k * n + l] -= rotary * tip[k] * tip[l];
    x.diagonal = rotary == 0;
    x.own_slope.assign(n, 0.0);
    // On rigid parts before the beam there is no slope. A free body has no joint.
    if (!bodies_[i].free && -beam->start() > -1e-12 * beam->length())
      beam->shapes_at(-beam->start(), value.data(), x.own_slope.data());
  }
  for (int i = 0; i < body_count(); ++i) {
    const int p = bodies_[i].parent;
    if (p < 0 || !bodies_[p].beam) continue;
    const ElasticBeam& beam = *bodies_[p].beam;
    const int n = beam.size();
    Attach& at = attach_[i];
    at.shapes.assign(n, 0.0);
    at.slopes.assign(n, 0.0);
    const double s = bodies_[i].attach.s, m = subtree_mass_[i];
    if (bodies_[p].linear)
      throw std::invalid_argument(
          fmt::format("body \"{}\" is linear: nothing can be pinned to it", bodies_[p].name));
    if (s < beam.start()) continue;
    beam.shapes_at(s - beam.start(), at.shapes.data(), at.slopes.data());
    Flex& x = flex_[p];
    x.diagonal = false;
    for (int k = 0; k < n; ++k) {
      x.mean[k] += m * at.shapes[k];
      x.first[k] += m * s * at.shapes[k];
      x.offset[k] += m * bodies_[i].attach.n * at.shapes[k];
      for (int l = 0; l < n; ++l) {
        x.inertia[k * n + l] += m * at.shapes[k] * at.shapes[l];
        x.swing[k * n + l] += m * at.shapes[k] * at.shapes[l];
      }
    }
  }
}

void Tree::find_alone() {
  alone_.assign(bodies_.size(), 1);
  dof_alone_.assign(dof_count_, 0);
  for (int i = 0; i < body_count(); ++i) {
    const Body& b = bodies_[i];
    if (b.parent >= 0) alone_[i] = alone_[b.parent] = 0;
    if (b.beam) alone_[i] = 0;
    if (b.free && (first_moment_[i].s != 0 || first_moment_[i].n != 0)) alone_[i] = 0;
  }
  all_alone_ = true;
  for (int i = 0; i < body_count(); ++i) {
    all_alone_ = all_alone_ && alone_[i];
    if (!alone_[i]) continue;
    dof_alone_[angle_dof_[i]] = 1;
    dof_parent_[angle_dof_[i]] = -1;
    for (int k = 0; bodies_[i].free && k < 2; ++k) {
      dof_alone_[translation_dof_[i] + k] = 1;
      dof_parent_[translation_dof_[i] + k] = -1;
    }
  }
}

double Tree::total_mass() const {
  double m = 0;
  for (const auto& b : bodies_) m += b.mass;
  return m;
}

std::string Tree::dof_name(int dof) const {
  for (int i = 0; i < body_count(); ++i) {
    const std::string& name = bodies_[i].name;
    if (angle_dof_[i] == dof) return name + ".angle";
    if (translation_dof_[i] == dof) return name + ".x";
    if (translation_dof_[i] >= 0 && translation_dof_[i] + 1 == dof) return name + ".z";
    const int k = dof - elastic_dof_[i];
    if (elastic_dof_[i] >= 0 && k >= 0 && k < flex_[i].count) return fmt::format("{}.mode{}", name, k + 1);
  }
  return {};
}

void Tree::add_point_force(const Frames<double>& frames, int body, BodyPoint point, Vec f,
                           double* generalised) const {
  const ElasticBeam* beam = bodies_[body].beam.get();
  const Vec arm = frames.arm(body, point);
  if (!beam || point.s < beam->start())
    return add_point_force(frames, body, arm, f, generalised, static_cast<const double*>(nullptr));
  std::vector<double> shapes(beam->size()), slopes(beam->size());
  beam->shapes_at(point.s - beam->start(), shapes.data(), slopes.data());
  add_point_force(frames, body, arm, f, generalised, shapes.data());
}

Vec Tree::origin_acceleration(const Frames<double>& frames, const double* vdot, int body) const {
  Vec a{};
  int i = body;
  for (;;) {
    const int p = bodies_[i].parent;
    if (p < 0) break;
    const Vec r = attach_arm(frames, i);
    a += vdot[angle_dof_[p]] * turned(r) - frames.rate[p] * frames.rate[p] * r;
    if (elastic_dof_[p] >= 0) {
      const std::vector<double>& shapes = attach_[i].shapes;
      a += detail::row_times(shapes, vdot + elastic_dof_[p]) * frames.w[p];
      a -= 2 * frames.rate[p] * detail::row_times(shapes, frames.eta_rate.data() + elastic_begin_[p])
         * frames.u[p];
    }
    i = p;
  }
  if (bodies_[i].free) a += Vec{vdot[translation_dof_[i]], vdot[translation_dof_[i] + 1]};
  return a;
}

Vec Tree::acceleration(const Frames<double>& frames, const double* vdot, int body, BodyPoint point) const {
  const Vec r = frames.arm(body, point);
  const double rate = frames.rate[body];
  Vec a = origin_acceleration(frames, vdot, body) + vdot[angle_dof_[body]] * turned(r) - rate * rate * r;
  const ElasticBeam* beam = bodies_[body].beam.get();
  if (!beam || point.s < beam->start()) return a;
  double w, slope;
  beam->deflect(point.s - beam->start(), vdot + elastic_dof_[body], w, slope);
  return a + w * frames.w[body] - 2 * rate * frames.deflection_rate(body, point.s) * frames.u[body];
}

Vec Tree::center_acceleration(const Frames<double>& frames, const double* vdot, int body) const {
  const Body& b = bodies_[body];
  const Vec r = center_arm(frames, body);
  const double rate = frames.rate[body];
  const Vec a =
      origin_acceleration(frames, vdot, body) + vdot[angle_dof_[body]] * turned(r) - rate * rate * r;
  if (!b.beam) return a;
  const double lateral = detail::row_times(b.beam->mean(), vdot + elastic_dof_[body]) / b.mass;
  const double lateral_rate =
      detail::row_times(b.beam->mean(), frames.eta_rate.data() + elastic_begin_[body]) / b.mass;
  return a + lateral * frames.w[body] - 2 * rate * lateral_rate * frames.u[body];
}

double Tree::kinetic_energy(const Frames<double>& frames) const {
  double e = 0;
  for (int i = 0; i < body_count(); ++i) e += kinetic_energy(frames, i);
  return e;
}

double Tree::kinetic_energy(const Frames<double>& frames, int i) const {
  const Body& b = bodies_[i];
  const double rate = frames.rate[i];
  if (!b.beam) {
    const Vec v = frames.velocity(i, b.center);
    return 0.5 * (b.mass * dot(v, v) + b.inertia * rate * rate);
  }
  // About the moving origin: the cross term is the momentum relative to the frame's origin.
  const Vec v = frames.origin_rate[i];
  const Vec relative = center_velocity(frames, i) - v;
  const double* eta = frames.eta.data() + elastic_begin_[i];
  const double* eta_rate = frames.eta_rate.data() + elastic_begin_[i];
  double square = 0, square_rate = 0;
  for (int k = 0; k < b.beam->size(); ++k)
    square += b.linear ? 0 : eta[k] * eta[k], square_rate += eta_rate[k] * eta_rate[k];
  const double m = b.beam->modal_mass(), turn = frames.slope(i, b.beam->end());
  if (!b.linear)
    square -= b.beam->basis().data().tip_inertia / m * turn
            * turn;  // the tip turns with the tangent, see Flex::swing
  const double about = b.inertia + b.mass * (b.center.s * b.center.s + b.center.n * b.center.n);
  return 0.5 * b.mass * dot(v, v) + b.mass * dot(v, relative) + 0.5 * rate * rate * (about + m * square)
       + rate * detail::row_times(b.beam->first(), eta_rate) + 0.5 * m * square_rate;
}

double Tree::potential_energy(const Frames<double>& frames, Vec gravity) const {
  double e = 0;
  for (int i = 0; i < body_count(); ++i) {
    const Body& b = bodies_[i];
    e -= (b.mass - b.weightless) * dot(gravity, frames.origin[i]) + dot(gravity, weight_moment(frames, i));
  }
  return e;
}

double Tree::strain_energy(const Frames<double>& frames) const {
  double e = 0;
  for (int i = 0; i < body_count(); ++i) {
    const ElasticBeam* beam = bodies_[i].beam.get();
    for (int k = 0; beam && k < beam->size(); ++k) {
      const double eta = frames.eta[elastic_begin_[i] + k];
      e += 0.5 * beam->stiffness()[k] * eta * eta;
    }
  }
  return e;
}

}  // namespace thud
