// Every table and key of scenario files, once: the reader is held to it, and the JSON Schema and the reference page are
// made of it. A new key is one line here, beside the line that reads it.

#include <algorithm>
#include <numbers>

#include "scenario/beds.hpp"
#include "scenario/elements.hpp"
#include "scenario/joints.hpp"
#include "scenario/schema.hpp"
#include "scenario/shapes.hpp"
#include "thud/granular/laws.hpp"
#include "thud/scenario/request.hpp"

namespace thud::doc {

namespace {

using D = Dimension;
using Choices = std::vector<std::string>;
constexpr double pi = std::numbers::pi;

// ---- how values are written -------------------------------------------------------------------

ValueSpec number(D dimension, Range range = {}) { return {Form::number, dimension, range}; }
ValueSpec pair_of(D dimension, Range range = {}) { return {Form::pair, dimension, range}; }
ValueSpec numbers(D dimension, Range range = {}) { return {Form::numbers, dimension, range}; }
ValueSpec pairs_of(D dimension) { return {Form::pairs, dimension}; }
ValueSpec whole(Range range) { return {Form::whole, D::none, range}; }
ValueSpec choice(Choices choices) { return {Form::choice, D::none, {}, std::move(choices)}; }
ValueSpec choice(std::vector<std::string> (*list)()) { return {.form = Form::choice, .list = list}; }
ValueSpec form(Form f) { return {.form = f}; }
ValueSpec table(const TableSpec& (*spec)()) { return {.form = Form::table, .table = spec}; }
ValueSpec tables(const TableSpec& (*spec)()) { return {.form = Form::tables, .table = spec}; }
ValueSpec formula(const char* variable, D dimension) {
  return {.form = Form::formula, .dimension = dimension, .variable = variable};
}

const ValueSpec text = form(Form::text), texts = form(Form::texts), flag = form(Form::flag);

KeySpec need(std::string name, std::vector<ValueSpec> values, std::string about) {
  return {std::move(name), std::move(values), "", std::move(about)};
}
KeySpec key(std::string name, std::vector<ValueSpec> values, std::string fallback, std::string about) {
  return {std::move(name), std::move(values), std::move(fallback), std::move(about)};
}

const Range positive = Range::positive(), non_negative = Range::non_negative();
const Range repeats = Range::between(0, 10000);

// ---- shapes -----------------------------------------------------------------------------------

const KeySpec kind = need("kind", {choice(shape_kinds)}, "which shape it is");
const KeySpec at =
    key("at", {number(D::length)}, "after the parts before it",
        "where the part begins along the axis; of balls, points and discs: where the centre is");
const KeySpec weight =
    key("weight", {choice({"yes", "no"})}, "yes",
        "`no` takes it out of gravity, its inertia stays; for equations that lack a weight");
const KeySpec mass = key("mass", {number(D::mass, positive)}, "by the density", "or `density`");
const KeySpec density = key("density", {number(D::density, positive)}, "by the mass", "or `mass`");

KeySpec size(const char* name, const char* about) { return need(name, {number(D::length, positive)}, about); }

const TableSpec& shape_spec();

std::vector<TableSpec> shape_variants() {
  const std::vector<std::vector<std::string>> mass_or_density = {{"mass", "density"}};
  std::vector<TableSpec> all;
  const auto add = [&](const char* name, const char* about, std::vector<KeySpec> keys,
                       std::vector<std::vector<std::string>> exactly_one = {}) {
    keys.insert(keys.begin(), kind);
    if (std::string(name) != "stepped") keys.push_back(weight);
    all.push_back({.name = name,
                   .title = std::string("shape ") + name,
                   .about = about,
                   .keys = std::move(keys),
                   .exactly_one = std::move(exactly_one)});
  };
  add("cylinder", "A solid cylinder along the axis; straight cylinder to the sand.",
      {size("length", "along the axis"), size("diameter", "across it"), mass, density, at,
       key("inertia", {choice({"solid", "slender"})}, "solid", "`slender` drops the d²/16")},
      mass_or_density);
  add("sphere", "A solid ball about its centre at `at`, which is its tip.",
      {size("diameter", "of the ball"), mass, density, at,
       key("inertia", {choice({"solid", "point"})}, "solid", "`point`: none"),
       key("immersion", {choice({"particle", "cap"})}, "particle",
           "in or out of the sand with its centre, or with its cap")},
      mass_or_density);
  add("point", "A point mass; with a diameter, a particle to the sand.",
      {need("mass", {number(D::mass, positive)}, "of the point"), at,
       key("diameter", {number(D::length, positive)}, "none", "what the sand sees of it; of a cube its side"),
       key("form", {choice({"ball", "cube"})}, "ball",
           "of that size, to the sand: V = π d³/6 and A = π d²/4, or V = d³ and A = d²; a cube has inertia, "
           "too")});
  add("block", "A cuboid; a rectangle to the sand.",
      {size("length", "along the axis"), size("width", "across it, in the plane"),
       key("thickness", {number(D::length, positive)}, "the width", "out of the plane"), mass, density, at},
      mass_or_density);
  add("polygon",
      "Straight faces from corner to corner, to the sand of `rft` and `drft`; mass, centre and inertia "
      "follow from the "
      "corners.",
      {need("corners", {pairs_of(D::length)},
            "`[[s, n], ...]`, s along the axis, n beside it, to the right while the axis points down; in "
            "either "
            "sense"),
       size("thickness", "out of the plane"), mass, density,
       key("at", {number(D::length)}, "0", "added to every s"),
       key("open", {flag}, "false",
           "`true`: thin plates from the first corner to the last, a bent beam; with `mass`")},
      mass_or_density);
  add("disc", "A disc that turns in the plane, about its centre at `at`.",
      {size("diameter", "in the plane"), size("thickness", "out of the plane"), mass, density, at},
      mass_or_density);
  add("rod_disc", "A slender rod with a disc.",
      {size("length", "of the rod"), size("diameter", "of the rod"),
       need("rod_mass", {number(D::mass, non_negative)}, "of the rod"),
       need("disc_mass", {number(D::mass, positive)}, "of the disc"), size("disc_diameter", "of the disc"),
       key("disc_thickness", {number(D::length, positive)}, "the diameter", "of the disc"),
       key("disc_at", {number(D::length)}, "the length", "where its centre is along the rod")});
  add("stepped", "Several shapes along one axis; each part by itself to the sand.",
      {need("parts", {tables(shape_spec)}, "the parts, from the start on; any kind but `stepped`")});
  add("given", "Mass properties as measured; a cylinder to the sand if both sizes are given.",
      {need("mass", {number(D::mass, positive)}, "of the body"),
       need("center", {number(D::length), pair_of(D::length)},
            "where the mass centre is along the axis; `[s, n]`: and how far beside it, to the right while "
            "the axis "
            "points down"),
       need("inertia", {number(D::inertia, non_negative)}, "about the mass centre"),
       key("length", {number(D::length, non_negative)}, "0", "along the axis"),
       key("diameter", {number(D::length, non_negative)}, "0", "across it")});
  return all;
}

const TableSpec& damping_spec() {
  static const TableSpec spec{
      .name = "rayleigh",
      .title = "damping = { … }",
      .about = "Rayleigh damping of a beam.",
      .keys = {key("mass", {number(D::angular_rate, non_negative)}, "0", "per mass"),
               key("stiffness", {number(D::time, non_negative)}, "0", "per stiffness"),
               key("ratios", {numbers(D::none, non_negative)}, "none",
                   "instead: ratios to critical of the first modes, from which the two follow (see `fit`)"),
               key("fit", {choice({"held", "by-state", "modes"})}, "held",
                   "Rayleigh damping that gives the first two modes their ratios, with the frequencies of "
                   "the beam "
                   "held at its start; `by-state`: of the hub held and of the hub free, each when it is; "
                   "`modes`: no "
                   "Rayleigh damping, a ratio for each mode")}};
  return spec;
}

TableSpec beam_spec() {
  return {
      .name = "beam",
      .title = "shape beam",
      .about =
          "A slender link that bends. Alone as the shape of a body, or the outermost part of a `stepped` "
          "one; one "
          "per body. The joint of the body is at its start or before it.",
      .keys = {kind,
               size("length", "L"),
               key("diameter", {number(D::length, positive)}, "by thickness and width", "of a round section"),
               key("thickness", {number(D::length, positive)}, "by the diameter",
                   "of a rectangular section, in the plane of motion"),
               key("width", {number(D::length, positive)}, "by the diameter",
                   "of a rectangular section, across the plane; the sand sees a round beam of this diameter"),
               mass,
               density,
               key("young", {number(D::pressure, positive)}, "by the rigidity", "E, or `rigidity`"),
               key("rigidity", {number(D::flexural_rigidity, positive)}, "by young", "E I, or `young`"),
               key("tip_mass", {number(D::mass, non_negative)}, "0", "at the end; nothing to the sand"),
               key("tip_inertia", {number(D::inertia, non_negative)}, "0",
                   "of the tip, about the end of the beam"),
               key("at", {number(D::length)}, "after the parts before it", "where it starts along the axis"),
               key("support", {choice({"free", "pinned", "clamped"})}, "by the body",
                   "`free` for free bodies only; behind rigid parts `clamped` only"),
               key("basis", {choice({"modes", "elements"})}, "modes", "analytic modes, or Hermite elements"),
               key("modes", {whole(Range::between(0, 400))}, "4 modes; of elements all",
                   "number of shapes: 1 to 50 modes, or up to two per element"),
               key("elements", {whole(Range::between(1, 200))}, "8",
                   "number of elements, for `basis = \"elements\"`"),
               key("damping",
                   {number(D::none, non_negative), numbers(D::none, non_negative), table(damping_spec)},
                   "none",
                   "of the material: a ratio to critical, a list of ratios (the last holds for the rest), or "
                   "`{ mass = …, stiffness = … }`, or `{ ratios = […] }`"),
               key("motion", {choice({"finite", "small"})}, "finite",
                   "`small`: first order in the deflection, as structural engineers have it; for a body that "
                   "is pinned "
                   "to the ground and carries no other"),
               key("gravity", {choice({"distributed", "midspan"})}, "distributed",
                   "`midspan`: at the deformed middle, as in Lee 2009"),
               weight,
               key("immersion", {choice({"deformed", "straight"})}, "deformed",
                   "`straight`: as if straight from the deformed tip on, as in Lee 2009"),
               key("stiffness", {choice({"consistent", "lee2009"})}, "consistent",
                   "`lee2009`: of a pinned beam, 643 times too soft, for `modes = 1`")},
      .exactly_one = {{"mass", "density"}, {"young", "rigidity"}}};
}

const TableSpec& shape_spec() {
  static const TableSpec spec = [] {
    TableSpec s{.name = "shape",
                .title = "shape = { … }",
                .about = "Lies along the axis of the body from s = 0 on. Its end is the body's `tip`.",
                .keys = {kind},
                .variants = shape_variants()};
    s.variants.push_back(beam_spec());
    return s;
  }();
  return spec;
}

// ---- bodies -----------------------------------------------------------------------------------

const TableSpec& stick_spec() {
  static const TableSpec spec{
      .name = "stick",
      .title = "stick = { … }",
      .about =
          "When a joint that has turned sticks, after Chapnik, Heppler & Aplevich (1991): below two "
          "thresholds at once. "
          "Without it Coulomb's law decides, exactly. For a body that is pinned to the ground and has a "
          "beam.",
      .keys = {key("rule", {choice({"threshold", "coulomb"})}, "threshold", "`coulomb` turns the rest off"),
               need("rate", {number(D::angular_rate, positive)},
                    "rate of the joint below which it may be clamped"),
               need("energy", {number(D::energy, positive)},
                    "kinetic energy of the bending below which it may be clamped"),
               key("friction", {pair_of(D::torque, positive)}, "that of the joint",
                   "static friction that holds it, `[a, b]` as of the joint")}};
  return spec;
}

const TableSpec& joint_spec() {
  const ValueSpec place = choice({"start", "center", "tip", "end"});
  static const TableSpec spec{
      .name = "joint",
      .title = "joint = { … }",
      .about =
          "What carries a body: the ground, or `to` another body. Every body hangs on one joint; what "
          "closes a loop is a `[[loop]]`. A `pin` lets it turn, a `slider` lets it move along a line and "
          "holds its angle, a "
          "`weld` holds it at an angle; a `free` body has no joint. Damping, friction and drive act on what "
          "moves "
          "in the joint: moments in a pin, forces along the line in a slider.",
      .keys = {
          key("kind", {choice(joint_kinds)}, "pin", "of the joint"),
          key("to", {text}, "the ground", "name of the body that carries this one"),
          key("at", {place, number(D::length), pair_of(D::length)}, "tip of the other body",
              "place on the other body: `start`, `center`, `tip`, a length from its start, or `[s, n]` "
              "beside "
              "the axis of a rigid one; on the ground: `[x, z]`, by default `[0, 0]`"),
          key("own", {place, number(D::length)}, "start",
              "the same on this body; of a slider the point that moves along the line, and is `at` it where "
              "the "
              "travel is zero"),
          key("direction", {choice(direction_words), number(D::angle)}, "needed by sliders",
              "of the line of a slider. On the ground `vertical` (travel counts downwards), `horizontal` (to "
              "the "
              "right) or an angle from the downward vertical; on a body `along` or `across` its axis, or an "
              "angle against it"),
          key("angle", {number(D::angle)}, "0",
              "of this body's axis against that of what carries it, on the ground from the downward "
              "vertical; of "
              "sliders and welds"),
          key("damping", {number(D::damping_torque, non_negative), number(D::damping_force, non_negative)},
              "0", "viscous moment per relative rate; of a slider force per speed"),
          key("friction",
              {number(D::torque, non_negative), pair_of(D::torque, non_negative),
               number(D::force, non_negative), pair_of(D::force, non_negative)},
              "0",
              "Coulomb moment, of a slider force; `[a, b]`: a against negative, b against positive relative "
              "motion"),
          key("torque", {formula("t", D::torque)}, "none",
              "moment on this body, the opposite on what carries it; may be an expression of `t`, the motion "
              "and "
              "controllers; of pins"),
          key("force", {formula("t", D::force)}, "none",
              "the same in a slider: force on this body along the line, positive towards positive travel"),
          key("inertia", {number(D::inertia, non_negative), number(D::mass, non_negative)}, "0",
              "what a gear reflects into the joint, n² J: an inertia of the motion in it alone; in a slider "
              "a "
              "mass"),
          key("stick", {table(stick_spec)}, "by Coulomb's law", "another rule for when it sticks")}};
  return spec;
}

const TableSpec& body_spec() {
  static const TableSpec spec{
      .name = "body",
      .title = "[[body]]",
      .about = "A rigid or elastic body. At least one is needed.",
      .keys = {
          need("name", {text}, "letters, digits, `_`, `-`; may hold `{...}` when repeated"),
          need("shape", {table(shape_spec)}, "mass properties and what the sand and walls see"),
          need("joint", {choice(joint_kinds), table(joint_spec)},
               "`\"free\"`: three freedoms; `\"pin\"`: pinned to the ground at (0, 0); `\"weld\"`: fixed "
               "there, pointing down; or a table"),
          key("joint_inertia", {number(D::inertia, non_negative), number(D::mass, non_negative)}, "0",
              "`inertia` of the joint, where that is written as a word"),
          key("repeat", {whole(repeats)}, "one body",
              "makes that many, with `i` = 1, 2, … in all expressions and `{...}` of the entry")}};
  return spec;
}

// ---- what they meet ---------------------------------------------------------------------------

std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const LawEntry* e : law_table()) names.push_back(e->card.name);
  return names;
}

