#include "thud/granular/law_rates.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <shared_mutex>

namespace thud {

namespace {

using DualLaw = LawOf<Dual<double>>;

// A coefficient, and how its rate is set.
struct Line {
  Coefficient coefficient;
  void (*set_rate)(DualLaw&, double);
};

// `field` picks it out of a law, whatever its scalar.
template <template <class> class L, class Field>
Line line(const char* key, const char* unit, const char* about, Field, bool positive = false) {
  return {{key, unit, about, [](const Law& law) { return Field{}(std::get<L<double>>(law)); },
           [](Law& law, double x) { Field{}(std::get<L<double>>(law)) = x; }, positive, false},
          [](DualLaw& law, double rate) { Field{}(std::get<L<Dual<double>>>(law)).d = rate; }};
}

#define FIELD(name) \
  [](auto& law) -> auto& { return law.name; }

// Lee's experiments and computations: speeds up to 5 m/s, tips down to 39 mm, links of 6.35 mm and balls of 25.4 mm.
CalibratedRange lee_range() { return {0, 5, 0.039, 6.35e-3, 25.4e-3, "Lee 2009"}; }

constexpr const char* shear_about =
    "static resistance along the surface, as a multiple of that along the normal";

// Lumped and spread.
template <template <class> class L>
std::vector<Line> lee_lines() {
  return {
      line<L>("density", "kg/m3", "bulk density of the medium", FIELD(density), true),
      line<L>("eta_d", "", "drag coefficient", FIELD(eta_d)),
      line<L>("eta_h", "", "horizontal static resistance", FIELD(eta_h)),
      line<L>("eta_v", "", "vertical static resistance, plunging", FIELD(plunging.eta)),
      line<L>("lambda", "", "exponent of depth, plunging", FIELD(plunging.lambda)),
      line<L>("eta_v_up", "", "vertical static resistance, withdrawing", FIELD(withdrawing.eta)),
      line<L>("lambda_up", "", "exponent of depth, withdrawing", FIELD(withdrawing.lambda)),
      line<L>("friction", "", "skin friction: shear resistance per plunging resistance", FIELD(friction))};
}

// What resistive force theory has, plain and dynamic.
template <template <class> class L>
std::vector<Line> rft_lines() {
  std::vector<Line> out = {
      line<L>("zeta", "", "scale of the medium", FIELD(zeta), true),
      line<L>("A00", "", "of the stress along the normal of the bed [N/cm3]", FIELD(alpha.a00)),
      line<L>("A10", "", "times cos 2 beta [N/cm3]", FIELD(alpha.a10)),
      line<L>("B11", "", "times sin(2 beta + gamma) [N/cm3]", FIELD(alpha.b11)),
      line<L>("B01", "", "times sin gamma [N/cm3]", FIELD(alpha.b01)),
      line<L>("Bm11", "", "times sin(-2 beta + gamma) [N/cm3]", FIELD(alpha.bm11)),
      line<L>("C11", "", "of the stress along the bed, times cos(2 beta + gamma) [N/cm3]", FIELD(alpha.c11)),
      line<L>("C01", "", "times cos gamma [N/cm3]", FIELD(alpha.c01)),
      line<L>("Cm11", "", "times cos(-2 beta + gamma) [N/cm3]", FIELD(alpha.cm11)),
      line<L>("D10", "", "times sin 2 beta [N/cm3]", FIELD(alpha.d10))};
  for (std::size_t k = 1; k < out.size(); ++k) out[k].coefficient.any_sign = true;
  return out;
}

std::deque<LawEntry> make_table(std::vector<std::vector<void (*)(DualLaw&, double)>>& rates) {
  std::deque<LawEntry> table;
  const auto add = [&](const char* name, const char* about, Law law, std::vector<Line> lines,
                       CalibratedRange range = {}) {
    std::vector<Coefficient> coefficients;
    rates.emplace_back();
    for (Line& l : lines) {
      coefficients.push_back(std::move(l.coefficient));
      rates.back().push_back(l.set_rate);
    }
    table.push_back({{name, about, std::move(coefficients), std::move(range)}, std::move(law)});
  };
  add("lee2009", "quadratic drag + Albert horizontal + Hill vertical static resistance", LeeLaw{},
      lee_lines<LeeLawOf>(), lee_range());
  add("bingham", "F0 + b v", BinghamLaw{},
      {line<BinghamLawOf>("F0", "N", "constant resistance", FIELD(yield)),
       line<BinghamLawOf>("b", "N s/m", "linear drag", FIELD(viscous)),
       line<BinghamLawOf>("shear_ratio", "", shear_about, FIELD(shear_ratio))});
  add("poncelet", "F0 + c v^2", PonceletLaw{},
      {line<PonceletLawOf>("F0", "N", "constant resistance", FIELD(yield)),
       line<PonceletLawOf>("c", "N s2/m2", "quadratic drag", FIELD(inertial)),
       line<PonceletLawOf>("shear_ratio", "", shear_about, FIELD(shear_ratio))});
  add("allen", "A v^2 + B v + C (Allen, Mayfield & Morrison)", AllenLaw{},
      {line<AllenLawOf>("A", "N s2/m2", "quadratic drag", FIELD(inertial)),
       line<AllenLawOf>("B", "N s/m", "linear drag", FIELD(viscous)),
       line<AllenLawOf>("C", "N", "constant resistance", FIELD(yield)),
       line<AllenLawOf>("shear_ratio", "", shear_about, FIELD(shear_ratio))});
  add("lohse", "k z", LohseLaw{},
      {line<LohseLawOf>("k", "N/m", "static resistance per depth", FIELD(stiffness)),
       line<LohseLawOf>("shear_ratio", "", shear_about, FIELD(shear_ratio))});
  add("katsuragi", "k z + m v^2/d1 (Katsuragi & Durian)", KatsuragiLaw{},
      {line<KatsuragiLawOf>("k", "N/m", "static resistance per depth", FIELD(stiffness)),
       line<KatsuragiLawOf>("d1", "m", "length of the inertial drag", FIELD(length), true),
       line<KatsuragiLawOf>("shear_ratio", "", shear_about, FIELD(shear_ratio))});
  add("rft",
      "resistive force theory: a stress by depth, orientation and direction of motion (Li et al. 2013)",
      RftLaw{}, rft_lines<RftLawOf>());
  std::vector<Line> dynamic = rft_lines<DrftLawOf>();
  dynamic.push_back(
      line<DrftLawOf>("lambda", "", "factor of the inertia of the grains, about 1", FIELD(lambda)));
  dynamic.push_back(line<DrftLawOf>("density", "kg/m3", "bulk density of the medium", FIELD(density), true));
  add("drft", "resistive force theory, and lambda rho v_n^2 on what leads (Agarwal et al. 2019)", DrftLaw{},
      std::move(dynamic));
  add("lee-spread", "lee2009 as densities along the axis: moments besides, however a shape is cut",
      LeeSpreadLaw{}, lee_lines<LeeSpreadLawOf>(), lee_range());
  return table;
}

// The laws by name. Entries are never removed: one that is replaced is only not listed any more.
struct Registry {
  std::vector<std::vector<void (*)(DualLaw&, double)>> rates;  // setters, by law and coefficient
  const std::deque<LawEntry> built_in = make_table(rates);
  std::shared_mutex mutex;
  std::deque<LawEntry> own;
  std::vector<const LawEntry*> listed;

