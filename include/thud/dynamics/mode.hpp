#pragma once

#include "thud/elements/all.hpp"

namespace thud {

namespace detail {
template <class E>
using ModeOf = typename E::Mode;
template <class T>
struct WorkWith {
  template <class E>
  using Of = typename E::template Work<T>;
};
}  // namespace detail

/// A mode of the whole system: inside it the right-hand side is smooth.
struct Mode {
  ElementTypes::Vectors<detail::ModeOf> elements;
  std::vector<SwitchRef> stuck;  ///< the switches that are held, in a fixed order

  template <class E>
  std::vector<typename E::Mode>& of() {
    return std::get<type_of<E>>(elements);
  }
  template <class E>
  const std::vector<typename E::Mode>& of() const {
    return std::get<type_of<E>>(elements);
  }
  friend bool operator==(const Mode&, const Mode&) = default;
};

/// Constraints of an evaluation: rows of their Jacobian, M⁻¹ times them, and their forces.
template <class T>
struct Constrained {
  std::vector<T> rows, applied;
  std::vector<T> factor;      ///< of J M⁻¹ Jᵀ
  std::vector<char> kept;     ///< 0: it follows from those before it, and takes no force
  std::vector<double> share;  ///< what is left of each row's square beyond those before it
  std::vector<double> size;   ///< below 1e-12 of it a row is none
  std::vector<T> force;
  std::vector<T> response;             ///< their forces per unit of a held switch
  mutable std::vector<T> room, given;  ///< of solve
};

/// Scratch memory and the result of one evaluation. One per thread. T: scalar of the state, P: of the parameters.
template <class T, class P = double>
struct Work {
  typename ElementTypesOf<P>::template Vectors<detail::WorkWith<T>::template Of> elements;
  Frames<T, P> frames;
  Wrenches<T> wrenches;
  MassFactor<T> factor;
  std::vector<T> acceleration;  ///< v̇
  std::array<T, channel_count> power{};
  std::vector<char> joint_held;  ///< per body: its joint does not turn
  // held switches
  std::vector<T> jacobian, applied, gram, hold, hold_bias;
  std::vector<T> drive;   ///< like `applied`, with the sliding friction that a normal force brings along
  std::vector<T> unheld;  ///< v̇ without the forces that hold
  std::vector<std::pair<int, int>>
      spans;               ///< coordinates that a held switch is about: from, and one past the last
  std::vector<P> brought;  ///< friction that comes with a unit of a held normal force
  Frames<Dual<T>, P> moving;
  std::vector<Dual<T>> moving_q, moving_v;
  Constrained<T> constrained;
  HeldSweep<T> sweep;
  std::vector<HeldRow<T>> held;
  /// Only the rows of the held switches are wanted, with M⁻¹ times them, their biases and v̇ without them: for who solves
  /// for the forces himself.
  bool rows_only = false;

  template <class E>
  auto& of() {
    return std::get<type_of<E>>(elements);
  }
  template <class E>
  const auto& of() const {
    return std::get<type_of<E>>(elements);
  }
};

}  // namespace thud
