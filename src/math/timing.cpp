#include "thud/math/timing.hpp"
#include "thud/math/portable.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>

#include "math/interval.hpp"
#include "math/timing_parts.hpp"

namespace thud {

namespace {

constexpr int most_edges = 20'000;         // of one function that is cut to whole numbers
constexpr int most_evaluations = 200'000;  // over intervals, of one expression

// A value and its rate in time, over a span of time.
struct Enclosure {
  Interval v, d;
};

// ---- an expression over a span of time ----------------------------------------------------------------------------------

template <class P>
class Enclosed {
  using Node = typename FormulaOf<P>::Node;
  using Op = typename FormulaOf<P>::Op;

 public:
  explicit Enclosed(const FormulaOf<P>& f) : f_(f), of_time_(f.nodes.size()), varies_(f.nodes.size()) {
    for (std::size_t k = 0; k < f.nodes.size(); ++k) {
      const Node& n = f.nodes[k];
      of_time_[k] = n.op != Op::input || n.index == 0;
      varies_[k] = n.op == Op::input;
      for (const int from : {n.a, n.b, n.c})
        if (from >= 0) of_time_[k] = of_time_[k] && of_time_[from], varies_[k] = varies_[k] || varies_[from];
    }
  }

  /// Whether the time alone decides, and does change it.
  bool is_timed(int node) const { return of_time_[node] && varies_[node]; }
  /// Timed nodes that the value itself, or what depends on the state, is made of.
  std::vector<int> roots() const {
    std::vector<int> out;
    const int last = static_cast<int>(f_.nodes.size()) - 1;
    for (int k = 0; k <= last; ++k) {
      bool is_root = k == last;
      for (int by = k + 1; by <= last; ++by) {
        const Node& n = f_.nodes[by];
        is_root = is_root || (!of_time_[by] && (n.a == k || n.b == k || n.c == k));
      }
      if (is_root && is_timed(k)) out.push_back(k);
    }
    return out;
  }

  double at(int node, double t) {
    FormulaOf<P>& part = part_ ? *part_ : part_.emplace(f_);
    part.nodes.assign(f_.nodes.begin(), f_.nodes.begin() + node + 1);
    const P inputs[FormulaOf<P>::most_inputs] = {P(t)};
    return value_of(part(inputs, ~0u));
  }

  Enclosure over(int node, double from, double to) {
    ++evaluations;
    const Enclosure time{{from, to}, 1.0};
    Enclosure v[FormulaOf<P>::most_nodes];
    for (int k = 0; k <= node; ++k)
      v[k] = of_time_[k] ? value(f_.nodes[k], v, time)
                         : Enclosure{Interval::everything(), Interval::everything()};
    return v[node];
  }
  int evaluations = 0;

 private:
  static Enclosure jumps(Interval v) { return {v, Interval::everything()}; }
  static Enclosure truth(bool may, bool must) {
    return must ? Enclosure{1.0, 0.0} : may ? jumps({0, 1}) : Enclosure{0.0, 0.0};
  }
  static bool may(const Enclosure& x) { return !(x.v.is_one() && x.v.lo == 0); }
  static bool must(const Enclosure& x) { return !x.v.has(0); }

  template <class F>
  static Enclosure whole(const Enclosure& x, F&& f) {
    const double a = f(x.v.lo), b = f(x.v.hi);
    return a == b && std::isfinite(a) ? Enclosure{a, 0.0} : jumps({a, b});
  }

