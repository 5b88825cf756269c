#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "thud/dynamics/system.hpp"
#include "thud/scenario/outline.hpp"

namespace thud {

/// Small motions of a system about a pose at rest.
///
///   M δq̈ + C δq̇ + K δq = Q₀,     K = −∂Q/∂q,  C = −∂Q/∂q̇ at the pose, q̇ = 0
///
///   M  mass matrix at the pose            Q₀ generalised force at the pose, zero in an equilibrium
///   C  material and joint damping         K  strain and gravity
///
/// Derivatives are exact (dual numbers). Sand and dry friction (set-valued), air (quadratic) and prescribed torques have
/// no linear part and are left out. Out of equilibrium K is that of the pose held still.
///
/// A tree with a free root falls: seen from a frame that falls with it, gravity has no effect, and none is applied.
///
/// K and C are symmetric: gravity and strain have a potential, the damping forces a dissipation function; C ≥ 0.
struct Linearisation {
  Eigen::MatrixXd mass, damping, stiffness;
  Eigen::VectorXd force;  ///< Q₀ [N m for angles, N for the others]
  bool falls = false;     ///< some tree is seen from a falling frame
  bool is_equilibrium = true;
  /// Columns span the directions that loops leave; empty without any. Prescribed joints stand still.
  Eigen::MatrixXd basis;

  bool is_constrained() const { return basis.rows() > 0; }
  /// A matrix in those directions.
  Eigen::MatrixXd reduced(const Eigen::MatrixXd& m) const {
    return is_constrained() ? Eigen::MatrixXd(basis.transpose() * m * basis) : m;
  }
};

[[nodiscard]] Linearisation linearise(const System& system, const std::vector<double>& q);

/// A pose in which gravity and strain balance.
struct Equilibrium {
  bool found = false;
  std::vector<double> q;
  int iterations = 0;
  std::string reason;  ///< why there is none
};

/// The stable equilibrium that the system sinks to from a pose: Newton's method on the potential energy, with steps
/// that go downhill. A free body under gravity has none.
[[nodiscard]] Equilibrium find_equilibrium(const System& system, std::vector<double> q);

/// What a disturbance e^{st} in the shape of a mode does.
enum class Motion : std::uint8_t {
  growing,      ///< s > 0: the pose is unstable
  free,         ///< s = 0: nothing brings it back
  decaying,     ///< s < 0: overdamped
  oscillating,  ///< s = −ζω ± iω√(1 − ζ²)
};
[[nodiscard]] const char* motion_name(Motion motion);

/// A natural mode of the whole system.
struct NaturalMode {
  /// Kinetic energy of one body, as shares of the total (König): of its mass in the mean motion, of its mean turning,
  /// and of what is left, which bends it. The same for every basis of a beam.
  struct Kinetic {
    double translation = 0, rotation = 0, bending = 0;
    double sum() const { return translation + rotation + bending; }
  };

  Motion motion = Motion::free;
  std::complex<double> root;  ///< s [1/s], imaginary part ≥ 0
  /// Values of all coordinates; the largest displacement of any point drawn is 1 m, and goes to the right.
  Eigen::VectorXd shape;
  std::vector<Kinetic> kinetic;  ///< per body; the sum over all is 1
  std::vector<double> strain;    ///< share of each body's strain in the potential energy |gravity| + strain
  int dominant = 0;              ///< the coordinate with the largest share of the kinetic energy

  double omega() const { return root.imag(); }            ///< frequency as seen [rad/s]
  double frequency() const;                               ///< the same [Hz]
  double natural_frequency() const { return abs(root); }  ///< |s| [rad/s]
  double growth() const { return root.real(); }           ///< Re s [1/s]
  double damping_ratio() const;                           ///< −Re s/|s|; 0 where s = 0
  double strain_share() const;                            ///< of all bodies
};

/// "rigid", "bends rod", "bends rod, arm" or "mixed": at most a tenth, at least nine tenths of the energy as strain, or
/// something between.
[[nodiscard]] std::string mode_kind(const Tree& tree, const NaturalMode& mode);

/// All natural modes about a pose: growing ones first, then from the lowest |s|.
///
/// One per coordinate, K φ = ω² M φ, where nothing is damped or the damping is light. Growing and overdamped directions
/// have two real roots each. Listed is only the growing one of undamped ±s, and only the decaying one where there is
/// damping and no stiffness: such a motion stops wherever it is.
struct ModalAnalysis {
  std::vector<double> q;
  Linearisation at;
  std::vector<NaturalMode> modes;
  bool is_damped = false;

  int count(Motion motion) const;
};

/// The pictured points say how large a shape is; without an outline that of the bare mechanism is taken.
[[nodiscard]] ModalAnalysis analyse_modes(const System& system, const std::vector<double>& q,
                                          std::vector<OutlineLine> outline = {});

/// What of a system the analysis leaves out: "sand", "air drag", "dry friction in joints", "prescribed torques".
[[nodiscard]] std::vector<std::string> list_left_out(const System& system);

}  // namespace thud
