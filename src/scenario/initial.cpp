#include "scenario/initial.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "scenario/direct_start.hpp"
#include "scenario/loop_start.hpp"
#include "solve/dense.hpp"
#include "thud/base/format.hpp"

namespace thud::doc {

namespace {

using Entry = InitialEntry;

bool is_pose(thud::Quantity q) {
  return q == thud::Quantity::angle || q == thud::Quantity::travel || q == thud::Quantity::position
      || q == thud::Quantity::depth || q == thud::Quantity::elastic_coordinate;
}
bool is_motion(thud::Quantity q) {
  return q == thud::Quantity::rate || q == thud::Quantity::travel_rate || q == thud::Quantity::velocity
      || q == thud::Quantity::elastic_rate;
}
bool is_turn(thud::Quantity q) { return q == thud::Quantity::angle || q == thud::Quantity::rate; }
bool is_travel(thud::Quantity q) { return q == thud::Quantity::travel || q == thud::Quantity::travel_rate; }
bool is_elastic(thud::Quantity q) {
  return q == thud::Quantity::elastic_coordinate || q == thud::Quantity::elastic_rate;
}

Dimension dimension_of(const NamedObservable& o) {
  if (o.unit == "rad") return Dimension::angle;
  if (o.unit == "rad/s") return Dimension::angular_rate;
  if (o.unit == "m") return Dimension::length;
  return Dimension::speed;
}

}  // namespace

int own_dof(const Tree& tree, const Observable& what) {
  if (is_travel(what.quantity)) return tree.joint_dof(what.body);
  const JointKind kind = tree.joint_kind(what.body);
  const bool turns = kind == JointKind::pin || kind == JointKind::free;
  return turns && is_turn(what.quantity) ? tree.angle_dof(what.body) : -1;
}

// Poses and motions are separate problems; in both the angles, travels, rates and elastic coordinates that are given stand, and
// what else is given is met with the smallest change.
class InitialSolver::Impl {
 public:
  Impl(const Scenario& s, LoopContext context)
      : system_(*s.system),
        n_(system_.dof_count()),
        time_(s.options.start_time),
        context_(std::move(context)) {
    frames_.resize(system_.tree());
  }
  std::vector<std::string> notes;

  void solve(const std::vector<Entry>& entries, std::vector<double>& q, std::vector<double>& v) {
    q_.assign(n_, 0.0);
    v_.assign(n_, 0.0);
    if (!system_.constraints().empty())
      close_loops(entries);
    else if (!place_directly(entries))
      solve_both(entries);
    for (double& x : q_)
      if (std::abs(x) < 1e-15) x = 0;  // rounding, not a wish
    q = q_;
    v = v_;
  }

 private:
  void solve_both(const std::vector<Entry>& entries) {
    std::fill(q_.begin(), q_.end(), 0.0);
    std::fill(v_.begin(), v_.end(), 0.0);
    std::vector<const Entry*> poses, motions;
    sort(entries, poses, motions);
    for (const Entry* e : poses) set_own(*e, q_);
    solve_pose(poses);
    solve_motion(motions);
  }

  // The same where loops must close: what is given and what they ask for together.
  void close_loops(const std::vector<Entry>& entries) {
    std::vector<const Entry*> poses, motions;
    GivenStart given;
    given.fixed.assign(static_cast<std::size_t>(n_), 0);
    for (const Entry& e : context_.guess) set_own(e, q_);
    sort(entries, poses, motions);
    for (const Entry* e : poses)
      if (const int dof = own_dof(e->what); dof >= 0) q_[dof] = e->value, given.fixed[dof] = 1;
    for (int i = 0; i < n_; ++i)
      if (system_.tree().dof_frequency(i) > 0) given.fixed[i] = 1;
    given.q = q_, given.v = v_, given.time = time_;
    given.poses = [&](const double* q, const Frames<double>& f) {
      Eigen::VectorXd r(poses.size());
      for (std::size_t k = 0; k < poses.size(); ++k) r(static_cast<int>(k)) = residual(*poses[k], q, f);
      return r;
    };
    given.pose_rows = [&](const Frames<double>& f) { return frames_ = f, jacobian(poses); };
    given.motion_rows = [&](const Frames<double>& f) { return frames_ = f, jacobian(motions); };
    given.motions = [&](const Frames<double>& f) {
      frames_ = f;
      Eigen::VectorXd w(motions.size());
      for (std::size_t k = 0; k < motions.size(); ++k)
        w(static_cast<int>(k)) = motions[k]->value - velocity(motions[k]->what);
      return w;
    };
    if (!context_.guess.empty())
      given.distance = [&](const double* q, const Frames<double>& f) {
        double sum = 0;
        for (const Entry& e : context_.guess) {
          const double away = residual(e, q, f);
          sum += std::abs(is_turn(e.what.quantity) ? std::remainder(away, 2 * std::numbers::pi) : away);
        }
        return sum;
      };
    LoopStart start(system_, given);
    try {
      start.solve(q_, v_);
    } catch (const LoopStart::Refusal& refusal) {
      throw InputError(place_of(refusal.constraint), refusal.message);
    }
    notes = start.notes();
  }

