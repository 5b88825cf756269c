#include "lanes/program.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

namespace thud::lanes {

namespace {

// A value: what computes it, from which values.
struct Value {
  Op op;
  std::int32_t a = -1, b = -1, c = -1;
  double number = 0;      // of a constant that is the same in all lanes
  bool is_fixed = false;  // it is one
  bool is_once = false;   // follows from constants alone
};

// Elementary functions are left to the kernel: what is the same in all lanes here may differ from lane to lane elsewhere,
// and must not depend on that in its last bit.
bool can_be_folded(Op op) {
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::neg:
    case Op::sqrt:
    case Op::less: return true;
    default: return false;
  }
}
double fold(Op op, double a, double b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::neg: return -a;
    case Op::sqrt: return std::sqrt(a);
    default: return a < b ? 1 : 0;
  }
}

// Folds constants and merges equal terms; every rule is exact.
class Simplifier {
 public:
  Simplifier(const Recording& r, const std::vector<char>& varying) : r_(r) {
    place_.reserve(r.nodes.size());
    std::int32_t lane = 0;
    std::vector<std::int32_t> lane_of(varying.size(), -1);
    for (std::size_t k = 0; k < varying.size(); ++k)
      if (varying[k]) lane_of[k] = lane++;
    for (const Node& n : r.nodes) {
      if (n.op == Op::input)
        place_.push_back(add({Op::input, n.a}));
      else if (n.op == Op::constant && lane_of[n.a] >= 0)
        place_.push_back(add({Op::constant, lane_of[n.a]}));
      else if (n.op == Op::constant)
        place_.push_back(number(r.constants[n.a]));
      else
        place_.push_back(simplify(n.op, place_[n.a], n.b >= 0 ? place_[n.b] : -1));
    }
  }

  std::int32_t of(std::int32_t node) const { return place_[node]; }
  std::vector<Value> take_values() { return std::move(values_); }

 private:
  std::int32_t number(double x) {
    const auto [at, is_new] = numbers_.try_emplace(std::bit_cast<std::uint64_t>(x), -1);
    if (is_new) {
      at->second = static_cast<std::int32_t>(values_.size());
      values_.push_back({Op::constant, -1, -1, -1, x, true, true});
    }
    return at->second;
  }
  bool is(std::int32_t v, double x) const { return values_[v].is_fixed && values_[v].number == x; }
  bool is_neg(std::int32_t v) const { return values_[v].op == Op::neg; }

  std::int32_t simplify(Op op, std::int32_t a, std::int32_t b) {
    if (can_be_folded(op) && values_[a].is_fixed && (b < 0 || values_[b].is_fixed))
      return number(fold(op, values_[a].number, b < 0 ? 0 : values_[b].number));
    switch (op) {
      case Op::add:
        if (is(a, 0)) return b;
        if (is(b, 0)) return a;
        if (is_neg(b)) return simplify(Op::sub, a, values_[b].a);
        if (is_neg(a)) return simplify(Op::sub, b, values_[a].a);
        break;
      case Op::sub:
        if (is(b, 0)) return a;
        if (is(a, 0)) return simplify(Op::neg, b, -1);
        if (is_neg(b)) return simplify(Op::add, a, values_[b].a);
        if (a == b) return number(0);
        break;
      case Op::mul:
        if (is(a, 0) || is(b, 0)) return number(0);
        if (is(a, 1)) return b;
        if (is(b, 1)) return a;
        if (is(a, -1)) return simplify(Op::neg, b, -1);
        if (is(b, -1)) return simplify(Op::neg, a, -1);
        if (is_neg(a) && is_neg(b)) return simplify(Op::mul, values_[a].a, values_[b].a);
        break;
      case Op::div:
        if (is(b, 1)) return a;
        if (is(a, 0)) return a;
        break;
      case Op::neg:
        if (is_neg(a)) return values_[a].a;
        break;
      case Op::pow:
        if (is(b, 1)) return a;
        break;
      default: break;
    }
    const bool commutes = op == Op::add || op == Op::mul;
    if (commutes && b < a) std::swap(a, b);
    return add({op, a, b});
  }

