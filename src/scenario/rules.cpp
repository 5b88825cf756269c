#include "scenario/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "scenario/rule.hpp"

namespace thud::doc {

namespace {

double read_target(const Rule& rule, const NamedObservable& o, const std::string& text) {
  double x = 0;
  const char* end = text.data() + text.size();
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  if (const auto [rest, error] = std::from_chars(begin, end, x);
      error == std::errc() && rest == end && begin != end && std::isfinite(x))
    return x;
  try {
    if (unit_of(text)) return parse_quantity_like(text, o.unit);
    return evaluate(text.front() == '=' ? std::string_view(text).substr(1) : text, rule.symbols());
  } catch (const std::exception& e) {
    throw rule.error(fmt::format("\"{}\" is not a value for {} [{}]: {}", text, o.name, o.unit, e.what()));
  }
}

// `a result reads like "…", "…" or "…"`
std::string help_of_results(bool of_impacts) {
  std::vector<std::string> examples;
  for (const ResultForm& f : result_forms())
    if (f.of_impacts == of_impacts) examples.push_back(fmt::format("\"{}\"", f.example));
  if (!of_impacts) examples.emplace_back("\"time of impact 1\"");
  return fmt::format("a result{} reads like {}", of_impacts ? " of impacts" : "", one_of(examples));
}

// "link.tip.vz falls through 0".
Condition parse_condition(const Rule& rule, std::vector<std::string> words, const Scenario& s) {
  const std::vector<std::string>& verbs = condition_verbs();
  const auto first = std::find_first_of(words.begin(), words.end(), verbs.begin(), verbs.end());
  if (first != words.end()) merge(words, 0, static_cast<std::size_t>(first - words.begin()));
  if (words.size() < 3)
    throw rule.error("a condition reads like \"link.tip.vz falls through 0\"; the verbs are "
                     + one_of(verbs));
  const NamedObservable o = need_quantity(rule, s, words[0]);
  const std::string& verb = words[1];
  if (std::find(verbs.begin(), verbs.end(), verb) == verbs.end())
    throw rule.error(fmt::format("\"{}\" is not a verb of conditions{}; the verbs are {}", verb,
                                 did_you_mean(verb, verbs), one_of(verbs)));
  std::size_t value = 2;
  if (words[2] == "through" || words[2] == "to" || words[2] == "above" || words[2] == "below") ++value;
  if (value >= words.size())
    throw rule.error("the value to pass is missing, as in \"link.tip.vz falls through 0\"");
  Condition c;
  c.what = o.observable;
  c.direction = verb == "rises" ? 1 : verb == "falls" ? -1 : 0;
  c.target = read_target(rule, o, join(words, value, words.size()));
  return c;
}

// The same among the conditions of the scenario; returns its index.
int add_condition(const Rule& rule, const std::vector<std::string>& words, Scenario& s, bool stops) {
  Condition c = parse_condition(rule, words, s);
  c.stops = stops;
  const std::string text = join(words, 0, words.size());
  // A stop and a result on the same condition are one.
  for (std::size_t k = 0; k < s.conditions.size(); ++k)
    if (s.condition_text[k] == text) {
      s.conditions[k].stops = s.conditions[k].stops || stops;
      return static_cast<int>(k);
    }
  s.conditions.push_back(c);
  s.condition_text.push_back(text);
  return static_cast<int>(s.conditions.size()) - 1;
}

// "3" of "impact 3".
int read_number(const Rule& rule, const std::string& text, const char* what) {
  int n = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, n).ptr == end && n >= 1 && n <= max_logged_impacts) return n;
  throw rule.error(fmt::format("\"{}\" is not the number of {}; they are counted 1, 2, ... up to {}", text,
                               what, max_logged_impacts));
}

int need_contact(const Rule& rule, const Scenario& s, const std::string& name) {
  std::vector<std::string> known;
  for (const Contact& c : s.system->contacts()) {
    if (c.name == name) return static_cast<int>(known.size());
    known.push_back(c.name);
  }
  throw rule.error(fmt::format("there is no contact \"{}\"{} (known: {})", name, did_you_mean(name, known),
                               one_of(known)));
}

