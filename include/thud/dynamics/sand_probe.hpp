#pragma once

#include <memory>
#include <vector>

#include "thud/granular/laws.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

/// The force of sand on one rigid body whose motion somebody else integrates.
///
/// Static resistance is a set-valued force: here it has its full size against the motion, and is zero in a direction in
/// which there is none. So an integrator may go on until the motion in some direction stops; that it is held from then on
/// is up to it, or it would go to and fro there without end.
/// One per thread.
class SandProbe {
 public:
  /// `parts`: what the sand sees of the body, in its frame. Throws std::invalid_argument for a body with a bad mass,
  /// and for a beam.
  SandProbe(Bed bed, Body body, const std::vector<Part>& parts, Vec gravity = {0, 9.81});
  ~SandProbe();
  SandProbe(SandProbe&&) noexcept;
  SandProbe& operator=(SandProbe&&) noexcept;

  struct Answer {
    Vec force{};        ///< [N]
    double moment = 0;  ///< about the mass centre [N m]
    double depth = 0;   ///< of the deepest immersed point [m]; 0: nothing is immersed
    bool immersed = false;
  };
  /// Its mass properties.
  const Body& body() const;
  Vec gravity() const;
  /// For the place of the body's origin, its angle from the downward vertical, and their rates. Throws LawError when an
  /// own law gives what it may not.
  [[nodiscard]] Answer at(Vec origin, double angle, Vec velocity, double rate);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thud
