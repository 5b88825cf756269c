#pragma once
// What a film shows, in numbers: taken from the documents that the web page draws from (docs/guide/web-api.md), so that
// both show the same.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "thud/math/portable.hpp"
#include "thud/report/frames.hpp"
#include "thud/scenario/run.hpp"

namespace thud::film {

using Point = std::array<double, 2>;

struct Line {
  std::vector<Point> points;                // s along the body, n across it
  std::vector<std::vector<double>> shapes;  // of a beam, at every point
  double width = 0;
  bool closed = false;
};

struct Body {
  std::string name, joint;
  int parent = -1;
  double mass = 0, beam_length = 0;
  std::vector<double> attach_shapes;
  bool is_anchored = false;
  Point anchor{};
  std::vector<Line> lines;
};

struct Ground {
  double x = 0, z = 0, slope = 0;
  double depth = 0;  // 0: endless
  int body = -1;     // that carries it: the rest is as if that hung straight down from the origin
};

/// A point of a body, or of the world.
struct Spot {
  int body = -1;
  double a = 0, b = 0;  // s, n or x, z
  std::vector<double> shapes;
};

struct Connector {
  std::string kind;
  Spot from, to;
  double length = 0;
};

struct Force {
  int body = 0, bed = -1;
  std::vector<double> x, z, fx, fz;
};

/// Along a straight stretch from a to b of a body, or on the rim around a.
struct Stress {
  int body = 0, bed = 0;
  bool round = false;
  Point a{}, b{};
  double radius = 0, half = 0;
  std::vector<double> from, to;
  std::vector<std::vector<double>> sx, sz;  // not numbers where it is not known
};

struct Impacts {
  std::vector<double> time, x, z, size;
};

struct Pose {
  double x = 0, z = 0, sin = 0, cos = 1;
  std::vector<double> eta;

  Point place(double s, double n, const std::vector<double>& shapes = {}) const;
};

struct Box {
  double left = HUGE_VAL, right = -HUGE_VAL, top = HUGE_VAL, bottom = -HUGE_VAL;

  void include(Point p, double around = 0);
  void include(const Box& other);
  double width() const { return right - left; }
  double height() const { return bottom - top; }
  double size() const { return right >= left ? portable::hypot(width(), height()) : 0; }
};

struct Scene {
  Scene(const Scenario& scenario, const RunResult& run, const FrameRecorder& frames);

  std::string title;
  std::vector<Body> bodies;
  std::vector<Ground> beds, walls;
  std::vector<Connector> connectors;
  std::vector<double> time;
  std::vector<Force> forces;
  std::vector<Stress> stress;
  Impacts impacts;
  double end = 0;
  double magnification = 1;  // of deflections
  bool is_elastic = false;
  double largest_force = 0;  // 0: all of them are noise
  double largest_stress = 0;

  [[nodiscard]] std::vector<Pose> poses(double t) const;
  [[nodiscard]] double at(const std::vector<double>& column, double t) const;
  [[nodiscard]] Point where(const Spot& spot, const std::vector<Pose>& poses) const;
  /// Everything that is swept over but for what has flown away, with some of the sand and a margin.
  [[nodiscard]] Box view() const;

 private:
  struct Track {
    std::vector<double> x, z, angle;
  };
  struct Bending {
    int body = 0;
    std::vector<std::vector<double>> eta;
  };
  std::vector<Track> tracks_;
  std::vector<Bending> bending_;
  std::vector<double> last_event_;  // of the mechanism that a body belongs to
  std::vector<std::size_t> root_;

  void find_last_events(const std::vector<std::pair<double, std::string>>& events);
  double suited_magnification() const;
  Box body_box(const Body& body, const Pose& pose) const;
};

}  // namespace thud::film
