#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "thud/draw/trajectory.hpp"
#include "thud/scenario/run.hpp"

/// Stills for papers: poses of a mechanism, and quantities against time. The same data gives the same bytes.
namespace thud {

// ---- poses ---------------------------------------------------------------------------------------------------------

/// A line of a mechanism in the plane [m].
struct PoseLine {
  std::vector<Vec> points;
  double width = 0;     ///< of a link drawn along its axis; 0: a thin line
  bool closed = false;  ///< the rim of a ball, a disc or a block
};

/// What the mechanism meets, beyond its plane: sand, or a wall.
struct Obstacle {
  Plane plane{};
  double thickness = 0;  ///< along the normal; 0: endless
  bool is_wall = false;
};

/// The stress of the sand along a stretch of an outline: where it acts, in order, and how [Pa].
struct PoseStress {
  std::vector<Vec> at, stress;
};

struct Pose {
  double time = 0;
  std::vector<PoseLine> lines;
  std::vector<Vec> pins;                  ///< between bodies
  std::vector<std::array<Vec, 2>> rails;  ///< of sliders, as far as they are used
  std::vector<Obstacle> carried{};        ///< walls on bodies
  std::vector<PoseStress> stress{};       ///< of what moves in sand that is felt along the surface
};

/// Poses from the start of a run to its end, all to the same scale.
struct PoseStrip {
  std::vector<Pose> poses;
  std::vector<Obstacle> obstacles;
  std::vector<Vec> anchors;  ///< pins and welds on the ground
  std::string caption;       ///< below the poses, beside the scale

  bool is_empty() const { return poses.empty(); }
};

/// From the least to the largest travel of a slider [m].
struct TravelSpan {
  double least = 0, most = 0;
};

/// The mechanism at coordinates q; `spans` of all bodies, for the rails.
[[nodiscard]] Pose make_pose(const Scenario& scenario, double time, const double* q,
                             const std::vector<TravelSpan>& spans = {});

/// `count` poses at equal intervals of time, first and last included.
[[nodiscard]] PoseStrip make_pose_strip(const Scenario& scenario, const TrajectoryRecorder& trajectory,
                                        int count);

// ---- quantities against time ---------------------------------------------------------------------------------------

struct TimeSpan {
  double begin = 0, end = 0;
};

struct TimeCurve {
  std::vector<double> time, value;  ///< SI; NaN leaves a gap
  std::vector<TimeSpan> held;       ///< where something sticks: the curve is drawn on a broad band
};

/// A single value beside the curves, such as a published one.
struct TimePoint {
  std::size_t curve = 0;  ///< whose colour it has
  double time = 0, value = 0;
};

struct TimePanel {
  std::string label;
  std::string unit;               ///< SI, in ASCII
  std::vector<TimeCurve> curves;  ///< in the order of TimeFigure::names
  std::vector<TimePoint> points{};
};

struct TimeMark {
  double time = 0;
  std::string name;
};

/// Panels one above the other with one axis of time; poses above them.
struct TimeFigure {
  std::string title, subtitle;
  PoseStrip strip{};
  std::string by{};                  ///< heading of the names
  std::vector<std::string> names{};  ///< of the curves; none: they need no key
  std::vector<TimePanel> panels{};
  std::vector<TimeMark> marks{};       ///< instants, across all panels
  std::vector<TimeSpan> held{};        ///< shaded across all panels
  std::string held_name = "held";      ///< in the key, for shades and bands
  std::string points_name = "points";  ///< in the key
  std::string note{};                  ///< below everything
};
/// Curves differ in colour and dashes. Throws std::invalid_argument when the sizes do not fit.
[[nodiscard]] std::string time_figure(const TimeFigure& figure);

// ---- a run, or a few ---------------------------------------------------------------------------------------------

/// A run to be drawn. What it refers to is to live as long.
struct StillRun {
  const Scenario& scenario;
  const RunResult& result;
  const TrajectoryRecorder& trajectory;
};

struct StillOptions {
  std::vector<std::string> plots;   ///< observables, one panel each
  std::vector<std::string> varied;  ///< knobs that differ between the runs, for the key
  int poses = 8;                    ///< of the first run; 0: none
};

/// When some contact of a run was held, or some joint where there are no contacts: spans that do not overlap, in order.
[[nodiscard]] std::vector<TimeSpan> find_held(const Outcome& outcome);

/// One observable of a run.
[[nodiscard]] TimeCurve make_time_curve(const StillRun& run, const NamedObservable& what);

/// How a run is named by its knobs: "1.26 m/s" by one, "rate1 −1 rad/s, rate2 −3 rad/s" by more.
[[nodiscard]] std::string name_by_knobs(const Scenario& scenario, const std::vector<std::string>& knobs);

/// Poses of the first run and the plots of all.
[[nodiscard]] TimeFigure make_still(std::span<const StillRun> runs, const StillOptions& options);

}  // namespace thud
