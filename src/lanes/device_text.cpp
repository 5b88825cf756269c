#include "lanes/device_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lanes/stage_terms.hpp"

namespace thud::lanes {

namespace {

// A number as OpenCL C reads it back, bit by bit.
std::string literal(double x) {
  if (std::isnan(x)) return "as_double(0x7ff8000000000000L)";
  if (std::isinf(x)) return x > 0 ? "lane_infinity()" : "(-lane_infinity())";
  return x < 0 || std::signbit(x) ? fmt::format("({:a})", x) : fmt::format("{:a}", x);
}

// Without comments, which compilers of devices need not read.
std::string bare(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    std::string_view code = line.substr(0, line.find("//"));
    while (!code.empty() && code.back() == ' ') code.remove_suffix(1);
    if (!code.empty()) out.append(code).append("\n");
  }
  return out;
}

// Structures as the device lays them out: its arrays are as long as they must be.
class Layout {
 public:
  void put(int x) { append(&x, sizeof x); }
  void put_long(long x) { align(), append(&x, sizeof x); }
  void put(double x) { align(), append(&x, sizeof x); }
  void put(const int* x, int count) {
    for (int i = 0; i < count; ++i) put(x[i]);
  }
  void put(const double* x, int count) {
    for (int i = 0; i < count; ++i) put(x[i]);
  }
  void align() {
    while (bytes.size() % 8 != 0) bytes.push_back(0);
  }
  std::vector<char> bytes;

 private:
  void append(const void* from, std::size_t size) {
    const char* p = static_cast<const char*>(from);
    bytes.insert(bytes.end(), p, p + size);
  }
};

struct DeviceSizes {
  int states, guards, conditions, approaches, next, starts, constants;
};

std::vector<char> lay_out(const RidePlan& p, const DeviceSizes& n) {
  Layout o;
  for (int x : {p.states, p.coordinates, p.conditions, p.starts, p.channels, p.angles, p.watch_turns,
                p.stop_at_rest, p.stop_when_all_found, p.stops_first})
    o.put(x);
  o.put_long(p.max_steps);
  for (double x : {p.length, p.mass, p.gravity, p.tolerance, p.start_time, p.time_limit, p.max_step,
                   p.first_step, p.account_bound, p.error_size})
    o.put(x);
  o.put(p.start, n.starts);
  o.put(p.slot, n.states);
  o.put(p.direction, n.conditions);
  o.put(p.stops, n.conditions);
  o.put(p.reports, n.conditions);
  o.put(p.target, n.conditions);
  o.put(p.pose_size, n.states);
  o.align();
  return o.bytes;
}

void lay_out(const RideMode& m, const DeviceSizes& n, std::vector<char>& out) {
  Layout o;
  for (int x : {m.guards, m.approaches, m.nexts}) o.put(x);
  o.put(m.next, n.next);
  o.put(m.starts_rough, n.next);
  o.put(m.next_guard, n.next);
  o.put(m.flip, n.guards);
  for (int k = 0; k < n.guards; ++k) o.put(m.tolerance[k], 6);
  o.align();
  out.insert(out.end(), o.bytes.begin(), o.bytes.end());
}

// Code as statements; rows are variables r0, r1, ...
class CodeText {
 public:
  explicit CodeText(std::string& out) : out_(out) {}

