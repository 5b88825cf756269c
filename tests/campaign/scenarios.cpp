#include "campaign/scenarios.hpp"

#include <algorithm>
#include <numbers>

#include "campaign/random.hpp"
#include "verify/random_mechanisms.hpp"

namespace thud::campaign {

namespace {

constexpr double pi = std::numbers::pi;

std::string quoted_list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "\"" : ", \"") + n + "\"";
  return "[" + out + "]";
}

/// Links on a tree, their pose, and what they can fall on.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : r(seed) {}

  Random r;
  double time = 10;

  // ---- bodies ----

  struct Look {
    bool tree = false, pinned = false, elastic = false, aligned = false, rubs = false;
  };

  void add_links(int count, Look look) {
    const double friction = r.coin() || look.rubs ? r.spread(1e-4, 0.2) : 0,
                 damping = r.coin(0.3) ? r.spread(1e-4, 0.05) : 0;
    for (int i = 0; i < count; ++i) {
      Link l;
      l.name = fmt::format("link{}", i + 1);
      l.length = rounded(r.uniform(0.05, 0.3), 3);
      l.parent = i == 0 ? -1 : look.tree ? r.whole(0, i - 1) : i - 1;
      const bool bends = look.elastic && (i == 0 || r.coin());
      const std::string shape = bends ? beam(l) : look.tree ? branch(l) : cylinder(l);
      std::string joint = "\"free\"";
      if (i > 0) {
        l.at = look.tree && r.coin() ? rounded(r.uniform(0, 1) * links_[l.parent].length, 2)
                                     : links_[l.parent].length;
        joint = fmt::format("{{ to = \"{}\", at = {:.4g}", links_[l.parent].name, l.at);
        if (friction > 0 && (look.rubs || r.coin(0.8)))
          joint += fmt::format(", friction = {:.3g}", friction * r.uniform(0.2, 2));
        if (damping > 0 && r.coin(0.8))
          joint += fmt::format(", damping = {:.3g}", damping * r.uniform(0.2, 2));
        joint += " }";
      } else if (look.pinned) {
        joint = friction > 0 ? fmt::format("{{ kind = \"pin\", friction = {:.3g} }}", friction) : "\"pin\"";
      }
      add_body(l.name, shape, joint);
      links_.push_back(l);
    }
    pinned_ = look.pinned, aligned_ = look.aligned;
  }

  /// How far the links reach from the start of the first.
  double reach() const {
    double most = 0;
    std::vector<double> to(links_.size());
    for (std::size_t i = 0; i < links_.size(); ++i) {
      to[i] = links_[i].parent >= 0 ? to[links_[i].parent] + links_[i].at : 0;
      most = std::max(most, to[i] + links_[i].length + links_[i].side);
    }
    return most;
  }

  bool has_links() const { return !links_.empty(); }

  /// Angles and rates. The links are above everything that rises by `steepness` at most, whatever the pose; pinned ones hang
  /// over a floor at `floor` below the pin and point up where they have to.
  void pose(double steepness, double floor = 0) {
    const double common = r.pick<double>({0, rounded(pi / 2, 17), rounded(r.uniform(-3, 3), 3)});
    for (int trial = 0; trial < 1000; ++trial) {
      for (Link& l : links_) l.angle = aligned_ ? common : rounded(r.uniform(-3.1, 3.1), 3);
      if (aligned_ && pinned_ && trial > 0)
        for (Link& l : links_) l.angle = rounded(r.uniform(1.7, 3.1), 3);
      if (!pinned_ || lowest() < floor - 0.002) break;
    }
    const bool moves = !aligned_ && r.coin(0.6);
    for (const Link& l : links_) {
      initial_ += fmt::format("\"{}.angle\" = {:.17g}\n", l.name, l.angle);
      if (moves && r.coin(0.6)) initial_ += fmt::format("\"{}.rate\" = {:.3g}\n", l.name, r.uniform(-6, 6));
    }
    if (pinned_) return;
    initial_ += fmt::format("\"{}.start.z\" = {:.4g}\n", links_[0].name,
                            -(reach() + r.spread(0.01, 0.5)) / std::cos(steepness));
    if (moves && r.coin()) initial_ += fmt::format("\"{}.vx\" = {:.3g}\n", links_[0].name, r.uniform(-2, 2));
    if (moves && r.coin()) initial_ += fmt::format("\"{}.vz\" = {:.3g}\n", links_[0].name, r.uniform(-1, 4));
  }

  void add_block(int i, double above) {
    const std::string name = fmt::format("block{}", i + 1);
    const double length = rounded(r.uniform(0.03, 0.3), 3), width = rounded(r.uniform(0.03, 0.3), 3);
    add_body(name,
             fmt::format("{{ kind = \"block\", length = {}, width = {}, mass = {:.3g} }}", length, width,
                         r.spread(0.1, 10)),
             "\"free\"");
    const double tilt =
        r.pick<double>({0, 1e-6, rounded(r.uniform(-0.3, 0.3), 3), rounded(r.uniform(-3, 3), 3)});
    initial_ += fmt::format("\"{}.angle\" = {}\n", name, tilt);
    initial_ += fmt::format(
        "\"{}.x\" = {:.4g}\n\"{}.z\" = {:.6g}\n", name, r.uniform(-0.1, 0.1), name,
        -above - std::hypot(length, width) / 2 - 0.4 * i - (r.coin(0.3) ? 1e-4 : r.spread(0.001, 0.3)));
    if (r.coin()) initial_ += fmt::format("\"{}.rate\" = {:.3g}\n", name, r.uniform(-5, 5));
    if (r.coin()) initial_ += fmt::format("\"{}.vx\" = {:.3g}\n", name, r.uniform(-1, 1));
    if (r.coin(0.3)) initial_ += fmt::format("\"{}.vz\" = {:.3g}\n", name, r.uniform(0, 3));
  }

  // ---- discs in a V or in a box, dropped one over the other or standing in rows ----

  void add_pile(bool grid) {
    const int count = grid ? r.whole(3, 10) : r.whole(2, 8);
    const bool equal = grid || r.coin();
    const double d = rounded(r.uniform(0.02, 0.1), 2), density = rounded(r.spread(500, 8000), 2);
    const bool box = r.coin();
    const int columns = r.whole(2, 4);
    const double gap = r.pick<double>({0, 1e-3 * d, 0.05 * d}), pitch = d + gap;
    const double half = rounded(grid ? 0.5 * columns * pitch + 0.25 * d : r.uniform(1.2, 3) * d, 3);
    const double steep = rounded(r.uniform(0.3, 1.2), 3);
    if (box) {
      add_wall("floor", 0, 0, 0);
      add_wall("left", -half, 0, pi / 2);
      add_wall("right", half, 0, -pi / 2);
    } else {
      add_wall("left", 0, 0, steep);
      add_wall("right", 0, 0, r.coin() ? -steep : -rounded(r.uniform(0.3, 1.2), 3));
    }
    // In a V the lowest row has to be where it is wide enough.
    const double base = box ? 0 : (half + d) / std::cos(1.2);
    std::vector<std::string> names;
    double z = -base;
    for (int i = 0; i < count; ++i) {
      names.push_back(fmt::format("disc{}", i + 1));
      const double size = equal ? d : rounded(d * r.uniform(0.5, 1), 2);
      add_body(
          names.back(),
          fmt::format("{{ kind = \"disc\", diameter = {}, thickness = 0.02, density = {} }}", size, density),
          "\"free\"");
      double x = 0;
      if (grid) {
        x = rounded((i % columns - 0.5 * (columns - 1)) * pitch, 6);
        z = -base - d / 2 - rounded((i / columns) * pitch, 6) - (box ? 0 : 0.001);
      } else {
        x = rounded(r.uniform(-0.4, 0.4) * (half - d / 2), 3);
        z -= d * r.uniform(1.05, 3);
      }
      initial_ +=
          fmt::format("\"{0}.angle\" = 0\n\"{0}.x\" = {1:.6g}\n\"{0}.z\" = {2:.6g}\n", names.back(), x, z);
      if (!grid && r.coin(0.3))
        initial_ += fmt::format("\"{0}.vx\" = {1:.3g}\n", names.back(), r.uniform(-1, 1));
      if (!grid && r.coin(0.3))
        initial_ += fmt::format("\"{0}.rate\" = {1:.3g}\n", names.back(), r.uniform(-10, 10));
    }
    surfaces_ += "[[pair]]\nbodies = " + quoted_list(names) + "\n\n";
  }

  // ---- what they fall on ----

  void add_wall(const std::string& name, double x, double z, double slope) {
    surfaces_ += fmt::format("[[wall]]\nname = \"{}\"\nat = [{:.6g}, {:.6g}]\n", name, x, z);
    if (slope != 0) surfaces_ += fmt::format("slope = {:.17g}\n", slope);
    surfaces_ += "\n";
  }
  /// A floor, a slope, a V, or a V with a floor in it; returns how steep it gets.
  double add_walls() {
    const int kind = r.whole(0, 3);
    if (kind == 0) return add_wall("floor", 0, 0, 0), 0;
    const double a = rounded(r.uniform(0.05, kind == 1 ? 0.4 : 1.2), 3), b = rounded(r.uniform(0.1, 1.2), 3);
    if (kind == 1) return add_wall("slope", 0, 0, r.coin() ? a : -a), a;
    add_wall("left", 0, 0, a);
    add_wall("right", 0, 0, -b);
    if (kind == 3) add_wall("floor", 0, -0.03, 0);
    return std::max(a, b);
  }
  void add_contact_law() {
    contact_ = "[contact]\n";
    if (r.coin(0.75)) contact_ += fmt::format("restitution = {:.3g}\n", r.uniform(0, 0.9));
    if (r.coin(0.8))
      contact_ += fmt::format("friction = {:.3g}\n", r.coin(0.8) ? r.uniform(0, 1.2) : r.spread(1, 10));
    contact_ += "law = \"" + r.pick<std::string>({"newton", "poisson", "stronge"}) + "\"\n";
    if (r.coin(0.4)) contact_ += fmt::format("correlation = {:.3g}\n", r.uniform(0, 0.6));
    contact_ += "\n";
  }
  void add_hertz() {
    contact_ = fmt::format("[contact]\nmodel = \"hertz\"\nstiffness = {:.3g}\n", r.spread(1e4, 1e7));
    if (r.coin(0.7)) contact_ += fmt::format("damping = {:.3g}\n", r.uniform(0.02, 1));
    if (r.coin(0.7)) contact_ += fmt::format("friction = {:.3g}\n", r.uniform(0, 1));
    contact_ += "\n";
    time = 3;
  }

  double add_bed(double surface = 0, bool level = false) {
    const double slope = level || r.coin(0.3) ? 0 : rounded(r.uniform(-0.4, 0.4), 3);
    surfaces_ += "[[bed]]\nmedium = \"" + r.pick<std::string>({"play-sand", "hill-sand"}) + "\"\n";
    if (r.coin(0.8)) surfaces_ += fmt::format("friction = {:.2g}\n", r.uniform(0.1, 1));
    surfaces_ +=
        r.coin(0.3) ? "area = \"" + r.pick<std::string>({"side", "side-or-end", "full"}) + "\"\n" : "";
    end_bed(surface, slope);
    return std::abs(slope);
  }
  double add_law_bed() {
    const double slope = r.coin() ? 0 : rounded(r.uniform(-0.3, 0.3), 3), weight = 10 * mass_;
    const std::string law =
        r.pick<std::string>({"lee2009", "bingham", "poncelet", "allen", "lohse", "katsuragi"});
    const double f = weight * r.uniform(0.3, 5);
    surfaces_ += "[[bed]]\nlaw = \"" + law + "\"\n";
    if (law == "lee2009")
      surfaces_ += fmt::format("eta_v = {:.3g}\neta_d = {:.3g}\n", r.uniform(5, 40), r.uniform(0, 10));
    if (law == "bingham") surfaces_ += fmt::format("F0 = {:.3g}\nb = {:.3g}\n", f, weight * r.uniform(0, 1));
    if (law == "poncelet") surfaces_ += fmt::format("F0 = {:.3g}\nc = {:.3g}\n", f, weight * r.uniform(0, 1));
    if (law == "allen")
      surfaces_ += fmt::format("A = {:.3g}\nB = {:.3g}\nC = {:.3g}\n", weight * r.uniform(0, 1),
                               weight * r.uniform(0, 1), f);
    if (law == "lohse") surfaces_ += fmt::format("k = {:.3g}\n", weight * r.spread(5, 200));
    if (law == "katsuragi")
      surfaces_ += fmt::format("k = {:.3g}\nd1 = {:.3g}\n", weight * r.spread(5, 200), r.uniform(0.05, 0.5));
    if (law != "lee2009" && r.coin()) surfaces_ += fmt::format("shear_ratio = {:.2g}\n", r.uniform(0, 2));
    end_bed(0, slope);
    return std::abs(slope);
  }

  /// Sand felt along the surface: resistive force theory or Lee's densities; walls may stand in it.
  double add_spread_bed(const std::string& kind, double surface = 0, bool level = false) {
    const double slope = level || r.coin(0.3) ? 0 : rounded(r.uniform(-0.35, 0.35), 3);
    surfaces_ += "[[bed]]\n";
    if (kind == "rft" && r.coin(0.6))
      surfaces_ += "medium = \""
                 + r.pick<std::string>(
                     {"poppy-loose", "poppy-close", "glass-beads", "simulant-soft", "simulant-firm"})
                 + "\"\n";
    else if (kind == "lee-spread")
      surfaces_ += fmt::format("law = \"lee-spread\"\neta_v = {:.3g}\neta_h = {:.3g}\nfriction = {:.2g}\n",
                               r.uniform(5, 40), r.uniform(2, 20), r.uniform(0, 1));
    else
      surfaces_ += fmt::format("law = \"{}\"\nzeta = {:.3g}\n", kind, r.spread(0.1, 3));
    if (kind == "drft" && r.coin()) surfaces_ += fmt::format("lambda = {:.2g}\n", r.uniform(0.5, 2));
    end_bed(surface, slope);
    return std::abs(slope);
  }
  /// A disc as the last of the links, or on its own.
  void add_disc(bool alone) {
    const double d = rounded(r.uniform(0.03, 0.2), 2);
    const std::string shape =
        fmt::format("{{ kind = \"disc\", diameter = {}, thickness = {:.2g}, density = {:.3g} }}", d,
                    r.uniform(0.01, 0.1), r.spread(500, 8000));
    if (!alone) {
      const Link& last = links_.back();
      add_body("disc", shape,
               fmt::format("{{ to = \"{}\", at = {}, friction = {:.2g} }}", last.name, last.length,
                           r.spread(1e-4, 0.05)));
      initial_ += fmt::format("\"disc.rate\" = {:.3g}\n", r.uniform(-10, 10));
      links_.back().side = std::max(links_.back().side, d / 2);
      return;
    }
    add_body("disc", shape, "\"free\"");
    initial_ += fmt::format("\"disc.angle\" = 0\n\"disc.x\" = 0\n\"disc.z\" = {:.4g}\n",
                            -0.6 * d - r.spread(0.001, 0.3));
    initial_ += fmt::format("\"disc.vx\" = {:.3g}\n\"disc.vz\" = {:.3g}\n\"disc.rate\" = {:.3g}\n",
                            r.uniform(-1, 1), r.uniform(0, 2), r.uniform(-20, 20));
  }

  std::string text() const {
    return bodies_ + contact_ + surfaces_ + "[initial]\n" + initial_
         + fmt::format("\n[stop]\nwhen = \"rest\"\ntime = {}\n", time);
  }

 private:
  struct Link {
    std::string name;
    int parent = -1;
    double length = 0, at = 0, angle = 0;
    double side = 0;  // how far it reaches beside its axis
  };

  void add_body(const std::string& name, const std::string& shape, const std::string& joint) {
    bodies_ += fmt::format("[[body]]\nname = \"{}\"\nshape = {}\njoint = {}\n\n", name, shape, joint);
  }
  std::string cylinder(Link& l) {
    const double d = rounded(r.uniform(0.006, 0.03), 2), density = rounded(r.spread(1000, 8000), 3);
    mass_ = std::max(mass_, density * l.length * d * d * 0.785);
    l.side = d / 2;
    return fmt::format("{{ kind = \"cylinder\", length = {}, diameter = {}, density = {} }}", l.length, d,
                       density);
  }
  std::string branch(Link& l) {
    if (r.coin(0.6)) return cylinder(l);
    const double width = rounded(r.uniform(0.02, 0.08), 2);
    l.side = width;
    mass_ = std::max(mass_, 0.5);
    if (r.coin())
      return fmt::format("{{ kind = \"block\", length = {}, width = {}, density = {:.3g} }}", l.length, width,
                         r.spread(1000, 8000));
    return fmt::format(
        "{{ kind = \"rod_disc\", length = {}, diameter = 0.02, rod_mass = {:.2g}, disc_mass = {:.2g}, "
        "disc_diameter = {} }}",
        l.length, r.uniform(0.1, 0.5), r.uniform(0.1, 0.5), width);
  }
  std::string beam(Link& l) {
    const double d = rounded(r.uniform(0.004, 0.012), 2);
    l.length = rounded(r.uniform(0.15, 0.4), 3);
    l.side = 0.1 * l.length;  // room to bend
    mass_ = std::max(mass_, 0.05);
    std::string out = fmt::format(
        "{{ kind = \"beam\", length = {}, diameter = {}, density = {:.3g}, young = {:.3g}, modes = {}",
        l.length, d, r.spread(1000, 8000), r.spread(1e9, 2e11), r.whole(1, 5));
    if (r.coin(0.6)) out += fmt::format(", damping = {:.2g}", r.uniform(0.001, 0.03));
    return out + " }";
  }
  void end_bed(double surface, double slope) {
    if (surface != 0) surfaces_ += fmt::format("surface = {:.4g}\n", surface);
    if (slope != 0) surfaces_ += fmt::format("slope = {:.17g}\n", slope);
    surfaces_ += "\n";
  }
  /// z of the lowest point.
  double lowest() const {
    double most = -HUGE_VAL;
    std::vector<double> z(links_.size());
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Link& l = links_[i];
      z[i] = l.parent >= 0 ? z[l.parent] + l.at * std::cos(links_[l.parent].angle) : 0;
      most = std::max({most, z[i] + l.side, z[i] + l.length * std::cos(l.angle) + l.side});
    }
    return most;
  }

  std::vector<Link> links_;
  bool pinned_ = false, aligned_ = false;
  double mass_ = 0.01;  // of the heaviest body, about
  std::string bodies_, contact_, surfaces_, initial_;
};

