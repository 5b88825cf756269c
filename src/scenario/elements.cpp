#include "scenario/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "scenario/bodies.hpp"
#include "scenario/bounds.hpp"
#include "scenario/repeated.hpp"
#include "scenario/signals.hpp"
#include "thud/math/portable.hpp"

namespace thud::doc {

namespace {

// A unit that is not known would let every unit pass.
Dimension measure_of(const char* unit) {
  const Dimension d = dimension_of(unit);
  if (d == Dimension::any)
    throw std::logic_error(fmt::format("no Dimension measures \"{}\": see units.hpp", unit));
  return d;
}

Range range_of(Admits admits) {
  switch (admits) {
    case Admits::anything: return {};
    case Admits::non_negative: return Range::non_negative();
    case Admits::positive: return Range::positive();
  }
  return {};
}

template <class E>
concept HasTable = requires {
  E::table;
};

// f.operator()<E>() for all elements with a table, and for what files write as contacts.
template <class P, class F>
void each_table(F&& f) {
  f.template operator()<LimitOf<P>>();
  f.template operator()<RopeOf<P>>();
  ElementTypesOf<P>::each([&]<class E>() {
    if constexpr (HasTable<E>) f.template operator()<E>();
  });
}

// ---- reading ----------------------------------------------------------------------------------------------------------

// Fills an element from its table.
template <class P>
class KeyReader {
 public:
  KeyReader(const Table& table, std::string fallback_name, const AssemblyOf<P>& into)
      : t_(table),
        fallback_(std::move(fallback_name)),
        s_(into) {}

  void name(std::string& label) {
    label = t_.filled_text_or("name", fallback_);
    check_name(t_, "name", label);
  }

  // That of the body by default.
  void name_or(const char*, std::string& label) {
    if (t_.has("name")) name(label);
  }

  void place(const char* key, AttachmentOf<P>& out, const char*) {
    if (t_.kind_of(key) == ValueKind::array) {
      const auto at = t_.pair(key, Dimension::length);
      out.world = {(*at)[0], (*at)[1]};
      return;
    }
    out.name = t_.filled_text(key);
    std::vector<std::string> known;
    for (const PointOf<P>& p : s_.points) {
      known.push_back(p.name);
      if (p.name != out.name) continue;
      out.body = p.body;
      out.point = p.point;
      return;
    }
    throw t_.error(
        key, fmt::format("there is no point \"{}\"{}; write a point such as \"{}\" or a place [x, z] in the "
                         "world (points: {})",
                         out.name, did_you_mean(out.name, known), known.empty() ? "leg.tip" : known.back(),
                         one_of(known)));
  }

  void joint(const char* key, int& body, const char*) {
    body = find_joint(t_, key, s_.system.tree());
    slides_ = s_.system.tree().joint_kind(body) == JointKind::slider;
  }

  void number(const char* key, P& x, const char* unit, Admits admits, const char*) {
    x = t_.number(key, measure_of(unit), range_of(admits));
  }
  void number_or(const char* key, P& x, const char* unit, Admits admits, const char*) {
    x = t_.number_or(key, x, measure_of(unit), range_of(admits));
  }
  void joint_number(const char* key, P& x, const char* pin, const char* slider, Admits admits,
                    const char* about) {
    number(key, x, slides_ ? slider : pin, admits, about);
  }
  void joint_number_or(const char* key, P& x, const char* pin, const char* slider, Admits admits,
                       const char* about) {
    number_or(key, x, slides_ ? slider : pin, admits, about);
  }
  void joint_number_if(const char* key, std::optional<P>& x, const char* pin, const char* slider,
                       Admits admits, const char*, const char*) {
    if (const auto given = t_.number_or_none(key, measure_of(slides_ ? slider : pin), range_of(admits)))
      x = P(*given);
  }
  void fraction_if(const char* key, std::optional<P>& x, const char*, const char*) {
    if (const auto given = t_.number_or_none(key, Dimension::none, Range::fraction())) x = P(*given);
  }
  void number_unless(const char* other, const char* key, P& x, const char* unit, Admits admits,
                     const char* about) {
    if (!t_.has(other)) return number(key, x, unit, admits, about);
    if (t_.has(key)) throw t_.error(key, fmt::format("give either {} or {}, not both", key, other));
  }
  void joint_number_unless(const char* other, const char* key, P& x, const char* pin, const char* slider,
                           Admits admits, const char* about) {
    number_unless(other, key, x, slides_ ? slider : pin, admits, about);
  }
  void curve(const char* key, CurveOf<P>& f, const char* variable, const char* unit, const char*) {
    auto given = t_.time_expression(key, measure_of(unit), variable);
    if (!given) return;
    f.corners = given->edges();
    if (f.corners.size() > 100)
      throw t_.error(key,
                     fmt::format("\"{}\" has {} corners; 100 are the most", given->text(), f.corners.size()));
    try {
      (void)(*given)(0.0);
    } catch (const ExpressionError& error) {
      throw t_.error(key, fmt::format("{} (at {} = 0)", error.message(), variable));
    }
    f.with_rate = [e = *given](Dual<double> x) { return e.rate_at(x); };
    f.value = std::move(*given);
  }
  void joint_curve(const char* key, CurveOf<P>& f, const char* variable, const char* pin, const char* slider,
                   const char* about) {
    curve(key, f, variable, slides_ ? slider : pin, about);
  }
  void choice(const char* key, int& which, std::vector<std::string> names, const char*) {
    const std::string chosen = t_.choice_or(key, names[which], names);
    which = static_cast<int>(std::find(names.begin(), names.end(), chosen) - names.begin());
  }
  void function(const char* key, TimeFunctionOf<P>& f, const char* unit, const char*) {
    read_function(t_, key, measure_of(unit), s_, f);
  }

