#include "campaign/oracle.hpp"

#include <fmt/format.h>

#include <cmath>

namespace thud::campaign {

using Eigen::MatrixXd, Eigen::VectorXd;

VectorXd solve_nonnegative(const MatrixXd& a, const VectorXd& b) {
  const Eigen::Index n = a.cols();
  VectorXd x = VectorXd::Zero(n);
  std::vector<bool> in(static_cast<std::size_t>(n), false);
  const double small = 1e-12 * (1 + b.cwiseAbs().maxCoeff());
  const auto solve_in = [&] {
    std::vector<Eigen::Index> at;
    for (Eigen::Index k = 0; k < n; ++k)
      if (in[static_cast<std::size_t>(k)]) at.push_back(k);
    VectorXd z = VectorXd::Zero(n);
    if (at.empty()) return z;
    MatrixXd part(a.rows(), static_cast<Eigen::Index>(at.size()));
    for (std::size_t k = 0; k < at.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = a.col(at[k]);
    const VectorXd y = part.completeOrthogonalDecomposition().solve(b);
    for (std::size_t k = 0; k < at.size(); ++k) z[at[k]] = y[static_cast<Eigen::Index>(k)];
    return z;
  };
  for (Eigen::Index round = 0; round < 10 * n; ++round) {
    const VectorXd pull = a.transpose() * (b - a * x);
    Eigen::Index best = -1;
    for (Eigen::Index k = 0; k < n; ++k)
      if (!in[static_cast<std::size_t>(k)] && pull[k] > small && (best < 0 || pull[k] > pull[best])) best = k;
    if (best < 0) break;
    in[static_cast<std::size_t>(best)] = true;
    for (VectorXd z = solve_in();; z = solve_in()) {
      double step = 1;
      for (Eigen::Index k = 0; k < n; ++k)
        if (in[static_cast<std::size_t>(k)] && z[k] <= 0 && x[k] > z[k])
          step = std::min(step, x[k] / (x[k] - z[k]));
      if (z.minCoeff() >= 0 || step >= 1) {
        x = z.cwiseMax(0);
        break;
      }
      x += step * (z - x);
      for (Eigen::Index k = 0; k < n; ++k)
        if (in[static_cast<std::size_t>(k)] && x[k] <= 1e-14)
          in[static_cast<std::size_t>(k)] = false, x[k] = 0;
    }
  }
  return x;
}

namespace {

struct Closed {
  int contact = 0;
  double friction = 0;
  double slip = 0;
  int side = 0;  // of a slip that is clear
  VectorXd normal, tangent;
  double normal_bias = 0, tangent_bias = 0;
};

class Enumeration {
 public:
  Enumeration(const System& system, double t, const std::vector<double>& state, Mode mode)
      : system_(system),
        t_(t),
        state_(state),
        mode_(std::move(mode)),
        n_(system.dof_count()) {
    system_.prepare(work_);
    slope_.resize(system.state_size());
    for (ContactMode& m : mode_.of<ContactForce>())
      if (m.touch == Touch::closed) m.touch = Touch::open;
    mode_.stuck.clear();
  }

  Decisions go(std::size_t most) {
    out_.why_not = why_not();
    if (!out_.why_not.empty()) return out_;
    look();
    for (const Closed& c : closed_) out_.closed.push_back(c.contact), out_.slip.push_back(c.slip);
    if (closed_.size() > most) out_.why_not = fmt::format("{} contacts are closed", closed_.size());
    if (closed_.empty()) out_.why_not = "no contact is closed";
    if (out_.why_not.empty()) try_all("");
    return out_;
  }

 private:
  std::string why_not() const {
    if (!system_.constraints().empty()) return "there are loops or prescribed motions";
    std::vector<SwitchRef> active;
    system_.active_switches(mode_, active);
    if (!active.empty()) return "there is friction in joints, or sand";
    return {};
  }
  void evaluate(const std::vector<double>& y) { system_.evaluate(t_, y.data(), mode_, work_, slope_.data()); }
  const Touching<double>& touch(int k) const { return work_.of<ContactForce>()[static_cast<std::size_t>(k)]; }

  void look() {
    evaluate(state_);
    free_ = Eigen::Map<const VectorXd>(slope_.data() + n_, n_);
    double speed = 1e-300;
    for (const Touching<double>& w : work_.of<ContactForce>())
      speed = std::max({speed, std::abs(w.slip_rate), std::abs(w.gap_rate)});
    speed = std::max(speed, 0.1);
    for (int k = 0; k < static_cast<int>(system_.contacts().size()); ++k) {
      const Contact& c = system_.contacts()[static_cast<std::size_t>(k)];
      if (c.law.compliant || touch(k).off || std::abs(touch(k).gap) > 1e-8
          || std::abs(touch(k).gap_rate) > 1e-6 * speed)
        continue;
      Closed x;
      x.contact = k;
      x.friction = c.law.friction;
      x.slip = touch(k).slip_rate;
      x.side = std::abs(touch(k).slip_rate) < 1e-7 * speed ? 0 : touch(k).slip_rate > 0 ? 1 : -1;
      x.normal = x.tangent = VectorXd::Zero(n_);
      closed_.push_back(x);
    }
    find_rows();
    find_biases();
  }
  // Velocities are linear in the rates, the kinetic energy is their quadratic form.
  void find_rows() {
    mass_ = MatrixXd::Zero(n_, n_);
    std::vector<double> y = state_;
    const auto kinetic = [&](int i, int j) {
      std::fill(y.begin() + n_, y.begin() + 2 * n_, 0.0);
      y[static_cast<std::size_t>(n_ + i)] += 1;
      if (j != i) y[static_cast<std::size_t>(n_ + j)] += 1;
      evaluate(y);
      return system_.tree().kinetic_energy(work_.frames);
    };
    for (int i = 0; i < n_; ++i) {
      mass_(i, i) = 2 * kinetic(i, i);
      for (Closed& c : closed_)
        c.normal[i] = touch(c.contact).gap_rate, c.tangent[i] = touch(c.contact).slip_rate;
    }
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < i; ++j)
        mass_(i, j) = mass_(j, i) = kinetic(i, j) - 0.5 * (mass_(i, i) + mass_(j, j));
  }
  // How the rates change along the motion without acceleration.
  void find_biases() {
    constexpr double step = 1e-5;
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> y = state_;
      for (int i = 0; i < n_; ++i)
        y[static_cast<std::size_t>(i)] += sign * step * state_[static_cast<std::size_t>(n_ + i)];
      evaluate(y);
      for (Closed& c : closed_) {
        c.normal_bias += sign * touch(c.contact).gap_rate / (2 * step);
        c.tangent_bias += sign * touch(c.contact).slip_rate / (2 * step);
      }
    }
  }

  void try_all(const std::string& letters) {
    if (letters.size() == closed_.size()) return try_mode(letters);
    const Closed& c = closed_[letters.size()];
    std::string ways = c.friction == 0 ? "o+" : c.side > 0 ? "o+" : c.side < 0 ? "o-" : "os+-";
    for (const char way : ways) try_all(letters + way);
  }

  void try_mode(const std::string& letters) {
    ++out_.tried;
    // Columns: forces per generator, slacks. Rows: what accelerations have to be.
    std::vector<VectorXd> force;
    std::vector<VectorXd> rows;
    std::vector<double> wanted;
    std::vector<int> slack;  // sign of the slack of a row, 0: none
    std::vector<std::size_t> owner;
    const auto row = [&](const VectorXd& r, double bias, int sign) {
      rows.push_back(r), wanted.push_back(-bias - r.dot(free_)), slack.push_back(sign);
    };
    for (std::size_t k = 0; k < closed_.size(); ++k) {
      const Closed& c = closed_[k];
      const auto push = [&](double share) {
        force.push_back(c.normal + share * c.friction * c.tangent), owner.push_back(k);
      };
      row(c.normal, c.normal_bias, letters[k] == 'o' ? -1 : 0);
      if (letters[k] == 's') push(1), push(-1), row(c.tangent, c.tangent_bias, 0);
      if (letters[k] == '+' || letters[k] == '-') {
        const int side = letters[k] == '+' ? 1 : -1;
        push(-side);
        if (c.side == 0 && c.friction > 0) row(c.tangent, c.tangent_bias, -side);
      }
    }
    solve(letters, force, owner, rows, wanted, slack);
  }

  void solve(const std::string& letters, const std::vector<VectorXd>& force,
             const std::vector<std::size_t>& owner, const std::vector<VectorXd>& rows,
             const std::vector<double>& wanted, const std::vector<int>& slack) {
    const auto m = static_cast<Eigen::Index>(rows.size()), f = static_cast<Eigen::Index>(force.size());
    Eigen::Index slacks = 0;
    for (const int s : slack) slacks += s != 0;
    MatrixXd a = MatrixXd::Zero(m, f + slacks), effect(n_, f);
    VectorXd b(m);
    const Eigen::LDLT<MatrixXd> factor(mass_);
    for (Eigen::Index j = 0; j < f; ++j) effect.col(j) = factor.solve(force[static_cast<std::size_t>(j)]);
    Eigen::Index next = f;
    double scale = 1e-300;
    for (Eigen::Index i = 0; i < m; ++i) {
      const VectorXd& r = rows[static_cast<std::size_t>(i)];
      const double size = std::sqrt(r.dot(factor.solve(r)));  // in units in which all rows are alike
      for (Eigen::Index j = 0; j < f; ++j) a(i, j) = r.dot(effect.col(j)) / size;
      if (slack[static_cast<std::size_t>(i)] != 0) a(i, next++) = slack[static_cast<std::size_t>(i)];
      b[i] = wanted[static_cast<std::size_t>(i)] / size;
      scale = std::max(scale, std::abs(b[i]));
    }
    scale = std::max(scale, 1e-6 * std::sqrt(free_.dot(mass_ * free_)));
    VectorXd unit = VectorXd::Ones(a.cols());
    for (Eigen::Index j = 0; j < a.cols(); ++j)
      if (const double size = a.col(j).norm(); size > 0) unit[j] = 1 / size;
    const VectorXd x = unit.cwiseProduct(solve_nonnegative(a * unit.asDiagonal(), b / scale)) * scale;
    if ((a * x - b).norm() > 1e-7 * scale) return;
    Decisions::Mode found{letters, free_ + effect * x.head(f), std::vector<double>(closed_.size())};
    for (Eigen::Index j = 0; j < f; ++j) found.normal[owner[static_cast<std::size_t>(j)]] += x[j];
    out_.consistent.push_back(found);
  }

  const System& system_;
  double t_;
  std::vector<double> state_;
  Mode mode_;
  int n_;
  Work<double> work_;
  std::vector<double> slope_;
  VectorXd free_;
  MatrixXd mass_;
  std::vector<Closed> closed_;
  Decisions out_;
};

}  // namespace

Decisions enumerate_modes(const System& system, double t, const std::vector<double>& state, const Mode& mode,
                          std::size_t most) {
  return Enumeration(system, t, state, mode).go(most);
}

std::string Decisions::text() const {
  if (!why_not.empty()) return "";
  std::string out = fmt::format("{} closed contacts, {} of {} modes are consistent", closed.size(),
                                consistent.size(), tried);
  out += "; slips";
  for (double v : slip) out += fmt::format(" {:.2g}", v);
  for (std::size_t k = 0; k < consistent.size() && k < 3; ++k) {
    out += fmt::format("; {}", consistent[k].letters);
    for (double f : consistent[k].normal) out += fmt::format(" {:.3g}", f);
  }
  return out;
}

}  // namespace thud::campaign