// ---- the classes --------------------------------------------------------------------------------------------------------

template <int least, int most>
std::string chain_on_bed(std::uint64_t seed) {
  Maker m(seed);
  m.add_links(m.r.whole(least, most), {});
  m.pose(m.add_bed());
  return m.text();
}

std::string tree_on_bed(std::uint64_t seed) {
  Maker m(seed);
  m.add_links(m.r.whole(3, 10), {.tree = true});
  m.pose(m.add_bed());
  return m.text();
}

std::string pinned_on_bed(std::uint64_t seed) {
  Maker m(seed);
  m.add_links(m.r.whole(1, 6), {.tree = m.r.coin(), .pinned = true});
  const double surface = rounded(m.reach() * m.r.uniform(0.1, 0.9), 3);
  m.add_bed(surface);
  m.pose(0, surface);
  return m.text();
}

std::string aligned_on_bed(std::uint64_t seed) {
  Maker m(seed);
  m.add_links(m.r.whole(2, 8), {.aligned = true});
  m.pose(m.add_bed(0, m.r.coin()));
  return m.text();
}

std::string laws_on_bed(std::uint64_t seed) {
  Maker m(seed);
  m.add_links(m.r.whole(1, 5), {.tree = m.r.coin()});
  m.pose(m.add_law_bed());
  return m.text();
}

