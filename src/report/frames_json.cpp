// A run as the page plays it.
#include <algorithm>
#include <limits>

#include "draw/number_text.hpp"
#include "report/json_parts.hpp"
#include "thud/elements/stress_field.hpp"
#include "thud/math/portable.hpp"
#include "thud/report/csv.hpp"
#include "thud/report/json.hpp"
#include "thud/report/scene.hpp"
#include "thud/report/summary.hpp"

namespace thud {

using namespace json_parts;

namespace {

constexpr std::size_t most_events = 5000;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// Force of the sand on one piece, at the centroid of what is immersed of it.
struct PieceColumns {
  std::vector<double> x, z, fx, fz;
  bool acts = false;
};

// The stress on the cells of a stretch, not numbers where it is not known.
struct StressColumns {
  StressStretch stretch;
  int element = 0;  // of those of is_along
  std::vector<double> from, to;
  std::vector<std::vector<double>> sx, sz;
  bool acts = false;
};

struct Columns {
  std::vector<double> time;
  std::vector<std::vector<double>> x, z, angle;       // of the frame of every body
  std::vector<std::vector<double>> elastic;           // of all bodies, one coordinate after the other
  std::vector<PieceColumns> pieces, along, contacts;  // along: of the elements of is_along, in their order
  std::vector<StressColumns> stress;
  std::vector<std::vector<double>> observables;
};

void add_piece(const System& system, std::size_t k, const Work<double>& work, PieceColumns& out) {
  const SandPiece& piece = system.pieces()[k];
  const SandWork<double>& w = work.of<SandPiece>()[k];
  const Vec force = piece.force_on(piece.body, system.scene(), work.frames, w);
  Vec at = work.frames.origin[piece.body];
  if (w.is_immersed) {
    at = at + w.immersed.arm;
    out.acts = true;
  }
  out.x.push_back(at.x);
  out.z.push_back(at.z);
  out.fx.push_back(force.x);
  out.fz.push_back(force.z);
}

/// Sand along a body: its resultant, on its line of action next to the mass centre.
template <class E>
constexpr bool is_along = std::is_same_v<E, SpreadSand> || std::is_same_v<E, LeeSpread>;
template <class E>
int bed_of(const E& e) {
  if constexpr (std::is_same_v<E, SpreadSand>)
    return e.faces[0].bed;
  else
    return e.bed;
}

template <class E>
void add_along(const System& system, const E& e, int k, const Work<double>& work, PieceColumns& out) {
  const auto& w = work.of<E>()[static_cast<std::size_t>(k)];
  const Scene scene = system.scene();
  const Vec force = e.force_on(e.body, scene, work.frames, w);
  Vec at = work.frames.origin[e.body] + system.tree().center_arm(work.frames, e.body);
  if (const double square = dot(force, force); square > 0) {
    const double turning = e.observe(0, scene, work.frames, w) / square;
    const Vec off{-turning * force.z, turning * force.x};
    at = at + std::min(1.0, e.length(scene) / std::max(norm(off), 1e-300)) * off;
    out.acts = true;
  }
  out.x.push_back(at.x);
  out.z.push_back(at.z);
  out.fx.push_back(force.x);
  out.fz.push_back(force.z);
}

// About sixteen arrows to a body, fewer where there are many.
void list_stress(const System& system, std::vector<StressColumns>& out) {
  int bodies = 0, element = 0;
  system.each([&]<class E>(const E&, int) { bodies += is_along<E>; });
  system.each([&]<class E>(const E& e, int) {
    if constexpr (is_along<E>) {
      for (const StressStretch& s : list_stretches(e, std::clamp(160 / bodies, 4, 16))) {
        const auto cells = static_cast<std::size_t>(s.cells);
        out.push_back({s, element, {}, {}, {}, {}});
        out.back().sx.resize(cells), out.back().sz.resize(cells);
      }
      ++element;
    }
  });
}

void add_stress(const System& system, const Work<double>& work, std::vector<StressColumns>& out) {
  std::size_t next = 0;
  int element = 0;
  system.each([&]<class E>(const E& e, int k) {
    if constexpr (is_along<E>) {
      for (; next < out.size() && out[next].element == element; ++next) {
        StressColumns& c = out[next];
        const StressNow now =
            find_stress(e, c.stretch, system.scene(), work.frames, work.of<E>()[static_cast<std::size_t>(k)]);
        const bool acts = !now.cells.empty();
        c.acts = c.acts || acts;
        c.from.push_back(acts ? now.from : missing);
        c.to.push_back(acts ? now.to : missing);
        for (std::size_t i = 0; i < c.sx.size(); ++i) {
          const Vec stress = acts ? now.cells[i].stress() : Vec{missing, missing};
          c.sx[i].push_back(stress.x), c.sz[i].push_back(stress.z);
        }
      }
      ++element;
    }
  });
}

// Force of a lasting or compliant contact on its first body, where they touch. An impact has an impulse but no force.
void add_contact(const System& system, std::size_t k, const Work<double>& work, PieceColumns& out) {
  const Touching<double>& w = work.of<ContactForce>()[k];
  const Vec at = work.frames.origin[system.contacts()[k].a.body] + w.arm_a + w.offset_a;
  const Vec force = w.normal_force * w.normal + w.shear_force * w.tangent;
  out.acts = out.acts || norm(force) > 0;
  out.x.push_back(at.x);
  out.z.push_back(at.z);
  out.fx.push_back(force.x);
  out.fz.push_back(force.z);
}

Columns read_columns(const Scenario& s, const FrameRecorder& frames,
                     const std::vector<NamedObservable>& wanted) {
  const System& system = *s.system;
  const Tree& tree = system.tree();
  const auto bodies = static_cast<std::size_t>(tree.body_count());
  Columns c;
  for (auto* list : {&c.x, &c.z, &c.angle}) list->resize(bodies);
  c.elastic.resize(static_cast<std::size_t>(tree.elastic_count()));
  c.pieces.resize(system.pieces().size());
  c.contacts.resize(system.contacts().size());
  c.observables.resize(wanted.size());
  list_stress(system, c.stress);
  frames.read([&](double t, const double* state, const Work<double>& work) {
    c.time.push_back(t);
    for (std::size_t i = 0; i < bodies; ++i) {
      c.x[i].push_back(work.frames.origin[i].x);
      c.z[i].push_back(work.frames.origin[i].z);
      c.angle[i].push_back(tree.angle(static_cast<int>(i), state));
    }
    for (std::size_t k = 0; k < c.elastic.size(); ++k) c.elastic[k].push_back(work.frames.eta[k]);
    for (std::size_t k = 0; k < c.pieces.size(); ++k) add_piece(system, k, work, c.pieces[k]);
    std::size_t next = 0;
    system.each([&]<class E>(const E& e, int k) {
      if constexpr (is_along<E>) {
        if (c.along.size() <= next) c.along.emplace_back();
        add_along(system, e, k, work, c.along[next++]);
      }
    });
    add_stress(system, work, c.stress);
    for (std::size_t k = 0; k < c.contacts.size(); ++k) add_contact(system, k, work, c.contacts[k]);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      c.observables[k].push_back(observe(system, wanted[k].observable, t, state, work));
  });
  return c;
}

Json results_json(const RunResult& run) {
  Json out = Json::array();
  for (const ResultValue& r : run.results)
    out.push_back({{"name", r.name},
                   {"value", r.value ? number(*r.value) : Json(nullptr)},
                   {"unit", r.unit},
                   {"rule", r.rule}});
  return out;
}

Json account_json(const System& system, const EnergyAccount& account) {
  Json loss = Json::object();
  for (std::size_t k = 0; k < system.channels().size() && k < account.lost.size(); ++k)
    if (!supplies(system.channels()[k])) loss[channel_name(system.channels()[k])] = number(account.lost[k]);
  return {{"initial", number(account.initial)},   {"final", number(account.final)},
          {"supplied", number(account.supplied)}, {"loss", loss},
          {"settled", number(account.settled)},   {"residual", number(account.residual)}};
}

Json peaks_json(const Scenario& s, const Columns& c) {
  Json out = Json::array();
  for (int i = 0; i < s.system->tree().body_count(); ++i) {
    double best = 0, when = 0;
    for (std::size_t r = 0; r < c.time.size(); ++r) {
      double fx = 0, fz = 0;
      for (std::size_t k = 0; k < c.pieces.size(); ++k)
        if (s.system->pieces()[k].body == i) fx += c.pieces[k].fx[r], fz += c.pieces[k].fz[r];
      std::size_t next = 0;
      s.system->each([&]<class E>(const E& e, int) {
        if constexpr (is_along<E>) {
          if (e.body == i) fx += c.along[next].fx[r], fz += c.along[next].fz[r];
          ++next;
        }
      });
      if (portable::hypot(fx, fz) > best) best = portable::hypot(fx, fz), when = c.time[r];
    }
    if (best > 0)
      out.push_back(
          {{"body", s.system->tree().body(i).name}, {"force", number(best)}, {"time", number(when)}});
  }
  return out;
}

void append_poses(std::string& out, const Columns& c) {
  out += ",\"poses\":[";
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    out += i > 0 ? ",{\"x\":" : "{\"x\":";
    append_numbers(out, c.x[i]);
    out += ",\"z\":";
    append_numbers(out, c.z[i]);
    out += ",\"angle\":";
    append_numbers(out, c.angle[i]);
    out += '}';
  }
  out += ']';
}

void append_elastic(std::string& out, const Tree& tree, const Columns& c) {
  out += ",\"elastic\":[";
  bool first = true;
  for (int i = 0; i < tree.body_count(); ++i) {
    if (!tree.body(i).beam) continue;
    out += fmt::format("{}{{\"body\":{},\"eta\":[", first ? "" : ",", i);
    first = false;
    for (int k = 0; k < tree.body(i).beam->size(); ++k) {
      if (k > 0) out += ',';
      append_numbers(out, c.elastic[static_cast<std::size_t>(tree.elastic_begin(i) + k)], 6);
    }
    out += "]}";
  }
  out += ']';
}

void append_force(std::string& out, const std::string& head, const PieceColumns& p) {
  if (!p.acts) return;
  if (out.back() != '[') out += ',';
  out += head;
  for (const auto& [name, column] :
       {std::pair{"x", &p.x}, std::pair{"z", &p.z}, std::pair{"fx", &p.fx}, std::pair{"fz", &p.fz}}) {
    out += fmt::format(",\"{}\":", name);
    append_numbers(out, *column, 6);
  }
  out += '}';
}

void append_forces(std::string& out, const System& system, const Columns& c) {
  out += ",\"forces\":[";
  for (std::size_t k = 0; k < c.pieces.size(); ++k) {
    const SandPiece& piece = system.pieces()[k];
    append_force(out, fmt::format("{{\"body\":{},\"bed\":{}", piece.body, piece.bed), c.pieces[k]);
  }
  std::size_t next = 0;
  system.each([&]<class E>(const E& e, int) {
    if constexpr (is_along<E>)
      if (next < c.along.size())
        append_force(out, fmt::format("{{\"body\":{},\"bed\":{}", e.body, bed_of(e)), c.along[next++]);
  });
  for (std::size_t k = 0; k < c.contacts.size(); ++k) {
    const Contact& contact = system.contacts()[k];
    append_force(out, fmt::format("{{\"body\":{},\"contact\":{}", contact.a.body, Json(contact.name).dump()),
                 c.contacts[k]);
  }
  out += ']';
}

void append_stress(std::string& out, const Columns& c) {
  out += ",\"stress\":[";
  for (const StressColumns& p : c.stress) {
    if (!p.acts) continue;
    const StressStretch& s = p.stretch;
    if (out.back() != '[') out += ',';
    out += fmt::format("{{\"body\":{},\"bed\":{}", s.body, s.bed);
    out += s.round
             ? fmt::format(",\"center\":[{},{}],\"radius\":{}", s.a.s, s.a.n, s.radius)
             : fmt::format(",\"a\":[{},{}],\"b\":[{},{}],\"half\":{}", s.a.s, s.a.n, s.b.s, s.b.n, s.half);
    for (const auto& [name, column] : {std::pair{"from", &p.from}, std::pair{"to", &p.to}}) {
      out += fmt::format(",\"{}\":", name);
      append_numbers(out, *column, 5);
    }
    for (const auto& [name, columns] : {std::pair{"sx", &p.sx}, std::pair{"sz", &p.sz}}) {
      out += fmt::format(",\"{}\":[", name);
      for (const std::vector<double>& column : *columns) {
        if (out.back() != '[') out += ',';
        append_numbers(out, column, 4);
      }
      out += ']';
    }
    out += '}';
  }
  out += ']';
}

// Where and how hard contacts struck. Where they touched is read off the frame next to the instant, which is the instant
// itself as long as frames are kept at all jumps.
void append_impacts(std::string& out, const System& system, const Outcome& outcome, const Columns& c) {
  std::vector<double> time, x, z, normal, tangential;
  Json contact = Json::array();
  for (const ImpactRecord& r : outcome.impacts)
    for (std::size_t k = 0; k < r.contacts.size() && time.size() < most_events && !c.time.empty(); ++k) {
      const double pt = r.result.impulse[2 * k], pn = r.result.impulse[2 * k + 1];
      if (pt == 0 && pn == 0) continue;
      const auto after = std::lower_bound(c.time.begin(), c.time.end(), r.time * (1 - 1e-9));
      const auto row = static_cast<std::size_t>(std::min(after, c.time.end() - 1) - c.time.begin());
      const auto which = static_cast<std::size_t>(r.contacts[k]);
      contact.push_back(system.contacts()[which].name);
      time.push_back(r.time);
      x.push_back(c.contacts[which].x[row]);
      z.push_back(c.contacts[which].z[row]);
      normal.push_back(pn);
      tangential.push_back(pt);
    }
  out += ",\"impacts\":{\"contact\":" + contact.dump() + ",\"time\":";
  append_numbers(out, time, 10);
  for (const auto& [name, column] : {std::pair{"x", &x}, std::pair{"z", &z}, std::pair{"normal", &normal},
                                     std::pair{"tangential", &tangential}}) {
    out += fmt::format(",\"{}\":", name);
    append_numbers(out, *column, 6);
  }
  out += '}';
}

}  // namespace