  void path(const char* key, PathFunctionOf<P>& f, const char* pin, const char* slider, const char*) {
    f = read_path<P>(t_, key, measure_of(slides_ ? slider : pin));
  }

 private:
  const Table& t_;
  std::string fallback_;
  const AssemblyOf<P>& s_;
  bool slides_ = false;  // the joint that was named
};

// Whether two points can change their distance at all.
bool is_loose(const Tree& tree, const Attachment& from, const Attachment& to) {
  Frames<double> frames;
  frames.resize(tree);
  const std::vector<double> rest(static_cast<std::size_t>(tree.dof_count()), 0.0);
  double least = HUGE_VAL, most = 0;
  for (int trial = 1; trial <= 4; ++trial) {
    std::vector<double> q = rest;
    for (std::size_t i = 0; i < q.size(); ++i)
      q[i] = 0.3 * portable::sin(1.7 * trial * static_cast<double>(i + 1));
    tree.kinematics(q.data(), rest.data(), frames);
    const double apart = norm(to.position(frames) - from.position(frames));
    least = std::min(least, apart);
    most = std::max(most, apart);
  }
  return most - least > 1e-12 * (1 + most);
}

template <class E, class P>
void read_type(const Table& root, const AssemblyOf<P>& s, std::vector<std::string>& names) {
  int number = 0;
  const auto add = [&](const Table& t) {
    E element;
    KeyReader<P> keys(t, fmt::format("{}{}", E::table, ++number), s);
    element.keys(keys);
    t.finish();
    const auto take = [&](const std::string& name) {
      if (std::find(names.begin(), names.end(), name) != names.end())
        throw t.error("name", fmt::format("\"{}\" is the name of something else already", name));
      names.push_back(name);
    };
    if constexpr (requires { element.contacts(s.system.tree()); }) {
      if (const std::string fault = element.fault(); !fault.empty()) throw InputError(t.place(), fault);
      for (ContactOf<P>& c : element.contacts(s.system.tree())) {
        take(c.name);
        s.system.add_contact(std::move(c));
      }
    } else {
      take(element.label);
      if constexpr (requires { element.fault(); })
        if (const std::string fault = element.fault(); !fault.empty()) throw InputError(t.place(), fault);
      if constexpr (requires { element.misfit(s.system.tree()); })
        if (const std::string fault = element.misfit(s.system.tree()); !fault.empty())
          throw InputError(t.place(), fault);
      if constexpr (requires { element.clash(element, s.system.tree()); })
        for (const E& other : s.system.template of<E>())
          if (const std::string clash = element.clash(other, s.system.tree()); !clash.empty())
            throw InputError(t.place(), clash);
      if constexpr (requires { element.companion(); } && std::is_same_v<P, double>)
        if (!is_loose(s.system.tree(), element.from, element.to))
          throw InputError(t.place(),
                           fmt::format("the ends of \"{}\" cannot come nearer to each other, whatever moves",
                                       element.label));
      if constexpr (requires { element.companion(); }) s.system.add_contact(element.companion());
      s.system.add(std::move(element));
    }
  };
  each_table(root, E::table, add);
}

// ---- describing -------------------------------------------------------------------------------------------------------

// Lists the keys of an element.
class KeyLister {
 public:
  static constexpr bool lists = true;  // keys of all kinds
  std::vector<KeySpec> keys;
  std::vector<std::vector<std::string>> exactly_one;