  Place place_of(int constraint) const {
    if (!context_.root) return {};
    const SwitchRef which = system_.constraints()[constraint];
    const char* key = which.type == type_of<Loop> ? Loop::table : PrescribedMotion::table;
    const std::vector<Table> tables = context_.root->tables(key);
    for (const Table& t : tables)
      if (t.has("name") && t.raw_text("name") == system_.element_name(which)) return t.place();
    const std::size_t index = static_cast<std::size_t>(which.index);
    return tables.empty() ? context_.root->place() : tables[std::min(index, tables.size() - 1)].place();
  }

  void set_own(const Entry& e, std::vector<double>& q) const {
    if (const int dof = own_dof(e.what); dof >= 0 && is_pose(e.what.quantity)) q[dof] = e.value;
  }

  // Beams start as they are told, straight and still by themselves.
  void sort(const std::vector<Entry>& entries, std::vector<const Entry*>& poses,
            std::vector<const Entry*>& motions) {
    for (const Entry& e : entries) {
      if (is_elastic(e.what.quantity)) {
        const int dof = system_.tree().elastic_dof(e.what.body) + e.what.mode;
        (is_pose(e.what.quantity) ? q_ : v_)[dof] = e.value;
        continue;
      }
      (is_pose(e.what.quantity) ? poses : motions).push_back(&e);
    }
  }

  bool place_directly(const std::vector<Entry>& entries) {
    values_.clear();
    for (const Entry& e : entries) values_.push_back(e.value);
    return doc::place_directly(system_.tree(), entries, values_, q_, v_);
  }

  int own_dof(const Observable& o) const { return doc::own_dof(system_.tree(), o); }

  double residual(const Entry& e) const { return residual(e, q_.data(), frames_); }
  double residual(const Entry& e, const double* q, const Frames<double>& frames) const {
    const Observable& o = e.what;
    if (o.quantity == thud::Quantity::angle) return system_.tree().angle(o.body, q) - e.value;
    if (o.quantity == thud::Quantity::travel) return frames.travel[o.body] - e.value;
    const Vec p = o.center ? frames.origin[o.body] + system_.tree().center_arm(frames, o.body)
                           : frames.position(o.body, o.point);
    if (o.quantity == thud::Quantity::depth) return system_.beds()[o.bed].plane.depth(p) - e.value;
    return (o.component == Component::x ? p.x : p.z) - e.value;
  }

  double velocity(const Observable& o) const {
    if (is_turn(o.quantity) || is_travel(o.quantity) || !system_.tree().has_beams()) return 0;
    const Vec v =
        o.center ? system_.tree().center_velocity(frames_, o.body) : frames_.velocity(o.body, o.point);
    return o.component == Component::x ? v.x : v.z;
  }

  void fill_row(const Observable& o, double* row) const {
    if (is_travel(o.quantity)) {
      row[system_.tree().joint_dof(o.body)] = 1;
      return;
    }
    if (is_turn(o.quantity)) {
      system_.tree().add_moment(o.body, 1.0, row);
      return;
    }
    Vec e = o.component == Component::x ? Vec{1, 0} : Vec{0, 1};
    if (o.quantity == thud::Quantity::depth) e = system_.beds()[o.bed].plane.normal;
    const Vec arm = o.center ? system_.tree().center_arm(frames_, o.body) : frames_.arm(o.body, o.point);
    system_.tree().add_point_force(frames_, o.body, arm, e, row);
  }

