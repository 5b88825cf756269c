#include "report/mode_poses.hpp"
#include "thud/math/portable.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

namespace {

// Rigid links are turned, so that they keep their length; with beams, which may turn one way and bend the other, points
// go straight where the mode sends them.
std::vector<PosedLine> pose(const Tree& tree, const std::vector<OutlineLine>& outline,
                            const std::vector<double>& q, const Eigen::VectorXd* shape, double amplitude) {
  std::vector<double> at = q, rate(q.size());
  for (std::size_t i = 0; shape && i < q.size(); ++i)
    (tree.has_beams() ? rate : at)[i] += amplitude * (*shape)[static_cast<Eigen::Index>(i)];
  Frames<double> frames;
  frames.resize(tree);
  tree.kinematics(at.data(), rate.data(), frames);
  std::vector<PosedLine> out;
  for (const OutlineLine& line : outline) {
    PosedLine posed{{}, line.width, line.closed};
    for (const BodyPoint& p : line.points)
      posed.points.push_back(frames.position(line.body, p) + frames.velocity(line.body, p));
    out.push_back(std::move(posed));
  }
  return out;
}

void enclose(const std::vector<PosedLine>& lines, Box& box) {
  for (const PosedLine& line : lines)
    for (const Vec& p : line.points) box.add(p);
}

void find_joints(const Tree& tree, const std::vector<double>& q, ModePoses& out) {
  Frames<double> frames;
  frames.resize(tree);
  const std::vector<double> rest(q.size());
  tree.kinematics(q.data(), rest.data(), frames);
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    const JointKind kind = tree.joint_kind(i);
    if (kind == JointKind::slider)
      out.rails.push_back({frames.origin[i], slider_line(tree, frames, i)});
    else if (b.parent >= 0 && kind == JointKind::weld)
      continue;
    else if (b.parent >= 0)
      out.pins.push_back(frames.origin[i]);
    else if (!b.free)
      out.ground.push_back(frames.origin[i]);
  }
}

}  // namespace

void Box::add(Vec p) {
  left = std::min(left, p.x), right = std::max(right, p.x);
  top = std::min(top, p.z), bottom = std::max(bottom, p.z);
}

ModePoses make_mode_poses(const Scenario& scenario, const ModalAnalysis& analysis, std::size_t count) {
  const Tree& tree = scenario.system->tree();
  const std::vector<OutlineLine> outline = make_outline(tree, scenario.parts);
  ModePoses out;
  out.rest = pose(tree, outline, analysis.q, nullptr, 0);
  find_joints(tree, analysis.q, out);
  enclose(out.rest, out.box);
  for (const Vec& p : out.ground) out.box.add(p);
  const double size = portable::hypot(out.box.width(), out.box.height());
  const bool is_visible = std::isfinite(size) && size > 0;
  out.amplitude = is_visible ? 0.12 * size : 0;
  for (std::size_t k = 0; k < std::min(count, analysis.modes.size()); ++k) {
    const Eigen::VectorXd& shape = analysis.modes[k].shape;
    out.plus.push_back(pose(tree, outline, analysis.q, &shape, out.amplitude));
    out.minus.push_back(pose(tree, outline, analysis.q, &shape, -out.amplitude));
    enclose(out.plus.back(), out.box);
    enclose(out.minus.back(), out.box);
  }
  if (!is_visible) out.box = {-1, 1, -1, 1};
  return out;
}

}  // namespace thud
