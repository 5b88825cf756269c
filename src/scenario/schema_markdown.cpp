#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenario/expression.hpp"
#include "scenario/rules.hpp"
#include "scenario/schema.hpp"
#include "thud/scenario/scenario.hpp"
#include "thud/scenario/schema.hpp"

namespace thud {

namespace {

using doc::Form;
using doc::KeySpec;
using doc::TableSpec;
using doc::ValueSpec;

constexpr const char* introduction =
    R"(# Reference of scenario files

<!-- Made by `thud schema --markdown`; do not edit. -->

Every table and key. What they are for is told in [Scenario files](../guide/scenario-files.md). The same description
checks scenario files, makes this page, and makes the [JSON Schema](../thud-scenario.schema.json) with which editors
complete and check them (`thud schema`).

A *number* is written bare, in SI (`0.2`), with a unit (`"200 mm"`) or as an expression (`"=L/2"`). Where a text has
choices, `"$name"` takes it from a textual parameter.
)";

// A system that has every kind of quantity: the list below is read off it.
constexpr const char* sample = R"(
[[body]]
name  = "BODY"
shape = { kind = "stepped", parts = [ { kind = "cylinder", length = 0.1, diameter = 0.01, mass = 0.1 }, { kind = "beam", length = 0.2, diameter = 0.01, density = 7700, young = 2e11, modes = 1 } ] }
joint = { kind = "pin", friction = 0.1, damping = 0.1, torque = "=t" }
[[body]]
name  = "SLIDER"
shape = { kind = "point", mass = 1 }
joint = { kind = "slider", direction = "vertical" }
[points]
POINT = { body = "BODY", s = 0.2 }
[bed]
surface = 1
[air]
drag_coefficient = 1
[[wall]]
name    = "WALL"
at      = [0, 2]
touches = ["POINT"]
[[wall]]
name      = "WALL2"
at        = [0, 3]
touches   = ["POINT"]
model     = "hertz"
stiffness = 1
)";

std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string number_words(const char* what, const ValueSpec& v) {
  const std::string unit = si_unit(v.dimension), range = v.range.describe(unit);
  std::string out = what;
  if (v.dimension == doc::Dimension::any) return out;
  if (v.dimension != doc::Dimension::none) out = std::string(what) + " [" + unit + "]";
  return out + (range.empty() ? "" : ", " + v.range.describe());
}

std::string form_words(const ValueSpec& v) {
  switch (v.form) {
    case Form::number: return number_words("number", v);
    case Form::whole: return number_words("whole number", v);
    case Form::flag: return "`true` or `false`";
    case Form::text: return "text";
    case Form::choice: {
      std::vector<std::string> quoted;
      for (const std::string& c : v.all_choices()) quoted.push_back("`\"" + c + "\"`");
      return quoted.empty() ? "text" : fmt::format("{}", fmt::join(quoted, ", "));
    }
    case Form::texts: return "text or list of texts";
    case Form::formula:
      return number_words("number", v) + fmt::format(", or an expression of `{}`", v.variable);
    case Form::pair: return "`[a, b]`, each a " + number_words("number", v);
    case Form::pairs: return "list of `[a, b]`, each a " + number_words("number", v);
    case Form::numbers: return "list, each a " + number_words("number", v);
    case Form::table:
    case Form::tables: return fmt::format("[`{}`](#table-{})", v.table().title, v.table().name);
  }
  return "";
}

std::string default_words(const KeySpec& k) {
  if (k.is_required()) return "**required**";
  return k.default_value() ? "`" + k.fallback + "`" : k.fallback;
}

bool is_of_sliders(const std::string& name) {
  return name.find(".travel") != std::string::npos || name.ends_with(".joint.force");
}

class Writer {
 public:
  std::string write() {
    out_ = introduction;
    add_table(doc::scenario_spec());
    add_laws();
    add_rules();
    add_functions();
    add_quantities();
    return std::move(out_);
  }

 private:
  void head(int level, const std::string& id, const std::string& title) {
    out_ += fmt::format("\n<a id=\"{}\"></a>\n\n{} {}\n\n", id,
                        std::string(static_cast<std::size_t>(level), '#'), title);
  }

  void add_row(const KeySpec& k, const std::string& name) {
    std::string forms;
    for (const ValueSpec& v : k.values) forms += (forms.empty() ? "" : "; or ") + form_words(v);
    out_ += fmt::format("| {} | {} | {} | {} |\n", name, escaped(forms), escaped(default_words(k)),
                        escaped(k.about));
  }

  void add_keys(const TableSpec& spec) {
    out_ += "| Key | Value | Default | Meaning |\n|---|---|---|---|\n";
    for (const KeySpec& k : spec.keys)
      if (!spec.title.starts_with("shape ") || k.name != "kind") add_row(k, "`" + k.name + "`");
    if (spec.each) add_row(*spec.each, "*`" + spec.each->name + "`*");
    for (const auto& group : spec.exactly_one)
      out_ += fmt::format("\nExactly one of `{}` is given.\n", fmt::join(group, "` and `"));
    for (const auto& group : spec.at_most_one)
      out_ += fmt::format("\n`{}` exclude each other.\n", fmt::join(group, "` and `"));
  }