std::vector<std::string> media_names() {
  std::vector<std::string> names;
  for (const Medium& m : media()) names.emplace_back(m.name);
  return names;
}

// The coefficients of all laws, registered ones too. Laws may mean different things by the same key.
const std::vector<KeySpec>& coefficient_keys() {
  thread_local std::vector<KeySpec> keys;
  thread_local std::vector<const LawEntry*> made_for;
  const std::vector<const LawEntry*> laws = law_table();
  if (made_for == laws) return keys;
  keys.clear();
  for (const LawEntry* e : laws)
    for (const Coefficient& c : e->card.coefficients) {
      const Quantity how = quantity_of(c);
      const ValueSpec value = number(how.dimension, how.range);
      const auto found =
          std::find_if(keys.begin(), keys.end(), [&](const KeySpec& k) { return k.name == c.key; });
      if (found == keys.end()) {
        keys.push_back(key(c.key, {value}, "that of the medium or law", c.about + " (" + e->card.name + ")"));
        continue;
      }
      const auto same = [&](const ValueSpec& v) {
        return v.dimension == value.dimension && v.range == value.range;
      };
      if (std::none_of(found->values.begin(), found->values.end(), same)) found->values.push_back(value);
      if (found->about.starts_with(c.about))
        found->about.insert(found->about.size() - 1, ", " + e->card.name);
      else
        found->about += "; " + c.about + " (" + e->card.name + ")";
    }
  made_for = laws;
  return keys;
}