  void write(const Code& code) {
    for (const Instruction& x : code) {
      const std::string a = row(x.a), b = row(x.b), c = row(x.c);
      switch (x.op) {
        case Op::add: set(x.to, a + " + " + b); break;
        case Op::sub: set(x.to, a + " - " + b); break;
        case Op::mul: set(x.to, a + " * " + b); break;
        case Op::div: set(x.to, a + " / " + b); break;
        case Op::mul_add: set(x.to, a + " * " + b + " + " + c); break;
        case Op::mul_sub: set(x.to, a + " * " + b + " - " + c); break;
        case Op::sub_mul: set(x.to, c + " - " + a + " * " + b); break;
        case Op::neg: set(x.to, "-" + a); break;
        case Op::sqrt: set(x.to, "sqrt(" + a + ")"); break;
        case Op::sin: set(x.to, "lane_sincos(" + a + ", &other)"); break;
        case Op::cos: out_ += fmt::format("    lane_sincos({}, &other); {} = other;\n", a, row(x.to)); break;
        case Op::sincos: out_ += fmt::format("    {} = lane_sincos({}, &{});\n", row(x.to), a, b); break;
        case Op::pow: set(x.to, "lane_pow(" + a + ", " + b + ")"); break;
        case Op::exp: set(x.to, "lane_exp(" + a + ")"); break;
        case Op::log: set(x.to, "lane_log(" + a + ")"); break;
        case Op::tan: set(x.to, "tan(" + a + ")"); break;
        case Op::tanh: set(x.to, "tanh(" + a + ")"); break;
        case Op::acos: set(x.to, "acos(" + a + ")"); break;
        case Op::atan2: set(x.to, "atan2(" + a + ", " + b + ")"); break;
        case Op::abs: set(x.to, "lane_abs(" + a + ")"); break;
        case Op::min: set(x.to, "lane_least(" + a + ", " + b + ")"); break;
        case Op::max: set(x.to, "lane_most(" + a + ", " + b + ")"); break;
        case Op::less: set(x.to, a + " < " + b + " ? 1.0 : 0.0"); break;
        case Op::require: set(x.to, fmt::format("{} == {}.0 ? {} : 0.0", a, x.c, row(x.to))); break;
        default: break;
      }
    }
  }
  static std::string row(int r) { return fmt::format("r{}", r); }

 private:
  void set(int to, const std::string& what) { out_ += fmt::format("    {} = {};\n", row(to), what); }

