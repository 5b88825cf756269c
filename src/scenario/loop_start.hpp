#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "thud/base/error.hpp"
#include "thud/dynamics/system.hpp"

namespace thud::doc {

/// What a file gives of a start, as equations.
struct GivenStart {
  std::vector<double> q, v;  ///< what is known: the rest zero, and coordinates of beams as they are to be
  std::vector<char> fixed;   ///< coordinates that are given one by one
  /// How far each pose that is given is from what q has.
  std::function<Eigen::VectorXd(const double* q, const Frames<double>&)> poses;
  /// Their rows, and those of the motions that are given.
  std::function<Eigen::MatrixXd(const Frames<double>&)> pose_rows, motion_rows;
  /// What those motions are to be, less what beams move by themselves.
  std::function<Eigen::VectorXd(const Frames<double>&)> motions;
  /// How far q is from what the file says it is near to; empty: it says nothing.
  std::function<double(const double* q, const Frames<double>&)> distance;
  double time = 0;
};

/// Finds a start that closes all loops and begins all prescribed motions (docs/theory/loops.md). What cannot be had is
/// refused, with the loop at fault.
class LoopStart {
 public:
  LoopStart(const System& system, const GivenStart& given);

  /// Thrown when there is none, or when there are two.
  struct Refusal {
    int constraint;  ///< of System::constraints(); −1: what is given contradicts itself
    std::string message;
  };

  void solve(std::vector<double>& q, std::vector<double>& v);
  /// What a user should know of it: coordinates that were free, conditions that follow from others.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Pose {
    std::vector<double> q;
    double rest = 0;  // largest residual
    double away = 0;  // from what it should be near to
  };
  Eigen::VectorXd residuals(const std::vector<double>& q);
  Eigen::MatrixXd rows(const std::vector<double>& q, bool motion);
  Pose search(std::vector<double> q, double weight);
  std::vector<double> other_start(int number) const;
  std::vector<double> unwound(std::vector<double> q) const;
  bool is_same(const Pose& a, const Pose& b) const;
  std::vector<double> freedoms(const std::vector<double>& q);
  bool note_freedoms(const std::vector<double>& q);
  std::string shown(int dof, double value) const;
  Pose choose();
  Pose polished(Pose p);
  [[noreturn]] void refuse_open();
  [[noreturn]] void refuse_choice(const std::vector<Pose>& poses) const;
  std::string describe(const std::vector<double>& q, const std::vector<double>* other = nullptr) const;
  void solve_motion(const std::vector<double>& q, std::vector<double>& v);
  void look_at_rank(const std::vector<double>& q);
  std::vector<char> kept_at(const std::vector<double>& q);

  const System& system_;
  const GivenStart& given_;
  int n_;
  double reach_ = 0;
  std::vector<int> closing_;  // constraints on the pose
  Frames<double> frames_;
  std::vector<std::string> notes_;
};

}  // namespace thud::doc