std::vector<KeySpec> law_keys(bool is_default);

const TableSpec& layer_spec() {
  static const TableSpec spec{
      .name = "layer",
      .title = "[[bed.layer]]",
      .about =
          "Another medium of a bed, from a depth on; layers stand downwards. What it does not say is as in "
          "the layer above. "
          "Coefficients may follow the medium or the law. Only of laws that act along the body: rft and "
          "drft, or "
          "lee-spread throughout. The depth in its law counts from the surface of the bed: two layers of the "
          "same medium are one.",
      .keys = {need("depth", {number(D::length, positive)},
                    "where it begins, below the surface and along the normal of the bed"),
               key("medium", {choice(media_names)}, "as above", "a law with its coefficients"),
               key("law", {choice(law_names)}, "as above", "instead of a medium")},
      .more = coefficient_keys,
      .at_most_one = {{"medium", "law"}}};
  return spec;
}

const TableSpec& box_contact_spec() {
  static const TableSpec spec = [] {
    return TableSpec{.name = "bed_contact",
                     .title = "[bed.contact]",
                     .about = "How what strikes the bottom and the sides of a bed is met, as in `[[wall]]`.",
                     .keys = law_keys(false)};
  }();
  return spec;
}

const TableSpec& bed_spec() {
  static const TableSpec spec{
      .name = "bed",
      .title = "[[bed]]",
      .about =
          "A bed of granular matter, endless to both sides. One `[bed]`, or several `[[bed]]`. The "
          "coefficients of "
          "its law may follow the medium or the law.",
      .keys = {key("name", {text}, "`bed`, `bed2`, …", "for messages and observables"),
               key("medium", {choice(media_names)}, "play-sand", "a law with its coefficients"),
               key("law", {choice(law_names)}, "that of the medium", "instead of a medium"),
               key("surface", {number(D::length)}, "0", "z of the surface at x = 0"),
               key("slope", {number(D::angle, Range::between(-1.5, 1.5))}, "0", "fall towards +x"),
               key("depth", {number(D::length, positive)}, "endless",
                   "thickness of the layer, along its normal"),
               key("at_bottom", {choice({"stop", "report", "wall"})}, "stop",
                   "`report`: an event, and on through; `wall`: a rigid wall `NAME_bottom` that the bodies "
                   "of the "
                   "bed strike"),
               key("bottom_rise", {number(D::none, non_negative)}, "0",
                   "c: near the bottom, at the depth H, the static resistance is 1 + c ((z - H + r)/r)² "
                   "times as large "
                   "(not calibrated)"),
               key("bottom_range", {number(D::length, positive)}, "half the depth",
                   "r: how far above the bottom that begins"),
               key("walls", {pair_of(D::length)}, "none",
                   "where its sides are along its surface, left and right: rigid walls `NAME_left` and "
                   "`NAME_right` that the bodies of the bed strike"),
               key("contact", {table(box_contact_spec)}, "as in [contact]",
                   "how its bottom and sides are struck"),
               key("layer", {tables(layer_spec)}, "none", "other media below the first"),
               key("area", {choice({"side", "side-or-end", "silhouette", "floor", "full"})}, "silhouette",
                   "frontal area of cylinders"),
               key("rotation", {choice({"none", "whole"})}, "whole", "moment on wholly immersed parts"),
               key("sphere_horizontal", {choice({"d2_z", "d_z2"})}, "d2_z",
                   "law `lee2009`, round parts: d² z or d z²"),
               key("bodies", {texts}, "all", "names of the bodies that feel it"),
               key("adds", {flag}, "false",
                   "`true`: bodies that feel an earlier bed, too, feel both where both are")},
      .more = coefficient_keys,
      .at_most_one = {{"medium", "law"}}};
  return spec;
}

