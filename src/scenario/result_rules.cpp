// Results that are made of others: expressions of results and of observables, integrals and means.

#include <algorithm>
#include <cctype>

#include "scenario/result_formula.hpp"
#include "scenario/rule.hpp"
#include "scenario/unit_powers.hpp"
#include "thud/dynamics/element_power.hpp"
#include "thud/scenario/observable_hint.hpp"

namespace thud::doc {

// ---- words ------------------------------------------------------------------------------------

InputError Rule::error(const std::string& message, std::string_view part, std::size_t offset) const {
  InputError plain = error(message);
  if (!table || table->kind_of(key) != ValueKind::text || table->raw_text(key) != text) return plain;
  const std::string shown = table->written(key);
  const std::size_t at = text.find(part);
  if (at == std::string::npos || shown.starts_with("\"\"\"") || shown.starts_with("'''")) return plain;
  Place place = table->place_of(key);
  place.column += static_cast<int>(1 + at + offset);
  return InputError(place, fmt::format("\"{}\" in {}: {}", key, table->path(), message));
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  int open = 0;
  bool inside = false;
  for (const char c : text) {
    if (c == '(') ++open;
    if (c == ')') --open;
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (blank && open <= 0) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c;
  }
  return words;
}

std::string join(const std::vector<std::string>& words, std::size_t from, std::size_t to) {
  std::string out;
  for (std::size_t i = from; i < to; ++i) out += (out.empty() ? "" : " ") + words[i];
  return out;
}

void merge(std::vector<std::string>& words, std::size_t from, std::size_t to) {
  if (to <= from + 1 || to > words.size()) return;
  words[from] = join(words, from, to);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(from) + 1,
              words.begin() + static_cast<std::ptrdiff_t>(to));
}

// ---- expressions of observables -----------------------------------------------------------------

namespace {

// Of the scenario's observables; throws ExpressionError.
NamedObservable make_quantity(const Scenario& s, const std::string& text, const SymbolTable& symbols) {
  std::vector<ResultFormula::Name> names;
  for (const NamedObservable& o : s.observables) names.push_back({o.name, o.unit});
  const auto formula = std::make_shared<const ResultFormula>(text, names, symbols, "observable");
  std::vector<Observable> parts;
  for (const std::size_t k : formula->used()) parts.push_back(s.observables[k].observable);
  if (parts.empty()) throw ExpressionError(fmt::format("\"{}\" names no observable", text), 0);
  const auto observe = [formula, parts](const Instant& now) {
    constexpr std::size_t few = 8;
    double some[few];
    std::vector<double> many(parts.size() > few ? parts.size() : 0);
    double* values = many.empty() ? some : many.data();
    for (std::size_t k = 0; k < parts.size(); ++k) values[k] = now.observe(parts[k]);
    return (*formula)({values, parts.size()});
  };
  return {text, make_observable(observe), formula->unit(), text};
}

bool looks_like_expression(const std::string& text) {
  return text.find_first_of("()+-*/^<>?:,&|=! ") != std::string::npos;
}

}  // namespace

NamedObservable need_quantity(const Rule& rule, const Scenario& s, const std::string& text) {
  if (const NamedObservable* o = s.find_observable(text)) return *o;
  if (!looks_like_expression(text))
    throw rule.error(
        fmt::format("there is no observable \"{}\"{} (thud run FILE --list-observables shows them all)", text,
                    observable_hint(s, text)));
  try {
    return make_quantity(s, text, rule.symbols());
  } catch (const ExpressionError& e) {
    throw rule.error(e.message(), text, e.offset());
  }
}

// ---- integrals and means --------------------------------------------------------------------------