  static Enclosure product(const Enclosure& a, const Enclosure& b) {
    using namespace interval;
    return {a.v * b.v, a.d * b.v + a.v * b.d};
  }
  static Enclosure exponential(const Enclosure& a) {
    using namespace interval;
    const Interval v = rising(a.v, [](double x) { return portable::exp(x); });
    return {v, a.d * v};
  }
  static Enclosure logarithm(const Enclosure& a) {
    using namespace interval;
    if (!(a.v.lo > 0)) return {Interval::everything(), Interval::everything()};
    return {rising(a.v, [](double x) { return portable::log(x); }), a.d / a.v};
  }
  static Enclosure root(const Enclosure& a) {
    using namespace interval;
    const Interval v = rising(a.v, [](double x) { return std::sqrt(std::max(x, 0.0)); });
    return {v, a.v.lo > 0 ? a.d / (2.0 * v) : Interval::everything()};
  }
  static Enclosure squared(const Enclosure& a) {
    using namespace interval;
    return {square(a.v), Interval(2) * a.v * a.d};
  }
  static Enclosure power(const Enclosure& a, const Enclosure& b) {
    using namespace interval;
    const double e = b.v.lo;
    if (!b.v.is_one() || b.d.lo != 0 || b.d.hi != 0) return exponential(product(b, logarithm(a)));
    if (e != std::floor(e) || std::abs(e) > 64) return exponential(product(b, logarithm(a)));
    // Whole exponents, by squares.
    Enclosure out{1.0, 0.0}, base = a;
    for (int left = static_cast<int>(std::abs(e)); left > 0; left /= 2) {
      if (left % 2 == 1) out = product(out, base);
      base = squared(base);
    }
    if (e < 0) out = {inverse(out.v), -out.d / square(out.v)};
    return out;
  }
  static Enclosure arc_tangent(const Enclosure& a) {
    using namespace interval;
    return {rising(a.v, [](double x) { return portable::atan(x); }), a.d / (Interval(1) + square(a.v))};
  }
  static Enclosure arc_sine(const Enclosure& a) {
    using namespace interval;
    const auto f = [](double x) { return portable::asin(std::clamp(x, -1.0, 1.0)); };
    const bool inside = a.v.lo > -1 && a.v.hi < 1;
    return {rising(a.v, f), inside ? a.d / root({Interval(1) - square(a.v), 0.0}).v : Interval::everything()};
  }
  static Enclosure arc_tangent(const Enclosure& y, const Enclosure& x) {
    using namespace interval;
    constexpr double pi = std::numbers::pi;
    const auto of_quotient = [](const Enclosure& a, const Enclosure& b) {
      return arc_tangent(Enclosure{a.v / b.v, a.d / b.v - a.v * b.d / square(b.v)});
    };
    if (x.v.lo > 0) return of_quotient(y, x);
    if (!(y.v.lo > 0) && !(y.v.hi < 0)) return jumps({-pi, pi});
    const Enclosure turned = of_quotient(x, y);  // from the axis of y
    return {Interval(y.v.lo > 0 ? pi / 2 : -pi / 2) - turned.v, -turned.d};
  }
  static Enclosure tangent(const Enclosure& a) {
    using namespace interval;
    const Interval c = cosine(a.v);
    if (c.has(0)) return {Interval::everything(), Interval::everything()};
    return {rising(a.v, [](double x) { return portable::tan(x); }), a.d / square(c)};
  }
  static Enclosure modulo(const Enclosure& a, const Enclosure& b) {
    using namespace interval;
    const Enclosure turns = whole({a.v / b.v, 0.0}, [](double x) { return std::floor(x); });
    if (turns.v.is_one()) return {a.v - b.v * turns.v, a.d - b.d * turns.v};
    return jumps({std::min(b.v.lo, 0.0), std::max(b.v.hi, 0.0)});
  }

  Enclosure value(const Node& n, const Enclosure* v, const Enclosure& time) const {
    using namespace interval;
    const auto a = [&]() -> const Enclosure& { return v[n.a]; };
    const auto b = [&]() -> const Enclosure& { return v[n.b]; };
    switch (n.op) {
      case Op::constant: return {value_of(f_.constants[n.index]), 0.0};
      case Op::input: return time;
      case Op::side: return truth(a().v.hi >= 0, a().v.lo >= 0);
      case Op::add: return {a().v + b().v, a().d + b().d};
      case Op::subtract: return {a().v - b().v, a().d - b().d};
      case Op::multiply: return n.a == n.b ? squared(a()) : product(a(), b());
      case Op::divide: return {a().v / b().v, (a().d - a().v / b().v * b().d) / b().v};
      case Op::power: return power(a(), b());
      case Op::negate: return {-a().v, -a().d};
      case Op::both: return truth(may(a()) && may(b()), must(a()) && must(b()));
      case Op::either: return truth(may(a()) || may(b()), must(a()) || must(b()));
      case Op::no: return truth(!must(a()), !may(a()));
      case Op::choose:
        if (must(a())) return b();
        if (!may(a())) return v[n.c];
        return jumps(hull(b().v, v[n.c].v));
      case Op::sin: return {sine(a().v), a().d * cosine(a().v)};
      case Op::cos: return {cosine(a().v), -(a().d * sine(a().v))};
      case Op::tan: return tangent(a());
      case Op::asin: return arc_sine(a());
      case Op::acos: {
        const Enclosure s = arc_sine(a());
        return {Interval(std::numbers::pi / 2) - s.v, -s.d};
      }
      case Op::atan: return arc_tangent(a());
      case Op::atan2: return arc_tangent(a(), b());
      case Op::sqrt: return root(a());
      case Op::exp: return exponential(a());
      case Op::ln: return logarithm(a());
      case Op::log10: return product(logarithm(a()), {1 / std::numbers::ln10, 0.0});
      case Op::hypot: {
        const Enclosure x = squared(a()), y = squared(b());
        return root({x.v + y.v, x.d + y.d});
      }
      case Op::modulo: return modulo(a(), b());
      case Op::floor: return whole(a(), [](double x) { return std::floor(x); });
      case Op::ceil: return whole(a(), [](double x) { return std::ceil(x); });
      case Op::round: return whole(a(), [](double x) { return std::round(x); });
    }
    return {Interval::everything(), Interval::everything()};
  }