std::vector<KeySpec> law_keys(bool is_default) {
  const auto or_default = [&](const char* value) { return is_default ? value : "as in [contact]"; };
  return {
      key("model", {choice({"rigid", "hertz"})}, or_default("rigid"),
          "`hertz`: compliant, with a force during the contact"),
      key("law", {choice({"newton", "poisson", "stronge"})}, or_default("stronge"),
          "of restitution; where several contacts strike at once, `stronge` lets them take turns, the "
          "others act together"),
      key("restitution", {number(D::none, Range::fraction()), formula("v", D::none)}, or_default("0"),
          "e; or an expression of the speed of approach `v` [m/s], such as `\"=min(1, 0.9*v^-0.1)\"`"),
      key("friction", {number(D::none, non_negative)}, or_default("0"), "μ"),
      key("painleve", {choice({"lift", "slide", "jam", "stop"})}, or_default("lift"),
          "what a rigid contact does where sliding has two answers (Painlevé): opens, slides on, jams, or "
          "ends "
          "the run; where it has none, all but `stop` jam: an impact without collision"),
      key("exponent", {number(D::none, Range::between(1, 10))}, or_default("1.5"), "n of F = k δⁿ (1 + d δ̇)"),
      key("stiffness", {number(D::none, positive), number(D::stiffness, positive)},
          is_default ? "none; required for hertz" : "as in [contact]",
          "k [N/mⁿ]: a plain number, with a unit only for `exponent = 1`"),
      key("damping", {number(D::none, non_negative)}, or_default("0"), "d (Hunt & Crossley) [s/m]"),
      key("correlation", {number(D::none, Range{0, 1, false, true})}, or_default("0"),
          "α of impacts at several contacts at once: the impulse here, per impulse of its neighbour, while "
          "another contact leads")};
}

