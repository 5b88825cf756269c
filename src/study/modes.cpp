#include "thud/study/modes.hpp"
#include "thud/math/portable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solve/dense.hpp"
#include "study/spectrum.hpp"

namespace thud {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

bool has_gravity(const System& system) { return norm(system.gravity()) > 0; }

// Whether the tree that a body belongs to has a free root, and nothing that ties it to anything.
std::vector<char> find_floating(const System& system) {
  const Tree& tree = system.tree();
  std::vector<int> root(tree.body_count());
  std::vector<char> floating(tree.body_count()), tied(tree.body_count());
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    root[i] = b.parent >= 0 ? root[b.parent] : i;
  }
  system.each([&]<class E>(const E& e, int) {
    if constexpr (requires { e.ties(0); })
      for (int i = 0; i < tree.body_count(); ++i)
        if (e.ties(i)) tied[root[i]] = 1;
  });
  for (int i = 0; i < tree.body_count(); ++i) floating[i] = tree.body(root[i]).free && !tied[root[i]];
  return floating;
}

Frames<double> make_frames(const Tree& tree, const double* q, const double* v) {
  Frames<double> frames;
  frames.resize(tree);
  tree.kinematics(q, v, frames);
  return frames;
}

MatrixXd make_mass(const Tree& tree, const std::vector<double>& q) {
  const int n = tree.dof_count();
  const std::vector<double> rest(n);
  MassFactor<double> factor;
  tree.prepare(factor);
  tree.factor(make_frames(tree, q.data(), rest.data()), factor);
  MatrixXd m = MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i) tree.multiply(factor, m.col(i).data());
  return 0.5 * (m + m.transpose());
}

// A length that the mechanism does not exceed by much.
double reach_of(const Tree& tree) {
  double reach = 0;
  for (const Body& b : tree.bodies()) {
    double own = std::max(portable::hypot(b.center.s, b.center.n), portable::hypot(b.attach.s, b.attach.n));
    if (b.beam) own = std::max(own, b.beam->length());
    reach += own;
  }
  return reach > 0 ? reach : 1;
}

// Rows of the constraints at a pose.
MatrixXd make_rows(const System& system, const std::vector<double>& q) {
  const int n = system.dof_count();
  const std::vector<double> rest(n);
  const Frames<double> frames = make_frames(system.tree(), q.data(), rest.data());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(system.constraints().size(), n);
  rows.setZero();
  for (std::size_t c = 0; c < system.constraints().size(); ++c)
    system.add_constraint_row(system.constraints()[c], frames, rows.row(static_cast<Eigen::Index>(c)).data());
  return rows;
}

std::vector<double> gaps_of(const System& system, const std::vector<double>& q) {
  const std::vector<double> rest(q.size());
  const Frames<double> frames = make_frames(system.tree(), q.data(), rest.data());
  std::vector<double> out;
  for (const SwitchRef& c : system.constraints())
    out.push_back(system.constraint_gap(c, 0, q.data(), frames));
  return out;
}

// Directions that the constraints leave.
MatrixXd free_directions(const MatrixXd& rows) {
  const SymmetricEigen e = eigen_of_symmetric(rows.transpose() * rows);
  const double largest = e.values[e.values.size() - 1];
  Eigen::Index count = 0;
  while (count < e.values.size() && e.values[count] <= 1e-12 * largest) ++count;
  return e.vectors.leftCols(count);
}

// The constraints' share: their forces balance what they can, and turn with the pose. −Σ λ ∂²g/∂q² of the stiffness.
void constrain(const System& system, const std::vector<double>& q, Linearisation& out) {
  using D = Dual<double>;
  const int n = system.dof_count();
  const MatrixXd rows = make_rows(system, q);
  const VectorXd lambda = least_squares(rows.transpose(), -out.force, 1e-12);
  out.basis = free_directions(rows);
  out.force += rows.transpose() * lambda;
  Frames<D> frames;
  frames.resize(system.tree());
  std::vector<D> at(q.begin(), q.end()), rest(n), row(n);
  for (int j = 0; j < n; ++j) {
    at[j].d = 1;
    system.tree().kinematics(at.data(), rest.data(), frames);
    at[j].d = 0;
    for (std::size_t c = 0; c < system.constraints().size(); ++c) {
      std::fill(row.begin(), row.end(), D(0));
      system.add_constraint_row(system.constraints()[c], frames, row.data());
      for (int i = 0; i < n; ++i) out.stiffness(i, j) -= lambda[static_cast<Eigen::Index>(c)] * row[i].d;
    }
  }
}

