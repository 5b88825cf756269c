// Roots of closed forms, found from values at places that the search chooses.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "lanes/root_search.hpp"

namespace thud::lanes {
namespace {

struct Found {
  double at;
  int rounds;
  std::vector<int> crossed;
};

Found search(const std::vector<std::function<double(double)>>& f, double accuracy) {
  RootSearch s;
  double start[RootSearch::most] = {}, end[RootSearch::most] = {}, value[RootSearch::most] = {};
  const int count = static_cast<int>(f.size());
  for (int k = 0; k < count; ++k) start[k] = f[k](0), end[k] = f[k](1);
  s.start(count, start, end);
  Found out{0, 0, {}};
  while (s.width() > accuracy && out.rounds < 100) {
    const double x = s.propose(accuracy);
    for (int k = 0; k < count; ++k) value[k] = f[k](x);
    s.take(value);
    ++out.rounds;
  }
  out.at = s.middle();
  for (int k = 0; k < count; ++k)
    if (s.is_crossed(k)) out.crossed.push_back(k);
  return out;
}

TEST(RootSearch, a_single_crossing) {
  const Found x = search({[](double t) { return std::cos(3 * t) + 0.2; }}, 1e-12);
  EXPECT_NEAR(x.at, std::acos(-0.2) / 3, 1e-12);
  EXPECT_LT(x.rounds, 14);
}

TEST(RootSearch, flat_and_steep_ones_close_their_bracket) {
  EXPECT_NEAR(search({[](double t) { return 0.5 - std::pow(t, 15); }}, 1e-10).at, std::pow(0.5, 1.0 / 15),
              1e-10);
  EXPECT_NEAR(search({[](double t) { return std::tanh(200 * (0.3 - t)); }}, 1e-10).at, 0.3, 1e-10);
  EXPECT_NEAR(search({[](double t) { return 1e-9 - t; }}, 1e-12).at, 1e-9, 1e-12);
}

TEST(RootSearch, the_first_of_several) {
  const Found x = search({[](double t) { return 0.7 - t; }, [](double t) { return 4 * (t - 0.4); },
                          [](double t) { return 0.41 - t * t; }},
                         1e-11);
  EXPECT_NEAR(x.at, 0.4, 1e-11);
  EXPECT_EQ(x.crossed, std::vector<int>{1});
}

TEST(RootSearch, simultaneous_ones_are_all_told) {
  const Found x =
      search({[](double t) { return 0.5 - t; }, [](double t) { return std::exp(0.5) - std::exp(t); }}, 1e-9);
  EXPECT_NEAR(x.at, 0.5, 1e-9);
  EXPECT_EQ(x.crossed, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace thud::lanes