const TableSpec& contact_spec() {
  static const TableSpec spec = [] {
    TableSpec s{
        .name = "contact",
        .title = "[contact]",
        .about =
            "What holds for all walls and pairs. Each of these keys but `leader` may also stand in a "
            "`[[wall]]` or `[[pair]]`, and goes before this one there. Keys of the other model are read "
            "and not used.",
        .keys = law_keys(true)};
    s.keys.push_back(key("leader", {choice({"fastest", "first"})}, "fastest",
                         "which contact leads an impact of several: that of the fastest approach, or the "
                         "first in the file of those that approach (walls stand before pairs)"));
    return s;
  }();
  return spec;
}

TableSpec with_law(TableSpec spec) {
  for (KeySpec& k : law_keys(false)) spec.keys.push_back(std::move(k));
  spec.at_most_one = {{"bodies", "touches"}};
  return spec;
}

const TableSpec& wall_spec() {
  static const TableSpec spec = with_law(
      {.name = "wall",
       .title = "[[wall]]",
       .about = "A rigid rough plane. What can touch it follows from the shapes of the bodies.",
       .keys = {
           key("name", {text}, "`wall`, `wall2`, …", "letters, digits, `_`, `-`"),
           key("at", {pair_of(D::length)}, "`[0, 0]`", "a point of its surface"),
           key("slope", {number(D::angle, Range::between(-pi - 1e-9, pi + 1e-9))}, "0",
               "fall towards +x. 0: a floor; `\"90 deg\"`: the wall is on the left, `\"-90 deg\"`: on "
               "the right; "
               "`\"180 deg\"`: a ceiling"),
           key("on", {text}, "none",
               "a rigid body that carries it: `at` and `slope` are then as if the body hung straight down "
               "from "
               "its start at `[0, 0]`. What is welded to that body cannot touch it"),
           key("motion", {formula("t", D::length)}, "none",
               "how far it has moved along its normal, out of the wall: an expression of `t`. The wall is "
               "then a "
               "body too, with `travel`, `force` and so on"),
           key("slide", {formula("t", D::length)}, "none",
               "instead: how far its surface has moved along itself, a belt"),
           key("mass", {number(D::mass, Range::positive())}, "1",
               "of a wall with motion or slide: what is moved with it. It has no weight"),
           key("bodies", {texts}, "all", "names of the bodies that can touch it"),
           key("touches", {texts}, "by the bodies", "instead of bodies: names of features or points"),
           key("repeat", {whole(repeats)}, "one wall", "makes that many, with `i` as in `[[body]]`")}});
  return spec;
}

const TableSpec& pair_spec() {
  static const TableSpec spec = with_law(
      {.name = "pair",
       .title = "[[pair]]",
       .about = "Bodies that can touch each other. Give `bodies` or `touches`.",
       .keys = {key("bodies", {texts}, "by touches",
                    "two bodies, or more: every ball and disc of one against every one of the others"),
                key("touches", {texts}, "by bodies",
                    "instead: two features. One of them must be a circle; the other may be a point"),
                key("repeat", {whole(repeats)}, "one pair", "makes that many, with `i` as in `[[body]]`")}});
  return spec;
}

const TableSpec& air_spec() {
  static const TableSpec spec{
      .name = "air",
      .title = "[air]",
      .about = "Drag of the air on the mass centres.",
      .keys = {need("drag_coefficient", {number(D::none, non_negative)}, "C_d"),
               key("density", {number(D::density, non_negative)}, "1.2045", "of the air"),
               key("wind", {formula("t", D::speed)}, "none", "to the right; may be an expression of `t`"),
               key("bodies", {texts}, "all", "names of the bodies that feel it")}};
  return spec;
}

// ---- names, start, stop -----------------------------------------------------------------------

const TableSpec& parameter_spec() {
  static const TableSpec spec{
      .name = "parameter",
      .title = "parameter = { … }",
      .about = "A knob.",
      .keys = {need("value", {number(D::any), form(Form::choice)},
                    "default value: a number, a quantity, an expression of earlier parameters, or one of the "
                    "`choices`"),
               key("unit", {text}, "that of the value",
                   "for showing, and for bare numbers in this entry; `--set` still takes bare numbers as SI"),
               key("range", {pair_of(D::any)}, "none",
                   "lowest and highest; checked for the default and for `--set`"),
               key("integer", {flag}, "false", "whole numbers only"),
               key("choices", {texts}, "none",
                   "makes it a text, used as `$name`; then no `unit`, `range`, `integer`"),
               key("about", {text}, "empty", "shown by `thud check` and in reports")}};
  return spec;
}

