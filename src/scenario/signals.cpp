#include "scenario/signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace thud::doc {

namespace {

template <class P>
class SignalLister {
 public:
  using What = typename SignalOf<P>::What;

  SignalLister(const AssemblyOf<P>& s, SignalListOf<P>& out) : s_(s), out_(out) {}

  void add_body(int i) {
    const std::string& n = s_.system.tree().body(i).name;
    SignalOf<P> signal;
    signal.body = i;
    add(n + ".angle", What::angle, signal);
    add(n + ".rate", What::rate, signal);
    signal.center = true;
    add_point(n, signal);
    const JointKind kind = s_.system.tree().joint_kind(i);
    if (kind == JointKind::pin) {
      add(n + ".joint.angle", What::joint_position, signal);
      add(n + ".joint.rate", What::joint_rate, signal);
    } else if (kind == JointKind::slider) {
      add(n + ".travel", What::joint_position, signal);
      add(n + ".travel.rate", What::joint_rate, signal);
    }
  }
  void add_point(const std::string& name, SignalOf<P> signal) {
    add(name + ".x", What::x, signal);
    add(name + ".z", What::z, signal);
    add(name + ".vx", What::vx, signal);
    add(name + ".vz", What::vz, signal);
    add(name + ".v", What::speed, signal);
    for (std::size_t b = 0; b < s_.system.beds().size(); ++b) {
      signal.bed = static_cast<int>(b);
      add(name + ".depth" + (b == 0 ? "" : "." + s_.system.beds()[b].name), What::depth, signal);
    }
  }
  void add_controller(const ControllerOf<P>& c) {
    SignalOf<P> signal;
    signal.controller = c.index;
    add(c.label + ".state", What::state, signal);
    add(c.label + ".time", What::since, signal);
    for (signal.index = 0; signal.index < static_cast<int>(c.outputs.size()); ++signal.index)
      add(c.label + "." + c.outputs[signal.index], What::output, signal);
    for (signal.index = 0; signal.index < static_cast<int>(c.states.size()); ++signal.index)
      if (!c.states[signal.index].name.empty())
        add(c.label + "." + c.states[signal.index].name, What::in_state, signal);
  }

 private:
  void add(std::string name, What what, SignalOf<P> signal) {
    signal.what = what;
    out_.names.push_back(std::move(name));
    out_.signals.push_back(signal);
  }

  const AssemblyOf<P>& s_;
  SignalListOf<P>& out_;
};

void keep_values(DriveOf<double>&) {}
void keep_values(DriveOf<Dual<double>>& d) {
  const FormulaOf<Dual<double>>& f = d.formula;
  d.plain_.input_count = f.input_count;
  d.plain_.switch_count = f.switch_count;
  d.plain_.constants = values_of(f.constants);
  for (const auto& n : f.nodes)
    d.plain_.nodes.push_back({static_cast<FormulaOf<double>::Op>(n.op), n.a, n.b, n.c, n.index});
}

}  // namespace

template <class P>
SignalListOf<P>::SignalListOf(const AssemblyOf<P>& s) {
  SignalLister<P> lister(s, *this);
  for (int i = 0; i < s.system.tree().body_count(); ++i) lister.add_body(i);
  for (const PointOf<P>& p : s.points) {
    SignalOf<P> signal;
    signal.body = p.body;
    signal.point = p.point;
    lister.add_point(p.name, signal);
  }
  for (const ControllerOf<P>& c : s.system.template of<ControllerOf<P>>()) lister.add_controller(c);
}

template <class P>
std::shared_ptr<const DriveOf<P>> make_drive(const Table& table, std::string_view key,
                                             const std::string& text, const SymbolTable& symbols,
                                             const SignalListOf<P>& known) {
  try {
    auto drive = std::make_shared<DriveOf<P>>();
    const SignalText marked = mark_signals(
        text, known.names, symbols,
        "; an expression may follow angles, rates, places, velocities and depths of bodies and points, and "
        "outputs of controllers (forces only in a sampled [[controller]])");
    drive->text = text;
    drive->formula = compile_formula<P>(marked, symbols);
    drive->inputs.push_back({});  // the time
    for (int k : marked.signals) drive->inputs.push_back(known.signals[k]);
    keep_values(*drive);
    return drive;
  } catch (const ExpressionError& e) {
    throw table.error_in(key, e);
  }
}