  Eigen::MatrixXd jacobian(const std::vector<const Entry*>& entries) const {
    Eigen::MatrixXd j(entries.size(), n_);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      std::vector<double> row(n_, 0.0);
      fill_row(entries[k]->what, row.data());
      for (int i = 0; i < n_; ++i)
        if (system_.tree().dof_frequency(i) > 0) row[i] = 0;  // only the frames are moved to meet the entries
      for (int i = 0; i < n_; ++i) j(static_cast<int>(k), i) = row[i];
    }
    return j;
  }

  // Smallest change of the coordinates that meets the entries, by Gauss-Newton.
  void solve_pose(const std::vector<const Entry*>& entries) {
    system_.tree().kinematics(q_.data(), v_.data(), frames_);
    if (entries.empty()) return;
    Eigen::VectorXd r(entries.size());
    for (int iteration = 0; iteration < 100; ++iteration) {
      for (std::size_t k = 0; k < entries.size(); ++k) r(static_cast<int>(k)) = residual(*entries[k]);
      if (r.lpNorm<Eigen::Infinity>() < 1e-15) break;
      const Eigen::VectorXd d = least_squares(jacobian(entries), -r);
      const double shortened = std::min(1.0, 1.0 / std::max(1e-300, d.lpNorm<Eigen::Infinity>()));
      for (int i = 0; i < n_; ++i) q_[i] += shortened * d(i);
      system_.tree().kinematics(q_.data(), v_.data(), frames_);
      if (d.lpNorm<Eigen::Infinity>() < 1e-16) break;
    }
    for (std::size_t k = 0; k < entries.size(); ++k) r(static_cast<int>(k)) = residual(*entries[k]);
    check(entries, r, "pose");
  }

  void solve_motion(const std::vector<const Entry*>& entries) {
    if (entries.empty()) return;
    const Eigen::MatrixXd j = jacobian(entries);
    Eigen::VectorXd target(entries.size());
    for (std::size_t k = 0; k < entries.size(); ++k) target(static_cast<int>(k)) = entries[k]->value;
    // What the beams move by themselves is given.
    for (std::size_t k = 0; k < entries.size(); ++k)
      target(static_cast<int>(k)) -= velocity(entries[k]->what);
    const Eigen::VectorXd v = least_squares(j, target);
    check(entries, j * v - target, "motion");
    for (int i = 0; i < n_; ++i)
      if (!(system_.tree().dof_frequency(i) > 0)) v_[i] = std::abs(v(i)) < 1e-15 ? 0.0 : v(i);
  }

  void check(const std::vector<const Entry*>& entries, const Eigen::VectorXd& r, const char* what) const {
    Eigen::Index worst = 0;
    if (r.cwiseAbs().maxCoeff(&worst) < 1e-9) return;
    const Entry& e = *entries[worst];
    std::string others;
    for (const Entry* o : entries)
      if (o != &e) others += (others.empty() ? "" : ", ") + ("\"" + o->name + "\"");
    throw e.table.error(
        e.key,
        fmt::format(
            "the initial {} contradicts itself: \"{}\" = {} cannot be met{}; the nearest possible is {}",
            what, e.name, show(e.value), others.empty() ? " by this mechanism" : " together with " + others,
            show(e.value + r(worst))));
  }

  const System& system_;
  int n_;
  Frames<double> frames_;
  double time_;
  LoopContext context_;
  std::vector<double> q_, v_, values_;
};

InitialSolver::InitialSolver(const Scenario& scenario, LoopContext context)
    : impl_(std::make_unique<Impl>(scenario, std::move(context))) {}
InitialSolver::~InitialSolver() = default;
InitialSolver::InitialSolver(InitialSolver&&) noexcept = default;

void InitialSolver::solve(const std::vector<InitialEntry>& entries, std::vector<double>& q,
                          std::vector<double>& v) {
  impl_->solve(entries, q, v);
}
const std::vector<std::string>& InitialSolver::notes() const { return impl_->notes; }

