#include "scenario/beams.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace thud::doc {

namespace {

constexpr double pi = std::numbers::pi;

struct Section {
  double area, moment, width;
};

// Round, or rectangular: thickness in the plane of bending, width out of it.
Section read_section(const Table& t) {
  if (t.has("diameter")) {
    for (const char* key : {"thickness", "width"})
      if (t.has(key)) throw t.error(key, "give either a diameter, or a thickness and a width");
    const double d = t.number("diameter", Dimension::length, Range::positive());
    return {pi / 4 * d * d, pi / 64 * d * d * d * d, d};
  }
  if (!t.has("thickness"))
    throw InputError(t.place(),
                     "a beam needs a diameter, or a thickness (in the plane of motion) and a width");
  const double h = t.number("thickness", Dimension::length, Range::positive());
  const double b = t.number("width", Dimension::length, Range::positive());
  return {b * h, b * h * h * h / 12, b};
}

double read_line_mass(const Table& t, double area, double length) {
  const auto mass = t.number_or_none("mass", Dimension::mass, Range::positive());
  const auto density = t.number_or_none("density", Dimension::density, Range::positive());
  if (mass && density) throw t.error("density", "give either mass or density, not both");
  if (!mass && !density) throw InputError(t.place(), "give mass or density for the beam");
  return mass ? *mass / length : *density * area;
}

double read_rigidity(const Table& t, double moment) {
  const auto rigidity = t.number_or_none("rigidity", Dimension::flexural_rigidity, Range::positive());
  const auto young = t.number_or_none("young", Dimension::pressure, Range::positive());
  if (rigidity && young) throw t.error("young", "give either rigidity (E I) or young (E), not both");
  if (!rigidity && !young)
    throw InputError(
        t.place(),
        "a beam needs its flexural rigidity: rigidity = \"15 N m^2\" (E I) or young = \"210 GPa\" (E)");
  return rigidity ? *rigidity : *young * moment;
}

// damping = 0.01, damping = [0.01, 0.02], damping = { mass = ..., stiffness = ... } or damping = { ratios = [0.01, 0.02] }
void read_damping(const Table& t, BeamSpec& out) {
  switch (t.kind_of("damping")) {
    case ValueKind::absent: return;
    case ValueKind::array: {
      out.ratios = *t.numbers("damping", Dimension::none, Range::non_negative());
      if (out.ratios.empty()) throw t.error("damping", "the list of damping ratios is empty");
      return;
    }
    case ValueKind::table: {
      const Table d = t.table("damping");
      if (d.has("ratios")) {
        for (const char* key : {"mass", "stiffness"})
          if (d.has(key))
            throw d.error(key, "give either ratios of the first two modes, or mass and stiffness");
        const std::vector<double> ratios = *d.numbers("ratios", Dimension::none, Range::non_negative());
        const std::string fit = d.choice_or("fit", "held", {"held", "by-state", "modes"});
        if (fit == "modes") {  // a ratio for each mode
          if (ratios.empty()) throw d.error("ratios", "the list of damping ratios is empty");
          out.ratios = ratios;
        } else {
          if (ratios.size() < 2)
            throw d.error("ratios",
                          "Rayleigh damping needs the ratios of the first two modes, [0.001, 0.003]");
          out.rayleigh_ratios = {ratios[0], ratios[1]};
          out.by_state = fit == "by-state";
        }
        d.finish();
        return;
      }
      out.rayleigh = {d.number_or("mass", 0, Dimension::angular_rate, Range::non_negative()),
                      d.number_or("stiffness", 0, Dimension::time, Range::non_negative())};
      d.finish();
      return;
    }
    default: out.ratios = {t.number("damping", Dimension::none, Range::non_negative())};
  }
}

// The shapes of Lee 2009, eq 5.46 (pinned at the start) are not normalised as eq 5.11 says, but the stiffness of
// eqs 5.58 and 5.61 takes them so: it is too small by ∫Φ²dx/L, with Φ = sinh λ/sin λ sin(λx/L) + sinh(λx/L).
double lee2009_factor(double root) {
  const double ratio = std::sinh(root) / std::sin(root);
  const double sines = 0.5 - std::sin(2 * root) / (4 * root);
  const double both = (std::cosh(root) * std::sin(root) - std::sinh(root) * std::cos(root)) / (2 * root);
  const double hyperbolic = std::sinh(2 * root) / (4 * root) - 0.5;
  return 1 / (ratio * ratio * sines + 2 * ratio * both + hyperbolic);
}

// A beam in a joint may turn at its start; where moments act there, shapes that are clamped to the frame take them up
// with few of them, while pinned ones have no curvature at the start to balance them.
Support support_of(const BeamSpec& spec, const BeamMount& mount) {
  Support natural = mount.is_free ? Support::free : Support::pinned;
  if (mount.behind_parts || mount.has_moments || mount.is_held) natural = Support::clamped;
  const Support s = spec.support.value_or(natural);
  if (mount.behind_parts && s != Support::clamped)
    throw spec.table.error("support", "a beam behind rigid parts is clamped to them");
  if (mount.is_held && s != Support::clamped)
    throw spec.table.error("support", "in a slider or a weld a beam is clamped: it cannot turn there");
  if (!mount.is_free && s == Support::free)
    throw spec.table.error("support",
                           "the start of the beam is in a joint: it can be \"pinned\" or \"clamped\"");
  return s;
}

}  // namespace

