#include "thud/report/impacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "thud/math/portable.hpp"
#include "thud/report/csv.hpp"

namespace thud {

namespace {

constexpr std::size_t lines_at_a_glance = 12;

// One contact of one impact.
struct Line {
  const ImpactRecord* impact;
  std::size_t row;  // the contact, among those of the impact
  std::string contact;
  bool turns = false;  // a stop in a joint: angular velocities, and moments

  bool is_first() const { return row == 0; }
  double before() const { return -impact->problem.velocity[2 * row + 1]; }
  double after() const { return impact->result.velocity[2 * row + 1]; }
  double normal() const { return impact->result.impulse[2 * row + 1]; }
  double tangential() const { return impact->result.impulse[2 * row]; }
  double lost() const { return impact->lost(); }
};

// All numbers of a column with the same decimals, so that the largest has four digits.
class Decimals {
 public:
  void see(double x) { largest_ = std::max(largest_, std::abs(x)); }
  bool is_zero() const { return !(largest_ > 0); }
  std::string show(double x) const {
    const int n =
        largest_ > 0 ? std::clamp(3 - static_cast<int>(std::floor(portable::log10(largest_))), 0, 9) : 0;
    const std::string text = fmt::format("{:.{}f}", x, n);
    return text.find_first_not_of("-0.") == std::string::npos ? "0" : text;
  }

 private:
  double largest_ = 0;
};

class Table {
 public:
  Table(std::vector<Line> lines, const TextStyle& style) : lines_(std::move(lines)), style_(style) {
    for (const Line& l : lines_) {
      turns_ = turns_ || l.turns;
      moves_ = moves_ || !l.turns;
      has_contacts_ = has_contacts_ || l.contact != lines_.front().contact;
      speed_.see(l.before()), speed_.see(l.after());
      normal_.see(l.normal()), tangential_.see(l.tangential());
      if (l.is_first()) lost_.see(l.lost());
    }
  }

  std::string make() {
    const std::string arrow = style_.unicode ? " → " : " -> ";
    out_.assign(lines_.size() + 1, "");
    std::size_t widest = 0;  // of the speeds before, so that the arrows stand in a line
    for (const Line& l : lines_) widest = std::max(widest, speed_.show(l.before()).size());
    column("time [s]", true,
           [](const Line& l) { return l.is_first() ? fmt::format("{:.6f}", l.impact->time) : ""; });
    if (has_contacts_) column("contact", false, [](const Line& l) { return l.contact; });
    column(turns_ ? (moves_ ? "v [m/s, rad/s]" : "v [rad/s]") : "v [m/s]", false, [&](const Line& l) {
      return pad_left(speed_.show(l.before()), widest) + arrow + speed_.show(l.after());
    });
    column(turns_ ? (moves_ ? "F [N s, N m s]" : "F [N m s]") : "F [N s]", true,
           [&](const Line& l) { return normal_.show(l.normal()); });
    if (!tangential_.is_zero())
      column("T [N s]", true, [&](const Line& l) { return tangential_.show(l.tangential()); });
    column("lost [J]", true, [&](const Line& l) { return l.is_first() ? lost_.show(l.lost()) : ""; });
    const std::size_t used = text_width(out_[0]) + 2, width = static_cast<std::size_t>(style_.width);
    const bool has_room = used + 10 <= width;  // the list of all events has the cases as well
    for (std::size_t k = 0; has_room && k < out_.size(); ++k) {
      const std::string name = k == 0                   ? "case"
                             : lines_[k - 1].is_first() ? lines_[k - 1].impact->result.name
                                                        : "";
      out_[k] += "  " + shorten(name, width - used, style_);
    }
    std::string text;
    for (std::size_t k = 0; k < out_.size(); ++k) {
      while (out_[k].ends_with(' ')) out_[k].pop_back();
      const std::string line = shorten(out_[k], width, style_);
      text += (k == 0 ? style_.paint("dim", line) : line) + "\n";
    }
    return text;
  }

 private:
  template <class Show>
  void column(const std::string& head, bool right, Show&& show) {
    std::vector<std::string> cells = {head};
    for (const Line& l : lines_) cells.push_back(show(l));
    std::size_t width = 0;
    for (const std::string& c : cells) width = std::max(width, text_width(c));
    for (std::size_t k = 0; k < cells.size(); ++k)
      out_[k] += "  " + (right ? pad_left(cells[k], width) : pad_right(cells[k], width));
  }

