#include "thud/granular/laws.hpp"

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

std::vector<LawEntry> make_table() {
  std::vector<LawEntry> table;
  table.push_back(
      {"lee2009",
       "quadratic drag + Albert horizontal + Hill vertical static resistance",
       LeeLaw{},
       {coefficient<LeeLaw, &LeeLaw::density>("density", "kg/m3", "bulk density of the medium", true),
        coefficient<LeeLaw, &LeeLaw::eta_d>("eta_d", "", "drag coefficient"),
        coefficient<LeeLaw, &LeeLaw::eta_h>("eta_h", "", "horizontal static resistance"),
        hill<&LeeLaw::plunging, &HillCoefficients::eta>("eta_v", "vertical static resistance, plunging"),
        hill<&LeeLaw::plunging, &HillCoefficients::lambda>("lambda", "exponent of depth, plunging"),
        hill<&LeeLaw::withdrawing, &HillCoefficients::eta>("eta_v_up",
                                                           "vertical static resistance, withdrawing"),
        hill<&LeeLaw::withdrawing, &HillCoefficients::lambda>("lambda_up", "exponent of depth, withdrawing"),
        coefficient<LeeLaw, &LeeLaw::friction>("friction", "",
                                               "skin friction: shear resistance per plunging resistance")}});
  table.push_back({"bingham",
                   "F0 + b v",
                   BinghamLaw{},
                   {coefficient<BinghamLaw, &BinghamLaw::yield>("F0", "N", "constant resistance"),
                    coefficient<BinghamLaw, &BinghamLaw::viscous>("b", "N s/m", "linear drag"),
                    coefficient<BinghamLaw, &BinghamLaw::shear_ratio>("shear_ratio", "", shear_about)}});
  table.push_back({"poncelet",
                   "F0 + c v^2",
                   PonceletLaw{},
                   {coefficient<PonceletLaw, &PonceletLaw::yield>("F0", "N", "constant resistance"),
                    coefficient<PonceletLaw, &PonceletLaw::inertial>("c", "N s2/m2", "quadratic drag"),
                    coefficient<PonceletLaw, &PonceletLaw::shear_ratio>("shear_ratio", "", shear_about)}});
  table.push_back({"allen",
                   "A v^2 + B v + C (Allen, Mayfield & Morrison)",
                   AllenLaw{},
                   {coefficient<AllenLaw, &AllenLaw::inertial>("A", "N s2/m2", "quadratic drag"),
                    coefficient<AllenLaw, &AllenLaw::viscous>("B", "N s/m", "linear drag"),
                    coefficient<AllenLaw, &AllenLaw::yield>("C", "N", "constant resistance"),
                    coefficient<AllenLaw, &AllenLaw::shear_ratio>("shear_ratio", "", shear_about)}});
  table.push_back({"lohse",
                   "k z",
                   LohseLaw{},
                   {coefficient<LohseLaw, &LohseLaw::stiffness>("k", "N/m", "static resistance per depth"),
                    coefficient<LohseLaw, &LohseLaw::shear_ratio>("shear_ratio", "", shear_about)}});
  table.push_back(
      {"katsuragi",
       "k z + m v^2/d1 (Katsuragi & Durian)",
       KatsuragiLaw{},
       {coefficient<KatsuragiLaw, &KatsuragiLaw::stiffness>("k", "N/m", "static resistance per depth"),
        coefficient<KatsuragiLaw, &KatsuragiLaw::length>("d1", "m", "length of the inertial drag", true),
        coefficient<KatsuragiLaw, &KatsuragiLaw::shear_ratio>("shear_ratio", "", shear_about)}});
  return table;
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

const std::vector<LawEntry>& law_table() {
  static const std::vector<LawEntry> table = make_table();
  return table;
}

const LawEntry& law_entry(const Law& law) { return law_table()[law.index()]; }

const std::vector<Medium>& media() {
  static const std::vector<Medium> list = make_media();
  return list;
}

}  // namespace thud