template <int least, int most, bool tree>
std::string on_walls(std::uint64_t seed) {
  Maker m(seed);
  m.add_links(m.r.whole(least, most), {.tree = tree});
  m.add_contact_law();
  m.pose(m.add_walls());
  return m.text();
}

std::string pinned_on_walls(std::uint64_t seed) {
  Maker m(seed);
  m.add_links(m.r.whole(1, 5), {.tree = m.r.coin(), .pinned = true});
  m.add_contact_law();
  const double floor = rounded(m.reach() * m.r.uniform(0.2, 0.95), 3);
  m.add_wall("floor", 0, floor, 0);
  m.pose(0, floor);
  return m.text();
}

std::string walls_and_beds(std::uint64_t seed) {
  Maker m(seed);
  m.add_links(m.r.whole(1, 5), {.tree = m.r.coin()});
  m.add_contact_law();
  const double steep = m.add_bed();
  const double tilt = rounded(m.r.uniform(-1.1, 1.1), 3);
  m.r.coin() ? m.add_wall("bottom", 0, rounded(m.r.spread(0.01, 0.1), 2), 0)
             : m.add_wall("side", rounded(m.r.uniform(-0.1, 0.1), 2), 0, tilt);
  m.pose(std::max(steep, std::abs(tilt)));
  return m.text();
}