const TableSpec& parameters_spec() {
  static const TableSpec spec{.name = "parameters",
                              .title = "[parameters]",
                              .about =
                                  "Knobs that `--set` can turn. In file order; later ones may use earlier "
                                  "ones. Names are letters, digits "
                                  "and underscores; names of functions, `pi` and `t` are taken.",
                              .keys = {},
                              .each = key("NAME", {number(D::any), table(parameter_spec)}, "–",
                                          "a value, short for `{ value = … }`, or a table")};
  return spec;
}

const TableSpec& define_spec() {
  static const TableSpec spec{.name = "define",
                              .title = "[define]",
                              .about =
                                  "Constants derived from parameters and from each other, in file order. "
                                  "They cannot be set from outside.",
                              .keys = {},
                              .each = key("NAME", {number(D::any)}, "–", "a number or an expression")};
  return spec;
}

// ---- drives -------------------------------------------------------------------------------------

const TableSpec& servo_spec() {
  static const TableSpec spec{
      .name = "servo",
      .title = "[[servo]]",
      .about =
          "Drives a joint towards a target: moment = kp (target - angle) - kd rate, at most `max` either "
          "way; in a slider a "
          "force along its line. Angle and rate are those in the joint.",
      .keys = {
          key("name", {text}, "servo and its number",
              "`NAME.torque`, in a slider `NAME.force`, is what it does"),
          need("joint", {text}, "the body whose joint it drives"),
          need("target",
               {formula("t", D::angle), formula("t", D::length), number(D::angle), number(D::length)},
               "angle in the joint, or travel; an expression may follow `t`, the motion and controllers"),
          need("kp", {number(D::rotational_stiffness, non_negative), number(D::stiffness, non_negative)},
               "moment per angle, or force per travel"),
          key("kd", {number(D::damping_torque, non_negative), number(D::damping_force, non_negative)}, "0",
              "moment per rate, or force per speed"),
          key("max", {number(D::torque, positive), number(D::force, positive)}, "none",
              "what it can do at most"),
          key("repeat", {whole(repeats)}, "once", "how many of them; `i` counts from 1")}};
  return spec;
}

const TableSpec& motor_spec() {
  static const TableSpec spec{
      .name = "motor",
      .title = "[[motor]]",
      .about = "A motor with its line: moment = n k (V - k n rate)/R in the joint, at most `max` either way.",
      .keys = {key("name", {text}, "motor and its number", "`NAME.torque` is what it does"),
               need("joint", {text}, "the body whose pin it drives"),
               need("voltage", {formula("t", D::none)},
                    "V [V]; an expression may follow `t`, the motion and controllers"),
               need("torque_constant", {number(D::none, positive)}, "k [N m/A], also [V s/rad]"),
               need("resistance", {number(D::none, positive)}, "R [ohm]"),
               key("gear", {number(D::none, positive)}, "1", "n, turns of the motor per turn of the joint"),
               key("max", {number(D::torque, positive)}, "none", "what it can do at most, in the joint"),
               key("repeat", {whole(repeats)}, "once", "how many of them; `i` counts from 1")}};
  return spec;
}

const TableSpec& way_spec() {
  static const TableSpec spec{
      .name = "way",
      .title = "go = [{ … }]",
      .about = "A way out of a state. Of several the first that opens is taken.",
      .keys = {need("to", {text}, "the next state"),
               key("when", {text}, "none",
                   "a condition such as `\"foot.depth rises through 0\"`, or `\"foot.depth is above 0\"`, "
                   "which also holds "
                   "where it is so already; any observable"),
               key("after", {number(D::time, non_negative)}, "none", "time in the state")}};
  return spec;
}

const TableSpec& outputs_spec() {
  static const TableSpec spec{.name = "outputs",
                              .title = "out = { … }",
                              .about = "What a controller puts out in a state.",
                              .keys = {},
                              .each = key("NAME", {formula("t", D::any), number(D::any)}, "–",
                                          "a number in SI units, or an expression")};
  return spec;
}

const TableSpec& state_spec() {
  static const TableSpec spec{
      .name = "state",
      .title = "[[controller.state]]",
      .about = "A state of a controller.",
      .keys = {need("name", {text}, "`CONTROLLER.NAME` is 1 in it, else 0"),
               key("out", {table(outputs_spec)}, "all zero",
                   "what it puts out; not mentioned: 0. Expressions may follow `t`, the motion, controllers "
                   "that stand "
                   "before it and `CONTROLLER.time`; of a sampled controller all observables"),
               key("off", {texts}, "none",
                   "contacts that nothing touches in meanwhile, `[\"foot@ground\"]`: a foot that may swing "
                   "through the "
                   "ground"),
               key("go", {tables(way_spec)}, "none", "ways to other states")}};
  return spec;
}

const TableSpec& controller_spec() {
  static const TableSpec spec{
      .name = "controller",
      .title = "[[controller]]",
      .about =
          "A machine of states, whose outputs torques, forces and targets of servos name: `torque = "
          "\"=hop.knee\"`. Changes "
          "of state are located and logged. With a `rate` it is sampled: it looks at the motion at each tick "
          "only, "
          "and holds its outputs in between.",
      .keys = {
          need("name", {text},
               "`NAME.OUTPUT`, `NAME.state` (its number) and `NAME.time` (since it came into it)"),
          key("start", {text}, "the first", "state at the start"),
          key("rate", {number(D::frequency, positive)}, "not sampled",
              "of its ticks; the first is at the start"),
          key("delay", {number(D::time, non_negative)}, "0", "from a tick to when its outputs act"),
          key("outputs", {texts}, "those of its states",
              "names of its outputs; needed where a function in C++ or Python takes the place of states"),
          key("state", {tables(state_spec)}, "none", "its states")}};
  return spec;
}

