#include "scenario/walls.hpp"

#include <fmt/format.h>

#include <numbers>

#include "scenario/repeated.hpp"

namespace thud::doc {

namespace {

template <class P>
P wall_slope(const Table& t) {
  // A little beyond half a turn: "180 deg" is that only up to rounding.
  constexpr double most = std::numbers::pi + 1e-9;
  return t.number_or("slope", P(0), Dimension::angle, Range::between(-most, most));
}

template <class P>
BodyDataOf<P> make_carrier(const Table& t, const std::string& name) {
  const PlaneOf<P> plane = wall_plane<P>(t);
  const P slope = wall_slope<P>(t);
  BodyDataOf<P> out;
  out.rigid.name = name;
  // Directions count from the downward vertical.
  out.rigid.joint = JointOf<P>::slider((t.has("motion") ? std::numbers::pi : std::numbers::pi / 2) - slope);
  out.rigid.anchor = plane.point;
  out.rigid.mass = t.number_or("mass", P(1), Dimension::mass, Range::positive());
  out.rigid.weightless = out.rigid.mass;
  out.shape.mass = out.rigid.mass;
  return out;
}

}  // namespace

template <class P>
PlaneOf<P> wall_plane(const Table& wall) {
  const auto at = wall.pair("at", Dimension::length).value_or(std::array<Reading, 2>{});
  return PlaneOf<P>::make({P(at[0]), P(at[1])}, wall_slope<P>(wall));
}
template PlaneOf<double> wall_plane(const Table&);
THUD_WITH_DUALS(template PlaneOf<Dual<double>> wall_plane(const Table&);)

std::string wall_name(const Table& wall, std::size_t number) {
  return wall.filled_text_or("name", number == 1 ? "wall" : fmt::format("wall{}", number));
}

bool moves_wall(const Table& wall) {
  if (!wall.has("motion") && !wall.has("slide")) {
    if (wall.has("mass"))
      throw wall.error("mass", "it is that of a wall with motion or slide; this one has neither");
    return false;
  }
  if (wall.has("motion") && wall.has("slide"))
    throw wall.error(
        "slide",
        "give either motion or slide, not both; for both, let the wall ride (on = ...) on a body that is "
        "carried by two sliders, each with a [[motion]]");
  if (wall.has("on"))
    throw wall.error("on", "a wall that a body carries moves with it; give either on or a motion of its own");
  return true;
}

template <class P>
void add_wall_carriers(const Table& root, std::vector<BodyDataOf<P>>& bodies) {
  std::size_t number = 0;
  each_table(root, "wall", [&](const Table& t) {
    const std::string name = wall_name(t, ++number);
    if (!moves_wall(t)) return;
    for (const BodyDataOf<P>& b : bodies)
      if (b.rigid.name == name)
        throw t.error("name",
                      fmt::format("a wall that moves is a body too, and there is a body \"{}\"", name));
    bodies.push_back(make_carrier<P>(t, name));
  });
}

template void add_wall_carriers(const Table&, std::vector<BodyDataOf<double>>&);
THUD_WITH_DUALS(template void add_wall_carriers(const Table&, std::vector<BodyDataOf<Dual<double>>>&);)

}  // namespace thud::doc