  // Depth first, each once, in the order in which they are mentioned.
  void add_table(const TableSpec& spec, int level = 2) {
    if (!seen_.insert(spec.name).second) return;
    const bool is_root = spec.name == "scenario";
    head(level, "table-" + spec.name, is_root ? "Top level" : "`" + spec.title + "`");
    out_ += spec.about + "\n\n";
    if (spec.variants.empty()) add_keys(spec);
    for (const TableSpec& v : spec.variants) {
      head(level + 1, "shape-" + v.name, fmt::format("`kind = \"{}\"`", v.name));
      out_ += v.about + "\n\n";
      add_keys(v);
    }
    if (spec.more) out_ += "\nThe coefficients of its law may stand here too, see [laws](#laws).\n";
    std::vector<const TableSpec*> below;
    const auto collect = [&](const TableSpec& t) {
      for (const KeySpec& k : t.keys)
        for (const ValueSpec& v : k.values)
          if (v.table) below.push_back(&v.table());
      if (t.each)
        for (const ValueSpec& v : t.each->values)
          if (v.table) below.push_back(&v.table());
    };
    collect(spec);
    for (const TableSpec& v : spec.variants) collect(v);
    for (const TableSpec* t : below) add_table(*t, is_root ? 2 : 3);
  }

  void add_laws() {
    head(2, "laws", "Laws and media");
    out_ += "A medium is a law with its coefficients:\n\n| `medium` | Law | |\n|---|---|---|\n";
    for (const Medium& m : media())
      out_ += fmt::format("| `{}` | `{}` | {} |\n", m.name, law_card(m.law).name, escaped(m.about));
    for (const LawEntry* entry : law_table()) {
      const LawCard& e = entry->card;
      head(3, "coefficients-" + e.name, fmt::format("`law = \"{}\"`", e.name));
      out_ += fmt::format("{}\n\n| Coefficient | Unit | Default | Meaning |\n|---|---|---|---|\n",
                          escaped(e.about));
      for (const Coefficient& c : e.coefficients)
        out_ += fmt::format("| `{}` | {} | {} | {} |\n", c.key, c.unit.empty() ? "–" : c.unit,
                            doc::show(c.get(entry->prototype)), escaped(c.about));
    }
  }

  void add_rules() {
    head(2, "rules", "Conditions and results");
    std::vector<std::string> verbs;
    for (const std::string& v : doc::condition_verbs()) verbs.push_back("`" + v + "`");
    out_ += fmt::format(
        "A condition is `QUANTITY VERB [through] VALUE`, with one of the verbs {}; the value is a number in "
        "SI, a\n"
        "quantity (`30 deg`) or an expression. `rises` is from below to above, `falls` from above to below, "
        "the others\n"
        "either.\n\n| Result | Example | |\n|---|---|---|\n",
        fmt::join(verbs, ", "));
    for (const doc::ResultForm& f : doc::result_forms())
      out_ += fmt::format("| `{}` | `\"{}\"` | {} |\n", f.form, f.example, f.about);
  }

  void add_functions() {
    head(2, "functions", "Names in expressions");
    std::vector<std::string> names;
    for (const std::string& n : doc::reserved_names())
      if (n != "t") names.push_back("`" + n + "`");
    std::sort(names.begin(), names.end());
    out_ += fmt::format(
        "{}; `t` where noted, `i` in repeated tables; parameters and definitions.\n"
        "Operators: `+ - * / ^`, `< <= > >= == !=`, `&& ||`, `condition ? a : b`.\n",
        fmt::join(names, " "));
  }

  void add_quantities() {
    head(2, "observables", "Quantities");
    out_ +=
        "What can stand in `[results]`, in conditions and in `plot`. `BODY` is the name of a body, `SLIDER` "
        "that "
        "of one\n"
        "on a slider, which has the others too but for the torque, `POINT` that of a\n"
        "point (every body has `BODY.start` and `BODY.tip`), `CONTACT` is `FEATURE@WALL` or "
        "`FEATURE@FEATURE`.\n"
        "`thud run FILE --list-observables` shows those of a scenario. A second bed adds its name: "
        "`BODY.depth.bed2`.\n\n"
        "| Quantity | Unit | |\n|---|---|---|\n";
    const Scenario s = parse_scenario(sample, "sample", {});
    for (const NamedObservable& o : s.observables) {
      std::string name = o.name, about = o.about;
      if (name.starts_with("SLIDER") && !is_of_sliders(name)) continue;
      if (name.starts_with("BODY.start.") || name.starts_with("BODY.tip.") || name.starts_with("BODY.root.")
          || name.find("@WALL2") != std::string::npos || name.find(".mode2") != std::string::npos)
        continue;
      for (std::string* text : {&name, &about})
        if (const auto at = text->find("POINT@WALL"); at != std::string::npos)
          text->replace(at, 10, "CONTACT");
      if (name.find(".mode") != std::string::npos && name.find(".mode1") == std::string::npos) continue;
      out_ += fmt::format("| `{}` | {} | {} |\n", name, o.unit.empty() ? "–" : o.unit, escaped(about));
    }
  }

  std::string out_;
  std::set<std::string> seen_;
};

}  // namespace

std::string make_scenario_reference() { return Writer().write(); }

}  // namespace thud