  std::string& out_;
};

// The rows of a program, with inputs from `inputs` and constants of lanes from `constants`.
std::string open_program(const Program& p) {
  std::string out = "    double other;\n";
  for (int r = 0; r < p.rows; ++r) out += fmt::format("    double r{} = 0.0;\n", r);
  for (int i = 0; i < p.state_size; ++i) out += fmt::format("    r{} = y[{}];\n", i, i);
  for (int c = 0; c < p.lane_constants; ++c)
    out += fmt::format("    r{} = constants[{}];\n", p.first_constant() + c, c);
  for (std::size_t k = 0; k < p.fixed.size(); ++k)
    out += fmt::format("    r{} = {};\n", p.fixed_begin + static_cast<int>(k), literal(p.fixed[k]));
  out += fmt::format("    r{} = 1.0;\n", p.fits_row);
  CodeText(out).write(p.once);
  return out;
}

std::string start_text(const Itinerary& it) {
  const Program& p = it.start;
  std::string out = "static int start_of(__global const double* y, double* out) {\n" + open_program(p);
  CodeText(out).write(p.lean);
  for (std::size_t i = 0; i < p.lean_rates.size(); ++i)
    out += fmt::format("    out[{}] = r{};\n", i, p.lean_rates[i]);
  return out + fmt::format("    return r{} == 1.0;\n}}\n", p.fits_row);
}

std::string shape_text(const Itinerary& it, const Program& p, int number) {
  std::string out = fmt::format(
      "static void shape_{}(const double* y, double t, const double* constants, int wants_report, Look* e, "
      "double* reports, "
      "int report, int report_status) {{\n",
      number);
  out += open_program(p) + fmt::format("    r{} = t;\n", p.time_row());
  CodeText code(out);
  code.write(p.full);
  const auto put = [&](const char* name, const std::vector<std::uint16_t>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      out += fmt::format("    e->{}[{}] = r{};\n", name, i, rows[i]);
  };
  put("rate", p.rates);
  put("guard", p.guards);
  put("condition", p.conditions);
  put("distance", p.distances);
  put("closing", p.closing);
  out += fmt::format("    e->kinetic = r{};\n    e->energy = r{};\n", p.kinetic, p.energy);
  if (!p.reports.empty()) {
    out += "    if (wants_report) {\n";
    code.write(p.report);
    for (std::size_t k = 0; k < p.reports.size(); ++k) {
      const int at = it.report_at[k];
      const std::string when =
          at >= 0 ? fmt::format("report >> {} & 1", at) : std::string("report_status != ride_goes");
      out += fmt::format("    if ({}) reports[{}] = r{};\n", when, k, p.reports[k]);
    }
    out += "    }\n";
  }
  return out + fmt::format("    if (r{} != 1.0) e->fits = 0;\n}}\n", p.fits_row);
}

// A sum over stages as an expression: its weights are known, so that nothing is looked up.
std::string sum_text(const std::vector<Term>& terms) {
  std::string out;
  for (const Term& t : terms)
    out +=
        (out.empty() ? "" : " + ") + fmt::format("{} * k[{} * RIDE_STATES + i]", literal(t.weight), t.stage);
  return out;
}

std::string stages_text() {
  std::string out =
      "static void stage_state(int stage, double h, const double* y, const double* k, double* at) {\n  "
      "switch (stage) {\n";
  for (int s = 1; s <= Pair::stages; ++s)
    out += fmt::format("    case {}: for (int i = 0; i < {}; ++i) at[i] = y[i] + h * ({}); break;\n", s,
                       s == Pair::stages ? "RIDE_STATES" : "RIDE_MOVING", sum_text(stage_terms(s)));
  out += "  }\n}\n";
  for (const bool fifth : {true, false})
    out += fmt::format("static double error_{}(const double* k, int i) {{ return {}; }}\n", fifth ? 5 : 3,
                       sum_text(error_terms(fifth)));
  return out;
}

// Compilers of devices take their time: they get the modes that runs are in most, the others are left to the processor.
constexpr std::size_t most_operations = 2500;

std::map<const Shape*, int> choose_shapes(const Itinerary& it) {
  std::map<const Shape*, long> steps;
  for (std::size_t m = 0; m < it.programs.size(); ++m) steps[it.programs[m].shape] += it.steps[m];
  std::vector<std::pair<long, const Shape*>> by_use;
  for (const Itinerary::ModeProgram& m :
       it.programs) {  // in their order, so that the text is always the same
    const auto known =
        std::find_if(by_use.begin(), by_use.end(), [&](const auto& x) { return x.second == m.shape; });
    if (known == by_use.end()) by_use.emplace_back(steps[m.shape], m.shape);
  }
  std::stable_sort(by_use.begin(), by_use.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::map<const Shape*, int> out;
  std::size_t operations = 0;
  for (const auto& [count, shape] : by_use) {
    operations += shape->program.full.size() + shape->program.report.size();
    if (!out.empty() && operations > most_operations) break;
    out.emplace(shape, static_cast<int>(out.size()));
  }
  return out;
}

}  // namespace

DeviceProgram make_device_program(const Itinerary& it) {
  DeviceProgram out;
  const RidePlan& p = it.plan;
  DeviceSizes n{p.states, 1, std::max(1, p.conditions), 1, 1, std::max(1, p.starts), 0};
  const std::map<const Shape*, int> numbers = choose_shapes(it);
  for (const Itinerary::ModeProgram& m : it.programs)
    n.constants = std::max(n.constants, m.shape->program.lane_constants);
  for (const RideMode& m : it.modes) {
    n.guards = std::max(n.guards, m.guards);
    n.approaches = std::max(n.approaches, m.approaches);
    n.next = std::max(n.next, m.nexts);
  }
  const int reports = static_cast<int>(it.report_at.size());
  out.conditions = p.conditions;
  out.reports = reports;
  out.knobs = it.knobs;
  out.plan = lay_out(p, n);
  for (const RideMode& m : it.modes) lay_out(m, n, out.modes);
  for (const Itinerary::ModeProgram& m : it.programs) {
    const std::vector<std::int32_t>& varying = m.shape->program.varying;
    for (int c = 0; c < n.constants; ++c) {
      const Follow f = c < static_cast<int>(varying.size()) ? m.constants[varying[c]] : Follow{};
      out.follows.insert(out.follows.end(), {static_cast<double>(f.number), f.offset, f.factor});
    }
  }
  if (out.follows.empty()) out.follows.push_back(0);

  std::string& t = out.text;
  t = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n";
  const std::pair<const char*, int> sizes[] = {{"RIDE_STATES", n.states},
                                               {"RIDE_GUARDS", n.guards},
                                               {"RIDE_CONDITIONS", n.conditions},
                                               {"RIDE_APPROACHES", n.approaches},
                                               {"RIDE_NEXT", n.next},
                                               {"RIDE_STARTS", n.starts},
                                               {"RIDE_CONSTANTS", std::max(1, n.constants)},
                                               {"RIDE_CONSTANT_COUNT", n.constants},
                                               {"RIDE_NUMBERS", std::max(1, it.numbers)},
                                               {"RIDE_NUMBER_COUNT", it.numbers},
                                               {"RIDE_REPORTS", std::max(1, reports)},
                                               {"RIDE_REPORT_COUNT", reports},
                                               {"RIDE_RESULTS", out.results()},
                                               {"RIDE_KNOBS", it.knobs},
                                               {"RIDE_START", static_cast<int>(it.start.lean_rates.size())},
                                               {"RIDE_MOVING", 2 * p.coordinates}};
  for (const auto& [name, size] : sizes) t += fmt::format("#define {} {}\n", name, size);
  t += bare(lane_math_text());
  t += R"(
typedef struct {
  double rate[RIDE_STATES], guard[RIDE_GUARDS], condition[RIDE_CONDITIONS];
  double distance[RIDE_APPROACHES], closing[RIDE_APPROACHES], kinetic, energy;
  int fits;
} Look;
typedef struct {
  const double *next, *slope, *early, *late;
} Step;
#define RideLook const Look*
#define RideStep const Step*
#define look_rate(e, i) ((e)->rate[i])
#define look_guard(e, k) ((e)->guard[k])
#define look_condition(e, c) ((e)->condition[c])
#define look_distance(e, k) ((e)->distance[k])
#define look_closing(e, k) ((e)->closing[k])
#define look_kinetic(e) ((e)->kinetic)
#define look_energy(e) ((e)->energy)
#define look_fits(e) ((e)->fits)
#define ride_states(p) RIDE_STATES
#define ride_coordinates(p) (RIDE_MOVING / 2)
#define step_next(s, i) ((s)->next[i])
#define step_slope(s, i) ((s)->slope[i])
#define step_early(s, k) ((s)->early[k])
#define step_late(s, k) ((s)->late[k])
)";
  t += bare(ride_text());
  t += start_text(it);
  std::vector<const Shape*> shapes(numbers.size());
  for (const auto& [shape, number] : numbers) shapes[static_cast<std::size_t>(number)] = shape;
  for (std::size_t k = 0; k < shapes.size(); ++k)
    t += shape_text(it, shapes[k]->program, static_cast<int>(k));
  const auto cases_of = [&](const Shape* shape) {
    std::string out_cases;
    for (std::size_t m = 0; m < it.programs.size(); ++m)
      if (it.programs[m].shape == shape) out_cases += fmt::format("    case {}:\n", m);
    return out_cases;
  };
  t += "static int is_on_device(int mode) {\n  switch (mode) {\n";
  for (const Shape* shape : shapes) t += cases_of(shape);
  t += "      return 1;\n  }\n  return 0;\n}\n";
  t += "static void evaluate(int mode, const double* y, double t, const double* constants, int wants_report, "
       "Look* e, "
       "double* reports, int report, int report_status) {\n  switch (mode) {\n";
  for (std::size_t k = 0; k < shapes.size(); ++k)
    t += cases_of(shapes[k])
       + fmt::format(
             "      shape_{}(y, t, constants, wants_report, e, reports, report, report_status);\n      "
             "break;\n",
             k);
  t += "  }\n}\n" + stages_text();
  t += bare(device_main_text());
  return out;
}

}  // namespace thud::lanes