  void name(std::string&) {
    add("name", {{.form = Form::text}}, "the table's name and its number",
        "what events and observables call it");
  }
  void name_or(const char* other, std::string&) {
    add("name", {{.form = Form::text}}, fmt::format("by `{}`", other), "what events and observables call it");
  }
  void place(const char* key, Attachment&, const char* about) {
    add(key, {{.form = Form::text}, {.form = Form::pair, .dimension = Dimension::length}}, "",
        std::string(about) + ": a named point such as `\"leg.tip\"`, or `[x, z]` in the world");
  }
  void joint(const char* key, int&, const char* about) { add(key, {{.form = Form::text}}, "", about); }
  void number(const char* key, double&, const char* unit, Admits admits, const char* about) {
    add(key, {{.form = Form::number, .dimension = measure_of(unit), .range = range_of(admits)}}, "", about);
  }
  void number_or(const char* key, double& x, const char* unit, Admits admits, const char* about) {
    add(key, {{.form = Form::number, .dimension = measure_of(unit), .range = range_of(admits)}}, show(x),
        about);
  }
  void joint_number(const char* key, double&, const char* pin, const char* slider, Admits admits,
                    const char* about) {
    add(key, in_both(pin, slider, admits), "", about);
  }
  void joint_number_or(const char* key, double& x, const char* pin, const char* slider, Admits admits,
                       const char* about) {
    add(key, in_both(pin, slider, admits), show(x), about);
  }
  void joint_number_if(const char* key, std::optional<double>&, const char* pin, const char* slider,
                       Admits admits, const char* fallback, const char* about) {
    add(key, in_both(pin, slider, admits), fallback, about);
  }
  void fraction_if(const char* key, std::optional<double>&, const char* fallback, const char* about) {
    add(key, {{.form = Form::number, .dimension = Dimension::none, .range = Range::fraction()}}, fallback,
        about);
  }
  void number_unless(const char* other, const char* key, double&, const char* unit, Admits admits,
                     const char* about) {
    add(key, {{.form = Form::number, .dimension = measure_of(unit), .range = range_of(admits)}},
        fmt::format("by `{}`", other), about);
    exactly_one.push_back({key, other});
  }
  void joint_number_unless(const char* other, const char* key, double&, const char* pin, const char* slider,
                           Admits admits, const char* about) {
    add(key, in_both(pin, slider, admits), fmt::format("by `{}`", other), about);
    exactly_one.push_back({key, other});
  }
  void curve(const char* key, thud::Curve&, const char* variable, const char* unit, const char* about) {
    add(key, {{.form = Form::formula, .dimension = measure_of(unit), .variable = variable}}, "none", about);
  }
  void joint_curve(const char* key, thud::Curve&, const char* variable, const char* pin, const char* slider,
                   const char* about) {
    add(key,
        {{.form = Form::formula, .dimension = measure_of(pin), .variable = variable},
         {.form = Form::formula, .dimension = measure_of(slider), .variable = variable}},
        "none", about);
  }
  void choice(const char* key, int& which, std::vector<std::string> names, const char* about) {
    const std::string fallback = names[which];
    add(key, {{.form = Form::choice, .choices = std::move(names)}}, fallback, about);
  }
  void function(const char* key, TimeFunction&, const char* unit, const char* about) {
    add(key, {{.form = Form::formula, .dimension = measure_of(unit), .variable = "t"}}, "none",
        std::string(about) + "; a number, or an expression of the time `t`");
  }
  void path(const char* key, PathFunction&, const char* pin, const char* slider, const char* about) {
    std::vector<ValueSpec> both;
    for (const char* unit : {pin, slider})
      both.push_back({.form = Form::formula, .dimension = measure_of(unit), .variable = "t"});
    add(key, std::move(both), "", std::string(about) + "; a number, or an expression of the time `t`");
  }

 private:
  static std::vector<ValueSpec> in_both(const char* pin, const char* slider, Admits admits) {
    std::vector<ValueSpec> out;
    for (const char* unit : {pin, slider})
      out.push_back({.form = Form::number, .dimension = measure_of(unit), .range = range_of(admits)});
    return out;
  }
  void add(const char* key, std::vector<ValueSpec> values, std::string fallback, std::string about) {
    keys.push_back({key, std::move(values), std::move(fallback), std::move(about)});
  }
};

template <class E>
const TableSpec& element_spec() {
  static const TableSpec spec = [] {
    E element;
    KeyLister lister;
    element.keys(lister);
    lister.keys.push_back({"repeat",
                           {{.form = Form::whole, .range = Range::between(0, 10000)}},
                           "once",
                           "how many of them; `i` counts from 1"});
    return TableSpec{.name = E::table,
                     .title = fmt::format("[[{}]]", E::table),
                     .about = E::table_about,
                     .keys = std::move(lister.keys),
                     .exactly_one = std::move(lister.exactly_one)};
  }();
  return spec;
}

}  // namespace

template <class P>
void read_elements(const Table& root, const AssemblyOf<P>& into) {
  std::vector<std::string> names;
  for (const BodyOf<P>& b : into.system.tree().bodies()) names.push_back(b.name);
  for (const PointOf<P>& p : into.points) names.push_back(p.name);
  for (const ContactForceOf<P>& c : into.system.contacts()) names.push_back(c.subject());
  each_table<P>([&]<class E>() { read_type<E>(root, into, names); });
}

template void read_elements(const Table&, const AssemblyOf<double>&);
THUD_WITH_DUALS(template void read_elements(const Table&, const AssemblyOf<Dual<double>>&);)

std::vector<KeySpec> element_keys() {
  std::vector<KeySpec> out;
  each_table<double>([&]<class E>() {
    out.push_back(
        {E::table,
         {{.form = Form::tables, .table = element_spec<E>}},
         "none",
         std::string(E::table_about).substr(0, std::string_view(E::table_about).find_first_of(":.,"))});
  });
  return out;
}

}  // namespace thud::doc
