// Random scenes with walls: whatever happens, energy is accounted for, nothing overlaps, and no run fails.

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "../unit/contact_systems.hpp"

namespace thud {
namespace {

using namespace test;
constexpr double pi = std::numbers::pi;

class Maker {
 public:
  explicit Maker(unsigned seed) : rng_(seed) {}

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(rng_); }
  int whole(int a, int b) { return std::uniform_int_distribution<int>(a, b)(rng_); }

  void make(bool compliant) {
    const int kinds = whole(1, 4);
    for (int i = 0; i < kinds; ++i) add_thing(i);
    system = std::make_unique<System>(Tree(bodies_), Vec{0, gravity});
    system->set_correlation(whole(0, 2) ? uniform(0, 0.6) : 0.0);
    const double mu = whole(0, 3) ? uniform(0, 1) : 0, e = whole(0, 3) ? uniform(0, 0.9) : 0;
    ContactLaw law = rough(mu, e, static_cast<RestitutionLaw>(whole(1, 2)));
    if (compliant) {
      law.compliant = true;
      law.stiffness = std::pow(10, uniform(4, 7));
      law.damping = whole(0, 1) ? uniform(0, 1) : 0;
    }
    const int shape = whole(0, 2);
    if (shape == 0) {
      system->add_wall({"floor", Plane::make({0, 0}, whole(0, 1) ? uniform(-0.3, 0.3) : 0)});
    } else {
      system->add_wall({"left", Plane::make({0, 0}, uniform(0.2, 1.2))});
      system->add_wall({"right", Plane::make({0, 0}, -uniform(0.2, 1.2))});
      if (shape == 2) system->add_wall({"floor", Plane::make({0, -0.1}, 0)});
    }
    for (int w = 0; w < static_cast<int>(system->walls().size()); ++w)
      for (const Feature& f : features_) system->add_contact(against(w, f, law));
    for (std::size_t i = 0; i < features_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (features_[i].body != features_[j].body && features_[i].radius > 0 && features_[j].radius > 0)
          system->add_contact(between(features_[i], features_[j], law));
  }

  std::unique_ptr<System> system;
  std::vector<double> q, v;

 private:
  void add_thing(int i) {
    const double z = -1.5 - 1.2 * i, x = uniform(-0.2, 0.2);
    const int first = static_cast<int>(bodies_.size());
    switch (whole(0, 2)) {
      case 0: {
        const double r = uniform(0.05, 0.2);
        bodies_.push_back(disc(("disc" + std::to_string(i)).c_str(), uniform(0.2, 3), r));
        features_.push_back({bodies_.back().name, first, {}, r});
        start({x, z, uniform(-3, 3)}, {uniform(-2, 2), uniform(-1, 3), uniform(-10, 10)});
        break;
      }
      case 1: {
        const double b = uniform(0.05, 0.2), h = uniform(0.05, 0.3), m = uniform(0.5, 3);
        bodies_.push_back(free_body(("block" + std::to_string(i)).c_str(), m, m * (b * b + h * h) / 3));
        for (double s : {-h, h})
          for (double n : {-b, b})
            features_.push_back(
                {bodies_.back().name + (s < 0 ? "-" : "+") + (n < 0 ? "-" : "+"), first, {s, n}, 0});
        start({x, z, uniform(-3, 3)}, {uniform(-1, 1), uniform(-1, 3), uniform(-5, 5)});
        break;
      }
      default: {
        const int links = whole(1, 3);
        for (int k = 0; k < links; ++k) {
          const double l = uniform(0.1, 0.3), m = uniform(0.2, 1);
          Body b = free_body(("link" + std::to_string(i) + std::to_string(k)).c_str(), m, m * l * l / 12);
          if (k > 0) {
            b.free = false;
            b.parent = first + k - 1;
            b.attach = {last_, 0};
            b.center = {l / 2, 0};
          }
          bodies_.push_back(b);
          const double end = k == 0 ? l / 2 : l;
          features_.push_back({b.name + ".tip", first + k, {end, 0}, whole(0, 1) ? uniform(0, 0.02) : 0.0});
          if (k == 0) features_.push_back({b.name + ".start", first, {-end, 0}, 0});
          last_ = end;
          if (k == 0)
            start({x, z, uniform(-3, 3)}, {uniform(-1, 1), uniform(-1, 3), uniform(-5, 5)});
          else
            start({uniform(-3, 3)}, {uniform(-5, 5)});
        }
      }
    }
  }
  void start(std::vector<double> a, std::vector<double> b) {
    q.insert(q.end(), a.begin(), a.end());
    v.insert(v.end(), b.begin(), b.end());
  }

  std::mt19937 rng_;
  std::vector<Body> bodies_;
  std::vector<Feature> features_;
  double last_ = 0;
};

// Empty when all is well.
std::string play(unsigned seed, bool compliant) {
  Maker m(seed);
  m.make(compliant);
  Solver solver(*m.system);
  SolverOptions options;
  options.time_limit = 4;
  options.max_steps = 400'000;
  const Outcome out = solver.run(m.q, m.v, {}, options);
  if (out.reason == StopReason::failed) return out.message;
  if (out.reason == StopReason::painleve) return out.message;
  if (!(std::abs(out.energy.residual) < 1e-7))
    return "residual " + std::to_string(1e9 * out.energy.residual) + "e-9";
  for (const ImpactRecord& r : out.impacts)
    if (r.result.gains()) return "gains energy at t = " + std::to_string(r.time);
  Work<double> work;
  m.system->prepare(work);
  std::vector<double> slope(m.system->state_size());
  m.system->evaluate(out.time, out.state.data(), out.mode, work, slope.data());
  if (!compliant)
    for (std::size_t k = 0; k < work.of<ContactForce>().size(); ++k)
      if (work.of<ContactForce>()[k].gap < -1e-9)
        return m.system->contacts()[k].name + " overlaps by "
             + std::to_string(-work.of<ContactForce>()[k].gap);
  return {};
}

unsigned scenes(unsigned standard) {
  const char* env = std::getenv("THUD_SCENES");
  return env ? static_cast<unsigned>(std::atoi(env)) : standard;
}

TEST(Random, rigid_scenes) {
  for (unsigned seed = 1; seed <= scenes(300); ++seed) {
    const std::string trouble = play(seed, false);
    EXPECT_TRUE(trouble.empty()) << seed << ": " << trouble;
  }
}

TEST(Random, compliant_scenes) {
  for (unsigned seed = 1; seed <= scenes(100); ++seed) {
    const std::string trouble = play(seed, true);
    EXPECT_TRUE(trouble.empty()) << seed << ": " << trouble;
  }
}

}  // namespace
}  // namespace thud
