#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "pictures.hpp"
#include "run_arguments.hpp"
#include "thud/draw/plot.hpp"
#include "thud/report/csv.hpp"
#include "thud/report/html.hpp"
#include "thud/report/impacts.hpp"
#include "thud/report/json.hpp"
#include "thud/report/live.hpp"
#include "thud/report/summary.hpp"
#include "thud/scenario/catalogue.hpp"
#include "thud/scenario/observable_hint.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud::cli {

namespace {

// ---- options that need reading --------------------------------------------------------------------------------

Sampling read_sampling(const RunArguments& a, const Scenario& s) {
  for (const auto& [given, option] : {std::pair{!a.sample.empty(), "--sample"}, std::pair{a.steps, "--steps"},
                                      std::pair{!a.columns.empty(), "--columns"}})
    if (given && a.out.empty())
      throw option_error(option, "", "says what goes into trajectory.csv: give --out DIR too");
  if (a.steps) return {Sampling::Kind::steps, 0};
  if (const auto interval = read_time("--sample", a.sample)) return {Sampling::Kind::uniform, *interval};
  if (s.sample > 0) return {Sampling::Kind::uniform, s.sample};
  return {};
}

// The number of the impact to draw, from 1.
long read_impact(const RunArguments& a) {
  if (a.impact.empty()) return 1;
  if (a.impact_plane.empty())
    throw option_error("--impact", a.impact, "says which impact to draw: give --impact-plane FILE too");
  const double x = read_quantity(a.impact, "", "--impact " + a.impact);
  if (!(x >= 1 && x <= max_logged_impacts && x == std::floor(x)))
    throw option_error("--impact", a.impact,
                       fmt::format("must be a whole number from 1 to {}", max_logged_impacts));
  return static_cast<long>(x);
}

// ---- lists -----------------------------------------------------------------------------------------------------

std::string list_observables(const std::vector<NamedObservable>& all, const TextStyle& style) {
  std::size_t name = 0, unit = 0;
  for (const NamedObservable& o : all) {
    name = std::max(name, o.name.size());
    unit = std::max(unit, text_width(style.unit(o.unit)));
  }
  std::string out;
  for (const NamedObservable& o : all)
    out += fmt::format("{}  {}  {}\n", pad_right(o.name, name), pad_right(style.unit(o.unit), unit),
                       style.paint("dim", o.about));
  return out;
}

std::string list_all_observables(const Scenario& s, const TextStyle& style) {
  const std::vector<NamedObservable> at_impacts = list_impact_results(s);
  std::string out = list_observables(s.observables, style);
  if (!at_impacts.empty())
    out += "\nAt impacts, and no curves: to be written as [results]\n" + list_observables(at_impacts, style);
  return out;
}

std::string list_all_knobs(const Scenario& s, const TextStyle& style) {
  return s.knobs.empty() ? "This scenario has no knobs.\n" : list_knobs(s, 0, style);
}

// ---- output ----------------------------------------------------------------------------------------------------

std::string write_files(const RunArguments& a, const Scenario& s, const RunResult& run,
                        const TrajectoryRecorder& recorder, const std::vector<NamedObservable>& columns) {
  const std::filesystem::path folder = a.out;
  AtomicFile trajectory(folder / "trajectory.csv");
  write_trajectory_csv(recorder, columns, [&](std::string_view text) { trajectory.write(text); });
  trajectory.commit();
  write_file(folder / "events.csv", make_events_csv(s, run.outcome));
  write_file(folder / "summary.json", make_run_json(s, run));
  const bool can_collide = !s.system->contacts().empty();
  if (can_collide) write_file(folder / "impacts.csv", make_impacts_csv(s, run.outcome));
  return fmt::format("Wrote trajectory.csv ({} rows), events.csv{} and summary.json to {}\n",
                     recorder.row_count(), can_collide ? ", impacts.csv" : "", folder.string());
}

// Draws an impact; the message when there is none with this number.
std::string draw_impact(const RunArguments& a, const Scenario& s, const RunResult& run, long number) {
  const std::vector<ImpactRecord>& impacts = run.outcome.impacts;
  if (number > static_cast<long>(impacts.size()))
    return impacts.empty()
             ? "there was no impact to draw"
             : fmt::format("there were {} impacts, so number {} could not be drawn", impacts.size(), number);
  write_file(a.impact_plane, make_impact_svg(s, impacts[static_cast<std::size_t>(number) - 1], number));
  return {};
}

std::string make_plots(const TrajectoryRecorder& recorder, const std::vector<NamedObservable>& wanted,
                       const TextStyle& style) {
  const Trajectory t = recorder.table(wanted);
  if (t.row_count() < 2) return {};
  std::string out;
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    PlotCurve curve{wanted[c].name, wanted[c].unit, t.time, {}};
    for (std::size_t r = 0; r < t.row_count(); ++r) curve.value.push_back(t.at(r, c));
    out += "\n" + make_plot(curve, style);
  }
  return out;
}