  std::int32_t add(Value v) {
    const auto [at, is_new] = known_.try_emplace(std::tuple{v.op, v.a, v.b}, -1);
    if (!is_new) return at->second;
    const auto once = [&](std::int32_t x) { return x < 0 || values_[x].is_once; };
    v.is_once = v.op == Op::constant || (v.op != Op::input && once(v.a) && once(v.b));
    at->second = static_cast<std::int32_t>(values_.size());
    values_.push_back(v);
    return at->second;
  }

  const Recording& r_;
  std::vector<std::int32_t> place_;
  std::vector<Value> values_;
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;
  std::map<std::tuple<Op, std::int32_t, std::int32_t>, std::int32_t> known_;
};

// Puts values into rows and writes the code that computes them.
class Writer {
 public:
  Writer(std::vector<Value> values, Program& program) : values_(std::move(values)), p_(program) {
    row_.assign(values_.size(), -1);
    used_.assign(values_.size(), 0);
  }

  void need(std::int32_t v) {
    if (used_[v]) return;
    used_[v] = 1;
    for (std::int32_t x : {values_[v].a, values_[v].b})
      if (has_operands(v) && x >= 0) need(x);
  }
  bool is_needed(std::int32_t v) const { return used_[v] != 0; }

  // Rows that keep what they hold: inputs, constants, what is computed once.
  void place_lasting() {
    next_ = p_.first_constant() + p_.lane_constants;
    p_.fixed_begin = next_;
    for (std::size_t v = 0; v < values_.size(); ++v) {
      const Value& x = values_[v];
      if (!used_[v]) continue;
      if (x.is_fixed) {
        row_[v] = next_++;
        p_.fixed.push_back(x.number);
      } else if (x.op == Op::input) {
        row_[v] = x.a;
      } else if (x.op == Op::constant) {
        row_[v] = p_.first_constant() + x.a;
      }
    }
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (used_[v] && values_[v].is_once && row_[v] < 0) {
        row_[v] = next_++;
        emit(static_cast<std::int32_t>(v), p_.once);
      }
    p_.fits_row = next_++;
  }