// "time of settle 1", "time of stick 2", "time of lift 1". False: not of these.
bool read_event_result(const Rule& rule, const std::vector<std::string>& words, Scenario& s, ResultSpec& r) {
  struct Word {
    EventKind kind;
    bool of_joints;
    const char* what;
  };
  static const std::map<std::string, Word> known = {
      {"settle", {EventKind::settle, false, "a series of impacts"}},
      {"touch", {EventKind::touch, false, "a touch"}},
      {"lift", {EventKind::lift, false, "a lift-off"}},
      {"painleve", {EventKind::painleve, false, "a sliding contact without a single answer"}},
      {"stick", {EventKind::stick, true, "a time when a joint sticks"}},
      {"release", {EventKind::release, true, "a time when a joint is released"}},
      {"clamp", {EventKind::clamp, true, "a time when a joint is clamped"}},
      {"unclamp", {EventKind::unclamp, true, "a time when a joint is let go"}},
  };
  if (words.size() != 4 || words[0] != "time") return false;
  const auto found = known.find(words[2]);
  if (found == known.end()) {
    if (words[2] == "impact") return false;
    std::vector<std::string> names = {"impact"};
    for (const auto& [name, word] : known) names.push_back(name);
    throw rule.error(fmt::format("there is no event \"{}\"{} (known: {})", words[2],
                                 did_you_mean(words[2], names), one_of(names)));
  }
  const Word& word = found->second;
  bool touches = !s.system->contacts().empty();
  for (const Spring& spring : s.system->of<Spring>()) touches = touches || spring.one_way != 0;
  for (const JointSpring& spring : s.system->of<JointSpring>()) touches = touches || spring.one_way != 0;
  if (!word.of_joints && !touches) throw rule.error("nothing touches without a [[wall]] or a [[pair]]");
  bool friction = false, turned_off = false, clamps = false;
  for (int i = 0; i < s.system->tree().body_count(); ++i) {
    friction = friction || s.system->joint(i).has_friction();
    turned_off = turned_off || s.system->joint(i).clamp.is_given();
    clamps = clamps || s.system->joint(i).clamp.is_on();
  }
  if (word.of_joints && !friction && !turned_off)
    throw rule.error("no joint sticks without a friction of its own");
  r.unit = "s";
  if ((word.kind == EventKind::clamp || word.kind == EventKind::unclamp) && !clamps) {
    if (!turned_off)
      throw rule.error(
          "no joint has stick = { ... }: without it joints do not clamp, they \"stick\" and are "
          "\"release\"d");
    r.kind = ResultSpec::Kind::constant;  // it does not apply
    return true;
  }
  r.kind = ResultSpec::Kind::time_of_event;
  r.event = word.kind;
  r.number = read_number(rule, words[3], word.what);
  s.options.events_wanted.push_back({r.event, r.number});
  return true;
}

// "time of impact 2", "count of impacts", "rod.rate after impact 1", "impulse of rod.tip@floor at impact 1". False:
// nothing of the kind.
bool read_impact_result(const Rule& rule, const std::vector<std::string>& words, Scenario& s, ResultSpec& r) {
  using Kind = ResultSpec::Kind;
  const std::string &first = words[0], &second = words[1];
  const bool is_side = second == "before" || second == "after";
  if (!is_side && second != "of") return false;
  if (read_event_result(rule, words, s, r)) return true;
  if (s.system->contacts().empty()) throw rule.error("there are no impacts without a [[wall]] or a [[pair]]");
  const std::string help = help_of_results(true);
  const auto want = [&](const std::string& number) {
    r.number = read_number(rule, number, "an impact");
    s.options.impacts_wanted = std::max(s.options.impacts_wanted, r.number);
  };
  if (is_side) {
    const NamedObservable o = need_quantity(rule, s, first);
    if (words.size() != 4 || words[2] != "impact") throw rule.error(help);
    r.kind = second == "before" ? Kind::before_impact : Kind::after_impact;
    r.what = o.observable;
    r.unit = o.unit;
    want(words[3]);
  } else if (first == "time" && words.size() == 4 && words[2] == "impact") {
    r.kind = Kind::time_of_impact;
    r.unit = "s";
    want(words[3]);
  } else if (first == "count" && words.size() == 3 && words[2] == "impacts") {
    r.kind = Kind::count_of_impacts;
  } else if (first == "impulse" && words.size() == 6 && words[3] == "at" && words[4] == "impact") {
    r.kind = Kind::impulse_of_impact;
    r.contact = need_contact(rule, s, words[2]);
    r.unit = s.system->contacts()[static_cast<std::size_t>(r.contact)].turns ? "N m s" : "N s";
    want(words[5]);
  } else {
    throw rule.error(help);
  }
  return true;
}