  const FormulaOf<P>& f_;
  std::vector<char> of_time_, varies_;  // of every node
  std::optional<FormulaOf<P>> part_;
};

// ---- edges --------------------------------------------------------------------------------------------------------------

// Where a timed node goes through zero, or through any of the levels k + shift.
struct Crossings {
  int node = 0;
  bool repeats = false;
  double shift = 0;

  bool any_in(Interval v) const {
    if (!repeats) return v.has(0);
    return !v.is_finite() || std::floor(v.hi - shift) >= v.lo - shift;
  }
  template <class F>
  void each_between(double lo, double hi, F&& f) const {
    if (!repeats) return f(0.0);
    for (double k = std::ceil(lo - shift); k <= std::floor(hi - shift); ++k) f(k + shift);
  }
};

template <class P>
class EdgeFinder {
 public:
  EdgeFinder(Enclosed<P>& f, double from, double to, Timing& out)
      : f_(f),
        out_(out),
        from_(from),
        to_(to),
        narrow_(1e-14 * std::max(std::abs(from), std::abs(to)) + 1e-300) {}

  /// False: given up.
  bool find(const Crossings& what) {
    struct Span {
      double from, to;
    };
    std::vector<Span> left{{from_, to_}};
    const std::size_t before = out_.edges.size();
    const auto give_up = [&] { return out_.edges.resize(before), false; };
    while (!left.empty()) {
      const Span s = left.back();
      left.pop_back();
      if (f_.evaluations > most_evaluations) return give_up();
      const Enclosure e = f_.over(what.node, s.from, s.to);
      if (!what.any_in(e.v) || (e.d.lo == 0 && e.d.hi == 0)) continue;
      const double middle = s.from + 0.5 * (s.to - s.from);
      if (s.to - s.from <= narrow_ || middle <= s.from || middle >= s.to) {
        // A jump of what has been found to jump there already, to the last digit.
        const auto is_near = [&](double t) { return t >= s.from - narrow_ && t <= s.to + narrow_; };
        if (std::none_of(out_.edges.begin(), out_.edges.end(), is_near)) out_.edges.push_back(middle);
      } else if (e.v.is_finite() && !e.d.has(0)) {
        if (what.repeats && e.v.width() > most_edges) return give_up();
        cross(what, s.from, s.to);
      } else {
        left.push_back({middle, s.to});
        left.push_back({s.from, middle});
      }
    }
    return true;
  }

 private:
  // Rising or falling all the way.
  void cross(const Crossings& what, double from, double to) {
    const double a = f_.at(what.node, from), b = f_.at(what.node, to);
    what.each_between(std::min(a, b), std::max(a, b), [&](double level) {
      if ((a < level) == (b < level)) {  // at an end, if at all
        if (a == level) out_.edges.push_back(from);
        if (b == level) out_.edges.push_back(to);
        return;
      }
      double lo = from, hi = to;
      for (;;) {
        const double middle = lo + 0.5 * (hi - lo);
        if (!(lo < middle && middle < hi)) break;
        ((f_.at(what.node, middle) < level) == (a < level) ? lo : hi) = middle;
      }
      out_.edges.push_back(f_.at(what.node, lo) == level ? lo : hi);
    });
  }

