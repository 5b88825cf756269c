#pragma once

#include "draw/svg.hpp"
#include "thud/draw/stills.hpp"

namespace thud::svg {

/// A strip of poses laid out for a page: frames in rows, all to one scale, with their times below them.
class StripLayout {
 public:
  StripLayout(const PoseStrip& strip, double left, double top, double width);

  double height() const { return height_; }
  void draw(Canvas& canvas) const;

  /// Light for the first pose, dark for the last.
  [[nodiscard]] static std::string colour(std::size_t k, std::size_t count);

 private:
  struct Extent {
    double left, right, top, bottom;
    double width() const { return right - left; }
    double height() const { return bottom - top; }
  };

  Extent extent();
  void choose_grid();
  Box frame(std::size_t k) const;
  Point place(const Box& frame, Vec p) const;
  std::vector<Point> region(const Box& frame, const Obstacle& obstacle) const;
  void draw_obstacles(Canvas& canvas, const Box& frame, const std::vector<Obstacle>& obstacles,
                      bool over) const;
  static void draw_rail(Canvas& canvas, Point begin, Point end);
  void draw_pose(Canvas& canvas, const Box& frame, std::size_t k) const;
  void draw_stress(Canvas& canvas, const Box& frame, const Pose& pose) const;
  void draw_anchors(Canvas& canvas, const Box& frame) const;
  void draw_scale(Canvas& canvas) const;

  const PoseStrip& strip_;
  double left_, top_, width_, height_ = 0, padding_;
  double stress_scale_ = 0;  // from a stress to the length of its arrow [m/Pa]; set by extent()
  Extent extent_;
  double scale_ = 1, frame_width_ = 0, frame_height_ = 0;
  std::size_t across_ = 1, rows_ = 1;
};

}  // namespace thud::svg