// "rod.joint.impulse.x at impact 1", "max rod.joint.impulse". False: nothing of the kind.
bool read_joint_result(const Rule& rule, const std::vector<std::string>& words, Scenario& s, ResultSpec& r) {
  const bool is_largest = words[0] == "max" && words.size() == 2;
  const std::string& name = is_largest ? words[1] : words[0];
  const std::string mark = ".joint.impulse";
  const std::size_t at = name.find(mark);
  if (at == std::string::npos) return false;
  if (s.system->contacts().empty()) throw rule.error("there are no impacts without a [[wall]] or a [[pair]]");
  std::vector<std::string> known;
  const Tree& tree = s.system->tree();
  r.what.body = -1;
  for (int i = 0; i < tree.body_count(); ++i) {
    if (tree.body(i).free) continue;
    known.push_back(tree.body(i).name);
    if (known.back() == name.substr(0, at)) r.what.body = i;
  }
  if (r.what.body < 0)
    throw rule.error(fmt::format("there is no joint \"{}\"{}", name.substr(0, at) + ".joint",
                                 did_you_mean(name.substr(0, at), known)));
  static const std::vector<std::string> parts = {"", ".x", ".z", ".size"};
  static constexpr Component components[] = {Component::size, Component::x, Component::z, Component::size};
  const auto part = std::find(parts.begin(), parts.end(), name.substr(at + mark.size()));
  if (part == parts.end() || (is_largest && *part != "" && *part != ".size"))
    throw rule.error(fmt::format("\"{}\" is not {}.joint.impulse{}", name, name.substr(0, at),
                                 is_largest ? ", the size" : " or its .x, .z, .size"));
  r.what.component = components[part - parts.begin()];
  r.unit = "N s";
  r.kind = is_largest ? ResultSpec::Kind::largest_joint_impulse : ResultSpec::Kind::joint_impulse;
  if (is_largest) return true;
  if (words.size() != 4 || words[1] != "at" || words[2] != "impact")
    throw rule.error(fmt::format("an impulse is of an instant: \"{} at impact 1\"", name));
  r.number = read_number(rule, words[3], "an impact");
  s.options.impacts_wanted = std::max(s.options.impacts_wanted, r.number);
  return true;
}

// The words of a result, with its quantity as one word.
std::vector<std::string> result_words(const std::string& text) {
  std::vector<std::string> words = words_of(text);
  if (words.size() < 2) return words;
  if (words[0] == "max" || words[0] == "min") {
    merge(words, 1, words.size());
    return words;
  }
  static const std::vector<std::string> marks = {"when", "at", "before", "after"};
  const auto mark = std::find_first_of(words.begin(), words.end(), marks.begin(), marks.end());
  if (mark != words.end() && words[1] != "of")
    merge(words, 0, static_cast<std::size_t>(mark - words.begin()));
  return words;
}