  // Code for some values, whose rows are kept; `required`: comparisons that must go one way.
  void write(const std::vector<std::int32_t>& wanted,
             const std::vector<std::pair<std::int32_t, bool>>& required, Code& code,
             std::vector<std::uint16_t>& rows) {
    std::vector<char> live(values_.size(), 0);
    std::vector<std::int32_t> last(values_.size(), -1);
    const auto mark = [&](auto&& self, std::int32_t v) -> void {
      if (live[v] || values_[v].is_once || !has_operands(v)) return;
      live[v] = 1;
      self(self, values_[v].a);
      if (values_[v].b >= 0) self(self, values_[v].b);
    };
    for (std::int32_t v : wanted) mark(mark, v);
    for (const auto& [v, outcome] : required) mark(mark, v);
    const auto count = static_cast<std::int32_t>(values_.size());
    for (std::int32_t v = 0; v < count; ++v)
      if (live[v])
        for (std::int32_t x : {values_[v].a, values_[v].b})
          if (x >= 0) last[x] = v;
    for (std::int32_t v : wanted) last[v] = count;

    // A product that only one sum reads is made along with it.
    std::vector<std::int32_t> readers(values_.size(), 0), fused(values_.size(), -1);
    std::vector<char> absorbed(values_.size(), 0);
    for (std::int32_t v = 0; v < count; ++v)
      if (live[v])
        for (std::int32_t x : {values_[v].a, values_[v].b})
          if (x >= 0) ++readers[x];
    for (std::int32_t v : wanted) readers[v] += 2;
    for (const auto& [v, outcome] : required) readers[v] += 2;
    const auto is_free_product = [&](std::int32_t v) {
      return v >= 0 && live[v] && row_[v] < 0 && values_[v].op == Op::mul && readers[v] == 1;
    };
    for (std::int32_t v = 0; v < count; ++v) {
      if (!live[v] || row_[v] >= 0 || (values_[v].op != Op::add && values_[v].op != Op::sub)) continue;
      const std::int32_t m = is_free_product(values_[v].b) ? values_[v].b
                           : is_free_product(values_[v].a) ? values_[v].a
                                                           : -1;
      if (m < 0) continue;
      fused[v] = m;
      absorbed[m] = 1;
      // Its factors are read where it is.
      for (std::int32_t x : {values_[m].a, values_[m].b}) last[x] = std::max(last[x], v);
    }

    std::vector<std::int32_t> own(row_);  // rows of this piece of code
    std::vector<std::int32_t> free;
    std::int32_t top = first_temporary();
    const auto take = [&] {
      if (free.empty()) return top++;
      const std::int32_t r = free.back();
      free.pop_back();
      return r;
    };
    std::map<std::int32_t, std::int32_t> sine_of, cosine_of;
    for (std::int32_t v = 0; v < count; ++v)
      if (live[v] && values_[v].op == Op::sin) sine_of[values_[v].a] = v;
    for (std::int32_t v = 0; v < count; ++v)
      if (live[v] && values_[v].op == Op::cos) cosine_of[values_[v].a] = v;
    std::size_t check = 0;
    std::vector<std::pair<std::int32_t, bool>> checks(required);
    std::sort(checks.begin(), checks.end());
    for (std::int32_t v = 0; v < count; ++v) {
      if (live[v] && own[v] < 0) {
        const Value& x = values_[v];
        const bool turns = (x.op == Op::sin || x.op == Op::cos) && sine_of.count(x.a) && cosine_of.count(x.a);
        if (turns) {
          const std::int32_t s = sine_of[x.a], c = cosine_of[x.a];
          own[s] = take(), own[c] = take();
          code.push_back({Op::sincos, row16(own[s]), row16(own[x.a]), row16(own[c]), 0});
        } else if (fused[v] >= 0) {
          const Value& m = values_[fused[v]];
          const std::int32_t other = fused[v] == x.b ? x.a : x.b;
          const Op op = x.op == Op::add ? Op::mul_add : fused[v] == x.b ? Op::sub_mul : Op::mul_sub;
          own[v] = take();
          code.push_back({op, row16(own[v]), row16(own[m.a]), row16(own[m.b]), row16(own[other])});
        } else if (!absorbed[v]) {
          own[v] = take();
          code.push_back(
              {x.op, row16(own[v]), row16(own[x.a]), x.b >= 0 ? row16(own[x.b]) : std::uint16_t{0}, 0});
        }
      }
      for (; check < checks.size() && checks[check].first == v; ++check)
        code.push_back({Op::require, row16(p_.fits_row), row16(own[v]), 0,
                        static_cast<std::uint16_t>(checks[check].second)});
      if (!live[v] || absorbed[v]) continue;
      const auto release = [&](std::int32_t x) {
        if (x < 0 || !live[x] || absorbed[x] || last[x] != v) return;
        free.push_back(own[x]);
        last[x] = -2;
      };
      release(values_[v].a), release(values_[v].b);
      if (fused[v] >= 0) release(values_[fused[v]].a), release(values_[fused[v]].b);
      if (last[v] < 0) free.push_back(own[v]);  // only its outcome was wanted
    }
    most_ = std::max(most_, top);
    rows.clear();
    for (std::int32_t v : wanted) rows.push_back(row16(own[v]));
  }
  void finish() { p_.rows = std::max(most_, first_temporary()); }