namespace {

using ResultKind = ResultSpec::Kind;

// A time as it is written; none: the name of a result, or "start" or "end".
std::optional<double> read_time(const Rule& rule, const std::string& text) {
  try {
    if (const auto unit = unit_of(text); unit && unit->empty())
      return parse_quantity(text + " s", Dimension::time);
    if (unit_of(text)) return parse_quantity(text, Dimension::time);
    if (text.starts_with('=')) return evaluate(std::string_view(text).substr(1), rule.symbols());
  } catch (const std::exception& e) {
    throw rule.error(fmt::format("\"{}\" is not a time: {}", text, e.what()));
  }
  return std::nullopt;
}

struct Stretch {
  std::size_t end;       // of what stands before
  std::string from, to;  // as written; empty: of the run
};

// "from A to B" at the end of a rule.
Stretch find_stretch(const Rule& rule, const std::vector<std::string>& words, std::size_t begin) {
  const auto at = [&](const char* word) {
    const auto found = std::find(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(), word);
    return static_cast<std::size_t>(found - words.begin());
  };
  const std::size_t from = at("from"), to = at("to"), size = words.size();
  if (from < size && to < from) throw rule.error("a stretch of the run reads like \"from t_1 to t_2\"");
  Stretch out{std::min(from, to), {}, {}};
  if (from < size) out.from = join(words, from + 1, to);
  if (to < size) out.to = join(words, to + 1, size);
  if ((from < size && out.from.empty()) || (to < size && out.to.empty()))
    throw rule.error(
        fmt::format("what stands after \"{}\" is missing: a time, or the name of a result that is one",
                    to < size && out.to.empty() ? "to" : "from"));
  return out;
}

ResultSpec::Bound read_bound(const Rule& rule, const std::string& text) {
  ResultSpec::Bound out;
  if (!text.empty() && text != "start" && text != "end") out.time = read_time(rule, text);
  return out;
}

void read_work(const Rule& rule, const Scenario& s, const std::string& name, ResultSpec& r) {
  std::vector<std::string> known;
  for (const NamedElement& e : list_elements(*s.system)) {
    if (e.name == name) r.elements.push_back(e.element);
    if (std::find(known.begin(), known.end(), e.name) == known.end()) known.push_back(e.name);
  }
  if (r.elements.empty())
    throw rule.error(fmt::format("there is no element \"{}\" that does work{}{}", name,
                                 did_you_mean(name, known),
                                 known.empty() ? "" : fmt::format(" (known: {})", one_of(known))));
  r.kind = ResultKind::work_of_elements;
  r.unit = "J";
}

std::string unit_over_time(const std::string& unit) {
  auto powers = unit.empty() ? std::nullopt : powers_of(unit);
  if (!powers) return "";
  ++powers->second;
  return unit_with(*powers);
}

// Of a contact, of what has one force, or of any force or moment.
void read_impulse(const Rule& rule, const Scenario& s, const std::string& name, ResultSpec& r) {
  const std::vector<ContactForce>& contacts = s.system->contacts();
  const auto contact =
      std::find_if(contacts.begin(), contacts.end(), [&](const ContactForce& c) { return c.name == name; });
  r.kind = contact == contacts.end() ? ResultKind::integral : ResultKind::impulse_of_contact;
  r.contact = contact == contacts.end() ? -1 : static_cast<int>(contact - contacts.begin());
  std::string what = name;
  if (!s.find_observable(name))
    for (const char* force : {".force", ".tension", ".moment"})
      if (s.find_observable(name + force)) what = name + force;
  const NamedObservable o = need_quantity(rule, s, what);
  r.what = o.observable;
  r.unit = o.unit == "N m" ? "N m s" : unit_over_time(o.unit);
  if (s.find_observable(what) && o.unit != "N" && o.unit != "N m" && !o.unit.empty())
    throw rule.error(fmt::format("an impulse is of a force or a moment; {} is in {}", what, o.unit));
}

}  // namespace

bool read_stretch_result(const Rule& rule, const std::vector<std::string>& words, const Scenario& s,
                         ResultSpec& r) {
  const std::string& first = words[0];
  const bool of_element = (first == "impulse" || first == "work") && words.size() > 1 && words[1] == "of";
  if (!of_element && first != "mean" && first != "rms" && first != "integral") return false;
  if (of_element && words.size() > 3 && words[3] == "at") return false;  // at an impact
  const std::size_t begin = of_element ? 2 : 1;
  const Stretch stretch = find_stretch(rule, words, begin);
  const std::string what = join(words, begin, stretch.end);
  if (what.empty())
    throw rule.error(of_element ? fmt::format("\"{} of\" what? An element or a contact is missing", first)
                                : fmt::format("\"{}\" of what? An observable is missing", first));
  if (of_element) {
    (first == "work" ? read_work : read_impulse)(rule, s, what, r);
  } else {
    const NamedObservable o = need_quantity(rule, s, what);
    r.kind = first == "mean" ? ResultKind::mean : first == "rms" ? ResultKind::rms : ResultKind::integral;
    r.what = o.observable;
    r.unit = o.unit;
    if (first == "integral") r.unit = unit_over_time(o.unit);
  }
  r.from = read_bound(rule, stretch.from);
  r.to = read_bound(rule, stretch.to);
  return true;
}

// ---- from result to result ------------------------------------------------------------------------

namespace {

class Linker {
 public:
  Linker(const std::vector<Rule>& rules, std::size_t first, Scenario& s)
      : rules_(rules),
        first_(first),
        s_(s) {
    for (const ResultSpec& r : s.results) names_.push_back({r.name, r.unit});
    state_.assign(s.results.size(), State::open);
    for (std::size_t k = 0; k < first; ++k) state_[k] = State::done;
  }

  void link_all() {
    for (std::size_t k = first_; k < s_.results.size(); ++k) find_uses(k);
    for (std::size_t k = first_; k < s_.results.size(); ++k) visit(k);
  }

 private:
  enum class State : std::uint8_t { open, visited, done };