// A pose near by at which the constraints are as far from being met as `gaps` says.
std::vector<double> closed(const System& system, std::vector<double> q, const std::vector<double>& gaps) {
  for (int round = 0; round < 20 && !gaps.empty(); ++round) {
    const std::vector<double> here = gaps_of(system, q);
    VectorXd rest(static_cast<Eigen::Index>(gaps.size()));
    for (std::size_t c = 0; c < gaps.size(); ++c) rest[static_cast<Eigen::Index>(c)] = gaps[c] - here[c];
    if (rest.lpNorm<Eigen::Infinity>() < 1e-15) break;
    const VectorXd step = least_squares(make_rows(system, q), rest, 1e-9);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += step[static_cast<Eigen::Index>(i)];
  }
  return q;
}

// A force is none when it is lost in the rounding of those that balance.
bool is_balanced(const System& system, const std::vector<double>& q, const VectorXd& force) {
  const Tree& tree = system.tree();
  double weight = tree.total_mass() * norm(system.gravity());
  system.each([&]<class E>(const E& e, int) {
    if constexpr (requires { e.force_size(); }) weight += e.force_size();
  });
  VectorXd scale = VectorXd::Constant(tree.dof_count(), weight);
  for (int k = 0; k < tree.dof_count(); ++k)
    if (tree.is_angle(k)) scale[k] *= reach_of(tree);
  for (int i = 0; i < tree.body_count(); ++i) {
    const ElasticBeam* beam = tree.body(i).beam.get();
    for (int k = 0; beam && k < beam->size(); ++k) {
      const int dof = tree.elastic_dof(i) + k;
      scale[dof] += beam->stiffness()[k] * std::abs(q[dof]);
    }
  }
  return (force.array().abs() <= 1e-9 * scale.array()).all();
}

}  // namespace

Linearisation linearise(const System& system, const std::vector<double>& q) {
  using D = Dual<double>;
  const Tree& tree = system.tree();
  const int n = tree.dof_count();
  const std::vector<char> floating = find_floating(system);
  Linearisation out;
  out.mass = make_mass(tree, q);
  out.stiffness.resize(n, n);
  out.damping.resize(n, n);
  out.force.setZero(n);
  Work<D> work;
  system.prepare(work);
  const Mode mode = system.make_mode();
  std::vector<D> at(q.begin(), q.end()), rate(n), force(n);
  const auto derivative = [&](D& along, Eigen::Ref<VectorXd> column) {
    along.d = 1;
    system.vibration_forces(at.data(), rate.data(), floating, mode, work, force.data());
    along.d = 0;
    for (int i = 0; i < n; ++i) column[i] = -force[i].d;
  };
  for (int j = 0; j < n; ++j) {
    derivative(at[j], out.stiffness.col(j));
    derivative(rate[j], out.damping.col(j));
  }
  for (int i = 0; i < n; ++i) out.force[i] = force[i].v;
  if (!system.constraints().empty()) constrain(system, q, out);
  out.stiffness =
      0.5 * (out.stiffness + out.stiffness.transpose()).eval();  // up to rounding they are symmetric
  out.damping = 0.5 * (out.damping + out.damping.transpose()).eval();
  out.falls = has_gravity(system) && std::find(floating.begin(), floating.end(), 1) != floating.end();
  out.is_equilibrium = is_balanced(system, q, out.force);
  return out;
}

// ---- equilibrium -----------------------------------------------------------------------------------------------

