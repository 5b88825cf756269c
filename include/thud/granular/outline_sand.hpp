#pragma once
// Bodies whose whole outline feels a stress (stress.hpp), and what holds them at rest.

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "thud/granular/facets.hpp"
#include "thud/solve/hull.hpp"

namespace thud {

/// The outline of a body, from its origin, turned as it lies in the frame of the bed.
struct BodyOutline {
  struct Side {
    Vec a, b;  ///< outside is on the left (FacetOf)
    double breadth = 0;
    bool thin = false;
  };
  struct Circle {
    Vec center;
    double radius = 0, breadth = 0;
  };
  std::vector<Side> sides;
  std::vector<Circle> circles;

  /// A closed polygon, in either sense.
  void add_polygon(const std::vector<Vec>& corners, double breadth);
  /// Plates from point to point: a link as its axis, or a beam as it is bent.
  void add_plates(const std::vector<Vec>& points, double breadth);
  /// Turned by `angle`, from z towards x.
  [[nodiscard]] BodyOutline turned_by(double angle) const;
  /// The farthest of its points from the origin.
  [[nodiscard]] double size() const;
};

/// Force of the sand, and moment about the origin of the body.
struct BodyLoad {
  Vec force{};
  double moment = 0, power = 0;
};

/// What a body meets whose origin is `depth` under the surface and moves with v, turning with `rate`.
template <class Law>
BodyLoad load_outline(const Law& law, const BodyOutline& body, double depth, Vec v, double rate) {
  BodyLoad out;
  const Vec origin{0, depth};
  for (const BodyOutline::Side& s : body.sides) {
    const FacetLoad<double> f =
        load_facet(law, FacetOf<double>{origin + s.a, origin + s.b, v + rate * turned(s.a),
                                        v + rate * turned(s.b), s.breadth, s.thin});
    out.force += f.force();
    out.moment += moment(s.a, f.at_a) + moment(s.b, f.at_b);
    out.power += f.power + f.inertial;
  }
  for (const BodyOutline::Circle& c : body.circles) {
    const RimLoad<double> r = load_rim(
        law, RimOf<double>{origin + c.center, v + rate * turned(c.center), rate, c.radius, c.breadth});
    out.force += r.force;
    out.moment += r.moment + moment(c.center, r.force);
    out.power += r.power + r.inertial;
  }
  return out;
}

/// Angles β and γ at which the coefficients push what moves instead of resisting it, if there are any.
[[nodiscard]] std::optional<std::array<double, 2>> find_push(const RftLaw& law);

/// The convex hull of what all motions of a body could meet, for a law that depends on the direction of the motion alone. Three
/// numbers each: two of the translation and the turning times a length.
///
/// The force met is not the one that costs the motion most: the support of the hull is searched over all directions of motion,
/// on a grid and then to rounding from its best points.
class MotionHull {
 public:
  using Meet = std::function<void(const double* motion, double* force)>;
  /// A motion next to which the force depends on the way that leads there: motion + ε (cos θ across₀ + sin θ across₁).
  struct Brink {
    std::array<double, 3> motion;
    std::array<std::array<double, 3>, 2> across;
  };
  explicit MotionHull(Meet meet, std::vector<Brink> brinks = {});

  /// The share of what can be held that a force asks for: below 1 it is held.
  /// `slack`: what may be missing, of a hull that is flat or vanishes.
  [[nodiscard]] Gauge share(const double* force, double slack = 0) const;
  /// The same of the hull of its grid, which is a little smaller: at once.
  [[nodiscard]] Gauge share_on_grid(const double* force, double slack = 0) const;
  /// The point of the hull with the least power for a motion.
  void lowest(const double* rate, double* force) const;
  void lowest_on_grid(const double* rate, double* force) const;

 private:
  Meet meet_;
  struct Met {
    double motion[3], force[3];
  };
  double descend(const double* rate, Met& here) const;
  Met meet_at_brink(const Brink& brink, double angle) const;
  double descend_brink(const double* rate, std::size_t which, Met& here) const;
  std::vector<Met> grid_;
  std::vector<Brink> brinks_;
};

/// What rests in sand under resistive force theory: it is held by any force and moment in the convex hull of what its motions
/// could meet.
class OutlineHold {
 public:
  OutlineHold(const RftLaw& law, const BodyOutline& body, double depth);

  /// The share of what the sand can hold that this force and moment on the sand's side asks for: below 1 it is held.
  [[nodiscard]] Gauge share(Vec force, double moment) const;
  /// The point of the hull with the least power for a motion: force and moment in units of `size`.
  void lowest(const double* rate, double* force) const { hull_.lowest(rate, force); }

 private:
  double size_;
  MotionHull hull_;
};

}  // namespace thud
