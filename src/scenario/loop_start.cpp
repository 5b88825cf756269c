#include "scenario/loop_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenario/expression.hpp"
#include "solve/dense.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"

namespace thud::doc {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int starts = 48;           // of the search for other ways to close
constexpr double closed = 1e-10;     // of the reach
constexpr double same_pose = 1e-5;   // rad, and of the reach
constexpr double no_freedom = 1e-7;  // of the largest singular value: below it a direction is not determined
constexpr double given_first = 1e4;  // weight of what is given where not all can be met

double wrapped(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

}  // namespace

LoopStart::LoopStart(const System& system, const GivenStart& given)
    : system_(system),
      given_(given),
      n_(system.dof_count()) {
  frames_.resize(system.tree());
  for (std::size_t c = 0; c < system.constraints().size(); ++c)
    if (!system.keeps_offset(system.constraints()[c])) closing_.push_back(static_cast<int>(c));
  const Tree& tree = system.tree();
  for (const Body& b : tree.bodies())
    reach_ += std::max(portable::hypot(b.center.s, b.center.n), portable::hypot(b.attach.s, b.attach.n));
  for (const Loop& l : system.of<Loop>())
    for (const Attachment* at : {&l.a, &l.b})
      reach_ = std::max({reach_, portable::hypot(at->point.s, at->point.n), norm(at->world)});
  if (!(reach_ > 0)) reach_ = 1;
}

VectorXd LoopStart::residuals(const std::vector<double>& q) {
  system_.tree().kinematics(q.data(), given_.v.data(), frames_);
  const VectorXd own = given_.poses(q.data(), frames_);
  VectorXd out(own.size() + static_cast<Eigen::Index>(closing_.size()));
  out.head(own.size()) = own;
  for (std::size_t k = 0; k < closing_.size(); ++k)
    out[own.size() + static_cast<Eigen::Index>(k)] =
        system_.constraint_gap(system_.constraints()[closing_[k]], given_.time, q.data(), frames_);
  return out;
}

// At the frames of the last residuals; of motion all constraints count, also those of gears.
MatrixXd LoopStart::rows(const std::vector<double>& q, bool motion) {
  system_.tree().kinematics(q.data(), given_.v.data(), frames_);
  const MatrixXd own = motion ? given_.motion_rows(frames_) : given_.pose_rows(frames_);
  const auto k = static_cast<Eigen::Index>(motion ? system_.constraints().size() : closing_.size());
  MatrixXd out(own.rows() + k, n_);
  out.topRows(own.rows()) = own;
  std::vector<double> row(n_);
  for (Eigen::Index c = 0; c < k; ++c) {
    std::fill(row.begin(), row.end(), 0.0);
    system_.add_constraint_row(system_.constraints()[motion ? c : closing_[c]], frames_, row.data());
    for (int i = 0; i < n_; ++i)
      out(own.rows() + c, i) = system_.tree().dof_frequency(i) > 0 ? 0.0 : row[i];  // beams stay as they are
  }
  return out;
}

// Gauss and Newton's way from a pose, with the smallest change at each step.
LoopStart::Pose LoopStart::search(std::vector<double> q, double weight) {
  VectorXd r = residuals(q);
  const auto own = r.size() - static_cast<Eigen::Index>(closing_.size());
  Pose best{q, r.lpNorm<Eigen::Infinity>(), 0};
  for (int round = 0; round < 80 && best.rest > 1e-16 * reach_; ++round) {
    MatrixXd j = rows(q, false);
    j.topRows(own) *= weight;
    r.head(own) *= weight;
    const VectorXd d = least_squares(j, -r, 1e-9);
    const double largest = d.lpNorm<Eigen::Infinity>();
    const double step = std::min(1.0, 0.7 / std::max(largest, 1e-300));
    for (int i = 0; i < n_; ++i) q[i] += step * d[i];
    r = residuals(q);
    const double rest = r.lpNorm<Eigen::Infinity>();
    if (rest < best.rest) best.q = q, best.rest = rest;
    if (largest < 1e-15 * reach_) break;
  }
  system_.tree().kinematics(best.q.data(), given_.v.data(), frames_);
  if (given_.distance) best.away = given_.distance(best.q.data(), frames_);
  return best;
}

std::vector<double> LoopStart::other_start(int number) const {
  std::vector<double> q = given_.q;
  for (int i = 0; i < n_; ++i) {
    if (given_.fixed[i] || system_.tree().dof_frequency(i) > 0) continue;
    const double u = 2 * uniform_hash(number, i) - 1;
    q[i] += u * (system_.tree().is_angle(i) ? std::numbers::pi : reach_);
  }
  return q;
}

// Whole turns that nothing asked for are taken out.
std::vector<double> LoopStart::unwound(std::vector<double> q) const {
  for (int i = 0; i < n_; ++i)
    if (system_.tree().is_angle(i) && !given_.fixed[i]) q[i] = given_.q[i] + wrapped(q[i] - given_.q[i]);
  return q;
}

bool LoopStart::is_same(const Pose& a, const Pose& b) const {
  for (int i = 0; i < n_; ++i) {
    const double apart = a.q[i] - b.q[i];
    const bool turns = system_.tree().is_angle(i);
    if (std::abs(turns ? wrapped(apart) : apart / reach_) > same_pose) return false;
  }
  return true;
}

// How freely each coordinate could be another, with all that is given met.
std::vector<double> LoopStart::freedoms(const std::vector<double>& q) {
  const MatrixXd j = rows(q, false);
  const SymmetricEigen e = eigen_of_symmetric(j.transpose() * j);
  const double small = no_freedom * no_freedom * e.values[n_ - 1];
  std::vector<double> out(static_cast<std::size_t>(n_));
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < n_ && e.values[k] <= small; ++k)
      if (!(system_.tree().dof_frequency(i) > 0)) out[i] += std::abs(e.vectors(i, k));
  return out;
}

