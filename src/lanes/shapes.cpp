#include "lanes/shapes.hpp"

#include <algorithm>
#include <cstring>

namespace thud::lanes {

namespace {

std::size_t hash_of(const Recording& r) {
  std::size_t h = r.nodes.size();
  const auto mix = [&](std::size_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15ull, h ^= h >> 29; };
  for (const Node& n : r.nodes)
    mix(static_cast<std::size_t>(n.op) << 48 ^ static_cast<std::size_t>(n.a + 1) << 24
        ^ static_cast<std::size_t>(n.b + 1));
  for (const Assumption& a : r.assumptions) mix(2 * static_cast<std::size_t>(a.node) + a.outcome);
  return h;
}

// Bit for bit: zeros of both signs are two numbers.
bool is_same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void make_ready(Shape& s) {
  s.program = make_program(s.first, s.varying);
  s.rows.assign(static_cast<std::size_t>(s.program.rows) * width, 0.0);
  for (std::size_t k = 0; k < s.program.fixed.size(); ++k)
    std::fill_n(s.rows.begin() + static_cast<std::ptrdiff_t>((s.program.fixed_begin + k) * width), width,
                s.program.fixed[k]);
}

}  // namespace

Fitting Shapes::fit(Recording r) {
  const std::size_t hash = hash_of(r);
  const auto [from, to] = by_hash_.equal_range(hash);
  for (auto at = from; at != to; ++at) {
    Shape& s = *at->second;
    if (!s.first.has_shape_of(r)) continue;
    bool varies = false;
    for (std::size_t k = 0; k < r.constants.size(); ++k)
      if (!s.varying[k] && !is_same(s.first.constants[k], r.constants[k])) s.varying[k] = varies = true;
    if (varies) make_ready(s);
    return {&s, std::move(r.constants)};
  }
  Shape& s = shapes_.emplace_back();
  s.first = std::move(r);
  s.varying.assign(s.first.constants.size(), 0);
  make_ready(s);
  by_hash_.emplace(hash, &s);
  return {&s, s.first.constants};
}

}  // namespace thud::lanes