template <class P>
bool read_function(const Table& table, std::string_view key, Dimension dimension, const AssemblyOf<P>& s,
                   TimeFunctionOf<P>& out) {
  if (const auto text = table.formula_text(key); text && has_signals(*text)) {
    table.check_formula(key, dimension);
    out.drive = make_drive(table, key, *text, table.symbols(), SignalListOf<P>(s));
    out.varies = false;  // what it does of its own accord are its edges
    out.timing = out.drive->timing();
    return true;
  }
  return read_time_function(table, key, dimension, out);
}

void check_start(const Table& table, std::string_view key, const TimeExpression& expression) {
  try {
    (void)expression(0.0);
  } catch (const ExpressionError& e) {
    throw table.error(key, e.message());
  }
}

namespace {

// What moves must not be torn from one place to another.
void check_path(const Table& table, const char* key, const TimeExpression& e) {
  constexpr double a_while = 10;  // [s]
  const std::vector<std::string> words = words_in(e.text());
  if (std::find(words.begin(), words.end(), "rnd") != words.end())
    throw table.error(key, "rnd jumps from one instant to the next; a body cannot follow that");
  std::vector<double> edges = e.edges();
  const Timing timing = timing_of(e)(0, a_while);
  edges.insert(edges.end(), timing.edges.begin(), timing.edges.end());
  for (const double edge : edges) {
    constexpr double off = 1e-9;
    const auto before = e.jet_at<double>(edge - off), after = e.jet_at<double>(edge + off);
    const double jump = after[0] - before[0];
    const double size = std::abs(before[0]) + std::abs(after[0]) + 1e-3;
    if (std::abs(jump) > 4 * off * (std::abs(before[1]) + std::abs(after[1])) + 1e-9 * size)
      throw table.error(
          key, fmt::format("it jumps by {:.6g} at t = {:.6g} s; a body cannot follow that: let it go "
                           "there in some time",
                           jump, edge));
  }
}

}  // namespace

template <class P>
PathFunctionOf<P> read_path(const Table& table, const char* key, Dimension dimension) {
  auto given = table.time_expression(key, dimension);
  if (!given)
    throw InputError(table.place(),
                     fmt::format("\"{0}\" is missing: {0} = \"=…\", an expression of the time t", key));
  PathFunctionOf<P> out;
  out.varies = given->varies();
  try {
    (void)given->jet_at<P>(0);
    check_path(table, key, *given);
  } catch (const ExpressionError& e) {
    throw table.error(key, e.message());
  }
  // The control of errors sees positions that are prescribed as exact; what they cost is a quadrature.
  constexpr double fine = 1.0 / 24;
  if (out.varies) out.timing = timing_of(*given, fine);
  out.f = [e = std::move(*given)](double t) { return e.jet_at<P>(t); };
  return out;
}
template PathFunctionOf<double> read_path(const Table&, const char*, Dimension);
THUD_WITH_DUALS(template PathFunctionOf<Dual<double>> read_path(const Table&, const char*, Dimension);)

template struct SignalListOf<double>;
THUD_WITH_DUALS(template struct SignalListOf<Dual<double>>;)
template std::shared_ptr<const DriveOf<double>> make_drive(const Table&, std::string_view, const std::string&,
                                                           const SymbolTable&, const SignalListOf<double>&);
THUD_WITH_DUALS(template std::shared_ptr<const DriveOf<Dual<double>>> make_drive(
                    const Table&, std::string_view, const std::string&, const SymbolTable&,
                    const SignalListOf<Dual<double>>&);)
template bool read_function(const Table&, std::string_view, Dimension, const AssemblyOf<double>&,
                            TimeFunctionOf<double>&);
THUD_WITH_DUALS(template bool read_function(const Table&, std::string_view, Dimension,
                                            const AssemblyOf<Dual<double>>&, TimeFunctionOf<Dual<double>>&);)

}  // namespace thud::doc
