#include "thud/report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "thud/math/portable.hpp"
#include "thud/report/csv.hpp"
#include "thud/report/impacts.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud {

namespace {

constexpr std::size_t events_at_a_glance = 12;
constexpr int bar_width = 28;

// Blocks of an eighth of a character.
std::string bar(double share, const TextStyle& style) {
  const double length = std::clamp(share, 0.0, 1.0) * bar_width;
  if (!style.unicode) return std::string(static_cast<std::size_t>(std::lround(length)), '#');
  static const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int n = static_cast<int>(std::lround(length * 8));
  std::string out;
  for (int i = 0; i < n / 8; ++i) out += "█";
  return out + eighths[n % 8];
}

std::string show_share(double share) {
  return share > 0 && share < 0.0005 ? " <0.1" : fmt::format("{:5.1f}", 100 * share);
}

std::string trimmed(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string spaced(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string counted(long n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

struct Loss {
  std::string to;
  double energy;
};

// Values of one table in one unit and with the same number of decimals; the largest has four digits.
class ValueColumn {
 public:
  ValueColumn(double largest, std::string_view si_unit, const TextStyle& style)
      : unit_(suit_unit(largest, si_unit)) {
    const double shown = largest * unit_.factor;
    if (shown > 0) decimals_ = std::clamp(3 - static_cast<int>(std::floor(portable::log10(shown))), 0, 12);
    unit_.unit = style.unit(unit_.unit);
  }
  std::string show(double x) const {
    std::string number = fmt::format("{:.{}f}", x * unit_.factor + 0.0, decimals_);
    if (number.starts_with('-') && number.find_first_not_of("-0.") == std::string::npos) number.erase(0, 1);
    return number + " " + unit_.unit;
  }

 private:
  ShownUnit unit_;
  int decimals_ = 0;
};

class Summary {
 public:
  Summary(const Scenario& s, const RunResult& run, const TextStyle& style, const SummaryOptions& options)
      : scenario_(s),
        run_(run),
        outcome_(run.outcome),
        style_(style),
        options_(options) {}

  std::string make() {
    add_title();
    add_stop();
    add_results();
    add_peaks();
    add_energy();
    out_ += make_impacts_text(scenario_, outcome_, style_, options_.all_events);
    if (options_.all_events) out_ += make_joint_impulses_text(scenario_, outcome_, style_);
    add_events();
    add_held();
    add_statistics();
    add_advice();
    return std::move(out_);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(style_.width); }
  std::string arrow() const { return style_.unicode ? "→" : "->"; }
  void head(std::string_view text) { out_ += "\n" + style_.paint("bold", text) + "\n"; }
  std::string quantity(double x, std::string_view unit, int digits = 6) const {
    return show_quantity(x, unit, style_, digits);
  }

  void add_title() {
    out_ += style_.paint("bold", shorten(scenario_.title, width(), style_)) + "\n";
    std::vector<std::string> knobs;
    for (const Knob& k : scenario_.knobs) knobs.push_back(k.name + " " + show_knob(k, style_));
    out_ += style_.paint("dim", join_wrapped(knobs, style_.unicode ? " · " : ", ", 0, width()));
  }

  void add_stop() {
    const std::string at = quantity(outcome_.time, "s");
    std::string text;
    switch (outcome_.reason) {
      case StopReason::condition: text = fmt::format("Stopped after {}: {}", at, run_.reason); break;
      case StopReason::all_found: text = fmt::format("Stopped after {}: all results found", at); break;
      case StopReason::rest: text = fmt::format("Came to rest after {}", at); break;
      case StopReason::time_limit: text = fmt::format("Ended at the time limit of {}", at); break;
      case StopReason::bottom: text = fmt::format("Reached the bottom of the bed after {}", at); break;
      case StopReason::painleve:
        text = fmt::format("Stopped after {}: a sliding contact without an answer", at);
        break;
      case StopReason::cancelled: text = fmt::format("Interrupted after {}", at); break;
      case StopReason::failed: text = fmt::format("Failed after {}: {}", at, run_.reason); break;
    }
    out_ += "\n" + style_.paint(run_.reached ? "green" : "red", shorten(text, width(), style_)) + "\n";
    const bool is_said =
        outcome_.reason == StopReason::cancelled || outcome_.reason == StopReason::failed || run_.reached;
    if (!is_said) out_ += style_.paint("red", wrap("Not what was asked: " + run_.reason, 0, width()));
  }

  void add_results() {
    if (run_.results.empty()) return;
    head("Results");
    std::size_t name = 0, si = 0, shown = 0;
    struct Line {
      std::string name, si, shown, rule;
    };
    std::vector<Line> lines;
    for (std::size_t k = 0; k < run_.results.size(); ++k) {
      const ResultValue& r = run_.results[k];
      if (!r.value && scenario_.results[k].kind == ResultSpec::Kind::constant) continue;  // does not apply
      Line line{r.name, style_.unicode ? "—" : "-", "", r.rule};
      if (r.value && std::isfinite(*r.value)) {
        line.si = show_number(*r.value, 7) + (r.unit.empty() ? "" : " " + style_.unit(r.unit));
        if (suit_unit(*r.value, r.unit).unit != r.unit) line.shown = quantity(*r.value, r.unit);
      } else {
        line.rule += " (not reached)";
      }
      name = std::max(name, text_width(line.name));
      si = std::max(si, text_width(line.si));
      shown = std::max(shown, text_width(line.shown));
      lines.push_back(std::move(line));
    }
    const std::size_t used = 2 + name + 2 + si + 2 + (shown ? shown + 2 : 0);
    for (const Line& line : lines) {
      const std::size_t room = used + 10 < width() ? width() - used : 10;
      out_ += "  " + pad_right(line.name, name) + "  " + style_.paint("cyan", pad_right(line.si, si)) + "  ";
      if (shown) out_ += pad_right(line.shown, shown) + "  ";
      out_ += style_.paint("dim", shorten(line.rule, room, style_)) + "\n";
    }
  }

  void add_peaks() {
    if (!options_.trajectory || options_.trajectory->row_count() == 0) return;
    struct Line {
      std::string body;
      Peak peak;
    };
    std::vector<std::string> bodies;
    std::vector<Observable> forces;
    for (const Body& b : scenario_.system->tree().bodies())
      if (const NamedObservable* o = scenario_.find_observable(b.name + ".resistance.size")) {
        bodies.push_back(b.name);
        forces.push_back(o->observable);
      }
    const std::vector<Peak> peaks = options_.trajectory->peaks(forces);
    std::vector<Line> lines;
    for (std::size_t k = 0; k < peaks.size(); ++k)
      if (peaks[k].value > 0) lines.push_back({bodies[k], peaks[k]});
    if (lines.empty()) return;
    constexpr std::size_t most = 5;
    head("Peak force of the sand");
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return a.peak.value > b.peak.value; });
    std::size_t name = 0;
    for (std::size_t k = 0; k < std::min(most, lines.size()); ++k)
      name = std::max(name, text_width(lines[k].body));
    for (std::size_t k = 0; k < std::min(most, lines.size()); ++k)
      out_ += fmt::format("  {}  {} at {}\n", pad_right(lines[k].body, name),
                          pad_left(quantity(lines[k].peak.value, "N", 4), 10),
                          quantity(lines[k].peak.time, "s", 4));
    if (lines.size() > most)
      out_ += fmt::format("  {} less on {}\n", style_.unicode ? "…" : "...",
                          counted(static_cast<long>(lines.size() - most), "other"));
  }

  // "supplied by torques", or by whatever else can.
  std::string supplier() const {
    std::string by;
    for (const Channel c : scenario_.system->channels())
      if (thud::supplies(c)) by += fmt::format("{} {}s", by.empty() ? "" : " and", channel_name(c));
    return "supplied by" + by;
  }

  void add_energy() {
    const EnergyAccount& e = outcome_.energy;
    const std::vector<Loss> lost = list_losses();
    double sum = 0;
    for (const Loss& l : lost) sum += l.energy;
    const ValueColumn column(std::max({std::abs(e.initial), std::abs(e.final), std::abs(e.supplied), sum}),
                             "J", style_);
    const auto line = [&](std::string_view what, double x) {
      out_ += fmt::format("  {}{}\n", pad_right(what, 22), pad_left(column.show(x), 11));
    };
    head("Energy");
    line("at the start", e.initial);
    if (e.supplied != 0) line(supplier(), e.supplied);
    line("at the end", e.final);
    if (sum > 0) line("lost", sum);
    for (const Loss& l : lost)
      out_ +=
          trimmed(fmt::format("    {}{}  {} %  {}", pad_right(l.to, 20), pad_left(column.show(l.energy), 11),
                              show_share(l.energy / sum), style_.paint("cyan", bar(l.energy / sum, style_))))
          + "\n";
    const std::string residual = fmt::format("{:.1e}", std::abs(e.residual));
    if (!(std::abs(e.residual) <= residual_warning))
      out_ += style_.paint(
          "yellow", wrap(fmt::format("warning: the account does not close, {} of the energy exchanged is "
                                     "missing; try a smaller --tolerance or --step",
                                     residual),
                         2, width()));
    else
      out_ += style_.paint("dim", fmt::format("  the account closes to {} of the energy exchanged", residual))
            + "\n";
  }

  std::vector<Loss> list_losses() const {
    const EnergyAccount& e = outcome_.energy;
    std::vector<Loss> lost;
    for (const auto& [channel, energy] : list_channel_losses(*scenario_.system, e))
      if (energy > 0) lost.push_back({spaced(channel), energy});
    if (e.settled > 0) lost.push_back({"settling", e.settled});
    double sum = 0;
    for (const Loss& l : lost) sum += l.energy;
    const double rounding = 1e-13 * std::max(std::abs(e.initial), std::abs(e.final));
    std::erase_if(lost, [&](const Loss& l) { return l.energy < std::max(1e-6 * sum, rounding); });
    std::stable_sort(lost.begin(), lost.end(),
                     [](const Loss& a, const Loss& b) { return a.energy > b.energy; });
    return lost;
  }

  // Impacts have a table of their own.
  void add_events() {
    std::vector<Event> events = outcome_.events;
    const bool besides = !options_.all_events && !outcome_.impacts.empty();
    if (besides) std::erase_if(events, [](const Event& e) { return e.kind == EventKind::impact; });
    if (events.empty()) return;
    head(fmt::format("Events{} ({})", besides ? " besides impacts" : "", events.size()));
    const bool all = options_.all_events || events.size() <= events_at_a_glance + 1;
    const std::size_t shown = all ? events.size() : events_at_a_glance;
    // One unit for the whole column, so that it can be read down.
    const ShownUnit unit = suit_unit(outcome_.time, "s");
    for (std::size_t k = 0; k < shown; ++k) {
      const Event& e = events[k];
      std::string what = shorten(describe_subject(scenario_, outcome_, e), width() - 30, style_);
      const std::string from = describe_state(scenario_, outcome_, e, false),
                        to = describe_state(scenario_, outcome_, e, true);
      if (to != from) {
        const std::string change = from.empty() ? to : from + " " + arrow() + " " + to;
        what = pad_right(what, 22);
        const std::size_t used = 30 + text_width(what);
        if (used + 8 <= width()) what += "  " + style_.paint("dim", shorten(change, width() - used, style_));
      }
      out_ += trimmed(fmt::format("  {:>12.6f} {}  {}  {}", e.time * unit.factor, style_.unit(unit.unit),
                                  pad_right(event_kind_name(e.kind), 9), what))
            + "\n";
    }
    if (!all)
      out_ += style_.paint("dim", fmt::format("  {} and {} more (--events)", style_.unicode ? "…" : "...",
                                              events.size() - shown))
            + "\n";
  }

  // Joints that friction held: how often, how long, and the first stretches.
  void add_held() {
    constexpr std::size_t at_a_glance = 4;
    const auto all = stick_intervals(*scenario_.system, outcome_, scenario_.options.start_time);
    const ShownUnit unit = suit_unit(outcome_.time, "s");
    for (std::size_t k = 0; k < all.size();) {
      const int body = all[k].body;
      double sum = 0;
      std::string list;
      std::size_t count = 0;
      for (; k < all.size() && all[k].body == body; ++k, ++count) {
        sum += all[k].to - all[k].from;
        if (count < at_a_glance)
          list += fmt::format("{}{:.6g}{}{:.6g}", count ? ", " : "", all[k].from * unit.factor,
                              style_.unicode ? "–" : "-", all[k].to * unit.factor);
      }
      if (count > at_a_glance) list += style_.unicode ? ", …" : ", ...";
      out_ += "\n"
            + wrap(fmt::format("Friction held the joint of {} {}, {} in all: {} {}",
                               scenario_.system->tree().body(body).name,
                               count == 1 ? "once" : fmt::format("{} times", count), quantity(sum, "s", 4),
                               list, style_.unit(unit.unit)),
                   0, width());
    }
  }

  void add_statistics() {
    const Statistics& s = outcome_.stats;
    out_ +=
        "\n"
        + style_.paint("dim", fmt::format("{}, {} rejected, {}, {}, {}", counted(s.steps, "step"), s.rejected,
                                          counted(s.evaluations, "evaluation"),
                                          counted(s.events, "mode change"), quantity(s.wall_seconds, "s", 3)))
        + "\n";
  }

  void add_advice() {
    for (const std::string& note : list_notes(scenario_, run_)) out_ += hang("", "note: " + note, style_);
  }

  const Scenario& scenario_;
  const RunResult& run_;
  const Outcome& outcome_;
  const TextStyle& style_;
  const SummaryOptions& options_;
  std::string out_;
};

}  // namespace

// What the laws of impact had to do, where the theory of beams ends, and where its high modes cost more than they are
// worth.
std::vector<std::pair<std::string, double>> list_channel_losses(const System& system,
                                                                const EnergyAccount& account) {
  std::vector<std::pair<std::string, double>> out;
  const std::vector<Channel> channels = system.channels();
  for (std::size_t k = 0; k < channels.size() && k < account.lost.size(); ++k)
    if (!supplies(channels[k])) out.emplace_back(channel_name(channels[k]), account.lost[k]);
  return out;
}

namespace {

std::string describe_range(const System& system, const RangeUse& use) {
  const Bed& bed = system.beds()[static_cast<std::size_t>(use.bed)];
  const bool speed = use.quantity == RangeUse::speed;
  const auto show = [&](double x) {
    return speed ? fmt::format("{:.3g} m/s", x) : fmt::format("{:.3g} mm", 1e3 * x);
  };
  const std::string& body = system.tree().body(use.body).name;
  const std::string what = use.quantity == RangeUse::speed ? fmt::format("{} moves at up to", body)
                         : use.quantity == RangeUse::depth ? fmt::format("{} gets as deep as", body)
                                                           : fmt::format("{} has a width of", body);
  const char* side = use.most > use.limit ? "up to" : "down to";
  const std::string when =
      use.quantity == RangeUse::size ? "" : fmt::format("; beyond that from {:.4g} s on", use.time);
  return fmt::format("in bed \"{}\" {} {}, and its law was calibrated {} {} ({}){}", bed.name, what,
                     show(use.most), side, show(use.limit), bed.range.source, when);
}

}  // namespace

std::vector<std::string> list_notes(const Scenario& scenario, const RunResult& run) {
  std::vector<std::string> notes = scenario.notes;
  for (std::string& note : list_impact_notes(run.outcome)) notes.push_back(std::move(note));
  const Tree& tree = scenario.system->tree();
  const Outcome& outcome = run.outcome;
  const BeamUse& use = outcome.beams;
  if (use.deflection > 0.15)
    notes.push_back(fmt::format(
        "{} bent by {:.0f} % of its length; beams are computed for small deflections, up to about 15 %",
        tree.body(use.bent).name, 100 * use.deflection));
  if (use.spin > 0.3)
    notes.push_back(
        fmt::format("{} turned at {:.2g} times its lowest bending frequency; the stiffening of a fast "
                    "turning beam is left out",
                    tree.body(use.spun).name, use.spin));
  for (const RangeUse& left : outcome.out_of_range) notes.push_back(describe_range(*scenario.system, left));
  double highest = 0;
  for (int i = 0; i < tree.dof_count(); ++i) highest = std::max(highest, tree.dof_frequency(i));
  const bool is_explicit = outcome.method == Method::dop853 || outcome.method == Method::dopri5;
  const double turns = highest * outcome.time / static_cast<double>(std::max(1L, outcome.stats.steps));
  if (is_explicit && outcome.stats.steps > 10000 && turns > 0.5)
    notes.push_back(
        fmt::format("the steps follow the highest bending mode ({} Hz); when only the motion is wanted, "
                    "the method radau5 takes far fewer",
                    show_number(std::round(highest / (2 * std::numbers::pi)))));
  return notes;
}

std::string make_summary(const Scenario& scenario, const RunResult& run, const TextStyle& style,
                         const SummaryOptions& options) {
  return Summary(scenario, run, style, options).make();
}

}  // namespace thud