void refuse_study(const std::string& file) {
  const std::string study = find_study_file(file);
  if (study.empty()) return;
  throw InputError({file, 0, 0}, fmt::format("is a study, not a scenario; run it with: thud {} {}",
                                             fmt::join(commands_of_study(study), ", "), file));
}

int run_scenario(const RunArguments& a) {
  const TextStyle style = style_of_output(a.ascii);
  for (const std::string& file : a.files) refuse_study(file);
  if (a.files.size() > 1) return run_several(a, style);
  const Scenario s = load_scenario(a.files.front(), read_settings(a.set));
  if (a.list_knobs) return print(a.json ? make_knobs_json(s) : list_all_knobs(s, style)), 0;
  if (a.list_observables) return print(a.json ? make_observables_json(s) : list_all_observables(s, style)), 0;

  check_pictures_of(a, s);
  const RunRequest request = read_request(a, s);
  const Sampling sampling = read_sampling(a, s);
  const long impact = read_impact(a);
  if (!a.impact_plane.empty() && s.system->contacts().empty())
    throw option_error("--impact-plane", a.impact_plane,
                       "this scenario has no walls and no pairs that could collide");
  check_report_file(a.report);
  if (!a.vary.empty()) return run_family(a, s, style);
  const auto columns = a.columns.empty() ? s.observables : find_observables(s, a.columns, "--columns");
  const auto plots = find_observables(s, a.plot.empty() && !a.no_plot ? s.plot : a.plot, "--plot");
  if (!a.out.empty()) {
    try {
      make_folder(a.out);
    } catch (const OutputError& e) {
      throw InputError({"--out " + a.out, 0, 0}, e.what());
    }
  }

  if (a.live && a.report.empty())
    throw option_error("--live", "", "makes a report that computes: give --report FILE too");
  const std::string engine = a.live ? read_engine("--live") : "";

  const bool records = !a.out.empty() || a.wants_text();
  TrajectoryRecorder recorder(*s.system, sampling);
  recorder.begin_at(s.q, s.v);
  TrajectoryRecorder still(*s.system);  // a figure has its own sampling
  still.begin_at(s.q, s.v);
  FrameRecorder frames(*s.system);
  const bool moves = !a.report.empty() || !a.gif.empty();
  Both pictures(a.wants_figure() ? &still : nullptr, moves ? &frames : nullptr);
  Both observers(records ? &recorder : nullptr, &pictures);
  const RunResult result = run_with_progress(s, request, &observers, a.quiet);
  recorder.finish(result.outcome);
  still.finish(result.outcome);

  std::string text;
  if (a.json) text = make_run_json(s, result);
  if (a.wants_text()) {
    text = make_summary(s, result, style, {a.events, &recorder});
    if (!a.no_plot) text += make_plots(recorder, plots, style);
  }
  // A full disk must not cost the summary, nor a closed pipe the files.
  std::exception_ptr failure;
  std::string undrawn;
  try {
    if (!a.impact_plane.empty()) undrawn = draw_impact(a, s, result, impact);
    if (!a.out.empty()) {
      const std::string written = write_files(a, s, result, recorder, columns);
      if (a.wants_text()) text += "\n" + written;
    }
    if (a.wants_figure()) {
      const StillRun drawn{s, result, still};
      const std::string written = write_still(a, {&drawn, 1}, still_options(a, s));
      if (a.wants_text()) text += (a.out.empty() ? "\n" : "") + written;
    }
    if (moves) frames.finish(result.outcome);
    if (!a.gif.empty()) {
      write_gif(a.gif, Film(s, result, frames));
      if (a.wants_text())
        text += fmt::format("{}Wrote {}\n", a.out.empty() && !a.wants_figure() ? "\n" : "", a.gif);
    }
    if (!a.report.empty()) {
      write_file(a.report, a.live ? make_live_report(s, result, frames, request, engine)
                                  : make_run_report(s, result, frames));
      if (a.wants_text())
        text += fmt::format("{}Report in {}\n", a.out.empty() && a.gif.empty() ? "\n" : "", a.report);
    }
  } catch (const OutputError&) {
    failure = std::current_exception();
  }
  print(text);
  if (failure) std::rethrow_exception(failure);
  if (recorder.is_truncated())
    complain(fmt::format(
        "the trajectory has no room for more than {} rows and ends at t = {:.6g} s; sample less often",
        recorder.row_count(), recorder.recorded_until()));
  if (!undrawn.empty()) complain(fmt::format("--impact-plane {}: {}", a.impact_plane, undrawn));
  if (!result.reached) complain(fmt::format("{}: {}", s.name, result.reason));
  return result.reached && undrawn.empty() && !recorder.is_truncated() ? 0 : 1;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_run_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("run", "run a scenario and tell what happened");
  const auto a = std::make_shared<RunArguments>();
  c->add_option("FILE", a->files,
                "a scenario file, or the name of one in the library (thud list); several with --report")
      ->required();
  add_set_option(*c, a->set,
                 "set a knob, as in --set \"angle=40 deg\"; a bare number is in SI units; may be repeated");
  c->add_option("--until", a->until, "rest: go on beyond the scenario's stop until nothing moves")
      ->type_name("rest");
  c->add_option("--time", a->time, "longest time to simulate, such as 2 or \"50 ms\"")->type_name("T");
  c->add_option("--tolerance", a->tolerance, "relative accuracy of a step, from 1e-14 to 0.01 (default 1e-9)")
      ->type_name("X");
  c->add_option("--method", a->method,
                "auto, dop853, dopri5, rk4, euler, radau5 (implicit, for stiff beams), newmark, "
                "generalised-alpha, or exact "
                "(without error where the motion is linear)")
      ->type_name("NAME");
  c->add_option("--step", a->step, "step of rk4, euler, newmark and generalised-alpha, such as \"1 us\"")
      ->type_name("H");
  c->add_option("--out", a->out,
                "write trajectory.csv, events.csv, summary.json and, of collisions, impacts.csv there")
      ->type_name("DIR");
  add_report_option(*c, a->report);
  c->add_flag("--live", a->live,
              "with --report: put the engine into the file, so that its sliders compute, offline");
  CLI::Option* sample =
      c->add_option("--sample", a->sample, "time between rows of trajectory.csv (default: about 500 rows)")
          ->type_name("DT");
  c->add_flag("--steps", a->steps, "one row per step of the solver instead")->excludes(sample);
  c->add_option("--columns", a->columns,
                "columns of trajectory.csv, such as link.angle,link.tip.* (default: all)")
      ->type_name("A,B,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* json = c->add_flag("--json", a->json, "print one JSON document and nothing else");
  c->add_option("--svg", a->svg, "draw a figure: poses, and the plots below them")->type_name("FILE");
  c->add_option("--png", a->png, "the same figure in pixels")->type_name("FILE");
  c->add_option("--gif", a->gif, "the animation as a GIF")->type_name("FILE");
  c->add_option("--vary", a->vary,
                "runs with these values of a knob in one figure or report, as in --vary speed=1,2,3 or "
                "--vary speed=1:3:0.5; repeated, knobs go along with each other")
      ->type_name("NAME=A,B,...")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->excludes(json)
      ->excludes(c->get_option("--live"))
      ->excludes(c->get_option("--out"));
  c->add_option("--poses", a->poses, "poses in the figure (default 8; 0: none)")
      ->type_name("N")
      ->check(CLI::Range(0, 24).description(""));
  c->add_flag("--events", a->events, "list all events and impacts, not only the first");
  c->add_option("--impact-plane", a->impact_plane, "draw an impact as SVG: its way through the impulse plane")
      ->type_name("FILE");
  c->add_option("--impact", a->impact, "which impact to draw (default: 1)")->type_name("N");
  CLI::Option* plot =
      c->add_option("--plot", a->plot, "plot these observables instead of the scenario's choice")
          ->type_name("A,B,...")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->excludes(json);
  c->add_flag("--no-plot", a->no_plot, "no plots")->excludes(plot);
  c->add_flag("--ascii", a->ascii, "plain characters only");
  c->add_flag("--quiet", a->quiet, "print nothing but errors (and JSON, if asked for)");
  c->add_flag("--list-observables", a->list_observables, "show what can be plotted and written, and stop");
  c->add_flag("--list-knobs", a->list_knobs, "show what can be set, and stop");
  for (CLI::Option* o : c->get_options())
    if (!o->get_positional() && o->get_type_size() > 0)
      o->check([](const std::string& text) { return text.empty() ? "is empty" : std::string(); });
  c->footer(
      "Examples:\n"
      "  thud run free_link\n"
      "  thud run free_link --set \"angle=40 deg\" --set speed=2 --until rest\n"
      "  thud run double_pendulum --plot link1.angle,link2.resistance.size\n"
      "  thud run free_link --svg link.svg --vary speed=1.26,1.87,2.33\n"
      "  thud run free_link --report free_link.html\n"
      "  thud run free_link --report free_link.html --live\n"
      "  thud run free_link --vary speed=1:3:0.5 --report speeds.html\n"
      "  thud run cube sphere --report both.html\n"
      "  thud run bouncing_ball --gif ball.gif\n"
      "  thud run mine.toml --out results --sample \"0.1 ms\" --columns \"link.*\"\n"
      "  thud run sphere --json | jq .results");
  c->callback([a, &exit_code] { exit_code = run_scenario(*a); });
}
