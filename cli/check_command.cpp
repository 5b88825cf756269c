#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "documents.hpp"
#include "study_text.hpp"
#include "thud/math/portable.hpp"
#include "thud/report/summary.hpp"
#include "thud/scenario/catalogue.hpp"

namespace thud::cli {

namespace {

struct CheckArguments {
  std::string file;
  std::vector<std::string> set;
  bool json = false, ascii = false;
};

class Description {
 public:
  Description(const Scenario& s, const TextStyle& style) : s_(s), style_(style) {}

  std::string make() {
    out_ = style_.paint("bold", s_.title) + "\n";
    out_ += style_.paint("dim", s_.file) + "\n";
    if (!s_.about.empty()) out_ += wrap(s_.about, 0, 80);
    add_bodies();
    add_controllers();
    add_beds();
    add_walls();
    add_contacts();
    add_knobs();
    add_start();
    add_results();
    add_stop();
    return std::move(out_);
  }

 private:
  void head(const std::string& text) { out_ += "\n" + style_.paint("bold", text) + "\n"; }
  std::string quantity(double x, const char* unit, int digits = 4) const {
    return show_quantity(x, unit, style_, digits);
  }

  std::string joint_of(int i) const {
    const Body& b = s_.system->tree().body(i);
    if (b.free) return "free";
    const JointKind kind = s_.system->tree().joint_kind(i);
    const bool slides = kind == JointKind::slider;
    const JointForces& j = s_.system->joint(i);
    std::string out = slides ? "slides on " : kind == JointKind::weld ? "welded to " : "pinned to ";
    out += b.parent < 0
             ? fmt::format("the ground at ({}, {}) m", show_number(b.anchor.x), show_number(b.anchor.z))
             : s_.system->tree().body(b.parent).name;
    if (slides) out += ", direction " + quantity(b.joint.direction, "rad");
    if (kind != JointKind::pin && b.joint.angle != 0)
      out += ", at an angle of " + quantity(b.joint.angle, "rad");
    if (j.has_friction())
      out +=
          ", friction " + quantity(std::max(j.friction_positive, j.friction_negative), slides ? "N" : "N m");
    if (j.damping > 0)
      out += fmt::format(", damping {} {}", show_number(j.damping), slides ? "N s/m" : "N m s");
    if (j.torque) out += slides ? ", force" : ", torque";
    for (const JointTorque& drive : s_.system->of<JointTorque>()) {
      if (drive.body != i || !drive.torque.drive) continue;
      out += drive.label.empty() ? ", driven by \"" + drive.torque.drive->text + "\""
                                 : ", driven by " + drive.label;
    }
    return out;
  }

  void add_bodies() {
    const Tree& tree = s_.system->tree();
    head(fmt::format("Bodies ({}), {} degree{} of freedom", tree.body_count(), tree.dof_count(),
                     tree.dof_count() == 1 ? "" : "s"));
    std::size_t name = 0;
    for (const Body& b : tree.bodies()) name = std::max(name, b.name.size());
    constexpr int most = 20;
    for (int i = 0; i < std::min(most, tree.body_count()); ++i)
      out_ += hang(fmt::format("  {}  {}  ", pad_right(tree.body(i).name, name),
                               pad_left(quantity(tree.body(i).mass, "kg"), 9)),
                   joint_of(i), style_);
    if (tree.body_count() > most) out_ += fmt::format("  and {} more\n", tree.body_count() - most);
  }

