// thud sweep: a scenario at many values of its knobs.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "thud/lanes/device.hpp"
#include "thud/report/html.hpp"
#include "thud/report/sweep_plots.hpp"
#include "thud/scenario/catalogue.hpp"
#include "thud/study/quick_study.hpp"
#include "thud/study/sweep.hpp"

namespace thud::cli {

namespace {

struct Arguments {
  std::string study, out, csv, svg, report;
  std::vector<std::string> set, vary, outputs;
  int jobs = 0;
  std::string lanes, device;
  bool resume = false, restart = false, json = false, ascii = false, quiet = false;
};

// A line on the terminal for what takes longer than a second.
class SweepBar {
 public:
  explicit SweepBar(bool visible) : visible_(visible && is_terminal(stderr)) {}
  ~SweepBar() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }
  void show(const SweepProgress& p) {
    if (!visible_ || p.seconds < 1) return;
    shown_ = true;
    constexpr int width = 20;
    const double part = static_cast<double>(p.done) / static_cast<double>(p.total);
    const int filled = static_cast<int>(width * part);
    fmt::print(stderr, "\r\x1b[K[{:#<{}}{:.<{}}] {:.1f} %  {} of {} runs  {:.3g}/s  {}", "", filled, "",
               width - filled, 100 * part, p.done, p.total, p.rate, time_left(p));
    std::fflush(stderr);
  }

 private:
  static std::string time_left(const SweepProgress& p) {
    if (!(p.rate > 0)) return "";
    const double seconds = static_cast<double>(p.total - p.done) / p.rate;
    if (seconds > 359999) return fmt::format("{:.3g} h left", seconds / 3600);
    const auto s = static_cast<long>(std::ceil(seconds));
    return s < 3600 ? fmt::format("{}:{:02} left", s / 60, s % 60)
                    : fmt::format("{}:{:02}:{:02} left", s / 3600, s / 60 % 60, s % 60);
  }

  bool visible_, shown_ = false;
};

// Process 0 of several must let the others go, whatever happens.
class Dismissal {
 public:
  explicit Dismissal(Machines* machines) : machines_(machines) {}
  ~Dismissal() {
    if (machines_) dismiss(*machines_);
  }
  Dismissal(const Dismissal&) = delete;
  Dismissal& operator=(const Dismissal&) = delete;

