#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/canvas.hpp"
#include "report/mode_poses.hpp"
#include "thud/math/portable.hpp"
#include "thud/report/modes.hpp"
#include "thud/report/summary.hpp"

namespace thud {

namespace {

constexpr std::size_t most_pictures = 8;

std::string counted(int n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string trimmed(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// A small picture of everything in a box, as wide as the box asks for.
class PictureFrame {
 public:
  PictureFrame(const Box& box, bool unicode) : box_(box), unicode_(unicode), rows_(unicode ? 8 : 12) {
    constexpr int widest = 24, narrowest = 14;
    const double dots_x = unicode ? 2 : 1, dots_y = unicode ? 4 : 1;
    const double shape = dots_y / dots_x / 2;  // of a dot: a character is about twice as high as wide
    scale_y_ = std::min((rows_ * dots_y - 1) / box.height(), (widest * dots_x - 1) * shape / box.width());
    scale_x_ = scale_y_ / shape;
    columns_ = std::max(narrowest, static_cast<int>(std::ceil((scale_x_ * box.width() + 1) / dots_x)));
    left_ = 0.5 * (columns_ * dots_x - 1 - scale_x_ * box.width());
  }

  int columns() const { return columns_; }
  int rows() const { return rows_; }

  Canvas draw(const std::vector<PosedLine>& lines) const {
    Canvas canvas(columns_, rows_, unicode_);
    const auto x = [&](Vec p) { return static_cast<int>(std::lround(left_ + scale_x_ * (p.x - box_.left))); };
    const auto y = [&](Vec p) { return static_cast<int>(std::lround(scale_y_ * (p.z - box_.top))); };
    for (const PosedLine& line : lines)
      for (std::size_t i = line.closed ? 0 : 1; i < line.points.size(); ++i) {
        const Vec from = i > 0 ? line.points[i - 1] : line.points.back(), to = line.points[i];
        canvas.line(x(from), y(from), x(to), y(to));
      }
    return canvas;
  }

 private:
  Box box_;
  bool unicode_;
  int rows_, columns_ = 0;
  double scale_x_ = 1, scale_y_ = 1, left_ = 0;
};

class ModesText {
 public:
  ModesText(const Scenario& s, const ModalAnalysis& a, const TextStyle& style, const ModesReportOptions& o)
      : s_(s),
        tree_(s.system->tree()),
        a_(a),
        style_(style),
        options_(o),
        shown_(std::min(a.modes.size(), static_cast<std::size_t>(std::max(0, o.count)))) {}

  std::string make() {
    add_title();
    add_table();
    if (options_.pictures && shown_ > 0) add_pictures();
    add_notes();
    return std::move(out_);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(style_.width); }
  bool is_damped(const NaturalMode& m) const { return m.motion == Motion::oscillating && m.growth() < 0; }

  void add_title() {
    out_ += style_.paint("bold", shorten(s_.title, width(), style_)) + "\n";
    std::vector<std::string> knobs;
    for (const Knob& k : s_.knobs) knobs.push_back(k.name + " " + show_knob(k, style_));
    out_ += style_.paint("dim", join_wrapped(knobs, style_.unicode ? " · " : ", ", 0, width()));
    const int growing = a_.count(Motion::growing), free = a_.count(Motion::free);
    std::string verdict = growing > 0 ? "unstable, " + counted(growing, "growing motion") : "stable";
    if (free > 0) verdict += ", " + counted(free, "free motion");
    if (growing == 0 && free > 0) verdict = counted(free, "free motion");
    out_ += fmt::format("\nNatural modes about {}: {}\n\n",
                        options_.at_equilibrium ? "the equilibrium" : "the initial pose",
                        style_.paint(growing > 0 ? "red" : "green", verdict));
  }

  // Without the name of the body where there is only one.
  std::string name_of(int dof) const {
    const std::string name = tree_.dof_name(dof);
    return tree_.body_count() > 1 ? name : name.substr(name.rfind('.') + 1);
  }

  static std::string show_frequency(double x) {
    return x == 0 ? "0" : x < 99999.95 ? fmt::format("{:#.6g}", x) : show_digits(x, 6);
  }

  std::string show_damping(const NaturalMode& m) const {
    if (m.motion == Motion::growing || m.motion == Motion::decaying) return describe_motion(m);
    return is_damped(m) ? fmt::format("{:.3g}", m.damping_ratio()) : "";
  }

  struct Share {
    std::string of;
    double size;
  };

  // Where the kinetic energy is, by body and by moving, turning and bending; the largest first.
  std::vector<Share> list_shares(const NaturalMode& m) const {
    std::vector<Share> shares;
    for (int i = 0; i < tree_.body_count(); ++i) {
      const std::string name = tree_.body_count() > 1 ? tree_.body(i).name + " " : "";
      const NaturalMode::Kinetic& k = m.kinetic[i];
      if (!tree_.body(i).beam && !name.empty()) {
        shares.push_back({name, k.sum()});
        continue;
      }
      shares.push_back({name + "moving ", k.translation});
      shares.push_back({name + "turning ", k.rotation});
      shares.push_back({name + "bending ", k.bending});
    }
    std::stable_sort(shares.begin(), shares.end(),
                     [](const Share& a, const Share& b) { return a.size > b.size + 1e-9; });
    return shares;
  }

  // As many of them as there is room for.
  std::string show_energy(const NaturalMode& m, std::size_t room) const {
    std::string out;
    for (const Share& share : list_shares(m)) {
      const std::string more =
          fmt::format("{}{}{:.0f} %", out.empty() ? "" : ", ", share.of, 100 * share.size);
      if (share.size < 0.005 || (!out.empty() && text_width(out + more) > room)) break;
      out += more;
    }
    return out;
  }

  void add_table() {
    if (a_.modes.empty()) {
      out_ += "  nothing here can move\n";
      return;
    }
    std::vector<std::string> damping, kind, largest;
    for (std::size_t k = 0; k < shown_; ++k) {
      damping.push_back(show_damping(a_.modes[k]));
      kind.push_back(mode_kind(tree_, a_.modes[k]));
      largest.push_back(name_of(a_.modes[k].dominant));
    }
    const auto widest = [](const std::vector<std::string>& column, std::size_t least) {
      for (const std::string& text : column) least = std::max(least, text_width(text));
      return least;
    };
    const bool any_damping = widest(damping, 0) > 0;
    const std::size_t d = any_damping ? widest(damping, 7) : 0, w = widest(kind, 4), c = widest(largest, 10);
    const auto left = [&](const std::string& mode, const std::string& hz, const std::string& rad,
                          const std::string& damp, const std::string& what, const std::string& dof) {
      return fmt::format("  {}  {}  {}  {}{}{}  {}  ", pad_left(mode, 4), pad_left(hz, 8), pad_left(rad, 8),
                         pad_right(damp, d), any_damping ? "  " : "", pad_right(what, w), pad_right(dof, c));
    };
    const std::string header =
        left("mode", "Hz", "rad/s", any_damping ? "damping" : "", "kind", "coordinate");
    const std::size_t room = width() - std::min(width(), text_width(header));
    const bool has_energy = room >= text_width("bending 100 %");
    const char* energy = room < text_width("kinetic energy") ? "energy" : "kinetic energy";
    out_ += style_.paint("dim", trimmed(header + (has_energy ? energy : ""))) + "\n";
    for (std::size_t k = 0; k < shown_; ++k) {
      const NaturalMode& m = a_.modes[k];
      const std::string row = left(fmt::format("{}", k + 1), show_frequency(m.frequency()),
                                   show_frequency(m.omega()), damping[k], kind[k], largest[k]);
      out_ += (has_energy ? row + style_.paint("dim", show_energy(m, room)) : trimmed(row)) + "\n";
    }
    if (shown_ < a_.modes.size())
      out_ += style_.paint("dim", fmt::format("  {} and {} more (--count {})", style_.unicode ? "…" : "...",
                                              a_.modes.size() - shown_, a_.modes.size()))
            + "\n";
  }

  void add_pictures() {
    const std::size_t count = std::min(shown_, most_pictures);
    const ModePoses poses = make_mode_poses(s_, a_, count);
    if (!(poses.amplitude > 0)) return;  // nothing to see
    const PictureFrame frame(poses.box, style_.unicode);
    const auto across = static_cast<std::size_t>((style_.width - 2) / (frame.columns() + 2));
    for (std::size_t first = 0; first < count; first += across)
      add_picture_row(poses, frame, first, std::min(count, first + across));
    out_ += style_.paint("dim", fmt::format("  drawn to scale, with the largest displacement as {}\n",
                                            show_quantity(poses.amplitude, "m", style_, 3)));
  }

  // Pictures side by side, with their labels above.
  void add_picture_row(const ModePoses& poses, const PictureFrame& frame, std::size_t first,
                       std::size_t last) {
    const auto columns = static_cast<std::size_t>(frame.columns());
    std::string labels;
    std::vector<std::string> lines(static_cast<std::size_t>(frame.rows()));
    for (std::size_t k = first; k < last; ++k) {
      const Canvas rest = frame.draw(poses.rest), moved = frame.draw(poses.plus[k]);
      const std::string label = fmt::format("{}: {}", k + 1, describe_motion(a_.modes[k], 3));
      labels += "  " + pad_right(shorten(label, columns, style_), columns);
      for (std::size_t r = 0; r < lines.size(); ++r)
        lines[r] += "  " + picture_row(rest, moved, static_cast<int>(r), frame.columns());
    }
    out_ += "\n" + trimmed(labels) + "\n";
    for (const std::string& line : lines) out_ += trimmed(line) + "\n";
  }

  std::string picture_row(const Canvas& rest, const Canvas& moved, int row, int columns) const {
    std::string line;
    for (int c = 0; c < columns; ++c) {
      const int over = moved.cell(row, c), under = rest.cell(row, c);
      if (over)
        line += style_.paint("cyan", style_.unicode ? braille(over | under) : "*");
      else if (under)
        line += style_.paint("dim", style_.unicode ? braille(under) : ".");
      else
        line += " ";
    }
    return line;
  }

  void add_notes() {
    std::vector<std::string> notes;
    if (!a_.at.is_equilibrium) {
      // The torque that says most, if there is one.
      int dof = 0;
      const auto weight = [&](int i) { return std::abs(a_.at.force[i]) * (tree_.is_angle(i) ? 1e6 : 1); };
      for (int i = 1; i < tree_.dof_count(); ++i)
        if (weight(i) > weight(dof)) dof = i;
      notes.push_back(fmt::format(
          "The pose is not an equilibrium: gravity and strain pull at {} with {}. The stiffness is that of "
          "the "
          "pose held still; --at equilibrium finds where the system hangs.",
          tree_.dof_name(dof),
          show_quantity(a_.at.force[dof], tree_.is_angle(dof) ? "N m" : "N", style_, 4)));
    }
    if (a_.at.falls) notes.push_back("Free bodies are seen from a frame that falls with them.");
    if (const std::vector<std::string> left_out = list_left_out(*s_.system); !left_out.empty()) {
      std::string list;
      for (const std::string& what : left_out) list += (list.empty() ? "" : ", ") + what;
      notes.push_back("Left out, having no linear part: " + list + ".");
    }
    if (notes.empty()) return;
    out_ += "\n";
    for (const std::string& note : notes) out_ += style_.paint("dim", wrap(note, 0, width()));
  }

  const Scenario& s_;
  const Tree& tree_;
  const ModalAnalysis& a_;
  const TextStyle& style_;
  const ModesReportOptions& options_;
  std::size_t shown_;
  std::string out_;
};

}  // namespace

std::string show_digits(double x, int digits) {
  return std::abs(x) >= portable::pow(10.0, digits) && std::abs(x) < 1e9 ? fmt::format("{:.0f}", x)
                                                                         : show_number(x, digits);
}

std::string describe_motion(const NaturalMode& mode, int digits) {
  switch (mode.motion) {
    case Motion::growing: return fmt::format("grows {}/s", show_digits(mode.growth(), digits));
    case Motion::decaying: return fmt::format("decays {}/s", show_digits(-mode.growth(), digits));
    case Motion::free: return "0 Hz";
    case Motion::oscillating: return fmt::format("{} Hz", show_digits(mode.frequency(), digits));
  }
  return {};
}

std::string make_modes_text(const Scenario& scenario, const ModalAnalysis& analysis, const TextStyle& style,
                            const ModesReportOptions& options) {
  return ModesText(scenario, analysis, style, options).make();
}

}  // namespace thud