  void add_beds() {
    const System& system = *s_.system;
    if (system.beds().empty()) return;
    head(fmt::format("Beds ({})", system.beds().size()));
    for (const Bed& bed : system.beds()) {
      const LawCard& law = law_card(bed.law);
      const double slope = portable::atan2(bed.plane.tangent.z, bed.plane.tangent.x);
      std::string text =
          fmt::format("{}: {}, surface at z = {}", bed.name, law.name, quantity(bed.plane.point.z, "m"));
      if (slope != 0) text += ", slope " + quantity(slope, "rad");
      if (bed.bottom > 0) text += fmt::format(", {} deep", quantity(bed.bottom, "m"));
      out_ += wrap(text, 2, 80);
      std::string numbers;
      for (const Coefficient& c : law.coefficients)
        numbers += fmt::format("{}{} {}{}{}", numbers.empty() ? "" : ", ", c.key, show_number(c.get(bed.law)),
                               c.unit.empty() ? "" : " ", style_.unit(c.unit));
      out_ += style_.paint("dim", wrap(numbers, 4, 80));
    }
  }

  void add_controllers() {
    const std::vector<Controller>& all = s_.system->of<Controller>();
    if (all.empty()) return;
    head(fmt::format("Controllers ({})", all.size()));
    for (const Controller& c : all) {
      std::string text = c.label + ":";
      for (const Controller::State& state : c.states)
        if (!state.name.empty()) text += (text.back() == ':' ? " " : ", ") + state.name;
      if (c.states.front().name.empty()) text += " a function of a program";
      for (const std::string& output : c.outputs)
        text += (&output == c.outputs.data() ? "; puts out " : ", ") + output;
      for (const ControlSampling& sampling : s_.options.control->sampled)
        if (sampling.controller == c.index) text += "; every " + quantity(sampling.period, "s");
      out_ += wrap(text, 2, 80);
    }
  }

  void add_walls() {
    const System& system = *s_.system;
    if (system.walls().empty()) return;
    head(fmt::format("Walls ({})", system.walls().size()));
    for (const Wall& wall : system.walls()) {
      const double slope = portable::atan2(wall.plane.tangent.z, wall.plane.tangent.x);
      std::string text = fmt::format("{}: through ({}, {}) m", wall.name, show_number(wall.plane.point.x),
                                     show_number(wall.plane.point.z));
      if (slope != 0) text += ", slope " + quantity(slope, "rad");
      out_ += wrap(text, 2, 80);
    }
  }

  // Of stops in joints, ropes and struts: what they allow.
  std::string limit_of(const Contact& c) const {
    const ContactLaw& law = c.law;
    const char* unit = c.turns ? "rad" : "m";
    std::string out = fmt::format("{} {} {}", c.sense > 0 ? "least" : "greatest",
                                  c.wall == facing::stop ? (c.turns ? "angle" : "travel") : "distance",
                                  quantity(c.limit, unit));
    if (!law.compliant) return out + fmt::format(", restitution {}", show_number(law.restitution));
    out += fmt::format(", soft: stiffness {}", quantity(law.stiffness, c.turns ? "N m/rad" : "N/m"));
    return law.damping > 0
             ? out + fmt::format(", damping {}", quantity(law.damping, c.turns ? "N m s/rad" : "N s/m"))
             : out;
  }

  std::string law_of(const ContactLaw& law) const {
    std::string out;
    if (law.compliant) {
      out = fmt::format("hertz, stiffness {} N/m^{}", show_number(law.stiffness), show_number(law.exponent));
      if (law.damping > 0) out += fmt::format(", damping {} s/m", show_number(law.damping));
    } else {
      out = fmt::format("{}, restitution {}", law.impulse ? "own" : restitution_law_name(law.law),
                        law.restitution_at
                            ? fmt::format("of the speed, {} at 1 m/s", show_number(law.restitution_at(1)))
                            : show_number(law.restitution));
    }
    return out + fmt::format(", friction {}", show_number(law.friction));
  }

