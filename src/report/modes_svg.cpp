#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/mode_poses.hpp"
#include "thud/report/modes.hpp"

namespace thud {

namespace {

constexpr double margin = 30, gap = 18, head = 86, label_height = 54, padding = 16;

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

// How wide a text of Helvetica is, near enough for a layout.
double text_length(std::string_view text, double size) {
  return 0.62 * size * static_cast<double>(text_width(text));
}

struct View {
  double scale = 1, x0 = 0, y0 = 0;
  Vec place(Vec p) const { return {x0 + scale * p.x, y0 + scale * p.z}; }
};

struct Stroke {
  const char *colour, *fill;
  double opacity, thickest;
};

void draw(const std::vector<PosedLine>& lines, const View& view, const Stroke& stroke, std::string& out) {
  out += fmt::format(
      R"(<g fill="none" stroke="{}" opacity="{}" stroke-linejoin="round" stroke-linecap="round">)",
      stroke.colour, stroke.opacity);
  for (const PosedLine& line : lines) {
    const double width = line.width > 0 ? std::clamp(view.scale * line.width, 1.8, stroke.thickest) : 1.4;
    out += fmt::format(R"(<{} stroke-width="{:.1f}"{} points=")", line.closed ? "polygon" : "polyline", width,
                       line.closed ? fmt::format(R"( fill="{}")", stroke.fill) : "");
    for (const Vec& p : line.points) {
      const Vec at = view.place(p);
      out += fmt::format("{:.1f},{:.1f} ", at.x, at.z);
    }
    out.back() = '"';
    out += "/>";
  }
  out += "</g>\n";
}

void draw_joints(const ModePoses& poses, const View& view, std::string& out) {
  for (const auto& [origin, line] : poses.rails) {
    const Vec at = view.place(origin);
    for (const double side : {-3.0, 3.0})
      out += fmt::format(R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="#857b70" stroke-width="1.2"/>)"
                         "\n",
                         at.x - 30 * line.x - side * line.z, at.z - 30 * line.z + side * line.x,
                         at.x + 30 * line.x - side * line.z, at.z + 30 * line.z + side * line.x);
  }
  for (const Vec& p : poses.ground) {
    const Vec at = view.place(p);
    out += fmt::format(
        R"(<path d="M{0:.1f} {1:.1f}l-7 -11h14z" fill="#fdfbf7" stroke="#857b70" stroke-width="1.2" stroke-linejoin="round"/><path d="M{2:.1f} {3:.1f}h24" stroke="#857b70" stroke-width="1.6"/>)"
        "\n",
        at.x, at.z, at.x - 12, at.z - 11);
  }
  for (const std::vector<Vec>* joints : {&poses.ground, &poses.pins})
    for (const Vec& p : *joints) {
      const Vec at = view.place(p);
      out += fmt::format(
          R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.8" fill="#fdfbf7" stroke="#2b2723" stroke-width="1.2"/>)"
          "\n",
          at.x, at.z);
    }
}

std::string text(double x, double y, double size, const char* more, std::string_view content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" {}>{}</text>\n", x, y, size, more,
                     escaped(content));
}

// "ω = 775.1 rad/s, ζ = 0.0102"
std::string second_line(const NaturalMode& m) {
  if (m.motion == Motion::free) return "free: nothing brings it back";
  if (m.motion == Motion::growing) return "unstable";
  if (m.motion == Motion::decaying) return "overdamped";
  std::string out = fmt::format("ω = {} rad/s", show_digits(m.omega(), 4));
  if (m.growth() < 0) out += fmt::format(", ζ = {:.3g}", m.damping_ratio());
  return out;
}

class ModesSvg {
 public:
  ModesSvg(const Scenario& s, const ModalAnalysis& a, const ModesReportOptions& o)
      : a_(a),
        count_(std::min(a.modes.size(), static_cast<std::size_t>(std::max(0, o.count)))),
        poses_(make_mode_poses(s, a, count_)) {
    title_ = s.title;
    subtitle_ = fmt::format("thud modes {} · about {} · drawn to scale, with the largest displacement as {}",
                            s.name, o.at_equilibrium ? "the equilibrium" : "the initial pose",
                            show_quantity(poses_.amplitude, "m", {}, 3));
    for (std::size_t k = 0; k < count_; ++k)
      labels_.push_back(fmt::format("{}: {}, {}", k + 1, describe_motion(a.modes[k]),
                                    mode_kind(s.system->tree(), a.modes[k])));
    lay_out();
  }