std::string blocks(std::uint64_t seed) {
  Maker m(seed);
  m.add_contact_law();
  const double steep = m.add_walls();
  const int count = m.r.whole(1, 2);
  for (int i = 0; i < count; ++i)
    m.add_block(i, steep > 0 ? 0.4 * std::tan(steep) + 0.1 / std::cos(steep) : 0);
  return m.text();
}

template <bool grid, bool hertz>
std::string pile(std::uint64_t seed) {
  Maker m(seed);
  hertz ? m.add_hertz() : m.add_contact_law();
  m.add_pile(grid);
  return m.text();
}

std::string hertz_walls(std::uint64_t seed) {
  Maker m(seed);
  m.add_links(m.r.whole(1, 5), {.tree = m.r.coin()});
  m.add_hertz();
  m.pose(m.add_walls());
  return m.text();
}

std::string hertz_pile(std::uint64_t seed) {
  return seed % 2 == 0 ? pile<true, true>(seed) : pile<false, true>(seed);
}

std::string elastic_on_bed(std::uint64_t seed) {
  Maker m(seed);
  const bool pinned = m.r.coin();
  m.add_links(m.r.whole(1, 3), {.pinned = pinned, .elastic = true});
  m.time = 5;
  const double surface = pinned ? rounded(m.reach() * m.r.uniform(0.2, 0.9), 3) : 0;
  m.pose(m.add_bed(surface, pinned), surface);
  return m.text();
}

