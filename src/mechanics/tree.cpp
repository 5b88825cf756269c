#include "thud/mechanics/tree.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace thud {

Tree::Tree(std::vector<RigidBody> bodies) : bodies_(std::move(bodies)) {
  const int count = body_count();
  angle_dof_.resize(count);
  translation_dof_.assign(count, -1);
  subtree_mass_.resize(count);
  diagonal_.resize(count);
  first_moment_.resize(count);

  for (int i = 0; i < count; ++i) {
    const RigidBody& b = bodies_[i];
    if (b.parent >= i)
      throw std::invalid_argument(fmt::format("body \"{}\" comes before its parent", b.name));
    if (!(b.mass >= 0) || !(b.inertia >= 0))
      throw std::invalid_argument(fmt::format(
          "body \"{}\": mass {} kg and inertia {} kg m2 must not be negative", b.name, b.mass, b.inertia));
    int above = b.parent >= 0 ? angle_dof_[b.parent] : -1;
    if (b.parent < 0 && b.free) {
      translation_dof_[i] = dof_count_;
      for (int k = 0; k < 2; ++k) {
        dof_parent_.push_back(above);
        dof_is_angle_.push_back(false);
        above = dof_count_++;
      }
    }
    angle_dof_[i] = dof_count_++;
    dof_parent_.push_back(above);
    dof_is_angle_.push_back(true);
  }

  for (int i = 0; i < count; ++i) {
    const RigidBody& b = bodies_[i];
    subtree_mass_[i] = b.mass;
    diagonal_[i] = b.inertia + b.mass * (b.center.s * b.center.s + b.center.n * b.center.n);
    first_moment_[i] = {b.mass * b.center.s, b.mass * b.center.n};
  }
  for (int i = count - 1; i >= 0; --i) {
    const RigidBody& b = bodies_[i];
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
  find_alone();
}

void Tree::find_alone() {
  alone_.assign(bodies_.size(), 1);
  dof_alone_.assign(dof_count_, 0);
  for (int i = 0; i < body_count(); ++i) {
    const RigidBody& b = bodies_[i];
    if (b.parent >= 0) alone_[i] = alone_[b.parent] = 0;
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
    if (angle_dof_[i] == dof) return bodies_[i].name + ".angle";
    if (translation_dof_[i] == dof) return bodies_[i].name + ".x";
    if (translation_dof_[i] >= 0 && translation_dof_[i] + 1 == dof) return bodies_[i].name + ".z";
  }
  return {};
}

double Tree::kinetic_energy(const Frames<double>& frames) const {
  double e = 0;
  for (int i = 0; i < body_count(); ++i) {
    const RigidBody& b = bodies_[i];
    const Vec v = frames.velocity(i, frames.arm(i, b.center));
    e += 0.5 * (b.mass * dot(v, v) + b.inertia * frames.rate[i] * frames.rate[i]);
  }
  return e;
}

double Tree::potential_energy(const Frames<double>& frames, Vec gravity) const {
  double e = 0;
  for (int i = 0; i < body_count(); ++i)
    e -= bodies_[i].mass * dot(gravity, frames.position(i, bodies_[i].center));
  return e;
}

}  // namespace thud