  std::string make() const {
    std::string out = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" role="img" aria-labelledby="t d" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">)"
        "\n<title id=\"t\">Natural modes: {2}</title>\n<desc id=\"d\">{3}</desc>\n"
        R"(<rect x="0.5" y="0.5" width="{4:.0f}" height="{5:.0f}" rx="14" fill="#fdfbf7" stroke="#ddd4c6"/>)"
        "\n",
        width_, height_, escaped(title_), escaped(describe()), width_ - 1, height_ - 1);
    out += text(margin, 40, 17, R"(font-weight="600" fill="#2b2723")", title_);
    out += text(margin, 61, 13.5, R"(fill="#857b70")", subtitle_);
    for (std::size_t k = 0; k < count_; ++k) add_panel(k, out);
    return out + "</svg>\n";
  }

 private:
  void lay_out() {
    constexpr double most_wide = 260, most_high = 240;
    const double w = std::max(poses_.box.width(), 1e-12), h = std::max(poses_.box.height(), 1e-12);
    scale_ = std::min(most_wide / w, most_high / h);
    panel_width_ = std::max(scale_ * w, 150.0) + 2 * padding;
    for (const std::string& label : labels_)
      panel_width_ = std::max(panel_width_, text_length(label, 14.5) + 2 * padding);
    panel_height_ = scale_ * h + label_height + 2 * padding;
    const auto fits = static_cast<std::size_t>((1200 - 2 * margin + gap) / (panel_width_ + gap));
    across_ = std::clamp<std::size_t>(fits, 1, std::max<std::size_t>(1, count_));
    // As many rows as needed, and no wider than they ask for.
    const std::size_t rows = std::max<std::size_t>(1, (count_ + across_ - 1) / across_);
    across_ = std::max<std::size_t>(1, (count_ + rows - 1) / rows);
    const auto n = static_cast<double>(across_);
    width_ = std::max({2 * margin + n * panel_width_ + (n - 1) * gap, 2 * margin + text_length(title_, 17),
                       2 * margin + 0.86 * text_length(subtitle_, 13.5)});
    height_ = std::round(head + static_cast<double>(rows) * (panel_height_ + gap) - gap + margin);
    width_ = std::round(width_);
    panel_width_ = (width_ - 2 * margin - (n - 1) * gap) / n;
  }

  std::string describe() const {
    std::string out;
    for (const std::string& label : labels_) out += (out.empty() ? "" : "; ") + label;
    return out.empty() ? "Nothing can move." : out + ".";
  }

  void add_panel(std::size_t k, std::string& out) const {
    const double x = margin + static_cast<double>(k % across_) * (panel_width_ + gap);
    const double y = head + static_cast<double>(k / across_) * (panel_height_ + gap);
    out += fmt::format(
        R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="8" fill="#fffefb" stroke="#e6dfd4"/>)"
        "\n",
        x, y, panel_width_, panel_height_);
    out += text(x + padding, y + 25, 14.5, R"(font-weight="600" fill="#2b2723")", labels_[k]);
    out += text(x + padding, y + 43, 12.5, R"(fill="#857b70")", second_line(a_.modes[k]));
    View view;
    view.scale = scale_;
    view.x0 = x + 0.5 * panel_width_ - scale_ * 0.5 * (poses_.box.left + poses_.box.right);
    view.y0 = y + label_height + padding - scale_ * poses_.box.top;
    draw(poses_.rest, view, {"#cfc7ba", "#ece6dc", 1, 9}, out);
    draw(poses_.minus[k], view, {"#2f6690", "none", 0.55, 2.2}, out);
    draw(poses_.plus[k], view, {"#c0562f", "none", 1, 2.8}, out);
    draw_joints(poses_, view, out);
  }

  const ModalAnalysis& a_;
  std::size_t count_, across_ = 1;
  ModePoses poses_;
  std::string title_, subtitle_;
  std::vector<std::string> labels_;
  double scale_ = 1, panel_width_ = 0, panel_height_ = 0, width_ = 0, height_ = 0;
};

}  // namespace

std::string make_modes_svg(const Scenario& scenario, const ModalAnalysis& analysis,
                           const ModesReportOptions& options) {
  return ModesSvg(scenario, analysis, options).make();
}

}  // namespace thud
