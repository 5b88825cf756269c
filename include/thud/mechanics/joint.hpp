#pragma once
// What a joint type gives, and the one place that tells them apart. To add one: a file in joints/, a line here.
//
//   size            number of its own coordinates, the first dofs of the body it carries
//   coordinates     their names and kinds
//   own_angle       which of them is the absolute angle of the body; −1: the body turns with its seat
//   has_seat        false for what is not carried by anything
//   has_line        whether it wants to know the line of Joint::direction
//   place           frame of the body from that of the seat, its own axis and the coordinates
//   project         x += Sᵀ load, S the motion of the frame per rate of the coordinates
//   move            motion of the body from that of the seat and the accelerations of the coordinates
//   eliminate       takes the coordinates out of the inertia of the body: what is left is what the seat feels
//   lift, lower     the same for one right-hand side: up from the leaves, down from the roots

#include "thud/mechanics/joints/free.hpp"
#include "thud/mechanics/joints/pin.hpp"
#include "thud/mechanics/joints/slider.hpp"
#include "thud/mechanics/joints/weld.hpp"

namespace thud::mechanics {

template <class Use>
[[gnu::always_inline]] inline decltype(auto) with_joint(JointKind kind, Use&& use) {
  switch (kind) {
    case JointKind::free: return use(FreeJoint{});
    case JointKind::slider: return use(SliderJoint{});
    case JointKind::weld: return use(WeldJoint{});
    case JointKind::geared: return use(GearedPinJoint{});
    case JointKind::pin: break;
  }
  return use(PinJoint{});
}

}  // namespace thud::mechanics