 private:
  bool has_operands(std::int32_t v) const {
    return values_[v].op != Op::input && values_[v].op != Op::constant;
  }
  std::int32_t first_temporary() const { return next_; }
  static std::uint16_t row16(std::int32_t r) {
    assert(r >= 0 && r <= 65535);
    return static_cast<std::uint16_t>(r);
  }
  void emit(std::int32_t v, Code& code) {
    const Value& x = values_[v];
    code.push_back(
        {x.op, row16(row_[v]), row16(row_[x.a]), x.b >= 0 ? row16(row_[x.b]) : std::uint16_t{0}, 0});
  }

  std::vector<Value> values_;
  Program& p_;
  std::vector<std::int32_t> row_;
  std::vector<char> used_;
  std::int32_t next_ = 0, most_ = 0;
};

}  // namespace

Program make_program(const Recording& r, const std::vector<char>& varying) {
  Program p;
  p.state_size = r.state_size;
  for (std::size_t k = 0; k < varying.size(); ++k)
    if (varying[k]) p.varying.push_back(static_cast<std::int32_t>(k));
  p.lane_constants = static_cast<int>(p.varying.size());

  Simplifier simple(r, varying);
  const auto all_of = [&](const std::vector<std::int32_t>& nodes) {
    std::vector<std::int32_t> out;
    for (std::int32_t n : nodes) out.push_back(simple.of(n));
    return out;
  };
  std::vector<std::pair<std::int32_t, bool>> in_rates, in_all, in_reports;
  std::vector<std::int32_t> rates = all_of(r.rates), all = rates;
  for (const auto* list : {&r.guards, &r.conditions, &r.distances, &r.closing})
    for (std::int32_t n : *list) all.push_back(simple.of(n));
  all.push_back(simple.of(r.kinetic));
  all.push_back(simple.of(r.energy));
  for (std::size_t k = 0; k < r.assumptions.size(); ++k) {
    const std::pair<std::int32_t, bool> one{simple.of(r.assumptions[k].node), r.assumptions[k].outcome};
    in_reports.push_back(one);
    if (k < r.assumptions_of_looks) in_all.push_back(one);
    if (k < r.assumptions_of_rates) in_rates.push_back(one);
  }
  const auto once_each = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  once_each(in_rates);
  once_each(in_all);
  once_each(in_reports);

  Writer writer(simple.take_values(), p);
  for (std::int32_t v : all) writer.need(v);
  const std::vector<std::int32_t> reports = all_of(r.reports);
  for (std::int32_t v : reports) writer.need(v);
  for (const auto& [v, outcome] : in_reports) writer.need(v);
  writer.place_lasting();
  std::vector<std::uint16_t> rows;
  writer.write(rates, in_rates, p.lean, rows);
  p.lean_rates = rows;
  std::vector<std::int32_t> probed = rates;
  for (const auto* list : {&r.guards, &r.conditions})
    for (std::int32_t n : *list) probed.push_back(simple.of(n));
  writer.write(probed, in_all, p.probe, rows);
  const auto part = [&](std::size_t from, std::size_t count) {
    const auto at = rows.begin() + static_cast<std::ptrdiff_t>(from);
    return std::vector<std::uint16_t>(at, at + static_cast<std::ptrdiff_t>(count));
  };
  p.probe_rates = part(0, r.rates.size());
  p.probe_guards = part(r.rates.size(), r.guards.size());
  p.probe_conditions = part(r.rates.size() + r.guards.size(), r.conditions.size());
  if (!reports.empty()) writer.write(reports, in_reports, p.report, p.reports);
  writer.write(all, in_all, p.full, rows);
  writer.finish();
  auto next = rows.begin();
  const auto split = [&](std::vector<std::uint16_t>& out, std::size_t count) {
    out.assign(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
  };
  split(p.rates, r.rates.size());
  split(p.guards, r.guards.size());
  split(p.conditions, r.conditions.size());
  split(p.distances, r.distances.size());
  split(p.closing, r.closing.size());
  p.kinetic = *next++;
  p.energy = *next;
  return p;
}

}  // namespace thud::lanes
