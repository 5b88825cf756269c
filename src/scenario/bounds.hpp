#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "scenario/units.hpp"
#include "thud/contact/contact.hpp"
#include "thud/elements/keys.hpp"

namespace thud::doc {

/// [[limit]]: stops in a joint, one contact each. Its keys are visited as those of elements are.
template <class P>
struct LimitOf {
  std::string label;
  int body = 0;
  std::optional<P> min, max, stiffness, damping;
  std::optional<P> restitution;

  static constexpr const char* table = "limit";
  static constexpr const char* table_about =
      "Stops in a joint: hard, with a restitution, or soft, with a stiffness. Each side is a contact, "
      "`NAME.min` "
      "or `NAME.max`.";
  template <class Keys>
  void keys(Keys& k) {
    k.name_or("joint", label);
    k.joint("joint", body, "the body whose joint it is in");
    k.joint_number_if("min", min, "rad", "m", Admits::anything, "none",
                      "least angle in the joint, or travel");
    k.joint_number_if("max", max, "rad", "m", Admits::anything, "none",
                      "greatest angle in the joint, or travel");
    k.fraction_if("restitution", restitution, "0", "of a hard limit: speed after over speed before");
    k.joint_number_if("stiffness", stiffness, "N m/rad", "N/m", Admits::positive, "hard",
                      "makes it soft: moment per angle beyond it; in a slider force per travel");
    k.joint_number_if("damping", damping, "N m s/rad", "N s/m", Admits::non_negative, "0",
                      "of a soft limit; it never pulls");
  }
  [[nodiscard]] std::string fault() const {
    if (!min && !max) return "a limit needs a value: give min, max or both";
    if (min && max && !(value_of(*min) < value_of(*max)))
      return fmt::format("min must be less than max; they are {} and {}, nothing could move between them",
                         show(value_of(*min)), show(value_of(*max)));
    if (stiffness && restitution)
      return "a soft limit has no restitution: give either stiffness and damping, or restitution";
    if (damping && !stiffness)
      return "damping is for a soft limit: give its stiffness too, or restitution for a hard one";
    return "";
  }
  [[nodiscard]] std::vector<ContactOf<P>> contacts(const TreeOf<P>& tree) const {
    std::vector<ContactOf<P>> out;
    const auto add = [&](const char* side, const std::optional<P>& bound, int sense) {
      if (!bound) return;
      ContactOf<P> c;
      c.name = fmt::format("{}.{}", label.empty() ? tree.body(body).name : label, side);
      c.wall = facing::stop;
      c.a.name = tree.body(body).name;
      c.a.body = body;
      c.limit = *bound;
      c.sense = sense;
      c.turns = tree.joint_kind(body) != JointKind::slider;
      c.law.restitution = restitution.value_or(P(0));
      c.law.compliant = c.law.linear = stiffness.has_value();
      c.law.stiffness = stiffness.value_or(P(0));
      c.law.damping = damping.value_or(P(0));
      out.push_back(std::move(c));
    };
    add("min", min, 1);
    add("max", max, -1);
    return out;
  }
};

/// [[rope]]: two points that cannot be further apart than its length.
template <class P>
struct RopeOf {
  std::string label;
  AttachmentOf<P> from, to;
  P length{};
  std::optional<P> restitution;

  static constexpr const char* table = "rope";
  static constexpr const char* table_about =
      "A rope without mass between two points: it only pulls, and goes taut with an impact.";
  template <class Keys>
  void keys(Keys& k) {
    k.name(label);
    k.place("from", from, "one end");
    k.place("to", to, "the other end");
    k.number("length", length, "m", Admits::positive, "how far apart its ends can be");
    k.fraction_if("restitution", restitution, "0", "when it goes taut: speed after over speed before");
  }
  [[nodiscard]] std::string fault() const {
    if (from.body < 0 && to.body < 0) return "a rope holds a body: one of its ends must be a point of one";
    if (from.body == to.body)
      return "both ends of the rope are on the same body: their distance never changes";
    return "";
  }
  [[nodiscard]] std::vector<ContactOf<P>> contacts(const TreeOf<P>&) const {
    ContactOf<P> c;
    c.name = label;
    c.wall = facing::distance;
    c.sense = -1;
    c.limit = length;
    const AttachmentOf<P>& first = from.body >= 0 ? from : to;
    const AttachmentOf<P>& second = from.body >= 0 ? to : from;
    c.a = {first.name, first.body, first.point, P(0)};
    c.b = {second.name, second.body, second.point, P(0)};
    c.anchor = second.world;
    c.law.restitution = restitution.value_or(P(0));
    return {std::move(c)};
  }
};

}  // namespace thud::doc
