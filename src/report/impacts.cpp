#include "thud/report/impacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thud/report/csv.hpp"

namespace thud {

namespace {

constexpr std::size_t impacts_at_a_glance = 12;

// Four digits of what rounding leaves is no number worth showing.
std::string show_part(double x, double size) { return show_number(std::abs(x) < 1e-9 * size ? 0.0 : x, 4); }

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

// One contact of one impact.
struct Line {
  std::string time, contact, before, after, normal, tangential, lost, name;
};

std::vector<Line> list_lines(const System& system, const ImpactRecord& r) {
  std::vector<Line> lines;
  const double speed = std::max(largest(r.problem.velocity), largest(r.result.velocity));
  const double impulse = largest(r.result.impulse);
  for (std::size_t k = 0; k < r.contacts.size(); ++k) {
    Line line;
    line.contact = system.contacts()[r.contacts[k]].name;
    line.before = show_part(-r.problem.velocity[2 * k + 1], speed);
    line.after = show_part(r.result.velocity[2 * k + 1], speed);
    line.normal = show_part(r.result.impulse[2 * k + 1], impulse);
    line.tangential = show_part(r.result.impulse[2 * k], impulse);
    if (k == 0) {
      line.time = fmt::format("{:.6f}", r.time);
      line.lost = show_part(r.energy_before - r.energy_after, std::max(r.energy_before, r.energy_after));
      line.name = r.result.name;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

class Table {
 public:
  Table(std::vector<Line> lines, const TextStyle& style) : lines_(std::move(lines)), style_(style) {
    const std::string arrow = style.unicode ? " → " : " -> ";
    for (Line& l : lines_) {
      has_contacts_ = has_contacts_ || l.contact != lines_.front().contact;
      has_friction_ = has_friction_ || l.tangential != "0";
      l.before += arrow + l.after;
    }
  }

  std::string make() const {
    std::vector<std::string> out(lines_.size() + 1);
    const auto column = [&](const std::string& head, bool right, std::string Line::*what) {
      std::size_t width = text_width(head);
      for (const Line& l : lines_) width = std::max(width, text_width(l.*what));
      const auto pad = [&](const std::string& text) {
        return right ? pad_left(text, width) : pad_right(text, width);
      };
      out[0] += "  " + pad(head);
      for (std::size_t k = 0; k < lines_.size(); ++k) out[k + 1] += "  " + pad(lines_[k].*what);
    };
    column("time [s]", true, &Line::time);
    if (has_contacts_) column("contact", false, &Line::contact);
    column("approach [m/s]", false, &Line::before);
    column("F [N s]", true, &Line::normal);
    if (has_friction_) column("T [N s]", true, &Line::tangential);
    column("lost [J]", true, &Line::lost);
    const std::size_t used = text_width(out[0]) + 2, width = static_cast<std::size_t>(style_.width);
    const bool has_room = used + 8 <= width;  // the list of events has the cases as well
    if (has_room)
      for (std::size_t k = 0; k < out.size(); ++k)
        out[k] += "  " + shorten(k == 0 ? "case" : lines_[k - 1].name, width - used, style_);
    std::string text;
    for (std::size_t k = 0; k < out.size(); ++k) {
      while (out[k].ends_with(' ')) out[k].pop_back();
      const std::string line = shorten(out[k], width, style_);
      text += (k == 0 ? style_.paint("dim", line) : line) + "\n";
    }
    return text;
  }

 private:
  std::vector<Line> lines_;
  const TextStyle& style_;
  bool has_contacts_ = false, has_friction_ = false;
};

std::string describe_rest(const Scenario& s, const Outcome& outcome, const TextStyle& style) {
  std::string out;
  std::vector<const Event*> ends;
  for (const Event& e : outcome.events)
    if (e.kind == EventKind::settle) ends.push_back(&e);
  if (ends.size() > 3)
    out = fmt::format(
        "; {} series of bounces end with a closed contact, the first at t = {} s, the last at {} s",
        ends.size(), show_number(ends.front()->time), show_number(ends.back()->time));
  else
    for (const Event* e : ends)
      out += fmt::format("; accumulate at t = {} s, {} stays closed", show_number(e->time),
                         event_subject(*s.system, *e));
  double lost = 0;
  for (const ImpactRecord& r : outcome.impacts) lost += r.energy_before - r.energy_after;
  const std::vector<Channel>& channels = s.system->channels();
  for (std::size_t k = 0; k < channels.size() && k < outcome.energy.lost.size(); ++k)
    if (channels[k] == Channel::impact) lost = outcome.energy.lost[k];
  return fmt::format("{} {}{}", show_quantity(lost, "J", style, 4), "lost in all", out);
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

std::string impact_subject(const System& system, const ImpactRecord& impact) {
  std::string out;
  for (const int k : impact.contacts) out += (out.empty() ? "" : " + ") + system.contacts()[k].name;
  return out;
}

std::string make_impacts_text(const Scenario& s, const Outcome& outcome, const TextStyle& style, bool all) {
  const std::vector<ImpactRecord>& impacts = outcome.impacts;
  if (impacts.empty()) return {};
  std::vector<Line> lines;
  const bool whole = all || impacts.size() <= impacts_at_a_glance + 1;
  const std::size_t shown = whole ? impacts.size() : impacts_at_a_glance;
  for (std::size_t k = 0; k < shown; ++k)
    for (Line& l : list_lines(*s.system, impacts[k])) lines.push_back(std::move(l));
  const long count = std::max(outcome.impact_count, static_cast<long>(impacts.size()));
  const bool one = std::all_of(lines.begin(), lines.end(),
                               [&](const Line& l) { return l.contact == lines.front().contact; });
  std::string head = fmt::format("Impacts ({})", count);
  if (one) head += " of " + lines.front().contact;
  std::string out =
      "\n" + style.paint("bold", shorten(head, static_cast<std::size_t>(style.width), style)) + "\n";
  out += Table(std::move(lines), style).make();
  std::string rest = describe_rest(s, outcome, style);
  if (count > static_cast<long>(shown))
    rest = fmt::format("{} and {} more{}; {}", style.unicode ? "…" : "...", count - static_cast<long>(shown),
                       all ? "" : " (--events)", rest);
  return out + style.paint("dim", wrap(rest, 2, static_cast<std::size_t>(style.width)));
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
      "energy before [J],energy after [J]\n";
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
      out += r.contacts.size() > 1 ? "correlation" : restitution_law_name(r.problem.law);
      for (const double x :
           {at(r.problem.friction, k), at(r.problem.restitution, k), -at(r.problem.velocity, 2 * k + 1),
            at(r.result.velocity, 2 * k + 1), at(r.problem.velocity, 2 * k), at(r.result.velocity, 2 * k),
            at(r.result.impulse, 2 * k + 1), at(r.result.impulse, 2 * k), at(r.result.work_normal, k),
            at(r.result.work_friction, k), r.energy_before, r.energy_after})
        append(out, x);
      out += '\n';
    }
  }
  return out;
}

}  // namespace thud