std::string LoopStart::shown(int dof, double value) const {
  const bool turns = system_.tree().is_angle(dof);
  return fmt::format("\"{}\" = \"{} {}\"", system_.tree().dof_name(dof),
                     show_number(turns ? value * 180 / std::numbers::pi : value, 8), turns ? "deg" : "m");
}

// Coordinates that are not given; those in which it differs from another pose.
std::string LoopStart::describe(const std::vector<double>& q, const std::vector<double>* other) const {
  std::string out;
  for (int i = 0; i < n_; ++i) {
    if (given_.fixed[i] || system_.tree().dof_frequency(i) > 0) continue;
    if (other && std::abs(q[i] - (*other)[i]) < same_pose) continue;
    out += (out.empty() ? "" : ", ") + shown(i, q[i]);
  }
  return out.empty() ? "no coordinate is left free" : out;
}

// True when what is given leaves something open; what then differs from its default is told.
bool LoopStart::note_freedoms(const std::vector<double>& q) {
  const std::vector<double> free = freedoms(q);
  std::string taken;
  bool any = false;
  for (int i = 0; i < n_; ++i) {
    if (!(free[i] > 1e-6)) continue;
    any = true;
    if (std::abs(q[i] - given_.q[i]) > same_pose) taken += (taken.empty() ? "" : ", ") + shown(i, q[i]);
  }
  if (!taken.empty() && !given_.distance)
    notes_.push_back(fmt::format("[initial] does not decide where the loops start; taken is {}", taken));
  return any;
}

LoopStart::Pose LoopStart::choose() {
  std::vector<Pose> found;
  const auto look_from = [&](std::vector<double> q) {
    Pose p = search(std::move(q), 1);
    if (!(p.rest <= closed * reach_)) return;
    p.q = unwound(p.q);
    if (std::none_of(found.begin(), found.end(), [&](const Pose& other) { return is_same(p, other); }))
      found.push_back(std::move(p));
  };
  look_from(given_.q);
  if (!found.empty() && note_freedoms(found[0].q)) return found[0];
  for (int k = 1; k <= starts; ++k) look_from(other_start(k));
  if (found.empty()) refuse_open();
  if (found.size() == 1) return found[0];
  if (!given_.distance) refuse_choice(found);
  return *std::min_element(found.begin(), found.end(),
                           [](const Pose& a, const Pose& b) { return a.away < b.away; });
}

