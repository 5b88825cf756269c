#include <fmt/format.h>

#include <algorithm>

#include "import/spatial.hpp"

namespace thud::imports {

namespace {

// A body needs mass. What has none in the model gets this part of what it carries, which no result shows.
constexpr double trace_of_mass = 1e-9;

class Folding {
 public:
  explicit Folding(SpatialModel& m) : m_(m), gone_(m.links.size(), false) {}

  void run() {
    for (int i = 0; i < count(); ++i) take_into_ground(i);
    for (int i = 0; i < count(); ++i) take_into_parent(i);
    for (int i = count() - 1; i >= 0; --i) pass_to_child(i);
    renumber();
  }

 private:
  int count() const { return static_cast<int>(m_.links.size()); }
  bool moves(const Link& l) const { return l.floats || !l.joints.empty(); }

  std::vector<int> children_of(int i) const {
    std::vector<int> out;
    for (int k = 0; k < count(); ++k)
      if (!gone_[k] && m_.links[k].parent == i) out.push_back(k);
    return out;
  }

  // What was on link i is on link `to`, or on the ground.
  void hand_over(int i, int to) {
    for (int k : children_of(i))
      if (k != to) m_.links[k].parent = to;
    std::vector<Solid>& solids = to < 0 ? m_.ground : m_.links[to].solids;
    solids.insert(solids.end(), m_.links[i].solids.begin(), m_.links[i].solids.end());
    for (PinLoop& p : m_.pins) {
      if (p.a == i) p.a = to;
      if (p.b == i) p.b = to;
    }
    gone_[i] = true;
  }

  void take_into_ground(int i) {
    const Link& l = m_.links[i];
    if (l.parent >= 0 || moves(l)) return;
    if (l.mass.mass > 0)
      m_.note(l.place, fmt::format("\"{}\" does not move: it is part of the ground here", l.name));
    hand_over(i, -1);
  }

  void take_into_parent(int i) {
    const Link& l = m_.links[i];
    if (!gone_[i] && l.mass.mass == 0 && l.mass.inertia.isZero() && !moves(l)) hand_over(i, l.parent);
  }

  // A link without mass between two joints: the joints go to what it carries.
  void pass_to_child(int i) {
    Link& l = m_.links[i];
    if (gone_[i] || l.mass.mass > 0) return;
    const std::vector<int> children = children_of(i);
    if (children.empty() && l.mass.inertia.isZero()) {
      m_.note(l.place, fmt::format("\"{}\" moves, has no mass and carries nothing: left out{}", l.name,
                                   l.joints.empty() ? "" : ", with its joint"));
      hand_over(i, l.parent);
      return;
    }
    const auto fixed = std::find_if(children.begin(), children.end(),
                                    [&](int k) { return !moves(m_.links[k]) && m_.links[k].mass.mass > 0; });
    const bool rides =
        l.mass.inertia.isZero() && children.size() == 1 && !l.floats && !m_.links[children[0]].floats;
    if (l.mass.inertia.isZero() && (fixed != children.end() || rides)) {
      give_joints(i, fixed != children.end() ? *fixed : children[0]);
      return;
    }
    double carried = 0;
    for (int k : children) carried += m_.links[k].mass.mass;
    l.mass.mass = trace_of_mass * (carried > 0 ? carried : 1.0);
    l.mass.center = l.origin;
    m_.note(l.place,
            fmt::format("\"{}\" has no mass, which a body needs here: it has {} kg", l.name, l.mass.mass));
  }

  void give_joints(int i, int to) {
    Link& from = m_.links[i];
    Link& child = m_.links[to];
    if (moves(child) && !from.solids.empty()) {
      m_.note(from.place, fmt::format("\"{}\" has no mass: what it could touch is left out", from.name));
      from.solids.clear();
    }
    child.joints.insert(child.joints.begin(), from.joints.begin(), from.joints.end());
    child.floats = child.floats || from.floats;
    child.parent = from.parent;
    hand_over(i, to);
  }

  void renumber() {
    std::vector<int> order, place(m_.links.size(), -1);
    // What carries a link before it, otherwise in the order of the file.
    while (true) {
      const std::size_t before = order.size();
      for (int i = 0; i < count(); ++i) {
        const int parent = m_.links[i].parent;
        if (gone_[i] || place[i] >= 0 || (parent >= 0 && place[parent] < 0)) continue;
        place[i] = static_cast<int>(order.size());
        order.push_back(i);
      }
      if (order.size() == before) break;
    }
    std::vector<Link> links;
    for (int i : order) {
      links.push_back(std::move(m_.links[i]));
      if (links.back().parent >= 0) links.back().parent = place[links.back().parent];
    }
    for (PinLoop& p : m_.pins) {
      if (p.a >= 0) p.a = place[p.a];
      if (p.b >= 0) p.b = place[p.b];
    }
    m_.links = std::move(links);
  }

  SpatialModel& m_;
  std::vector<bool> gone_;
};

}  // namespace

void fold_links(SpatialModel& model) { Folding(model).run(); }

}  // namespace thud::imports