  void add_contacts() {
    const System& system = *s_.system;
    if (system.contacts().empty()) return;
    head(fmt::format("Contacts ({})", system.contacts().size()));
    std::size_t name = 0;
    constexpr std::size_t most = 20;
    const std::size_t shown = std::min(most, system.contacts().size());
    for (std::size_t k = 0; k < shown; ++k) name = std::max(name, text_width(system.contacts()[k].name));
    for (std::size_t k = 0; k < shown; ++k)
      out_ += hang(fmt::format("  {}  ", pad_right(system.contacts()[k].name, name)),
                   system.contacts()[k].wall < facing::feature ? limit_of(system.contacts()[k])
                                                               : law_of(system.contacts()[k].law),
                   style_);
    if (system.contacts().size() > most)
      out_ += fmt::format("  and {} more\n", system.contacts().size() - most);
    if (system.contacts().size() > 1 && system.correlation() > 0)
      out_ += fmt::format("  correlation of impacts at several contacts: {}\n",
                          show_number(system.correlation()));
    if (system.contacts().size() > 1 && system.leader() == LeaderRule::first)
      out_ += "  of several contacts that approach the first listed here leads\n";
  }

  void add_knobs() {
    if (s_.knobs.empty()) return;
    head("Knobs (--set NAME=VALUE)");
    out_ += list_knobs(s_, 2, style_);
  }

  void add_start() {
    const Tree& tree = s_.system->tree();
    if (tree.dof_count() > 12) return;
    head("Start");
    std::size_t name = 0;
    for (int i = 0; i < tree.dof_count(); ++i) name = std::max(name, tree.dof_name(i).size());
    for (int i = 0; i < tree.dof_count(); ++i) {
      const bool angle = tree.is_angle(i);
      out_ += fmt::format("  {}  {}  {} {}\n", pad_right(tree.dof_name(i), name),
                          pad_left(quantity(s_.q[i], angle ? "rad" : "m", 6), 12),
                          pad_left(show_number(s_.v[i]), 10), angle ? "rad/s" : "m/s");
    }
  }

  void add_results() {
    if (s_.results.empty()) return;
    head("Results");
    std::size_t name = 0;
    for (const ResultSpec& r : s_.results) name = std::max(name, text_width(r.name));
    for (const ResultSpec& r : s_.results) {
      const std::string unit = r.unit.empty() ? "" : " [" + style_.unit(r.unit) + "]";
      out_ += fmt::format("  {}  {}{}\n", pad_right(r.name, name), r.rule, unit);
    }
  }

  void add_stop() {
    head("Stop");
    for (std::size_t k = 0; k < s_.conditions.size(); ++k)
      if (s_.conditions[k].stops) out_ += fmt::format("  {}\n", s_.condition_text[k]);
    if (s_.options.stop_when_all_found) out_ += "  when all results are found\n";
    out_ += fmt::format("  at rest, or after {}\n", quantity(s_.options.time_limit, "s"));
  }

  const Scenario& s_;
  const TextStyle& style_;
  std::string out_;
};

std::string check(const CheckArguments& a) {
  const KnobSettings set = read_settings(a.set);
  const TextStyle style = style_of_output(a.ascii);
  if (const std::string study = find_study_file(a.file); !study.empty())
    return a.json ? make_study_json(study, set) : make_study_text(study, set, style);
  const Scenario s = load_scenario(a.file, set);
  return a.json ? make_check_json(s) : Description(s, style).make();
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_check_command(CLI::App& app, int& exit_code) {
  CLI::App* c =
      app.add_subcommand("check", "read a scenario or a study without running it and tell what it is");
  const auto a = std::make_shared<CheckArguments>();
  c->add_option("FILE", a->file,
                "a file of a scenario or a study, or the name of one in the library (thud list)")
      ->required();
  add_set_option(*c, a->set, "set a knob, as in --set \"angle=40 deg\"; may be repeated");
  c->add_flag("--json", a->json, "print one JSON document and nothing else");
  c->add_flag("--ascii", a->ascii, "plain characters only");
  c->footer("Exit status: 0 the file is sound, 2 it is not (standard error tells why).");
  c->callback([a, &exit_code] {
    print(check(*a));
    exit_code = 0;
  });
}