// Levenberg and Marquardt's way to the smallest gap, where none is zero.
LoopStart::Pose LoopStart::polished(Pose p) {
  double damping = 1e-3;
  const auto weighted = [&](const std::vector<double>& q) {
    VectorXd r = residuals(q);
    r.head(r.size() - static_cast<Eigen::Index>(closing_.size())) *= given_first;
    return r;
  };
  VectorXd r = weighted(p.q);
  for (int round = 0; round < 300 && damping < 1e12; ++round) {
    MatrixXd j(r.size() + n_, n_);
    j.topRows(r.size()) = rows(p.q, false);
    j.topRows(r.size() - static_cast<Eigen::Index>(closing_.size())) *= given_first;
    j.bottomRows(n_) = std::sqrt(damping) * MatrixXd::Identity(n_, n_);
    VectorXd right = VectorXd::Zero(j.rows());
    right.head(r.size()) = -r;
    const VectorXd d = least_squares(j, right);
    std::vector<double> q = p.q;
    for (int i = 0; i < n_; ++i)
      if (!(system_.tree().dof_frequency(i) > 0)) q[i] += d[i];
    const VectorXd other = weighted(q);
    const bool better = other.norm() < r.norm();
    damping *= better ? 0.3 : 4;
    if (better) p.q = std::move(q), r = other;
    if (d.lpNorm<Eigen::Infinity>() < 1e-10) break;
  }
  return p;
}

// The pose that meets what is given and leaves the smallest gap.
void LoopStart::refuse_open() {
  Pose best = search(given_.q, given_first);
  for (int k = 1; k <= starts; ++k)
    if (Pose p = search(other_start(k), given_first); p.rest < best.rest) best = std::move(p);
  best = polished(std::move(best));
  const VectorXd r = residuals(best.q);
  const auto own = r.size() - static_cast<Eigen::Index>(closing_.size());
  double worst = 0;
  SwitchRef which = system_.constraints()[closing_[0]];
  int constraint = closing_[0];
  for (std::size_t k = 0; k < closing_.size(); ++k) {
    const double gap = std::abs(r[own + static_cast<Eigen::Index>(k)]);
    if (gap <= worst) continue;
    worst = gap;
    constraint = closing_[k];
    which = system_.constraints()[constraint];
  }
  const bool turns = system_.constraint_turns(which);
  std::string where;
  double gap = worst;
  if (which.type == type_of<Loop>) {
    const Loop& l = system_.of<Loop>()[which.index];
    const Vec a = l.a.position(frames_), b = l.b.position(frames_);
    if (l.kind == Loop::pin) gap = norm(a - b);
    where = fmt::format(": \"{}\" is at x = {} m, z = {} m, and {} at x = {} m, z = {} m", l.a.name,
                        show_number(a.x, 6), show_number(a.z, 6),
                        l.b.body < 0 ? "the place in the world" : "\"" + l.b.name + "\"", show_number(b.x, 6),
                        show_number(b.z, 6));
  }
  throw Refusal{
      constraint,
      fmt::format("\"{}\" cannot {}: at best {} remain{}; what [initial] gives, or the lengths, must change "
                  "(nearest pose: {})",
                  system_.element_name(which), turns ? "begin as prescribed" : "close",
                  show_quantity(gap, turns ? "rad" : "m", {}), where, describe(best.q))};
}

void LoopStart::refuse_choice(const std::vector<Pose>& poses) const {
  throw Refusal{
      closing_[0],
      fmt::format("the loops close in {} ways, and [initial] does not decide: {}; or {}{}. Write what you "
                  "mean, roughly, under [guess]",
                  poses.size(), describe(poses[0].q, &poses[1].q), describe(poses[1].q, &poses[0].q),
                  poses.size() > 2 ? "; or others" : "")};
}