namespace {

double potential(const System& system, const std::vector<double>& q) {
  const Tree& tree = system.tree();
  const std::vector<double> rest(q.size());
  std::vector<double> force(q.size());
  Work<double> work;
  system.prepare(work);
  system.vibration_forces(q.data(), rest.data(), std::vector<char>(tree.body_count()), system.make_mode(),
                          work, force.data());
  return tree.potential_energy(work.frames, system.gravity()) + tree.strain_energy(work.frames)
       + system.stored_energy(work);
}

std::vector<double> moved(const std::vector<double>& q, const VectorXd& by, double factor) {
  std::vector<double> out = q;
  for (std::size_t i = 0; i < q.size(); ++i) out[i] += factor * by[static_cast<Eigen::Index>(i)];
  return out;
}

// The largest turn, or displacement against the size of the mechanism.
double size_of(const Tree& tree, const VectorXd& step, double reach) {
  double size = 0;
  for (int i = 0; i < tree.dof_count(); ++i)
    size = std::max(size, std::abs(step[i]) / (tree.is_angle(i) ? 1 : reach));
  return size;
}

// Newton's step with |λ| for λ, so that it goes downhill from saddles and crests too.
VectorXd downhill_step(const Spectrum& s, const VectorXd& force, double soft) {
  VectorXd step = s.shapes.transpose() * force;
  for (Eigen::Index i = 0; i < step.size(); ++i)
    step[i] /= std::max({std::abs(s.values[i]), soft, std::numeric_limits<double>::min()});
  return s.shapes * step;
}

// Halved until the energy falls as it should.
double find_descent(const System& system, const std::vector<double>& q, const VectorXd& step, double slope,
                    const std::vector<double>& gaps) {
  const double v = potential(system, q);
  double factor = 1;
  for (int halvings = 0; halvings < 50; ++halvings, factor *= 0.5)
    if (potential(system, closed(system, moved(q, step, factor), gaps)) <= v - 1e-4 * factor * slope) break;
  return factor;
}

std::string first_floating_body(const System& system) {
  const std::vector<char> floating = find_floating(system);
  const auto found = std::find(floating.begin(), floating.end(), 1);
  return found == floating.end() ? "" : system.tree().body(static_cast<int>(found - floating.begin())).name;
}

}  // namespace

Equilibrium find_equilibrium(const System& system, std::vector<double> q) {
  const Tree& tree = system.tree();
  Equilibrium out{false, q, 0, {}};
  if (const std::string name = first_floating_body(system); !name.empty() && has_gravity(system)) {
    out.reason = fmt::format("\"{}\" is free and falls: it has no static equilibrium", name);
    return out;
  }
  const std::vector<double> gaps = gaps_of(system, q);
  const double reach = reach_of(tree), soft = 1e-3 * norm(system.gravity()) / reach;
  for (; out.iterations < 500; ++out.iterations) {
    const Linearisation at = linearise(system, out.q);
    if (at.is_constrained() && at.basis.cols() == 0) {
      out.found = true;
      return out;
    }
    Spectrum s = find_spectrum(at.reduced(at.stiffness), at.reduced(at.mass));
    if (at.is_constrained()) s.shapes = at.basis * s.shapes;
    VectorXd step = downhill_step(s, at.force, soft);
    const double size = size_of(tree, step, reach);
    const bool is_stable = std::none_of(s.motion.begin(), s.motion.end(), [](int m) { return m < 0; });
    if (size < 1e-12) {
      out.found = is_stable;
      if (is_stable) return out;
      // A crest: leave it along the direction that falls most steeply.
      const auto steepest = std::min_element(s.values.begin(), s.values.end()) - s.values.begin();
      VectorXd away = s.shapes.col(steepest);
      Eigen::Index largest = 0;
      away.cwiseAbs().maxCoeff(&largest);
      away *= std::copysign(0.01, away[largest]) / size_of(tree, away, reach);
      out.q = closed(system, moved(out.q, away, 1), gaps);
      continue;
    }
    if (size > 0.5) step *= 0.5 / size;
    const bool is_near =
        is_stable && size < 1e-4;  // from here Newton's step is better than the energy can tell
    const double factor = is_near ? 1 : find_descent(system, out.q, step, step.dot(at.force), gaps);
    out.q = closed(system, moved(out.q, step, factor), gaps);
  }
  out.reason = "no equilibrium was found in 500 steps";
  return out;
}