BeamSpec read_beam(const Table& t, double start) {
  BeamSpec out(t);
  out.at = t.number_or("at", start, Dimension::length);
  const double length = out.data.length = t.number("length", Dimension::length, Range::positive());
  const Section section = read_section(t);
  out.width = section.width;
  out.area = section.area;
  out.data.mass_per_length = read_line_mass(t, section.area, length);
  out.mass = out.data.mass_per_length * length;
  out.data.rigidity = read_rigidity(t, section.moment);
  out.data.tip_mass = t.number_or("tip_mass", 0, Dimension::mass, Range::non_negative());
  out.data.tip_inertia = t.number_or("tip_inertia", 0, Dimension::inertia, Range::non_negative());
  if (t.has("support")) {
    const std::string s = t.choice("support", {"free", "pinned", "clamped"});
    out.support = s == "free" ? Support::free : s == "pinned" ? Support::pinned : Support::clamped;
  }
  out.elements = t.choice_or("basis", "modes", {"modes", "elements"}) == "elements";
  const int modes = t.integer_or("modes", out.elements ? 0 : 4, Range::between(0, 400));
  out.shape_count = modes;
  out.element_count = t.integer_or("elements", 8, Range::between(1, 200));
  if (!out.elements && (modes < 1 || modes > 50))
    throw t.error("modes",
                  fmt::format("{} modes; allowed are 1 to 50 (more with basis = \"elements\")", modes));
  out.gravity = t.choice_or("gravity", "distributed", {"distributed", "midspan"}) == "midspan"
                  ? BeamGravity::midspan
                  : BeamGravity::distributed;
  if (t.choice_or("weight", "yes", {"yes", "no"}) == "no") out.gravity = BeamGravity::none;
  out.straight = t.choice_or("immersion", "deformed", {"deformed", "straight"}) == "straight";
  out.lee2009_stiffness = t.choice_or("stiffness", "consistent", {"consistent", "lee2009"}) == "lee2009";
  read_damping(t, out);
  out.small_motion = t.choice_or("motion", "finite", {"finite", "small"}) == "small";
  return out;
}

ElasticBeam make_beam(const BeamSpec& spec, const BeamMount& mount) {
  const Support support = support_of(spec, mount);
  const int most = 2 * spec.element_count;
  if (spec.elements && spec.shape_count > most)
    throw spec.table.error("modes", fmt::format("{} elements have {} bending shapes, not {}",
                                                spec.element_count, most, spec.shape_count));
  BeamBasis basis = spec.elements
                      ? make_element_basis(support, spec.data, spec.element_count, spec.shape_count)
                      : make_mode_basis(support, spec.data, spec.shape_count);
  ElasticBeam beam(std::move(basis), spec.at - mount.origin, spec.gravity);
  if (spec.lee2009_stiffness && support == Support::pinned) {
    if (spec.shape_count != 1)
      throw spec.table.error(
          "stiffness", "the stiffness of Lee 2009 does not converge with more modes; it is for modes = 1");
    beam.scale_stiffness(0, lee2009_factor(beam.basis().root(0)));
  }
  if (!spec.ratios.empty()) beam.set_damping_ratios(spec.ratios);
  if (spec.rayleigh) beam.set_rayleigh_damping((*spec.rayleigh)[0], (*spec.rayleigh)[1]);
  return beam;
}

}  // namespace thud::doc
