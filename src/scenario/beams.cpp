#include "scenario/beams.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "thud/beam/basis_rates.hpp"
#include "thud/math/portable.hpp"

namespace thud::doc {

namespace {

constexpr double pi = std::numbers::pi;

template <class P>
struct Section {
  P area, moment, width;
};

// Round, or rectangular: thickness in the plane of bending, width out of it.
template <class P>
Section<P> read_section(const Table& t) {
  if (t.has("diameter")) {
    for (const char* key : {"thickness", "width"})
      if (t.has(key)) throw t.error(key, "give either a diameter, or a thickness and a width");
    const P d = t.number("diameter", Dimension::length, Range::positive());
    return {pi / 4 * d * d, pi / 64 * d * d * d * d, d};
  }
  if (!t.has("thickness"))
    throw InputError(t.place(),
                     "a beam needs a diameter, or a thickness (in the plane of motion) and a width");
  const P h = t.number("thickness", Dimension::length, Range::positive());
  const P b = t.number("width", Dimension::length, Range::positive());
  return {b * h, b * h * h * h / 12, b};
}

template <class P>
P read_line_mass(const Table& t, P area, P length) {
  const std::optional<P> mass = t.number_or_none("mass", Dimension::mass, Range::positive());
  const std::optional<P> density = t.number_or_none("density", Dimension::density, Range::positive());
  if (mass && density) throw t.error("density", "give either mass or density, not both");
  if (!mass && !density) throw InputError(t.place(), "give mass or density for the beam");
  return mass ? *mass / length : *density * area;
}

template <class P>
P read_rigidity(const Table& t, P moment) {
  const std::optional<P> rigidity =
      t.number_or_none("rigidity", Dimension::flexural_rigidity, Range::positive());
  const std::optional<P> young = t.number_or_none("young", Dimension::pressure, Range::positive());
  if (rigidity && young) throw t.error("young", "give either rigidity (E I) or young (E), not both");
  if (!rigidity && !young)
    throw InputError(
        t.place(),
        "a beam needs its flexural rigidity: rigidity = \"15 N m^2\" (E I) or young = \"210 GPa\" (E)");
  return rigidity ? *rigidity : *young * moment;
}

// damping = 0.01, damping = [0.01, 0.02], damping = { mass = ..., stiffness = ... } or damping = { ratios = [0.01, 0.02] }
template <class P>
void read_damping(const Table& t, BeamSpecOf<P>& out) {
  switch (t.kind_of("damping")) {
    case ValueKind::absent: return;
    case ValueKind::array: {
      const auto given = *t.readings("damping", Dimension::none, Range::non_negative());
      out.ratios.assign(given.begin(), given.end());
      if (out.ratios.empty()) throw t.error("damping", "the list of damping ratios is empty");
      return;
    }
    case ValueKind::table: {
      const Table d = t.table("damping");
      if (d.has("ratios")) {
        for (const char* key : {"mass", "stiffness"})
          if (d.has(key))
            throw d.error(key, "give either ratios of the first two modes, or mass and stiffness");
        const auto given = *d.readings("ratios", Dimension::none, Range::non_negative());
        const std::vector<P> ratios(given.begin(), given.end());
        const std::string fit = d.choice_or("fit", "held", {"held", "by-state", "modes"});
        if (fit == "modes") {  // a ratio for each mode
          if (ratios.empty()) throw d.error("ratios", "the list of damping ratios is empty");
          out.ratios = ratios;
        } else {
          if (ratios.size() < 2)
            throw d.error("ratios",
                          "Rayleigh damping needs the ratios of the first two modes, [0.001, 0.003]");
          out.rayleigh_ratios = std::array<P, 2>{ratios[0], ratios[1]};
          out.by_state = fit == "by-state";
        }
        d.finish();
        return;
      }
      out.rayleigh =
          std::array<P, 2>{d.number_or("mass", P(0), Dimension::angular_rate, Range::non_negative()),
                           d.number_or("stiffness", P(0), Dimension::time, Range::non_negative())};
      d.finish();
      return;
    }
    default: out.ratios.assign(1, t.number("damping", Dimension::none, Range::non_negative()));
  }
}

// The shapes of Lee 2009, eq 5.46 (pinned at the start) are not normalised as eq 5.11 says, but the stiffness of
// eqs 5.58 and 5.61 takes them so: it is too small by ∫Φ²dx/L, with Φ = sinh λ/sin λ sin(λx/L) + sinh(λx/L).
double lee2009_factor(double root) {
  const double ratio = portable::sinh(root) / portable::sin(root);
  const double sines = 0.5 - portable::sin(2 * root) / (4 * root);
  const double both =
      (portable::cosh(root) * portable::sin(root) - portable::sinh(root) * portable::cos(root)) / (2 * root);
  const double hyperbolic = portable::sinh(2 * root) / (4 * root) - 0.5;
  return 1 / (ratio * ratio * sines + 2 * ratio * both + hyperbolic);
}

// A beam in a joint may turn at its start; where moments act there, shapes that are clamped to the frame take them up
// with few of them, while pinned ones have no curvature at the start to balance them.
template <class P>
Support support_of(const BeamSpecOf<P>& spec, const BeamMountOf<P>& mount) {
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

template <class P>
BeamSpecOf<P> read_beam(const Table& t, P start) {
  BeamSpecOf<P> out(t);
  out.at = t.number_or("at", start, Dimension::length);
  const P length = out.data.length = t.number("length", Dimension::length, Range::positive());
  const Section<P> section = read_section<P>(t);
  out.width = section.width;
  out.area = section.area;
  out.data.mass_per_length = read_line_mass<P>(t, section.area, length);
  out.mass = out.data.mass_per_length * length;
  out.data.rigidity = read_rigidity<P>(t, section.moment);
  out.data.tip_mass = t.number_or("tip_mass", P(0), Dimension::mass, Range::non_negative());
  out.data.tip_inertia = t.number_or("tip_inertia", P(0), Dimension::inertia, Range::non_negative());
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

template <class P>
ElasticBeamOf<P> make_beam(const BeamSpecOf<P>& spec, const BeamMountOf<P>& mount) {
  const Support support = support_of(spec, mount);
  const int most = 2 * spec.element_count;
  if (spec.elements && spec.shape_count > most)
    throw spec.table.error("modes", fmt::format("{} elements have {} bending shapes, not {}",
                                                spec.element_count, most, spec.shape_count));
  BeamBasisOf<P> basis = spec.elements
                           ? make_element_basis(support, spec.data, spec.element_count, spec.shape_count)
                           : make_mode_basis(support, spec.data, spec.shape_count);
  ElasticBeamOf<P> beam(std::move(basis), spec.at - mount.origin, spec.gravity);
  if (spec.lee2009_stiffness && support == Support::pinned) {
    if (spec.shape_count != 1)
      throw spec.table.error(
          "stiffness", "the stiffness of Lee 2009 does not converge with more modes; it is for modes = 1");
    beam.scale_stiffness(0, P(lee2009_factor(value_of(beam.basis().root(0)))));  // a pinned root is a number
  }
  if (!spec.ratios.empty()) beam.set_damping_ratios(spec.ratios);
  if (spec.rayleigh) beam.set_rayleigh_damping((*spec.rayleigh)[0], (*spec.rayleigh)[1]);
  return beam;
}

template BeamSpecOf<double> read_beam(const Table&, double);
THUD_WITH_DUALS(template BeamSpecOf<Dual<double>> read_beam(const Table&, Dual<double>);)
template ElasticBeam make_beam(const BeamSpecOf<double>&, const BeamMountOf<double>&);
THUD_WITH_DUALS(template ElasticBeamOf<Dual<double>> make_beam(const BeamSpecOf<Dual<double>>&,
                                                               const BeamMountOf<Dual<double>>&);)

}  // namespace thud::doc