// ---- modes -----------------------------------------------------------------------------------------------------

namespace {

using Complex = std::complex<double>;

// Displacements of all points drawn when the coordinates change by `shape`.
std::vector<Vec> displacements(const Tree& tree, const std::vector<double>& q, const VectorXd& shape,
                               const std::vector<OutlineLine>& outline) {
  const Frames<double> frames = make_frames(tree, q.data(), shape.data());
  std::vector<Vec> out;
  for (const OutlineLine& line : outline)
    for (const BodyPoint& p : line.points) out.push_back(frames.velocity(line.body, p));
  return out;
}

// The complex shape at the instant when the point that moves most is farthest out, there 1 m to the right.
VectorXd scaled(const Tree& tree, const std::vector<double>& q, const Eigen::VectorXcd& shape,
                const std::vector<OutlineLine>& outline) {
  const std::vector<Vec> real = displacements(tree, q, shape.real(), outline);
  const std::vector<Vec> imaginary = displacements(tree, q, shape.imag(), outline);
  double largest = 0, found = 0;
  const auto square = [&](std::size_t k) { return dot(real[k], real[k]) + dot(imaginary[k], imaginary[k]); };
  for (std::size_t k = 0; k < real.size(); ++k) largest = std::max(largest, square(k));
  Complex x{}, z{};
  // The first of those that move as far but for rounding.
  for (std::size_t k = 0; k < real.size() && !(found > 0); ++k)
    if (square(k) >= (1 - 1e-9) * largest) {
      found = square(k);
      x = {real[k].x, imaginary[k].x}, z = {real[k].z, imaginary[k].z};
    }
  if (!(largest > 1e-24 * shape.squaredNorm())) {  // it turns where nothing is drawn
    Eigen::Index k = 0;
    shape.cwiseAbs().maxCoeff(&k);
    return (shape / shape[k]).real();
  }
  Complex phase = std::polar(1.0, -0.5 * std::arg(x * x + z * z));
  const double dx = (phase * x).real(), dz = (phase * z).real();
  if (std::abs(dx) > 1e-6 * portable::hypot(dx, dz) ? dx < 0 : dz < 0) phase = -phase;
  return (shape * phase).real() / portable::hypot(dx, dz);
}

// Turning it besides about its mass centre with ±e tells a body's angular momentum L and inertia I:
// T(e) = T + e L + e²I/2. Its mean turning has L²/2I.
NaturalMode::Kinetic split_kinetic(const Tree& tree, const Frames<double>& frames, int i) {
  const double mass = tree.body(i).mass, total = tree.kinetic_energy(frames, i);
  const Vec v = tree.center_velocity(frames, i);
  const double translation = std::min(0.5 * mass * dot(v, v), total);
  if (!tree.body(i).beam) return {translation, total - translation, 0};
  const Vec c = tree.center_arm(frames, i);
  Frames<double> turned_frames = frames;
  const auto with_turn = [&](double e) {
    turned_frames.rate[i] = frames.rate[i] + e;
    turned_frames.origin_rate[i] = frames.origin_rate[i] - e * turned(c);
    return tree.kinetic_energy(turned_frames, i);
  };
  const double more = with_turn(1), less = with_turn(-1), inertia = more + less - 2 * total;
  const double rotation = inertia > 0 ? (more - less) * (more - less) / (8 * inertia) : 0;
  return {translation, std::min(rotation, total - translation),
          std::max(0.0, total - translation - rotation)};
}

void fill_energies(const System& system, const ModalAnalysis& analysis, NaturalMode& mode) {
  const Tree& tree = system.tree();
  const Frames<double> frames = make_frames(tree, analysis.q.data(), mode.shape.data());
  const double total = tree.kinetic_energy(frames);
  for (int i = 0; i < tree.body_count(); ++i) {
    const NaturalMode::Kinetic k = split_kinetic(tree, frames, i);
    mode.kinetic.push_back({k.translation / total, k.rotation / total, k.bending / total});
  }
  const VectorXd momentum = analysis.at.mass * mode.shape;
  double most = 0;
  for (int i = 0; i < tree.dof_count(); ++i)
    if (const double e = std::abs(mode.shape[i] * momentum[i]); e > (1 + 1e-9) * most)
      most = e, mode.dominant = i;

  mode.strain.assign(tree.body_count(), 0.0);
  if (mode.motion == Motion::free) return;
  double strain = 0;
  for (int i = 0; i < tree.body_count(); ++i) {
    const ElasticBeam* beam = tree.body(i).beam.get();
    for (int k = 0; beam && k < beam->size(); ++k)
      mode.strain[i] += 0.5 * beam->stiffness()[k] * std::pow(mode.shape[tree.elastic_dof(i) + k], 2);
    strain += mode.strain[i];
  }
  const double gravity = 0.5 * mode.shape.dot(analysis.at.stiffness * mode.shape) - strain;
  const double all = strain + std::abs(gravity);
  for (double& s : mode.strain) s = all > 0 ? s / all : 0;
}

Motion motion_of(Complex root) {
  if (root == Complex{}) return Motion::free;
  if (root.imag() > 0) return Motion::oscillating;
  return root.real() > 0 ? Motion::growing : Motion::decaying;
}

}  // namespace

