#include "thud/draw/contours.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace thud {

namespace {

using Point = std::array<double, 2>;
constexpr std::size_t none = static_cast<std::size_t>(-1);

// The nodes of the lines are the edges of the grid that they cross; each joins at most two segments, one per cell.
class Squares {
 public:
  Squares(std::span<const double> x, std::span<const double> y, std::span<const double> z, double level)
      : x_(x),
        y_(y),
        z_(z),
        level_(level),
        next_(2 * x.size() * y.size(), {none, none}) {
    for (std::size_t j = 0; j + 1 < y.size(); ++j)
      for (std::size_t i = 0; i + 1 < x.size(); ++i) add_cell(i, j);
  }

  std::vector<ContourLine> lines() {
    std::vector<ContourLine> out;
    for (std::size_t e = 0; e < next_.size(); ++e)  // open lines begin at their ends
      if ((next_[e][0] == none) != (next_[e][1] == none)) out.push_back(follow(e));
    for (std::size_t e = 0; e < next_.size(); ++e)
      if (next_[e][0] != none) out.push_back(follow(e));
    std::erase_if(out, [](const ContourLine& l) { return l.points.size() < 2; });
    return out;
  }

 private:
  // Edge from node (i, j) to the right, and upwards.
  std::size_t right_of(std::size_t i, std::size_t j) const { return 2 * (j * x_.size() + i); }
  std::size_t above(std::size_t i, std::size_t j) const { return right_of(i, j) + 1; }
  double at(std::size_t i, std::size_t j) const { return z_[j * x_.size() + i]; }

  void add_cell(std::size_t i, std::size_t j) {
    const std::array<double, 4> corner{at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)};
    unsigned high = 0;
    for (unsigned k = 0; k < 4; ++k) {
      if (!std::isfinite(corner[k])) return;
      high |= static_cast<unsigned>(corner[k] >= level_) << k;
    }
    const std::size_t bottom = right_of(i, j), right = above(i + 1, j), top = right_of(i, j + 1),
                      left = above(i, j);
    const bool middle_is_high = (corner[0] + corner[1] + corner[2] + corner[3]) / 4 >= level_;
    switch (high > 7 ? 15 - high : high) {
      case 1: return join(left, bottom);
      case 2: return join(bottom, right);
      case 3: return join(left, right);
      case 4: return join(right, top);
      case 6: return join(bottom, top);
      case 7: return join(left, top);
      case 5: {  // a saddle: the corners on the side of the middle hang together
        const bool first_is_cut_off = (high == 5) != middle_is_high;
        join(left, first_is_cut_off ? bottom : top);
        return join(right, first_is_cut_off ? top : bottom);
      }
      default: return;
    }
  }

  void join(std::size_t a, std::size_t b) {
    next_[a][next_[a][0] != none] = b;
    next_[b][next_[b][0] != none] = a;
  }

  // Takes the line from this edge on out of the graph.
  ContourLine follow(std::size_t start) {
    ContourLine line;
    std::size_t from = start;
    add_point(line, from);
    for (;;) {
      const std::size_t to = next_[from][0] != none ? next_[from][0] : next_[from][1];
      if (to == none) break;
      cut(from, to);
      cut(to, from);
      add_point(line, to);
      from = to;
    }
    line.closed = from == start && line.points.size() > 2;
    return line;
  }

  void cut(std::size_t from, std::size_t to) {
    std::size_t& link = next_[from][0] == to ? next_[from][0] : next_[from][1];
    link = none;
  }

  // A level that passes through a node meets several of its edges in the same point.
  void add_point(ContourLine& line, std::size_t edge) const {
    const Point p = point_on(edge);
    if (line.points.empty() || line.points.back() != p) line.points.push_back(p);
  }

  Point point_on(std::size_t edge) const {
    const std::size_t node = edge / 2, i = node % x_.size(), j = node / x_.size();
    const bool up = edge % 2 == 1;
    const double a = at(i, j), b = up ? at(i, j + 1) : at(i + 1, j), t = (level_ - a) / (b - a);
    if (up) return {x_[i], y_[j] + t * (y_[j + 1] - y_[j])};
    return {x_[i] + t * (x_[i + 1] - x_[i]), y_[j]};
  }

  std::span<const double> x_, y_, z_;
  double level_;
  std::vector<std::array<std::size_t, 2>> next_;
};

}  // namespace

std::vector<ContourLine> contour_lines(std::span<const double> x, std::span<const double> y,
                                       std::span<const double> z, double level) {
  if (z.size() != x.size() * y.size()) throw std::invalid_argument("contour_lines: z does not fit x and y");
  if (x.size() < 2 || y.size() < 2) return {};
  return Squares(x, y, z, level).lines();
}

}  // namespace thud
