#include "scenario/beds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "thud/granular/law_rates.hpp"
#include "thud/granular/outline_sand.hpp"

namespace thud::doc {

Quantity quantity_of(const Coefficient& c) {
  const Dimension dimension = c.unit.empty() ? Dimension::none : dimension_of(c.unit);
  return {dimension,
          c.positive   ? Range::positive()
          : c.any_sign ? Range{}
                       : Range::non_negative(),
          dimension == Dimension::any ? c.unit : ""};
}

namespace {

// A stress that pushes what moves against it would be a motor.
void refuse_pushing(const Table& t, const Law& law) {
  const RftLaw* rft = std::get_if<RftLaw>(&law);
  if (const auto* dynamic = std::get_if<DrftLaw>(&law)) rft = dynamic;
  if (!rft) return;
  const char* const keys[] = {"A00", "A10", "B11", "B01", "Bm11", "C11", "C01", "Cm11", "D10"};
  std::string key = t.has("law") ? "law" : "medium";
  for (const char* k : keys)
    if (t.has(k)) key = k;
  if (const auto angles = find_push(*rft))
    throw t.error(key,
                  fmt::format("these coefficients push what moves: at beta = {:.0f} deg, gamma = {:.0f} "
                              "deg the stress has a part along the motion; they must resist every one",
                              (*angles)[0] * 180 / std::numbers::pi, (*angles)[1] * 180 / std::numbers::pi));
}

// medium = "..." or law = "..."; then every coefficient of the law may be given.
template <class P>
LawOf<P> read_law(const Table& t) {
  std::vector<std::string> media_names, law_names;
  for (const Medium& m : media()) media_names.emplace_back(m.name);
  const std::vector<const LawEntry*> laws = law_table();
  for (const LawEntry* e : laws) law_names.push_back(e->card.name);
  Law law = LeeLaw{};
  if (t.has("medium") && t.has("law")) throw t.error("law", "give either medium or law, not both");
  if (t.has("law")) {
    const std::string name = t.choice("law", law_names);
    law = laws[std::find(law_names.begin(), law_names.end(), name) - law_names.begin()]->prototype;
  } else {
    const std::string name = t.choice_or("medium", "play-sand", media_names);
    law = media()[std::find(media_names.begin(), media_names.end(), name) - media_names.begin()].law;
  }
  if (auto* lee = std::get_if<LeeLaw>(&law))
    lee->ball_square = t.choice_or("sphere_horizontal", "d2_z", {"d2_z", "d_z2"}) == "d_z2";
  const std::vector<Coefficient>& all = law_card(law).coefficients;
  std::vector<Reading> rates(all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    if (const auto x = t.number_or_none(all[k].key, quantity_of(all[k]))) {
      all[k].set(law, *x);
      rates[k] = *x;
    }
  refuse_pushing(t, law);
  if constexpr (std::is_same_v<P, double>) {
    return law;
  } else {
    LawOf<P> out = with_rates(law);
    for (std::size_t k = 0; k < all.size(); ++k)
      if (rates[k].rate != 0 && !set_rate(out, k, rates[k].rate))
        throw t.error(all[k].key, "a law of your own has no derivatives by its coefficients");
    return out;
  }
}

template <class E>
E read_choice(const Table& t, const char* key, E fallback,
              const std::vector<std::pair<std::string, E>>& values) {
  std::vector<std::string> names;
  std::string standard;
  for (const auto& [name, value] : values) {
    names.push_back(name);
    if (value == fallback) standard = name;
  }
  const std::string chosen = t.choice_or(key, standard, names);
  for (const auto& [name, value] : values)
    if (name == chosen) return value;
  return fallback;
}

// Beds have no sides: what feels two of them feels both at once.
template <class P>
void refuse_overlap(const Table& t, const BedDataOf<P>& bed, const std::vector<BedDataOf<P>>& others) {
  const auto feels = [](const BedDataOf<P>& b, const std::string& name) {
    return b.bodies.empty() || std::find(b.bodies.begin(), b.bodies.end(), name) != b.bodies.end();
  };
  for (const BedDataOf<P>& other : others) {
    const std::vector<std::string>& listed = bed.bodies.empty() ? other.bodies : bed.bodies;
    const bool all = listed.empty();
    const auto both = std::find_if(listed.begin(), listed.end(), [&](const std::string& name) {
      return feels(bed, name) && feels(other, name);
    });
    if (all || both != listed.end())
      throw InputError(
          t.place(), fmt::format("{} would feel bed \"{}\" and bed \"{}\" at once, where both are; say which "
                                 "bodies feel each, bodies = [...], or adds = true here",
                                 all ? std::string("every body") : fmt::format("\"{}\"", *both),
                                 other.bed.name, bed.bed.name));
  }
}

}  // namespace

template <class P>
std::vector<BedDataOf<P>> read_beds(const Table& root, const std::vector<std::string>& body_names,
                                    const OwnParts& own) {
  std::vector<BedDataOf<P>> out;
  for (const Table& t : root.tables("bed")) {
    BedDataOf<P> data;
    data.place = t.place();
    BedOf<P>& bed = data.bed;
    bed.name = t.text_or("name", out.empty() ? "bed" : fmt::format("bed{}", out.size() + 1));
    for (const BedDataOf<P>& other : out)
      if (other.bed.name == bed.name)
        throw t.error("name", fmt::format("there is a bed \"{}\" already", bed.name));
    const P z = t.number_or("surface", P(0), Dimension::length);
    const P slope = t.number_or("slope", P(0), Dimension::angle, Range{-1.5, 1.5, false, false});
    bed.plane = PlaneOf<P>::make({P(0), z}, slope);
    bed.bottom = t.number_or("depth", P(0), Dimension::length, Range::positive());
    bed.stop_at_bottom = t.choice_or("at_bottom", "stop", {"stop", "report"}) == "stop";
    bed.law = read_law<P>(t);
    for (const auto& [name, law] : own.laws)
      if (name == bed.name) {
        if constexpr (std::is_same_v<P, double>)
          bed.law = law;
        else
          bed.law = with_rates(law);
      }
    bed.area = read_choice<AreaRule>(t, "area", AreaRule::silhouette,
                                     {{"side", AreaRule::side},
                                      {"side-or-end", AreaRule::side_or_end},
                                      {"silhouette", AreaRule::silhouette},
                                      {"floor", AreaRule::floor},
                                      {"full", AreaRule::full}});
    bed.rotation = read_choice<RotationRule>(t, "rotation", RotationRule::whole,
                                             {{"none", RotationRule::none}, {"whole", RotationRule::whole}});
    data.bodies = t.texts_or("bodies");
    for (const std::string& name : data.bodies)
      if (std::find(body_names.begin(), body_names.end(), name) == body_names.end())
        throw t.error("bodies", fmt::format("there is no body \"{}\"{} (bodies: {})", name,
                                            did_you_mean(name, body_names), one_of(body_names)));
    if (!t.flag_or("adds", false)) refuse_overlap(t, data, out);
    t.finish();
    out.push_back(std::move(data));
  }
  return out;
}

template std::vector<BedDataOf<double>> read_beds(const Table&, const std::vector<std::string>&,
                                                  const OwnParts&);
THUD_WITH_DUALS(template std::vector<BedDataOf<Dual<double>>> read_beds(const Table&,
                                                                        const std::vector<std::string>&,
                                                                        const OwnParts&);)

}  // namespace thud::doc