  Registry() {
    for (const LawEntry& e : built_in) listed.push_back(&e);
  }
};

Registry& registry() {
  static Registry laws;
  return laws;
}

std::vector<Medium> make_media() {
  LeeLaw play_sand;  // Lee 2009, ch. 4 and app. E: ρ_g 2500, η_d 6.5, η_h 8, η_v 22 down and 0.5 up, λ 1.1
  LeeLaw hill = play_sand;
  hill.plunging = {10, 1.4};
  hill.withdrawing = {0.5, 1.7};
  const auto grains = [](double zeta) {
    RftLaw law;
    law.zeta = zeta;
    return law;
  };
  constexpr const char* li = "Li, Zhang & Goldman 2013";
  constexpr const char* codes =
      "published codes of resistive force theory; whose measurement it is they do not say";
  return {{"play-sand", "the sand of Lee 2009: eta_v 22 plunging, 0.5 withdrawing, lambda 1.1",
           "Lee 2009, ch. 4 and app. E", play_sand, lee_range()},
          {"hill-sand",
           "play sand with Hill et al.'s vertical resistance: 10, 1.4 plunging; 0.5, 1.7 withdrawing",
           "Lee 2009; Hill et al. 2005", hill, lee_range()},
          {"play-sand-spread", "the sand of Lee 2009 along the axes of bodies (law lee-spread)",
           "Lee 2009, ch. 4 and app. E; the densities are ours", LeeSpreadLaw{play_sand}, lee_range()},
          {"poppy-loose", "loose poppy seeds, 0.7 mm, volume fraction 0.58", li, RftLaw{1, rft_poppy_loose}},
          {"poppy-close", "close poppy seeds, 0.7 mm, volume fraction 0.62", li, RftLaw{1, rft_poppy_close}},
          {"glass-beads", "glass beads: the generic set, zeta 0.33", li, grains(0.33)},
          {"simulant-soft", "soil simulant: the generic set, zeta 2.02", codes, grains(2.02)},
          {"simulant-firm", "soil simulant: the generic set, zeta 3.05, of the wheels of the tests", codes,
           grains(3.05)}};
}

}  // namespace

namespace {

template <class P>
DrftLawOf<P> stress_of(const LawOf<P>& law) {
  if (const auto* dynamic = std::get_if<DrftLawOf<P>>(&law)) return *dynamic;
  DrftLawOf<P> out;
  out.lambda = P(0);
  if (const auto* plain = std::get_if<RftLawOf<P>>(&law))
    static_cast<RftLawOf<P>&>(out) = *plain;
  else
    out.zeta = P(0);
  return out;
}

// The stress is linear in these, so that they can be subtracted: ζ A00, …, and λ ρ.
template <class P>
DrftLawOf<P> less(const DrftLawOf<P>& a, const DrftLawOf<P>& b) {
  const auto& x = a.alpha;
  const auto& y = b.alpha;
  const auto minus = [&](P p, P q) { return P(a.zeta * p - b.zeta * q); };
  DrftLawOf<P> out;
  out.zeta = P(1);
  out.alpha = {minus(x.a00, y.a00), minus(x.a10, y.a10),   minus(x.b11, y.b11),
               minus(x.b01, y.b01), minus(x.bm11, y.bm11), minus(x.c11, y.c11),
               minus(x.c01, y.c01), minus(x.cm11, y.cm11), minus(x.d10, y.d10)};
  out.lambda = a.inertia() - b.inertia();
  out.density = P(1);
  return out;
}

template <class P>
bool is_same(const LawOf<P>& a, const LawOf<P>& b) {
  const auto all_zero = [](std::initializer_list<P> list) {
    return std::all_of(list.begin(), list.end(), [](const P& x) { return is_zero(x); });
  };
  const auto* lee = std::get_if<LeeSpreadLawOf<P>>(&a);
  const auto* other = std::get_if<LeeSpreadLawOf<P>>(&b);
  if ((lee != nullptr) != (other != nullptr)) return false;
  if (lee)
    return all_zero({lee->density - other->density, lee->eta_d - other->eta_d, lee->eta_h - other->eta_h,
                     lee->plunging.eta - other->plunging.eta, lee->plunging.lambda - other->plunging.lambda,
                     lee->withdrawing.eta - other->withdrawing.eta,
                     lee->withdrawing.lambda - other->withdrawing.lambda, lee->friction - other->friction});
  const DrftLawOf<P> d = less(stress_of(a), stress_of(b));
  const auto& x = d.alpha;
  return all_zero({x.a00, x.a10, x.b11, x.b01, x.bm11, x.c11, x.c01, x.cm11, x.d10, d.lambda});
}

}  // namespace

template <class P>
std::vector<BedEntry> bed_entries(const BedOf<P>& bed) {
  std::vector<BedEntry> out;
  for (const bool rises : {false, true}) {
    if (rises && !bed.rises()) break;
    for (int k = 0; k <= static_cast<int>(bed.layers.size()); ++k)
      if (k == 0 || !is_same(BedEntry::law_of(bed, k), BedEntry::law_of(bed, k - 1)))
        out.push_back({static_cast<std::int16_t>(k), rises});
  }
  return out;
}
template std::vector<BedEntry> bed_entries(const Bed&);
template std::vector<BedEntry> bed_entries(const BedOf<Dual<double>>&);

template <class P>
DrftLawOf<P> entry_stress(const BedOf<P>& bed, BedEntry entry) {
  DrftLawOf<P> out = stress_of(BedEntry::law_of(bed, entry.layer));
  if (entry.layer > 0) out = less(out, stress_of(BedEntry::law_of(bed, entry.layer - 1)));
  if (entry.rises) out.lambda = P(0);
  return out;
}
template DrftLaw entry_stress(const Bed&, BedEntry);
template DrftLawOf<Dual<double>> entry_stress(const BedOf<Dual<double>>&, BedEntry);

std::vector<const LawEntry*> law_table() {
  Registry& r = registry();
  const std::shared_lock lock(r.mutex);
  return r.listed;
}

const LawCard& law_card(const Law& law) {
  if (const auto* own = std::get_if<OwnLaw>(&law)) return own->card();
  return registry().built_in[law.index()].card;
}

void detail::add_to_law_table(const OwnLaw& law) {
  Registry& r = registry();
  const std::unique_lock lock(r.mutex);
  const auto known = std::find_if(r.listed.begin(), r.listed.end(),
                                  [&](const LawEntry* e) { return e->card.name == law.name(); });
  const LawEntry* entry = &r.own.emplace_back(LawEntry{law.card(), law});
  if (known == r.listed.end())
    r.listed.push_back(entry);
  else
    *known = entry;
}

namespace {

DualLaw lifted(const OwnLaw& l) { return l; }
LeeLawOf<Dual<double>> lifted_lee(const LeeLaw& l) {
  return {l.density,
          l.eta_d,
          l.eta_h,
          {l.plunging.eta, l.plunging.lambda},
          {l.withdrawing.eta, l.withdrawing.lambda},
          l.friction,
          l.ball_square};
}
DualLaw lifted(const LeeLaw& l) { return lifted_lee(l); }
DualLaw lifted(const LeeSpreadLaw& l) { return LeeSpreadLawOf<Dual<double>>{lifted_lee(l)}; }
DualLaw lifted(const BinghamLaw& l) { return BinghamLawOf<Dual<double>>{l.yield, l.viscous, l.shear_ratio}; }
DualLaw lifted(const PonceletLaw& l) {
  return PonceletLawOf<Dual<double>>{l.yield, l.inertial, l.shear_ratio};
}
DualLaw lifted(const AllenLaw& l) {
  return AllenLawOf<Dual<double>>{l.inertial, l.viscous, l.yield, l.shear_ratio};
}
DualLaw lifted(const LohseLaw& l) { return LohseLawOf<Dual<double>>{l.stiffness, l.shear_ratio}; }
DualLaw lifted(const KatsuragiLaw& l) {
  return KatsuragiLawOf<Dual<double>>{l.stiffness, l.length, l.shear_ratio};
}

RftCoefficientsOf<Dual<double>> lifted(const RftCoefficients& a) {
  return {a.a00, a.a10, a.b11, a.b01, a.bm11, a.c11, a.c01, a.cm11, a.d10};
}
DualLaw lifted(const RftLaw& l) { return RftLawOf<Dual<double>>{l.zeta, lifted(l.alpha)}; }
DualLaw lifted(const DrftLaw& l) {
  return DrftLawOf<Dual<double>>{{l.zeta, lifted(l.alpha)}, l.lambda, l.density};
}

}  // namespace

LawOf<Dual<double>> with_rates(const Law& law) {
  return std::visit([](const auto& l) { return lifted(l); }, law);
}

bool set_rate(LawOf<Dual<double>>& law, std::size_t coefficient, double rate) {
  if (std::holds_alternative<OwnLaw>(law)) return false;
  registry().rates.at(law.index()).at(coefficient)(law, rate);
  return true;
}

const std::vector<Medium>& media() {
  static const std::vector<Medium> list = make_media();
  return list;
}

}  // namespace thud