const TableSpec& point_spec() {
  static const TableSpec spec{.name = "point",
                              .title = "point = { … }",
                              .about = "A named point of a body.",
                              .keys = {need("body", {text}, "name of the body"),
                                       need("s", {number(D::length)}, "along the axis, from the start"),
                                       key("n", {number(D::length)}, "0", "across it"),
                                       key("radius", {number(D::length, non_negative)}, "0",
                                           "a circle to `touches` of walls and pairs")}};
  return spec;
}

const TableSpec& points_spec() {
  static const TableSpec spec{.name = "points",
                              .title = "[points]",
                              .about =
                                  "Named points of bodies, beside `start`, `tip` and the mass centre that "
                                  "every body has, and `root`, where "
                                  "a beam starts behind rigid parts.",
                              .keys = {},
                              .each = key("NAME", {table(point_spec)}, "–",
                                          "a point; then `NAME.x`, `NAME.vz`, `NAME.depth`, … exist")};
  return spec;
}

const TableSpec& initial_spec() {
  static const TableSpec spec{
      .name = "initial",
      .title = "[initial]",
      .about =
          "Any quantities that fix the pose and the motion at t = 0: angles, rates, travels, positions "
          "(`.x`, `.z`), "
          "velocities (`.vx`, `.vz`) and depths, of bodies or points; amplitudes of the shapes of a beam and "
          "their "
          "rates (`.mode1`, `.mode1.rate`). What is not mentioned is zero where it is free to be.",
      .keys = {key("repeat", {whole(repeats)}, "0", "entries with `{...}` are made for `i` = 1 … repeat")},
      .each = key("\"QUANTITY\"", {number(D::any)}, "–", "its value at the start; quote the name")};
  return spec;
}

const TableSpec& guess_spec() {
  static const TableSpec spec{
      .name = "guess",
      .title = "[guess]",
      .about =
          "Angles, travels and positions that the start is near to: where loops close in several ways, the "
          "nearest is taken.",
      .keys = {key("repeat", {whole(repeats)}, "0", "entries with `{...}` are made for `i` = 1 … repeat")},
      .each = key("\"QUANTITY\"", {number(D::any)}, "–", "roughly its value at the start; quote the name")};
  return spec;
}

const TableSpec& hertz_spec() {
  static const TableSpec spec{
      .name = "hertz",
      .title = "hertz = { … }",
      .about =
          "Shapes and materials at the contact, as in Goldsmith's Impact: k₂ = 4/3 q_k/((δ₁ + δ₂) √(A + B)).",
      .keys = {need("qk", {number(D::none, positive)}, "q_k"),
               need("A", {number(D::none, positive)}, "A [1/m]"),
               need("B", {number(D::none, positive)}, "B [1/m]"),
               need("delta1", {number(D::none, positive)}, "δ₁ [1/Pa]"),
               need("delta2", {number(D::none, positive)}, "δ₂ [1/Pa]")}};
  return spec;
}

const TableSpec& strike_spec() {
  static const TableSpec spec{
      .name = "strike",
      .title = "[strike]",
      .about =
          "A ball strikes the tip of a beam that is clamped to a hub. Sets the velocity of the ball, and "
          "what the beam "
          "does when the ball has parted; gives the constants `strike.contact_time`, `strike.restitution`, "
          "`strike.impulse`, `strike.C1` …, the energies of the modes `strike.energy1` … with their parts "
          "`strike.bending1`, `strike.moving1`, `strike.moving_tip1` …, their sum `strike.energy` and the "
          "ratio "
          "R `strike.ratio`, and the observable `strike.rebound`.",
      .keys = {need("body", {text}, "the body with the beam"),
               need("ball", {text}, "the free body that strikes it"),
               key("route", {choice({"direct", "impulse", "paper"})}, "direct",
                   "`direct`: a `[[pair]]` with `model = \"hertz\"` does it all; `impulse`: that of the "
                   "contact, at "
                   "once; `paper`: the initial conditions of Chapnik et al., eqs 17–33"),
               need("speed", {number(D::speed)}, "of the ball, along positive deflection"),
               key("stiffness", {number(D::none, positive)}, "by hertz",
                   "k₂ of F = k₂ δ^1.5 [N/m^1.5], or `hertz`"),
               key("hertz", {table(hertz_spec)}, "by stiffness", "shapes and materials"),
               key("damping", {numbers(D::none, Range::between(0, 0.999))}, "0 for three modes",
                   "ratios of the modes that take part, for `paper`; one to three"),
               key("contact_time", {number(D::time, positive)}, "by eq 24", "T_MH, for `paper`"),
               key("modes", {choice({"published", "length", "tip-mass"})}, "published",
                   "normalisation of the modes, for `paper`: what its table implies, its eq 18, or with the "
                   "tip mass")},
      .exactly_one = {{"stiffness", "hertz"}}};
  return spec;
}

const TableSpec& stop_spec() {
  static const TableSpec spec{
      .name = "stop",
      .title = "[stop]",
      .about =
          "A run always ends at rest as well. It counts as done if it met a condition of `when`, came to "
          "rest where "
          "nothing else was asked for, or reached `time` where `time` stands alone.",
      .keys = {
          key("when", {texts}, "rest",
              "a condition, `\"rest\"`, `\"results\"` (all results found that are of an instant), or a list: "
              "whichever comes first"),
          key("time", {number(D::time, positive)}, "10 s", "longest time to simulate")}};
  return spec;
}

