#include "scenario/initial.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

namespace thud::doc {

namespace {

struct Entry {
  std::string key, name;
  Observable what;
  double value = 0;
  Table table;
};

bool is_pose(thud::Quantity q) {
  return q == thud::Quantity::angle || q == thud::Quantity::position || q == thud::Quantity::depth
      || q == thud::Quantity::elastic_coordinate;
}
bool is_motion(thud::Quantity q) {
  return q == thud::Quantity::rate || q == thud::Quantity::velocity || q == thud::Quantity::elastic_rate;
}
bool is_elastic(thud::Quantity q) {
  return q == thud::Quantity::elastic_coordinate || q == thud::Quantity::elastic_rate;
}

Dimension dimension_of(const NamedObservable& o) {
  if (o.unit == "rad") return Dimension::angle;
  if (o.unit == "rad/s") return Dimension::angular_rate;
  if (o.unit == "m") return Dimension::length;
  return Dimension::speed;
}

class InitialSolver {
 public:
  explicit InitialSolver(Scenario& s) : scenario_(s), system_(*s.system), n_(system_.dof_count()) {
    frames_.resize(system_.tree());
    q_.assign(n_, 0.0);
    v_.assign(n_, 0.0);
  }

  void solve(const std::vector<Entry>& entries) {
    std::vector<const Entry*> poses, motions;
    for (const Entry& e : entries) {
      if (is_elastic(e.what.quantity)) {  // a beam starts as it is told, straight and still by itself
        const int dof = system_.tree().elastic_dof(e.what.body) + e.what.mode;
        (is_pose(e.what.quantity) ? q_ : v_)[dof] = e.value;
        continue;
      }
      (is_pose(e.what.quantity) ? poses : motions).push_back(&e);
      if (e.what.quantity == thud::Quantity::angle) q_[system_.tree().angle_dof(e.what.body)] = e.value;
    }
    solve_pose(poses);
    solve_motion(motions);
    for (double& x : q_)
      if (std::abs(x) < 1e-15) x = 0;  // rounding, not a wish
    scenario_.q = q_;
    scenario_.v = v_;
  }

 private:
  double residual(const Entry& e) const {
    const Observable& o = e.what;
    if (o.quantity == thud::Quantity::angle) return q_[system_.tree().angle_dof(o.body)] - e.value;
    const Vec p = o.center ? frames_.origin[o.body] + system_.tree().center_arm(frames_, o.body)
                           : frames_.position(o.body, o.point);
    if (o.quantity == thud::Quantity::depth) return system_.beds()[o.bed].plane.depth(p) - e.value;
    return (o.component == Component::x ? p.x : p.z) - e.value;
  }

  double velocity(const Observable& o) const {
    if (o.quantity == thud::Quantity::rate || !system_.tree().has_beams()) return 0;
    const Vec v =
        o.center ? system_.tree().center_velocity(frames_, o.body) : frames_.velocity(o.body, o.point);
    return o.component == Component::x ? v.x : v.z;
  }

  void fill_row(const Observable& o, double* row) const {
    if (o.quantity == thud::Quantity::angle || o.quantity == thud::Quantity::rate) {
      row[system_.tree().angle_dof(o.body)] = 1;
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
      const Eigen::VectorXd d = jacobian(entries).completeOrthogonalDecomposition().solve(-r);
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
    const Eigen::VectorXd v = j.completeOrthogonalDecomposition().solve(target);
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

  Scenario& scenario_;
  const System& system_;
  int n_;
  Frames<double> frames_;
  std::vector<double> q_, v_;
};

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
    const bool no_bed = name.ends_with(".depth") && s.system->beds().empty();
    throw InputError(t.place_of_key(key), fmt::format("unknown \"{}\" in initial{}", name,
                                                      no_bed ? "; there is no [bed] to measure a depth from"
                                                             : did_you_mean(name, known)));
  }
  const bool vector_size = o->observable.component == Component::size;
  if (vector_size || (!is_pose(o->observable.quantity) && !is_motion(o->observable.quantity)))
    throw InputError(
        t.place_of_key(key),
        fmt::format("\"{}\" cannot be set at the start; angles, rates, positions (.x, .z), "
                    "velocities (.vx, .vz), depths and amplitudes of beams (.mode1, .mode1.rate) can",
                    name));
  return {key, name, o->observable, t.number(key, dimension_of(*o)), t};
}

}  // namespace

void read_initial(const Table& root, Scenario& scenario) {
  std::vector<Entry> entries;
  if (const auto t = root.table_or_none("initial")) {
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
  }
  InitialSolver(scenario).solve(entries);
}

}  // namespace thud::doc