ResultSpec read_result(const Rule& rule, Scenario& s) {
  ResultSpec r;
  r.name = rule.key;
  r.rule = rule.text;
  if (rule.text.starts_with('=')) {  // of results, some of which may come later
    r.kind = ResultSpec::Kind::formula;
    return r;
  }
  const std::vector<std::string> words = result_words(rule.text);
  const std::string help = help_of_results(false);
  if (words.size() == 1)
    for (const NamedConstant& c : s.constants)
      if (c.name == words[0]) {
        r.kind = ResultSpec::Kind::constant;
        r.unit = c.unit;
        r.value = c.value;
        return r;
      }
  if (words.size() < 2) throw rule.error(help);
  if (read_stretch_result(rule, words_of(rule.text), s, r)) return r;
  if (read_joint_result(rule, words, s, r) || read_impact_result(rule, words, s, r)) return r;
  if (words[0] == "max" || words[0] == "min") {
    if (words.size() != 2) throw rule.error(help);
    const NamedObservable o = need_quantity(rule, s, words[1]);
    r.kind = words[0] == "max" ? ResultSpec::Kind::maximum : ResultSpec::Kind::minimum;
    r.what = o.observable;
    r.unit = o.unit;
    return r;
  }
  const NamedObservable o = need_quantity(rule, s, words[0]);
  r.what = o.observable;
  r.unit = o.unit;
  if (words[1] == "when" && words.size() > 2) {
    r.condition = add_condition(rule, {words.begin() + 2, words.end()}, s, false);
    r.kind = words[0] == "time" ? ResultSpec::Kind::time_of : ResultSpec::Kind::value_at;
    return r;
  }
  if (words[1] != "at" || words.size() != 3) throw rule.error(help);
  if (words[2] == "end" || words[2] == "stop") {
    r.kind = ResultSpec::Kind::value_at_end;
    return r;
  }
  std::vector<std::string> known = {"end"};
  for (const ResultSpec& other : s.results) {
    if (other.kind == ResultSpec::Kind::time_of_impact && other.name == words[2])
      throw rule.error(
          fmt::format("\"{0}\" is the time of an impact; \"{1} before impact {2}\" and \"{1} after "
                      "impact {2}\" are its two sides",
                      words[2], words[0], other.number));
    if (other.kind == ResultSpec::Kind::time_of) known.push_back(other.name);
    if (other.kind != ResultSpec::Kind::time_of || other.name != words[2]) continue;
    r.kind = ResultSpec::Kind::value_at;
    r.condition = other.condition;
    return r;
  }
  throw rule.error(fmt::format("\"{}\" is not the name of an earlier result that is a time{} (known: {})",
                               words[2], did_you_mean(words[2], known), one_of(known)));
}

}  // namespace

const std::vector<std::string>& condition_verbs() {
  static const std::vector<std::string> verbs = {"rises", "falls", "crosses", "reaches"};
  return verbs;
}

const std::vector<ResultForm>& result_forms() {
  static const std::vector<ResultForm> forms = {
      {"time when CONDITION", "time when link.tip.vz falls through 0", "the first time a condition is met",
       false},
      {"QUANTITY when CONDITION", "link.v when link.tip.depth rises through 0", "its value then", false},
      {"QUANTITY at NAME", "link.tip.depth at t_z", "its value at an earlier result that is a time", false},
      {"QUANTITY at end", "link.tip.depth at end", "its value at the end of the run", false},
      {"max QUANTITY", "max link.resistance.size", "its largest value", false},
      {"min QUANTITY", "min link.vz", "its smallest value", false},
      {"mean QUANTITY", "mean link.vz from t_z to end",
       "its mean over the run; `from` and `to` a time or the name of a result that is one", false},
      {"rms QUANTITY", "rms link.vz", "the root of the mean of its square", false},
      {"integral QUANTITY", "integral link.vz from 0 to 0.1 s", "over time", false},
      {"impulse of FORCE", "impulse of link.resistance.z",
       "the integral of a force or moment, or of what has one; of a rigid contact with its impacts", false},
      {"work of ELEMENT", "work of link.sand",
       "on the bodies: of a spring, a force, a contact with its impacts, of `BODY.sand`, `BODY.torque`, …",
       false},
      {"=EXPRESSION", "=2*t_z", "of other results, wherever they stand, and of parameters", false},
      {"time of impact N", "time of impact 1", "impacts of all rigid contacts together, from 1 to 10000",
       true},
      {"QUANTITY before impact N", "link.rate before impact 1", "on one side of the instant", true},
      {"QUANTITY after impact N", "link.rate after impact 1", "on the other", true},
      {"impulse of CONTACT at impact N", "impulse of link.tip@floor at impact 1",
       "along the normal; 0 for a contact that had no part", true},
      {"BODY.joint.impulse.x at impact N", "thigh.joint.impulse.x at impact 1",
       "on the body by the joint that carries it; `.z`, and `.size` or nothing", true},
      {"max BODY.joint.impulse", "max thigh.joint.impulse", "its largest size, of all impacts", true},
      {"count of impacts", "count of impacts", "how many there were", true},
      {"time of settle N", "time of settle 1", "end of the N-th series of infinitely many bounces", true},
      {"time of touch N", "time of touch 1",
       "a contact closes without an impact, or a compliant one is indented", true},
      {"time of lift N", "time of lift 1", "a closed contact opens", true},
      {"time of stick N", "time of stick 1",
       "a joint with friction sticks; `release`: it slips again; `clamp` and "
       "`unclamp`: by the rule of its `stick = { … }`",
       false},
      {"CONSTANT", "arm.frequency1",
       "a number of the scenario itself: `BODY.frequency1` … of a beam [rad/s], `BODY.hub_frequency1` … with "
       "its hub "
       "free, and those of `[strike]`",
       false},
  };
  return forms;
}

