#include "thud/granular/laws.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <shared_mutex>

namespace thud {

namespace {

// A coefficient that is a data member of the law.
template <class L, auto Member>
Coefficient coefficient(const char* key, const char* unit, const char* about, bool positive = false) {
  return {key,
          unit,
          about,
          [](const Law& law) { return std::get<L>(law).*Member; },
          [](Law& law, double x) { std::get<L>(law).*Member = x; },
          positive};
}

// η_v or λ of one direction of motion.
template <auto Direction, auto Member>
Coefficient hill(const char* key, const char* about) {
  return {key,
          "",
          about,
          [](const Law& law) { return (std::get<LeeLaw>(law).*Direction).*Member; },
          [](Law& law, double x) { (std::get<LeeLaw>(law).*Direction).*Member = x; },
          false};
}

constexpr const char* shear_about =
    "static resistance along the surface, as a multiple of that along the normal";

std::deque<LawEntry> make_table() {
  std::deque<LawEntry> table;
  const auto add = [&](const char* name, const char* about, Law law, std::vector<Coefficient> coefficients) {
    table.push_back({{name, about, std::move(coefficients)}, std::move(law)});
  };
  add("lee2009", "quadratic drag + Albert horizontal + Hill vertical static resistance", LeeLaw{},
      {coefficient<LeeLaw, &LeeLaw::density>("density", "kg/m3", "bulk density of the medium", true),
       coefficient<LeeLaw, &LeeLaw::eta_d>("eta_d", "", "drag coefficient"),
       coefficient<LeeLaw, &LeeLaw::eta_h>("eta_h", "", "horizontal static resistance"),
       hill<&LeeLaw::plunging, &HillCoefficients::eta>("eta_v", "vertical static resistance, plunging"),
       hill<&LeeLaw::plunging, &HillCoefficients::lambda>("lambda", "exponent of depth, plunging"),
       hill<&LeeLaw::withdrawing, &HillCoefficients::eta>("eta_v_up",
                                                          "vertical static resistance, withdrawing"),
       hill<&LeeLaw::withdrawing, &HillCoefficients::lambda>("lambda_up", "exponent of depth, withdrawing"),
       coefficient<LeeLaw, &LeeLaw::friction>("friction", "",
                                              "skin friction: shear resistance per plunging resistance")});
  add("bingham", "F0 + b v", BinghamLaw{},
      {coefficient<BinghamLaw, &BinghamLaw::yield>("F0", "N", "constant resistance"),
       coefficient<BinghamLaw, &BinghamLaw::viscous>("b", "N s/m", "linear drag"),
       coefficient<BinghamLaw, &BinghamLaw::shear_ratio>("shear_ratio", "", shear_about)});
  add("poncelet", "F0 + c v^2", PonceletLaw{},
      {coefficient<PonceletLaw, &PonceletLaw::yield>("F0", "N", "constant resistance"),
       coefficient<PonceletLaw, &PonceletLaw::inertial>("c", "N s2/m2", "quadratic drag"),
       coefficient<PonceletLaw, &PonceletLaw::shear_ratio>("shear_ratio", "", shear_about)});
  add("allen", "A v^2 + B v + C (Allen, Mayfield & Morrison)", AllenLaw{},
      {coefficient<AllenLaw, &AllenLaw::inertial>("A", "N s2/m2", "quadratic drag"),
       coefficient<AllenLaw, &AllenLaw::viscous>("B", "N s/m", "linear drag"),
       coefficient<AllenLaw, &AllenLaw::yield>("C", "N", "constant resistance"),
       coefficient<AllenLaw, &AllenLaw::shear_ratio>("shear_ratio", "", shear_about)});
  add("lohse", "k z", LohseLaw{},
      {coefficient<LohseLaw, &LohseLaw::stiffness>("k", "N/m", "static resistance per depth"),
       coefficient<LohseLaw, &LohseLaw::shear_ratio>("shear_ratio", "", shear_about)});
  add("katsuragi", "k z + m v^2/d1 (Katsuragi & Durian)", KatsuragiLaw{},
      {coefficient<KatsuragiLaw, &KatsuragiLaw::stiffness>("k", "N/m", "static resistance per depth"),
       coefficient<KatsuragiLaw, &KatsuragiLaw::length>("d1", "m", "length of the inertial drag", true),
       coefficient<KatsuragiLaw, &KatsuragiLaw::shear_ratio>("shear_ratio", "", shear_about)});
  return table;
}

// The laws by name. Entries are never removed: one that is replaced is only not listed any more.
struct Registry {
  const std::deque<LawEntry> built_in = make_table();
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
  return {{"play-sand", "the sand of Lee 2009: eta_v 22 plunging, 0.5 withdrawing, lambda 1.1", play_sand},
          {"hill-sand",
           "play sand with Hill et al.'s vertical resistance: 10, 1.4 plunging; 0.5, 1.7 withdrawing", hill}};
}

}  // namespace

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

const std::vector<Medium>& media() {
  static const std::vector<Medium> list = make_media();
  return list;
}

}  // namespace thud
