// thud modes: natural frequencies and mode shapes about a pose.
#include <fmt/format.h>

#include <exception>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "thud/report/modes.hpp"

namespace thud::cli {

namespace {

struct Arguments {
  std::string file, at = "initial", svg;
  std::vector<std::string> set;
  int count = 10;
  bool json = false, no_plot = false, ascii = false;
};

bool read_pose(const std::string& text) {
  const std::vector<std::string> names = {"initial", "equilibrium"};
  if (text != names[0] && text != names[1])
    throw InputError({"--at " + text, 0, 0}, "must be " + one_of(names) + did_you_mean(text, names));
  return text == "equilibrium";
}

int show_modes(const Arguments& a) {
  ModesReportOptions options;
  options.at_equilibrium = read_pose(a.at);
  options.count = a.count;
  options.pictures = !a.no_plot;
  const Scenario s = load_scenario(a.file, read_settings(a.set));
  const TextStyle style = style_of_output(a.ascii);
  std::vector<double> q = s.q;
  if (options.at_equilibrium) {
    const Equilibrium found = find_equilibrium(*s.system, q);
    if (!found.found) return complain(fmt::format("{}: {}", s.name, found.reason)), 1;
    q = found.q;
  }
  const ModalAnalysis analysis = analyse_modes(*s.system, q, make_outline(s.system->tree(), s.parts));
  std::string text =
      a.json ? make_modes_json(s, analysis, options) : make_modes_text(s, analysis, style, options);
  // A full disk must not cost the table.
  std::exception_ptr failure;
  try {
    if (!a.svg.empty()) {
      write_file(a.svg, make_modes_svg(s, analysis, options));
      if (!a.json) text += fmt::format("\nWrote {}\n", a.svg);
    }
  } catch (const OutputError&) {
    failure = std::current_exception();
  }
  print(text);
  if (failure) std::rethrow_exception(failure);
  return 0;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_modes_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("modes", "natural frequencies and mode shapes about a pose");
  const auto a = std::make_shared<Arguments>();
  add_scenario_option(*c, a->file);
  add_set_option(*c, a->set,
                 "set a knob, as in --set \"angle=40 deg\"; a bare number is in SI units; may be repeated");
  c->add_option("--at", a->at,
                "the pose: initial, as the scenario starts (the default), or equilibrium, where it hangs at "
                "rest without sand")
      ->type_name("POSE");
  c->add_option("-n,--count", a->count, "how many modes, from the lowest (default 10)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000).description(""));
  c->add_option("--svg", a->svg, "also draw the shapes into a file")->type_name("FILE");
  CLI::Option* json = c->add_flag("--json", a->json, "print one JSON document and nothing else");
  c->add_flag("--no-plot", a->no_plot, "no pictures")->excludes(json);
  c->add_flag("--ascii", a->ascii, "plain characters only");
  for (CLI::Option* o : c->get_options())
    if (!o->get_positional() && o->get_type_size() > 0)
      o->check([](const std::string& text) { return text.empty() ? "is empty" : std::string(); });
  c->footer(
      "Small motions about the pose at rest, for gravity, strain and viscous damping.\n"
      "Sand, air, dry friction and prescribed torques have no linear part.\n"
      "\n"
      "Examples:\n"
      "  thud modes double_pendulum --at equilibrium\n"
      "  thud modes elastic_compound_pendulum --set modes=8 --svg modes.svg\n"
      "  thud modes elastic_free_link --json | jq '.modes[].frequency'");
  c->callback([a, &exit_code] { exit_code = show_modes(*a); });
}