 private:
  Machines* machines_;
};

SweepReport sweep_with_progress(const Study& study, const Arguments& a, Machines* machines) {
  SweepBar bar(!a.quiet);
  SweepOptions options;
  options.out = a.out.empty() ? study.name + ".h5" : a.out;
  options.csv = a.csv;
  options.jobs = a.jobs;
  options.resume = a.resume;
  options.restart = a.restart;
  options.machines = machines;
  options.cancel = Interrupt::flag();
  options.progress = [&](const SweepProgress& p) { bar.show(p); };
  return run_sweep(study, options);
}

int tell(const Study& study, const SweepReport& report, const Arguments& a) {
  if (!report.notice.empty()) complain(report.notice);
  if (a.json)
    print(to_json(study, report));
  else if (!a.quiet && !report.cancelled)
    print(to_text(study, report, style_of_output(a.ascii)));
  if (report.cancelled) {
    complain(fmt::format("interrupted; {} of {} runs are kept in {}: the same command with --resume goes on",
                         report.done, report.runs, report.journal));
    return 1;
  }
  if (report.unreached == report.runs) {
    complain("no run reached what was asked");
    return 1;
  }
  return 0;
}

Study read_plain_study_of(const Arguments& a) {
  const KnobSettings set = read_settings(a.set);
  if (a.vary.empty()) {
    if (!a.outputs.empty())
      throw InputError({"--outputs", 0, 0}, "goes with --vary; a study file has its own");
    std::error_code ec;
    if (std::filesystem::exists(std::filesystem::path(data_folder()) / "scenarios" / (a.study + ".toml"), ec)
        && !std::filesystem::exists(std::filesystem::path(data_folder()) / "studies" / (a.study + ".toml"),
                                    ec))
      throw InputError({}, fmt::format("\"{}\" is a scenario; say what to vary, as in --vary NAME=1:3:0.1 "
                                       "(thud check {} lists its knobs)",
                                       a.study, a.study));
    return load_study(a.study, set);
  }
  if (!find_study_file(a.study).empty())
    throw InputError(
        {"--vary " + a.vary.front(), 0, 0},
        fmt::format("\"{}\" is a study, which says itself what varies: give a scenario", a.study));
  return make_quick_study(a.study, a.vary, a.outputs, set);
}

Study read_study_of(const Arguments& a) {
  check_lanes(a.lanes, "--lanes " + a.lanes);
  Study study = read_plain_study_of(a);
  study.request.lanes = a.lanes;
  study.request.device = checked_device(a.device, "--device " + a.device);
  if (!study.request.device.empty() && a.lanes == "off")
    throw InputError({"--device " + a.device}, "makes runs in lanes: --lanes off does not go with it");
  return study;
}

int lead_sweep(const Arguments& a, Machines* machines) {
  const Dismissal dismissal(machines);
  const Study study = read_study_of(a);
  if (!a.svg.empty() && study.plots.empty())
    throw InputError({"--svg " + a.svg, 0, 0}, a.vary.empty()
                                                   ? "the study has no [[plot]]"
                                                   : "there is no picture of so many knobs: vary one or two");
  if (!a.svg.empty()) check_plots(study);
  check_report_file(a.report);
  const SweepReport report = sweep_with_progress(study, a, machines);
  const int status = tell(study, report, a);
  if (!a.svg.empty() && !report.cancelled) {
    const std::vector<std::string> files = write_plots(study, SweepFile(report.out), a.svg);
    for (const std::string& file : files)
      if (!a.quiet && !a.json) print(fmt::format("Picture in {}\n", file));
  }
  if (!a.report.empty() && !report.cancelled) {
    write_file(a.report, make_sweep_report(study, report, SweepFile(report.out)));
    if (!a.quiet && !a.json) print(fmt::format("Report in {}\n", a.report));
  }
  return status;
}

int sweep(const Arguments& a) {
  const std::unique_ptr<Machines> machines = join_machines();
  const Interrupt interrupt;
  if (!machines || machines->rank() == 0) return lead_sweep(a, machines.get());
  serve_sweep(
      *machines, [&] { return read_study_of(a); }, a.jobs, Interrupt::flag());
  return 0;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_sweep_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("sweep", "run a scenario at many values of its knobs");
  const auto a = std::make_shared<Arguments>();
  c->add_option("STUDY", a->study, "a study file, or the name of one in the library; with --vary a scenario")
      ->required();
  c->add_option(
       "--vary", a->vary,
       "without a study file: the values of a knob, NAME=FROM:TO:STEP or NAME=A,B,...; repeated, all "
       "combinations")
      ->type_name("NAME=VALUES")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  c->add_option("--outputs", a->outputs,
                "with --vary: results and observables to keep (default: all results)")
      ->type_name("A,B,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  c->add_option("--out", a->out, "the HDF5 file for the results (default: the study's name with .h5)")
      ->type_name("FILE.h5");
  c->add_option("--csv", a->csv, "also write the results as CSV")->type_name("FILE.csv");
  c->add_option("--svg", a->svg, "also draw the study's plots, into this folder")->type_name("DIR");
  add_report_option(*c, a->report);
  add_jobs_option(*c, a->jobs, "threads (default: one per processor; under mpirun one per process)");
  c->add_option(
       "--lanes", a->lanes,
       "how runs go along with others: a set of instructions (sse2, avx, avx512), or off (default: the best "
       "of this processor; results agree to rounding)")
      ->type_name("NAME");
  c->add_option(
       "--device", a->device,
       "where runs are made: cpu (default), gpu, auto (a graphics card where there is one), opencl, or the "
       "number of a device (thud devices)")
      ->type_name("NAME");
  CLI::Option* resume = c->add_flag("--resume", a->resume, "go on with a sweep that was not finished");
  c->add_flag("--restart", a->restart, "throw the results of such a sweep away")->excludes(resume);
  add_set_option(
      *c, a->set,
      "set a knob that stays, as in --set \"angle=40 deg\"; a bare number is in SI units; may be repeated");
  c->add_flag("--json", a->json, "print one JSON document and nothing else");
  c->add_flag("--ascii", a->ascii, "plain characters only");
  c->add_flag("--quiet", a->quiet, "print nothing but errors (and JSON, if asked for)");
  c->footer(
      "Examples:\n"
      "  thud sweep free_link_map\n"
      "  thud sweep free_link --vary speed=1:3:0.1 --svg pictures\n"
      "  thud sweep free_link --vary speed=1:3:0.5 --vary \"angle=30 deg,60 deg\"\n"
      "  thud sweep mine.toml --out mine.h5 --csv mine.csv\n"
      "  thud sweep mine.toml --device gpu\n"
      "  thud sweep mine.toml --resume\n"
      "  mpirun -n 64 thud sweep mine.toml");
  c->callback([a, &exit_code] { exit_code = sweep(*a); });
}