void LoopStart::solve_motion(const std::vector<double>& q, std::vector<double>& v) {
  const MatrixXd j = rows(q, true);
  const auto own = j.rows() - static_cast<Eigen::Index>(system_.constraints().size());
  VectorXd target(j.rows());
  target.head(own) = given_.motions(frames_);
  for (Eigen::Index c = own; c < j.rows(); ++c)
    target[c] = -system_.constraint_rate(system_.constraints()[c - own], given_.time, frames_);
  const VectorXd x = least_squares(j, target, 1e-9), rest = j * x - target;
  v = given_.v;
  for (int i = 0; i < n_; ++i)
    if (!(system_.tree().dof_frequency(i) > 0)) v[i] = std::abs(x[i]) < 1e-15 ? 0.0 : x[i];
  const double size = std::max(1.0, target.lpNorm<Eigen::Infinity>());
  if (rest.size() == 0 || rest.lpNorm<Eigen::Infinity>() < 1e-9 * size) return;
  Eigen::Index worst = 0;
  rest.tail(j.rows() - own).cwiseAbs().maxCoeff(&worst);
  const SwitchRef which = system_.constraints()[worst];
  throw Refusal{
      static_cast<int>(worst),
      fmt::format("the velocities that [initial] gives cannot be had with \"{}\": it would be torn apart "
                  "with {}; give fewer, what is missing is solved for",
                  system_.element_name(which),
                  show_quantity(rest.lpNorm<Eigen::Infinity>(),
                                system_.constraint_turns(which) ? "rad/s" : "m/s", {}))};
}

std::vector<char> LoopStart::kept_at(const std::vector<double>& q) {
  Work<double> work;
  system_.prepare(work);
  std::vector<double> y(system_.state_size()), slope(system_.state_size());
  std::copy(q.begin(), q.end(), y.begin());
  system_.evaluate(given_.time, y.data(), system_.make_mode(), work, slope.data());
  return work.constrained.kept;
}

// Conditions that follow from others: everywhere, or in this pose only.
void LoopStart::look_at_rank(const std::vector<double>& q) {
  const std::vector<char> kept = kept_at(q);
  if (std::all_of(kept.begin(), kept.end(), [](char k) { return k; })) return;
  std::vector<double> near = q;
  for (int i = 0; i < n_; ++i)
    if (!(system_.tree().dof_frequency(i) > 0))
      near[i] += 1e-2 * (2 * uniform_hash(1, i) - 1) * (system_.tree().is_angle(i) ? 1 : reach_);
  // Back onto the loops, whatever else is given.
  const GivenStart nothing{near,
                           given_.v,
                           std::vector<char>(static_cast<std::size_t>(n_)),
                           [](const double*, const Frames<double>&) { return VectorXd(0); },
                           [n = n_](const Frames<double>&) { return MatrixXd(0, n); },
                           [n = n_](const Frames<double>&) { return MatrixXd(0, n); },
                           [](const Frames<double>&) { return VectorXd(0); },
                           {},
                           given_.time};
  LoopStart other(system_, nothing);
  const std::vector<char> there = kept_at(other.search(near, 1).q);
  std::vector<std::string> told;
  for (std::size_t c = 0; c < kept.size(); ++c) {
    if (kept[c]) continue;
    const std::string name = system_.element_name(system_.constraints()[c]);
    if (std::find(told.begin(), told.end(), name) != told.end()) continue;
    told.push_back(name);
    notes_.push_back(
        there[c]
            ? fmt::format("the mechanism starts in a toggle position: here \"{}\" does not hold it in one "
                          "direction, and how it goes on is not decided by the equations",
                          name)
            : fmt::format(
                "\"{}\" is redundant: one of its conditions follows from the others, and takes no force "
                "(of several, the last in the file)",
                name));
  }
}

void LoopStart::solve(std::vector<double>& q, std::vector<double>& v) {
  q = choose().q;
  solve_motion(q, v);
  look_at_rank(q);
}

}  // namespace thud::doc