  const Rule& rule(std::size_t k) const { return rules_[k - first_]; }

  ResultFormula parse(std::size_t k) const {
    const std::string_view text = std::string_view(rule(k).text).substr(1);
    try {
      return ResultFormula(text, names_, rule(k).symbols(), "result");
    } catch (const ExpressionError& e) {
      std::string message = e.message();
      std::size_t end = e.offset();
      while (end < text.size() && text.find_first_of(" +-*/^()<>=,?:", end) != end) ++end;
      const std::string word(text.substr(e.offset(), end - e.offset()));
      if (s_.find_observable(word))
        message += fmt::format(
            " ({0} is an observable: name a result of it first, such as x = \"{0} at end\")", word);
      throw rule(k).error(message, text, e.offset());
    }
  }

  void find_uses(std::size_t k) {
    ResultSpec& r = s_.results[k];
    if (r.kind == ResultKind::formula) {
      const ResultFormula formula = parse(k);
      for (const std::size_t used : formula.used()) r.operands.push_back(static_cast<int>(used));
      return;
    }
    if (rule(k).text.find(" from ") == std::string::npos && rule(k).text.find(" to ") == std::string::npos)
      return;
    const std::vector<std::string> words = words_of(rule(k).text);
    if (ResultSpec again; !read_stretch_result(rule(k), words, s_, again)) return;
    const Stretch stretch = find_stretch(rule(k), words, 1);
    find_instant(k, stretch.from, r.from);
    find_instant(k, stretch.to, r.to);
  }
  void find_instant(std::size_t k, const std::string& text, ResultSpec::Bound& bound) const {
    if (text.empty() || text == "start" || text == "end" || bound.time) return;
    std::vector<std::string> times = {"start", "end"};
    for (std::size_t j = 0; j < s_.results.size(); ++j) {
      const ResultSpec& other = s_.results[j];
      const bool may_be_time = other.unit == "s" || other.kind == ResultKind::formula;
      if (may_be_time && j != k) times.push_back(other.name);
      if (other.name != text) continue;
      if (!may_be_time)
        throw rule(k).error(fmt::format("\"{}\" is not a time: it is in {}", text, unit_words(other.unit)));
      bound.result = static_cast<int>(j);
    }
    if (bound.result < 0)
      throw rule(k).error(
          fmt::format("\"{}\" is neither a time nor the name of a result that is one{} (known: {})", text,
                      did_you_mean(text, times), one_of(times)));
  }
  static std::string unit_words(const std::string& unit) { return unit.empty() ? "no unit" : unit; }

  // Depth first, so that units are known where they are needed.
  void visit(std::size_t k) {
    if (state_[k] == State::done) return;
    way_.push_back(s_.results[k].name);
    if (state_[k] == State::visited) {
      const auto begin = std::find(way_.begin(), way_.end(), way_.back());
      throw rule(k).error(fmt::format("it depends on itself: {}", fmt::join(begin, way_.end(), " -> ")));
    }
    state_[k] = State::visited;
    ResultSpec& r = s_.results[k];
    for (const int used : r.operands) visit(static_cast<std::size_t>(used));
    for (const int used : {r.from.result, r.to.result}) {
      if (used < 0) continue;
      visit(static_cast<std::size_t>(used));
      const std::string& unit = s_.results[static_cast<std::size_t>(used)].unit;
      if (!unit.empty() && unit != "s")
        throw rule(k).error(fmt::format("\"{}\" is not a time: it is in {}",
                                        s_.results[static_cast<std::size_t>(used)].name, unit));
    }
    if (r.kind == ResultKind::formula) {
      r.formula = std::make_shared<const ResultFormula>(parse(k));
      r.unit = r.formula->unit();
      names_[k].unit = r.unit;
    }
    state_[k] = State::done;
    way_.pop_back();
  }

  const std::vector<Rule>& rules_;
  std::size_t first_;
  Scenario& s_;
  std::vector<ResultFormula::Name> names_;
  std::vector<State> state_;
  std::vector<std::string> way_;
};

}  // namespace

void link_results(const std::vector<Rule>& rules, std::size_t first, Scenario& s) {
  Linker(rules, first, s).link_all();
}

}  // namespace thud::doc

namespace thud {

NamedObservable find_quantity(const Scenario& s, const std::string& text) {
  if (const NamedObservable* o = s.find_observable(text)) return *o;
  doc::SymbolTable symbols;
  for (const Knob& k : s.knobs)
    if (k.choices.empty()) symbols.set(k.name, k.value);
  try {
    if (doc::looks_like_expression(text)) return doc::make_quantity(s, text, symbols);
  } catch (const doc::ExpressionError& e) {
    throw InputError({}, e.message());
  }
  throw InputError({}, fmt::format("there is no observable \"{}\"{}", text, observable_hint(s, text)));
}

}  // namespace thud