ModalAnalysis analyse_modes(const System& system, const std::vector<double>& q,
                            std::vector<OutlineLine> outline) {
  if (outline.empty()) outline = make_outline(system.tree(), {});
  ModalAnalysis out;
  out.q = q;
  out.at = linearise(system, q);
  out.is_damped = (out.at.damping.array() != 0).any();
  const Linearisation& at = out.at;
  if (at.is_constrained() && at.basis.cols() == 0) return out;  // nothing is left to move
  for (const DampedRoot& r :
       find_roots(at.reduced(at.mass), at.reduced(at.damping), at.reduced(at.stiffness))) {
    NaturalMode mode;
    mode.root = r.root;
    mode.motion = motion_of(r.root);
    const Eigen::VectorXcd shape = at.is_constrained() ? Eigen::VectorXcd(at.basis * r.shape) : r.shape;
    mode.shape = scaled(system.tree(), q, shape, outline);
    fill_energies(system, out, mode);
    out.modes.push_back(std::move(mode));
  }
  std::stable_sort(out.modes.begin(), out.modes.end(), [](const NaturalMode& a, const NaturalMode& b) {
    const bool ag = a.motion == Motion::growing, bg = b.motion == Motion::growing;
    return ag != bg ? ag : ag ? a.growth() > b.growth() : std::abs(a.root) < std::abs(b.root);
  });
  return out;
}

double NaturalMode::frequency() const { return omega() / (2 * std::numbers::pi); }

double NaturalMode::damping_ratio() const {
  return root == Complex{} ? 0 : -root.real() / std::abs(root) + 0.0;
}

double NaturalMode::strain_share() const {
  double sum = 0;
  for (double s : strain) sum += s;
  return sum;
}

int ModalAnalysis::count(Motion motion) const {
  return static_cast<int>(
      std::count_if(modes.begin(), modes.end(), [&](const NaturalMode& m) { return m.motion == motion; }));
}

const char* motion_name(Motion motion) {
  switch (motion) {
    case Motion::growing: return "growing";
    case Motion::free: return "free";
    case Motion::decaying: return "decaying";
    case Motion::oscillating: return "oscillating";
  }
  return "";
}

std::string mode_kind(const Tree& tree, const NaturalMode& mode) {
  const double share = mode.strain_share();
  if (share <= 0.1) return "rigid";
  if (share < 0.9) return "mixed";
  std::string out;
  for (int i = 0; i < tree.body_count(); ++i)
    if (mode.strain[i] > 0.1) out += (out.empty() ? "bends " : ", ") + tree.body(i).name;
  return out.empty() ? "bends many" : out;
}

std::vector<std::string> list_left_out(const System& system) {
  std::vector<std::string> out;
  ElementTypes::each([&]<class E>() {
    if constexpr (requires { E::left_out_of_modes; })
      if (!system.of<E>().empty()) out.emplace_back(E::left_out_of_modes);
  });
  return out;
}

}  // namespace thud
