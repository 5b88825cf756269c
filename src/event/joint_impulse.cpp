#include "thud/event/joint_impulse.hpp"

namespace thud {

std::vector<Vec> momenta(const Tree& tree, const Frames<double>& frames) {
  std::vector<Vec> out;
  for (int i = 0; i < tree.body_count(); ++i)
    out.push_back(tree.body(i).mass * tree.center_velocity(frames, i));
  return out;
}

std::vector<Vec> contact_impulses(const System& system, const std::vector<int>& contacts,
                                  const std::vector<double>& impulse, const Work<double>& work) {
  std::vector<Vec> out(static_cast<std::size_t>(system.tree().body_count()));
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = system.contacts()[contacts[k]];
    const Touching<double>& w = work.of<ContactForce>()[contacts[k]];
    const Vec p = impulse[2 * k] * w.tangent + impulse[2 * k + 1] * w.normal;
    out[c.a.body] += p;
    if (c.has_other()) out[c.b.body] -= p;
  }
  return out;
}

std::vector<Vec> joint_impulses(const Tree& tree, const std::vector<Vec>& moved,
                                const std::vector<Vec>& pushed) {
  std::vector<Vec> out(moved.size());
  for (int i = tree.body_count() - 1; i >= 0; --i) {  // what a body carries comes after it
    out[i] += moved[i] - pushed[i];
    const Body& b = tree.body(i);
    if (b.parent >= 0) out[b.parent] += out[i];
    if (b.free) out[i] = {};  // what is left is rounding
  }
  return out;
}

}  // namespace thud