std::string elastic_on_walls(std::uint64_t seed) {
  Maker m(seed);
  const bool pinned = m.r.coin();
  m.add_links(m.r.whole(1, 3), {.pinned = pinned, .elastic = true});
  m.time = 3;
  m.add_contact_law();
  if (pinned) {
    const double floor = rounded(m.reach() * m.r.uniform(0.3, 0.9), 3);
    m.add_wall("floor", 0, floor, 0);
    m.pose(0, floor);
  } else {
    m.pose(m.add_walls());
  }
  return m.text();
}

// Joints of what is pinned rub, or a link between two that the sand holds would swing for ever.
std::string on_spread_bed(std::uint64_t seed, const std::string& kind, bool walls) {
  Maker m(seed);
  m.time = 60;
  const double choice = m.r.uniform(0, 1);
  if (choice < 0.15 && kind != "lee-spread") {
    m.add_disc(true);
  } else {
    const bool pinned = !walls && choice > 0.85;
    m.add_links(choice < 0.4 ? 1 : m.r.whole(2, 6), {.pinned = pinned, .rubs = pinned});
    if (kind != "lee-spread" && m.r.coin(0.2)) m.add_disc(false);
    if (pinned) {
      const double surface = rounded(m.reach() * m.r.uniform(0.1, 0.9), 3);
      m.add_spread_bed(kind, surface, true);
      m.pose(0, surface);
      return m.text();
    }
  }
  double steep = m.add_spread_bed(kind);
  if (walls) {
    m.add_contact_law();
    const double tilt = rounded(m.r.uniform(-1.1, 1.1), 3);
    m.r.coin() ? m.add_wall("bottom", 0, rounded(m.r.spread(0.01, 0.1), 2), 0)
               : m.add_wall("side", rounded(m.r.uniform(-0.1, 0.1), 2), 0, tilt);
    steep = std::max(steep, std::abs(tilt));
  }
  if (m.has_links()) m.pose(steep);
  return m.text();
}