const TableSpec& results_spec() {
  static const TableSpec spec{.name = "results",
                              .title = "[results]",
                              .about = "Named numbers, in file order.",
                              .keys = {},
                              .each = key("NAME", {text}, "–", "a rule, see below")};
  return spec;
}

std::vector<std::string> methods() { return method_names(); }

const TableSpec& solver_spec() {
  static const TableSpec spec{
      .name = "solver",
      .title = "[solver]",
      .about = "The options of `thud run` go before these.",
      .keys = {
          key("method", {choice(methods)}, "auto",
              "`auto` is `dop853`, `radau5` for stiff beams, or `dopri5` at loose tolerances; `rk4` and "
              "`euler` have a fixed "
              "step; `radau5` is "
              "implicit, for stiff beams; `newmark` and `generalised-alpha` are implicit with a fixed step; "
              "`exact` has no error where the motion is linear and is `dop853` elsewhere"),
          key("tolerance", {number(D::none, Range::between(1e-14, 1e-2))}, "1e-9", "relative"),
          key("step", {number(D::time, positive)}, "by the method",
              "of methods with a fixed step: 1 µs of `rk4` and `euler`, a hundredth of the longest period of "
              "bending of `newmark` and `generalised-alpha`, or 0.1 ms without beams"),
          key("beta", {number(D::none, Range::between(0, 1))}, "0.25", "β of `newmark`"),
          key("gamma", {number(D::none, Range::between(0.5, 2))}, "0.5",
              "γ of `newmark`; below 0.5 it would gain energy"),
          key("spectral_radius", {number(D::none, Range::between(0, 1))}, "0.9",
              "of `generalised-alpha` at infinite frequency; 1 damps nothing"),
          key("max_step", {number(D::time, positive)}, "none", "longest step")}};
  return spec;
}

const TableSpec& output_spec() {
  static const TableSpec spec{
      .name = "output",
      .title = "[output]",
      .about = "What to show.",
      .keys = {
          key("plot", {texts}, "none", "quantities to plot in the terminal and in figures"),
          key("sample", {number(D::time, positive)}, "automatic", "time between rows of `trajectory.csv`")}};
  return spec;
}

const TableSpec& attached_spec() {
  static const TableSpec spec{
      .name = "attached",
      .title = "[[attached]]",
      .about =
          "A file that the scenario carries itself: an included part, or a table. Texts that stand in no "
          "folder, as in the playground and in programs, can name these only.",
      .keys = {need("name", {text}, "as `include` and `interp` name it"),
               need("text", {text}, "what is in it")}};
  return spec;
}

const TableSpec& replace_spec() {
  static const TableSpec spec{.name = "replace",
                              .title = "[replace]",
                              .about = "Other values for parameters of included files.",
                              .keys = {},
                              .each = key("NAME", {number(D::any)}, "–", "a value, as under `[parameters]`")};
  return spec;
}

}  // namespace

const TableSpec& scenario_spec() {
  static const TableSpec spec{
      .name = "scenario",
      .title = "the file",
      .about = "The keys that are no tables stand before the first table.",
      .keys = {key("title", {text}, "name of the file", "one line"),
               key("about", {text}, "empty", "a sentence or two"),
               key("include", {texts}, "none", "files with parts of the scenario, relative to this one"),
               key("gravity", {number(D::acceleration), pair_of(D::acceleration)}, "9.81 m/s2",
                   "downwards; or `[gx, gz]`"),
               key("parameters", {table(parameters_spec)}, "none", "knobs"),
               key("define", {table(define_spec)}, "none", "derived constants"),
               key("replace", {table(replace_spec)}, "none", "values for parameters of included files"),
               key("attached", {tables(attached_spec)}, "none", "files that the scenario carries itself"),
               need("body", {tables(body_spec)}, "the bodies"),
               key("bed", {tables(bed_spec)}, "none", "sand"),
               key("contact", {table(contact_spec)}, "none", "what holds for all walls and pairs"),
               key("wall", {tables(wall_spec)}, "none", "rigid planes"),
               key("pair", {tables(pair_spec)}, "none", "bodies that strike each other"),
               key("air", {table(air_spec)}, "none", "drag of the air"),
               key("points", {table(points_spec)}, "none", "named points"),
               key("servo", {tables(servo_spec)}, "none", "drives with a target"),
               key("motor", {tables(motor_spec)}, "none", "drives with a motor line"),
               key("controller", {tables(controller_spec)}, "none", "machines of states that drive"),
               key("initial", {table(initial_spec)}, "zero", "pose and motion at the start"),
               key("guess", {table(guess_spec)}, "none", "which way loops close"),
               key("strike", {table(strike_spec)}, "none", "a ball against the tip of an arm"),
               key("stop", {table(stop_spec)}, "at rest", "when to stop"),
               key("results", {table(results_spec)}, "none", "named numbers"),
               key("solver", {table(solver_spec)}, "as below", "method and tolerance"),
               key("output", {table(output_spec)}, "as below", "plots and samples")}};
  static const TableSpec all = [] {
    TableSpec out = spec;
    const auto after =
        std::find_if(out.keys.begin(), out.keys.end(), [](const KeySpec& k) { return k.name == "points"; });
    const std::vector<KeySpec> elements = element_keys();
    out.keys.insert(after, elements.begin(), elements.end());
    return out;
  }();
  return all;
}

}  // namespace thud::doc
