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

// A law with the rates of its coefficients, and where it was calibrated.
struct ReadLaw {
  Law law;
  std::vector<double> rates;
  CalibratedRange range;
};

// medium = "..." or law = "..."; then every coefficient of the law may be given. A layer starts from what is above it.
ReadLaw read_law(const Table& t, const ReadLaw* above = nullptr) {
  std::vector<std::string> media_names, law_names;
  for (const Medium& m : media()) media_names.emplace_back(m.name);
  const std::vector<const LawEntry*> laws = law_table();
  for (const LawEntry* e : laws) law_names.push_back(e->card.name);
  ReadLaw out;
  Law& law = out.law;
  if (t.has("medium") && t.has("law")) throw t.error("law", "give either medium or law, not both");
  if (t.has("law")) {
    const std::string name = t.choice("law", law_names);
    const LawEntry& entry = *laws[std::find(law_names.begin(), law_names.end(), name) - law_names.begin()];
    law = entry.prototype;
    out.range = entry.card.range;
  } else if (above && !t.has("medium")) {
    out = *above;
  } else {
    const std::string name = t.choice_or("medium", "play-sand", media_names);
    const Medium& medium =
        media()[std::find(media_names.begin(), media_names.end(), name) - media_names.begin()];
    law = medium.law;
    out.range = medium.range;
  }
  if (auto* lee = std::get_if<LeeLaw>(&law); lee && !above)
    lee->ball_square = t.choice_or("sphere_horizontal", "d2_z", {"d2_z", "d_z2"}) == "d_z2";
  const std::vector<Coefficient>& all = law_card(law).coefficients;
  out.rates.resize(all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    if (const auto x = t.number_or_none(all[k].key, quantity_of(all[k]))) {
      all[k].set(law, *x);
      out.rates[k] = x->rate;
    }
  refuse_pushing(t, law);
  return out;
}

template <class P>
LawOf<P> lifted(const Table& t, const ReadLaw& read) {
  if constexpr (std::is_same_v<P, double>) {
    return read.law;
  } else {
    LawOf<P> out = with_rates(read.law);
    for (std::size_t k = 0; k < read.rates.size(); ++k)
      if (read.rates[k] != 0 && !set_rate(out, k, read.rates[k]))
        throw t.error(law_card(read.law).coefficients[k].key,
                      "a law of your own has no derivatives by its coefficients");
    return out;
  }
}

// Whether a law acts along an axis; as a stress; or at one point.
int family_of(const Law& law) {
  return std::holds_alternative<LeeSpreadLaw>(law) ? 2 : is_spread<double>(law) ? 1 : 0;
}

template <class P>
void read_layers(const Table& t, ReadLaw above, BedOf<P>& bed) {
  for (const Table& layer : t.tables("layer")) {
    const int family = family_of(above.law);
    if (family == 0)
      throw InputError(
          layer.place(),
          fmt::format("the law \"{}\" of \"{}\" acts at one point of a body, which is in one layer; "
                      "layers are felt by laws that act along the body: rft, drft, lee-spread",
                      law_card(above.law).name, bed.name));
    LayerOf<P> next;
    next.depth = layer.number("depth", Dimension::length, Range::positive());
    const P last = bed.layers.empty() ? P(0) : bed.layers.back().depth;
    if (!bed.layers.empty() && !(value_of(next.depth) > value_of(last)))
      throw layer.error("depth", fmt::format("layers are listed downwards; the one before begins at {} m",
                                             show(value_of(last))));
    if (value_of(bed.bottom) > 0 && !(value_of(next.depth) < value_of(bed.bottom)))
      throw layer.error("depth", fmt::format("the bed ends at its depth of {} m, above this layer",
                                             show(value_of(bed.bottom))));
    above = read_law(layer, &above);
    if (family_of(above.law) != family)
      throw layer.error(
          layer.has("law") ? "law" : "medium",
          fmt::format("all layers of a bed are of one kind: {}",
                      family == 2 ? "lee-spread throughout" : "rft or drft, or media of these"));
    next.law = lifted<P>(layer, above);
    layer.finish();
    bed.layers.push_back(std::move(next));
  }
}

template <class P>
void read_bottom(const Table& t, BedOf<P>& bed) {
  const std::string at_bottom = t.choice_or("at_bottom", "stop", {"stop", "report", "wall"});
  bed.stop_at_bottom = at_bottom == "stop";
  bed.has_box = at_bottom == "wall";
  for (const char* key : {"at_bottom", "bottom_rise", "bottom_range"})
    if (t.has(key) && !t.has("depth")) throw t.error(key, "this bed has no bottom: give its depth");
  bed.rise = t.number_or("bottom_rise", P(0), Dimension::none, Range::non_negative());
  if (t.has("bottom_range") && !t.has("bottom_rise"))
    throw t.error("bottom_range", "nothing rises near the bottom: give bottom_rise");
  bed.rise_range = t.number_or("bottom_range", P(0.5 * bed.bottom), Dimension::length, Range::positive());
  if (value_of(bed.rise_range) > value_of(bed.bottom))
    throw t.error("bottom_range", fmt::format("the bed is {} m deep", show(value_of(bed.bottom))));
}

void check_sides(const Table& t) {
  if (const auto sides = t.pair("walls", Dimension::length))
    if (!(value_of((*sides)[0]) < value_of((*sides)[1])))
      throw t.error("walls", "the left side comes first: [x_left, x_right]");
  if (t.has("contact") && !t.has("walls") && t.text_or("at_bottom", "stop") != "wall")
    throw t.error("contact", "nothing of this bed can be struck: give walls, or at_bottom = \"wall\"");
  t.allow("contact");  // read with the walls
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
                                 "bodies feel each, bodies = [...], or adds = true here; media one above the "
                                 "other are layers of one bed",
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
    read_bottom(t, bed);
    check_sides(t);
    const ReadLaw first = read_law(t);
    bed.law = lifted<P>(t, first);
    bed.range = first.range;
    read_layers(t, first, bed);
    for (const auto& [name, law] : own.laws)
      if (name == bed.name) {
        if (!bed.layers.empty())
          throw InputError(t.place(), "a law of your own acts at one point of a body; this bed has layers");
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