  Enclosed<P>& f_;
  Timing& out_;
  double from_, to_, narrow_;
};

// What decides sides, and what is cut to whole numbers.
template <class P>
std::vector<Crossings> crossings_of(const FormulaOf<P>& f, const Enclosed<P>& e) {
  using Op = typename FormulaOf<P>::Op;
  std::vector<Crossings> out;
  for (const auto& n : f.nodes) {
    const int decides = n.op == Op::modulo ? n.c : n.a;
    if (decides < 0 || !e.is_timed(decides)) continue;
    if (n.op == Op::side && n.index < 0) out.push_back({decides, false, 0});
    if (n.op == Op::floor || n.op == Op::ceil || n.op == Op::modulo) out.push_back({decides, true, 0});
    if (n.op == Op::round) out.push_back({decides, true, 0.5});
  }
  return out;
}

// ---- pieces -------------------------------------------------------------------------------------------------------------

// False: given up.
template <class P>
bool find_pieces(Enclosed<P>& f, int node, double from, double to, double share, std::vector<double>& out) {
  struct Piece {
    double from, to, change;
    bool operator<(const Piece& other) const { return change < other.change; }
  };
  std::priority_queue<Piece> pieces;
  double least = HUGE_VAL, most = -HUGE_VAL;
  const auto add = [&](double a, double b) {
    const Enclosure e = f.over(node, a, b);
    // Where it rises or falls its ends bound it, and where the rate is bounded, that does: both better than the value alone.
    const double by_rate = std::max(std::abs(e.d.lo), std::abs(e.d.hi)) * (b - a);
    const double x = f.at(node, a), y = f.at(node, b);
    for (const double value : {x, y})
      if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
    double change = std::min(e.v.width(), by_rate);
    if (!e.d.has(0)) change = std::min(change, std::abs(y - x));
    pieces.push({a, b, std::isnan(change) ? HUGE_VAL : change});
  };
  add(from, to);
  const double narrow = 1e-13 * std::max(std::abs(from), std::abs(to));
  std::vector<Piece> done;
  while (!pieces.empty()) {
    const Piece p = pieces.top();
    if (p.change <= std::max(share * (most - least), 1e-12 * std::max(std::abs(least), std::abs(most))))
      break;
    pieces.pop();
    if (f.evaluations > most_evaluations) return false;
    if (p.to - p.from <= narrow) {  // a jump, which is an edge
      done.push_back(p);
      continue;
    }
    const double middle = p.from + 0.5 * (p.to - p.from);
    add(p.from, middle);
    add(middle, p.to);
  }
  for (const Piece& p : done) out.push_back(p.to);
  for (; !pieces.empty(); pieces.pop()) out.push_back(pieces.top().to);
  return true;
}

}  // namespace

void Timing::sort() {
  for (std::vector<double>* list : {&edges, &pieces}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
}

void add_timing(const TimingFunction& timing, bool varies, double from, double to, Timing& out) {
  if (!timing) {
    if (varies) out.longest = std::min(out.longest, (to - from) / 1000);
    return;
  }
  const Timing more = timing(from, to);
  out.edges.insert(out.edges.end(), more.edges.begin(), more.edges.end());
  out.pieces.insert(out.pieces.end(), more.pieces.begin(), more.pieces.end());
  out.longest = std::min(out.longest, more.longest);
}

template <class P>
bool is_constant(const FormulaOf<P>& formula, double from, double to) {
  if (!formula.uses(0)) return true;
  const Enclosure e = Enclosed<P>(formula).over(static_cast<int>(formula.nodes.size()) - 1, from, to);
  return e.d.lo == 0 && e.d.hi == 0;
}
template bool is_constant(const FormulaOf<double>&, double, double);

template <class P>
Timing timing_of(const FormulaOf<P>& formula, double from, double to, double share) {
  Timing out;
  if (!(to > from) || !formula.uses(0)) return out;
  bool known = true;
  Enclosed<P> enclosed(formula);
  EdgeFinder<P> finder(enclosed, from, to, out);
  for (const Crossings& c : crossings_of(formula, enclosed)) known = finder.find(c) && known;
  enclosed.evaluations = 0;  // pieces have as many of their own
  for (const int root : enclosed.roots())
    known = find_pieces(enclosed, root, from, to, share, out.pieces) && known;
  if (!known) out.longest = (to - from) / 1000;
  out.sort();
  return out;
}

template Timing timing_of(const FormulaOf<double>&, double, double, double);
THUD_WITH_DUALS(template Timing timing_of(const FormulaOf<Dual<double>>&, double, double, double);)

}  // namespace thud
