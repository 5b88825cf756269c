#include "thud/study/design.hpp"

#include <fmt/format.h>

#include <bit>
#include <boost/math/special_functions/erf.hpp>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <numbers>

namespace thud {

namespace {

constexpr std::int64_t most_runs = 1'000'000'000'000;

// The finaliser of splitmix64.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// In (0, 1): never an end, where a normal distribution would be infinite.
double to_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

double normal_quantile(double u) {
  using namespace boost::math::policies;
  // In double, whatever long double is: the same bits everywhere.
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * u, policy<promote_double<false>>());
}

double value_at(const Distribution& d, bool integer, double u) {
  switch (d.kind) {
    case Distribution::Kind::grid:
    case Distribution::Kind::list: {
      const auto n = static_cast<double>(d.size());
      return d.value(static_cast<std::int64_t>(std::min(std::floor(u * n), n - 1)));
    }
    case Distribution::Kind::uniform:
      if (integer) return std::min(d.low + std::floor(u * (d.high - d.low + 1)), d.high);
      return d.low + u * (d.high - d.low);
    case Distribution::Kind::normal: {
      const double x = d.mean + d.deviation * normal_quantile(u);
      return integer ? std::round(x) : x;
    }
  }
  return 0;
}

std::int64_t count_grid(const Study& study) {
  std::int64_t size = 1;
  for (const VariedKnob& v : study.vary) {
    const std::int64_t n = v.distribution.size();
    if (n < 1) throw InputError(v.place, "a grid needs grid = [...] or list = [...] for every knob");
    if (size > most_runs / n)
      throw InputError(v.place, fmt::format("the grid has more than {:.0e} points", double{most_runs}));
    size *= n;
  }
  return size;
}

}  // namespace

std::uint64_t hash_of(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  return mix(mix(mix(seed + golden) + a + golden) + b + golden);
}

std::uint64_t permuted(std::uint64_t i, std::uint64_t count, std::uint64_t key) {
  if (count < 2) return 0;
  const auto half = static_cast<int>((std::bit_width(count - 1) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  // The network permutes 2^(2 half) < 4 count numbers; those beyond `count` are walked through.
  do {
    std::uint64_t left = i >> half, right = i & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (hash_of(key, round, right) & mask);
      left = right;
      right = next;
    }
    i = left << half | right;
  } while (i >= count);
  return i;
}

struct DesignPoints::Sequence {
  explicit Sequence(std::size_t dimensions) : engine(dimensions), point(dimensions) {}

  // Point 0 of the sequence is zero, which Boost leaves out.
  void go_to(std::int64_t run) {
    if (run == at) return;
    if (run > 0 && (at <= 0 || run != at + 1)) engine.seed(static_cast<std::uint64_t>(run - 1));
    for (std::uint64_t& x : point) x = run == 0 ? 0 : engine();
    at = run;
  }

  boost::random::sobol_engine<std::uint64_t, 64> engine;
  std::vector<std::uint64_t> point;
  std::int64_t at = -1;
};

DesignPoints::DesignPoints(const Study& study) : vary_(study.vary), design_(study.design) {
  if (vary_.empty())
    throw InputError({study.file}, "the study varies nothing: a section [vary] names the knobs that change");
  if (design_.kind == Design::Kind::grid) {
    size_ = count_grid(study);
    return;
  }
  if (design_.runs < 1)
    throw InputError(design_.place, "how many runs? [design] needs runs = ... unless all is a grid");
  size_ = design_.runs;
  if (design_.kind == Design::Kind::sobol) {
    if (vary_.size() > 3667)
      throw InputError(design_.place, "the Sobol sequence has 3667 dimensions at most");
    sequence_ = std::make_unique<Sequence>(vary_.size());
  }
}

DesignPoints::~DesignPoints() = default;
DesignPoints::DesignPoints(DesignPoints&&) noexcept = default;
DesignPoints& DesignPoints::operator=(DesignPoints&&) noexcept = default;

double DesignPoints::unit_value(std::int64_t run, std::size_t knob) {
  const auto i = static_cast<std::uint64_t>(run);
  switch (design_.kind) {
    case Design::Kind::latin: {
      const auto n = static_cast<std::uint64_t>(size_);
      const std::uint64_t stratum = permuted(i, n, hash_of(design_.seed, knob, 1));
      const double within = to_unit(hash_of(design_.seed, i, knob));
      // The largest u below 1, should the sum round up to it.
      return std::min((static_cast<double>(stratum) + within) / static_cast<double>(n), 1 - 0x1p-53);
    }
    case Design::Kind::sobol:
      return to_unit(sequence_->point[knob] ^ (design_.seed == 0 ? 0 : hash_of(design_.seed, knob, 2)));
    default: return to_unit(hash_of(design_.seed, i, knob));
  }
}

void DesignPoints::get(std::int64_t run, std::span<double> values) {
  if (design_.kind == Design::Kind::grid) {
    for (std::size_t k = vary_.size(); k-- > 0;) {
      const std::int64_t n = vary_[k].distribution.size();
      values[k] = vary_[k].distribution.value(run % n);
      run /= n;
    }
    return;
  }
  if (sequence_) sequence_->go_to(run);
  for (std::size_t k = 0; k < vary_.size(); ++k)
    values[k] = value_at(vary_[k].distribution, vary_[k].knob.integer, unit_value(run, k));
}

}  // namespace thud