namespace {

// Of a travel of a body that does not slide.
std::string no_travel(const std::string& name, const Scenario& s) {
  for (const Body& b : s.system->tree().bodies())
    if (name == b.name + ".travel" || name == b.name + ".travel.rate")
      return fmt::format(
          "; \"{}\" is no slider: joint = {{ kind = \"slider\", direction = … }} gives it a travel", b.name);
  return {};
}

void check_turn(const Table& t, const std::string& key, const std::string& name, const NamedObservable& o,
                const Scenario& s) {
  const Tree& tree = s.system->tree();
  const int body = o.observable.body;
  if (!is_turn(o.observable.quantity) || tree.angle_dof(body) >= 0) return;
  const std::vector<double> any(static_cast<std::size_t>(tree.dof_count()));
  const std::string angle = show_quantity(tree.angle(body, any.data()), "rad", {});
  throw InputError(
      t.place_of_key(key),
      fmt::format("\"{}\" cannot be set: the joints of \"{}\" hold it at {}; its angle is set there, "
                  "joint = {{ …, angle = … }}{}",
                  name, tree.body(body).name, angle,
                  tree.joint_kind(body) == JointKind::slider
                      ? fmt::format(", and where it starts by \"{}.travel\"", tree.body(body).name)
                      : ""));
}

Entry read_entry(const Table& t, const std::string& key, const Scenario& s) {
  std::string name = key;
  try {
    name = fill(key, t.symbols());
  } catch (const ExpressionError& e) {
    throw t.error(key, e.message());
  }
  const NamedObservable* o = s.find_observable(name);
  if (!o) {
    std::vector<std::string> known;
    for (const NamedObservable& k : s.observables)
      if (is_pose(k.observable.quantity) || is_motion(k.observable.quantity)) known.push_back(k.name);
    std::string why = no_travel(name, s);
    if (why.empty() && name.ends_with(".depth") && s.system->beds().empty())
      why = "; there is no [bed] to measure a depth from";
    throw InputError(t.place_of_key(key), fmt::format("unknown \"{}\" in initial{}", name,
                                                      why.empty() ? did_you_mean(name, known) : why));
  }
  check_turn(t, key, name, *o, s);
  const bool vector_size = o->observable.component == Component::size;
  if (vector_size || (!is_pose(o->observable.quantity) && !is_motion(o->observable.quantity)))
    throw InputError(
        t.place_of_key(key),
        fmt::format("\"{}\" cannot be set at the start; angles, rates, travels, positions (.x, .z), "
                    "velocities (.vx, .vz), depths and amplitudes of beams (.mode1, .mode1.rate) can",
                    name));
  return {key, name, o->observable, t.number(key, dimension_of(*o)), t};
}

}  // namespace

std::vector<InitialEntry> read_initial_entries(const Table& root, const Scenario& scenario,
                                               const char* key_) {
  std::vector<InitialEntry> entries;
  const auto t = root.table_or_none(key_);
  if (!t) return entries;
  const int repeat = t->integer_or("repeat", 0, Range::between(0, 10000));
  for (const std::string& key : t->keys()) {
    if (key == "repeat") continue;
    if (key.find('{') == std::string::npos) {
      entries.push_back(read_entry(*t, key, scenario));
      continue;
    }
    for (int i = 1; i <= repeat; ++i) {
      SymbolTable symbols = t->symbols().child();
      symbols.set("i", i);
      entries.push_back(read_entry(t->with_symbols(symbols), key, scenario));
    }
    t->allow(key);
  }
  t->finish();
  return entries;
}

namespace {

std::vector<InitialEntry> read_guess(const Table& root, const Scenario& s) {
  std::vector<InitialEntry> guess = read_initial_entries(root, s, "guess");
  if (!guess.empty() && s.system->constraints().empty())
    throw InputError(
        root.table("guess").place(),
        "there is no loop to close: [guess] tells where to look for a pose that closes a [[loop]]");
  for (const InitialEntry& e : guess)
    if (!is_pose(e.what.quantity))
      throw e.table.error(e.key,
                          "[guess] takes angles, travels and positions; velocities follow from [initial]");
  return guess;
}

}  // namespace

void read_initial(const Table& root, Scenario& scenario) {
  InitialSolver solver(scenario, {read_guess(root, scenario), &root});
  solver.solve(read_initial_entries(root, scenario), scenario.q, scenario.v);
  scenario.notes.insert(scenario.notes.end(), solver.notes().begin(), solver.notes().end());
}

}  // namespace thud::doc