Condition read_condition(const Table& t, const char* key, const Scenario& s, bool& at_once) {
  const Rule rule{&t, key, t.text(key)};
  std::vector<std::string> words = words_of(rule.text);
  const auto is = std::find(words.begin(), words.end(), "is");
  at_once = words.end() - is > 2 && (is[1] == "above" || is[1] == "below");
  if (at_once) *is = is[1] == "above" ? "rises" : "falls";
  return parse_condition(rule, words, s);
}

void read_rules(const Table& root, Scenario& s) {
  if (const auto t = root.table_or_none("results")) {
    std::vector<Rule> rules;
    for (const std::string& key : t->keys()) {
      rules.push_back({&*t, key, t->text(key)});
      s.results.push_back(read_result(rules.back(), s));
    }
    link_results(rules, 0, s);
    t->finish();
  }
  if (const auto t = root.table_or_none("stop")) {
    for (const std::string& text : t->texts_or("when")) {
      if (text == "rest") {  // rest always stops a run; named, it is what was asked for
        s.rest_is_asked = true;
        continue;
      }
      if (text == "results")
        s.options.stop_when_all_found = true;
      else
        add_condition({&*t, "when", text}, words_of(text), s, true);
    }
    // A time alone is a wish to see that much; with a condition it is the limit of patience.
    s.stops_at_rest = !t->has("time") || t->has("when");
    s.options.time_limit = t->number_or("time", s.options.time_limit, Dimension::time, Range::positive());
    t->finish();
    bool watched = false;
    for (const ResultSpec& r : s.results) watched = watched || r.condition >= 0 || r.number > 0;
    if (s.options.stop_when_all_found && !watched)
      throw t->error("when", "\"results\" stops at the last timed result, and there is none under [results]");
  }
}

}  // namespace thud::doc

namespace thud {

void add_observable(Scenario& s, NamedObservable observable) {
  const std::string& name = observable.name;
  const auto refuse = [&](const char* why) {
    throw InputError({}, fmt::format("an observable cannot be called \"{}\": {}", name, why));
  };
  if (name.empty() || name.find_first_of(" \t\n,\"") != std::string::npos)
    refuse("names have no blanks, commas or quotes");
  if (s.find_observable(name)) refuse("there is one of that name");
  s.observables.push_back(std::move(observable));
}

void add_result(Scenario& s, const std::string& name, const std::string& rule) {
  for (const ResultSpec& r : s.results)
    if (r.name == name) throw InputError({}, fmt::format("there is a result \"{}\" already", name));
  const doc::Rule written{nullptr, name, rule};
  s.results.push_back(doc::read_result(written, s));
  try {
    doc::link_results({written}, s.results.size() - 1, s);
  } catch (...) {
    s.results.pop_back();
    throw;
  }
}

void add_stop(Scenario& s, const std::string& condition) {
  doc::add_condition({nullptr, "stop", condition}, doc::words_of(condition), s, true);
  s.stops_at_rest = true;
}

}  // namespace thud