  std::vector<Line> lines_;
  const TextStyle& style_;
  std::vector<std::string> out_;
  bool has_contacts_ = false, turns_ = false, moves_ = false;
  Decimals speed_, normal_, tangential_, lost_;
};

// Where infinitely many bounces ended.
std::string describe_accumulation(const Scenario& s, const Outcome& outcome) {
  std::vector<const Event*> ends;
  for (const Event& e : outcome.events)
    if (e.kind == EventKind::settle) ends.push_back(&e);
  if (ends.size() > 3)
    return fmt::format(
        "; {} series of bounces end with a closed contact, the first at t = {} s, the last at {} s",
        ends.size(), show_number(ends.front()->time), show_number(ends.back()->time));
  std::string out;
  for (const Event* e : ends)
    out += fmt::format("; accumulate at t = {} s, {} stays closed", show_number(e->time),
                       event_subject(*s.system, *e));
  return out;
}

std::string describe_rest(const Scenario& s, const Outcome& outcome, const TextStyle& style) {
  double lost = 0, size = 0;
  for (const ImpactRecord& r : outcome.impacts) {
    lost += r.lost();
    size = std::max({size, r.energy_before, r.energy_after});
  }
  const std::vector<Channel>& channels = s.system->channels();
  for (std::size_t k = 0; k < channels.size() && k < outcome.energy.lost.size(); ++k)
    if (channels[k] == channel_of<ContactForce>(ContactForce::impact_loss)) lost = outcome.energy.lost[k];
  const std::string sum = std::abs(lost) < 1e-9 * size ? "no energy lost"
                        : lost < 0 ? show_quantity(-lost, "J", style, 4) + " gained in all"
                                   : show_quantity(lost, "J", style, 4) + " lost in all";
  return sum + describe_accumulation(s, outcome);
}

// The note with its numbers left out: notes of one kind differ in them.
std::string kind_of(const std::string& note) {
  std::string kind;
  for (const char c : note)
    if (std::string_view("0123456789.-+e").find(c) == std::string_view::npos) kind += c;
  return kind;
}

void append(std::string& line, double x) {
  line += ',';
  if (std::isfinite(x)) fmt::format_to(std::back_inserter(line), "{}", x + 0.0);
}

}  // namespace

std::vector<JointImpulse> list_joint_impulses(const System& system, const ImpactRecord& impact) {
  std::vector<JointImpulse> out;
  for (std::size_t i = 0; i < impact.joints.size(); ++i)
    if (const Body& b = system.tree().body(static_cast<int>(i)); !b.free)
      out.push_back({b.name + ".joint.impulse", impact.joints[i]});
  return out;
}

std::string make_joint_impulse_header(const System& system) {
  std::string out;
  const Tree& tree = system.tree();
  for (int i = 0; i < tree.body_count(); ++i)
    if (!tree.body(i).free)
      for (const char* part : {"x", "z"})
        out += "," + csv_field(fmt::format("{}.joint.impulse.{} [N s]", tree.body(i).name, part));
  return out;
}

std::string make_joint_impulse_cells(const System& system, const ImpactRecord* impact) {
  std::string out;
  const Tree& tree = system.tree();
  for (int i = 0; i < tree.body_count(); ++i) {
    if (tree.body(i).free) continue;
    const auto k = static_cast<std::size_t>(i);
    const bool is_known = impact && k < impact->joints.size();
    append(out, is_known ? impact->joints[k].x : std::nan(""));
    append(out, is_known ? impact->joints[k].z : std::nan(""));
  }
  return out;
}

std::string make_impacts_text(const Scenario& s, const Outcome& outcome, const TextStyle& style, bool all) {
  const std::vector<ImpactRecord>& impacts = outcome.impacts;
  if (impacts.empty()) return {};
  std::vector<Line> lines;
  std::size_t shown = 0;
  for (; shown < impacts.size(); ++shown) {
    const ImpactRecord& r = impacts[shown];
    const bool is_last =
        shown + 1 == impacts.size();  // it takes no more room than the line about what is left
    if (!all && !lines.empty() && lines.size() + r.contacts.size() > lines_at_a_glance + (is_last ? 1 : 0))
      break;
    for (std::size_t k = 0; k < r.contacts.size(); ++k)
      lines.push_back({&r, k, s.system->contacts()[static_cast<std::size_t>(r.contacts[k])].name,
                       s.system->contacts()[static_cast<std::size_t>(r.contacts[k])].turns});
  }
  const long count = std::max(outcome.impact_count, static_cast<long>(impacts.size()));
  const bool one = std::all_of(lines.begin(), lines.end(),
                               [&](const Line& l) { return l.contact == lines.front().contact; });
  std::string head = fmt::format("Impacts ({})", count);
  if (one) head += " of " + lines.front().contact;
  const auto width = static_cast<std::size_t>(style.width);
  std::string out = "\n" + style.paint("bold", shorten(head, width, style)) + "\n";
  out += Table(std::move(lines), style).make();
  std::string rest = describe_rest(s, outcome, style);
  if (count > static_cast<long>(shown))
    rest = fmt::format("{} and {} more{}; {}", style.unicode ? "…" : "...", count - static_cast<long>(shown),
                       all ? "" : " (--events)", rest);
  return out + style.paint("dim", wrap(rest, 2, width));
}

std::string make_joint_impulses_text(const Scenario& s, const Outcome& outcome, const TextStyle& style) {
  std::vector<std::array<std::string, 4>> lines = {{"time [s]", "joint", "x [N s]", "z [N s]"}};
  Decimals decimals;
  for (const ImpactRecord& r : outcome.impacts)
    for (const JointImpulse& j : list_joint_impulses(*s.system, r))
      decimals.see(j.impulse.x), decimals.see(j.impulse.z);
  for (const ImpactRecord& r : outcome.impacts) {
    bool first = true;
    for (const JointImpulse& j : list_joint_impulses(*s.system, r)) {
      lines.push_back({first ? fmt::format("{:.6f}", r.time) : "", j.name, decimals.show(j.impulse.x),
                       decimals.show(j.impulse.z)});
      first = false;
    }
  }
  if (lines.size() == 1) return {};
  std::array<std::size_t, 4> width{};
  for (const auto& line : lines)
    for (std::size_t c = 0; c < 4; ++c) width[c] = std::max(width[c], text_width(line[c]));
  std::string out = "\n" + style.paint("bold", "Impulses in joints, on the body that each carries") + "\n";
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const auto& l = lines[k];
    const std::string text = "  " + pad_left(l[0], width[0]) + "  " + pad_right(l[1], width[1]) + "  "
                           + pad_left(l[2], width[2]) + "  " + pad_left(l[3], width[3]);
    const std::string line = shorten(text, static_cast<std::size_t>(style.width), style);
    out += (k == 0 ? style.paint("dim", line) : line) + "\n";
  }
  return out;
}