std::string rft_on_bed(std::uint64_t seed) {
  return on_spread_bed(seed, seed % 3 == 0 ? "drft" : "rft", false);
}
std::string lee_spread_on_bed(std::uint64_t seed) { return on_spread_bed(seed, "lee-spread", false); }
std::string spread_on_walls(std::uint64_t seed) {
  return on_spread_bed(seed, seed % 3 == 0 ? "drft" : seed % 3 == 1 ? "rft" : "lee-spread", true);
}

std::string mechanisms(std::uint64_t seed) { return MechanismMaker(static_cast<unsigned>(seed)).make(); }

}  // namespace

const std::vector<ScenarioClass>& classes() {
  static const std::vector<ScenarioClass> all = {
      {"chains-2-5", "chains of 2 to 5 links on sloped beds", chain_on_bed<2, 5>},
      {"chains-6-12", "chains of 6 to 12 links on sloped beds", chain_on_bed<6, 12>},
      {"chains-13-20", "chains of 13 to 20 links on sloped beds", chain_on_bed<13, 20>},
      {"trees", "branched trees of 3 to 10 links on beds", tree_on_bed},
      {"pinned", "pinned chains and trees over beds", pinned_on_bed},
      {"aligned", "chains that start straight, on beds", aligned_on_bed},
      {"laws", "the six laws of resistance", laws_on_bed},
      {"wall-chains", "chains of 1 to 5 links on walls", on_walls<1, 5, false>},
      {"wall-trees", "branched trees of 2 to 6 links on walls", on_walls<2, 6, true>},
      {"wall-pinned", "pinned chains and trees over a floor", pinned_on_walls},
      {"wall-long", "chains of 6 to 15 links on walls", on_walls<6, 15, false>},
      {"walls-and-beds", "walls and beds together", walls_and_beds},
      {"blocks", "blocks on walls", blocks},
      {"piles-loose", "2 to 8 discs dropped into a V or a box", pile<false, false>},
      {"piles-grid", "3 to 10 discs in rows, in a V or a box", pile<true, false>},
      {"hertz-walls", "chains and trees on compliant walls", hertz_walls},
      {"hertz-piles", "piles of compliant discs", hertz_pile},
      {"elastic-beds", "elastic links on beds", elastic_on_bed},
      {"elastic-walls", "elastic links on walls", elastic_on_walls},
      {"rft", "bodies and chains in sand with a stress on their outline", rft_on_bed},
      {"lee-spread", "links and chains in sand with Lee's densities", lee_spread_on_bed},
      {"spread-walls", "bodies and chains in such sands with walls in them", spread_on_walls},
      {"mechanisms", "joints, loops, springs, stops, ropes, struts, drives", mechanisms},
      {"knobs", "scenarios of the library, knobs within their ranges", make_turned},
  };
  return all;
}

}  // namespace thud::campaign