std::string make_frames_json(const Scenario& s, const RunResult& run, const FrameRecorder& frames,
                             const std::vector<NamedObservable>& wanted) {
  const Outcome& o = run.outcome;
  const Columns c = read_columns(s, frames, wanted);
  Json head;
  head["stop"] = {{"time", number(o.time)},
                  {"reason", stop_word(o.reason)},
                  {"text", run.reason},
                  {"reached", run.reached}};
  head["results"] = results_json(run);
  head["notes"] = list_notes(s, run);
  head["peaks"] = peaks_json(s, c);
  head["account"] = account_json(*s.system, o.energy);
  head["stats"] = {{"steps", o.stats.steps},
                   {"rejected", o.stats.rejected},
                   {"evaluations", o.stats.evaluations},
                   {"events", o.stats.events}};
  head["events"] = events_json(s, o, most_events);
  head["events_total"] = o.events.size();
  std::string out = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  out.pop_back();
  out += ",\"time\":";
  append_numbers(out, c.time, 10);
  append_poses(out, c);
  append_elastic(out, s.system->tree(), c);
  append_forces(out, *s.system, c);
  append_stress(out, c);
  append_impacts(out, *s.system, o, c);
  out += ",\"columns\":{";
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    out += (k > 0 ? "," : "") + Json(wanted[k].name).dump() + ":";
    append_numbers(out, c.observables[k]);
  }
  return out + "}}";
}

std::vector<NamedObservable> choose_columns(const Scenario& s, std::size_t frames, std::size_t most_values) {
  const std::size_t room = std::max<std::size_t>(most_values / std::max<std::size_t>(frames, 1), 16);
  std::vector<NamedObservable> out;
  const auto has = [&](const std::string& name) {
    return std::any_of(out.begin(), out.end(), [&](const NamedObservable& o) { return o.name == name; });
  };
  const auto add = [&](const NamedObservable& o) {
    if (o.observable.quantity != Quantity::time && o.observable.quantity != Quantity::elastic_root
        && !has(o.name))
      out.push_back(o);
  };
  if (s.observables.size() <= room) {
    for (const NamedObservable& o : s.observables) add(o);
    return out;
  }
  for (const NamedObservable& o : s.observables)
    if (o.name.starts_with("energy.")) add(o);
  for (const std::string& name : s.plot)
    if (const NamedObservable* o = s.find_observable(name)) add(*o);
  for (const NamedObservable& o : s.observables) {
    if (out.size() >= room) break;
    add(o);
  }
  return out;
}

}  // namespace thud