std::vector<std::string> list_impact_notes(const Outcome& outcome) {
  struct Kind {
    std::string text;
    double time;
    long count;
  };
  std::vector<std::pair<std::string, Kind>> kinds;
  for (const ImpactRecord& r : outcome.impacts) {
    if (r.result.note.empty()) continue;
    const std::string key = kind_of(r.result.note);
    const auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == key; });
    if (found == kinds.end())
      kinds.push_back({key, {r.result.note, r.time, 1}});
    else
      ++found->second.count;
  }
  std::vector<std::string> notes;
  for (const auto& [key, kind] : kinds)
    notes.push_back(fmt::format("impact at t = {} s{}: {}", show_number(kind.time),
                                kind.count > 1 ? fmt::format(" and {} like it", kind.count - 1) : "",
                                kind.text));
  return notes;
}

std::string make_impacts_csv(const Scenario& s, const Outcome& outcome) {
  std::string out =
      "impact,time [s],contact,case,law,friction,restitution,approach [m/s],separation [m/s],slip before "
      "[m/s],"
      "slip after [m/s],normal impulse [N s],tangential impulse [N s],normal work [J],friction work [J],"
      "kinetic energy before [J],kinetic energy after [J]";
  out += make_joint_impulse_header(*s.system) + '\n';
  long number = 0;
  for (const ImpactRecord& r : outcome.impacts) {
    ++number;
    for (std::size_t k = 0; k < r.contacts.size(); ++k) {
      const auto at = [](const std::vector<double>& list, std::size_t i) {
        return i < list.size() ? list[i] : std::nan("");
      };
      out += std::to_string(number);
      append(out, r.time);
      out += "," + csv_field(s.system->contacts()[r.contacts[k]].name) + "," + csv_field(r.result.name) + ",";
      out += impact_law_name(r);
      for (const double x :
           {at(r.problem.friction, k), at(r.problem.restitution, k), -at(r.problem.velocity, 2 * k + 1),
            at(r.result.velocity, 2 * k + 1), at(r.problem.velocity, 2 * k), at(r.result.velocity, 2 * k),
            at(r.result.impulse, 2 * k + 1), at(r.result.impulse, 2 * k), at(r.result.work_normal, k),
            at(r.result.work_friction, k), r.energy_before, r.energy_after})
        append(out, x);
      out += make_joint_impulse_cells(*s.system, &r) + '\n';
    }
  }
  return out;
}

}  // namespace thud
