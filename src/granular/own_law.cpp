#include "thud/granular/own_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "thud/base/law_error.hpp"
#include "thud/granular/laws.hpp"

namespace thud {

namespace {

bool is_name(const std::string& text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

void check_key(const LawCard& card, const std::string& key) {
  const auto refuse = [&](const char* why) {
    throw std::invalid_argument(fmt::format("law \"{}\", coefficient \"{}\": {}", card.name, key, why));
  };
  if (!is_name(key)) refuse("a key is made of letters, digits, _ and -");
  for (const Coefficient& other : card.coefficients)
    if (other.key == key) refuse("it stands twice");
}

std::shared_ptr<const LawCard> make_card(std::string name, std::string about,
                                         std::vector<CoefficientText> coefficients) {
  if (!is_name(name))
    throw std::invalid_argument(
        fmt::format("\"{}\" cannot be the name of a law: letters, digits, _ and - can", name));
  auto card = std::make_shared<LawCard>();
  card->name = std::move(name);
  card->about = std::move(about);
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    CoefficientText& c = coefficients[i];
    check_key(*card, c.key);
    card->coefficients.push_back({std::move(c.key), std::move(c.unit), std::move(c.about),
                                  [i](const Law& law) { return std::get<OwnLaw>(law).coefficient(i); },
                                  [i](Law& law, double x) { std::get<OwnLaw>(law).set_coefficient(i, x); },
                                  c.positive});
  }
  return card;
}

// ---- the checks -------------------------------------------------------------------------------------------------

template <class T>
struct Answer {
  T Resistance<T>::*member;
  const char* name;
  const char* unit;
};
template <class T>
constexpr std::array<Answer<T>, 6> answers = {{{&Resistance<T>::drag, "drag", "N s/m"},
                                               {&Resistance<T>::plunge, "plunge", "N"},
                                               {&Resistance<T>::withdraw, "withdraw", "N"},
                                               {&Resistance<T>::shear, "shear", "N"},
                                               {&Resistance<T>::spin_linear, "spin_linear", "N m s"},
                                               {&Resistance<T>::spin_square, "spin_square", "N m s2"}}};

void drop_derivative(double&) {}
void drop_derivative(Dual<double>& x) {
  if (!std::isfinite(x.d)) x.d = 0;
}

// Beyond the sides of its switches, where a step looks before it is cut off at the crossing.
template <class T>
bool is_trial(const Flow<T>& flow) {
  return !(value_of(flow.immersed->depth) > 0) || value_of(flow.immersed->length) < 0
      || value_of(flow.area_speed) < 0;
}

template <class T>
void check(const OwnLaw& law, const Flow<T>& flow, Resistance<T>& out) {
  for (const Answer<T>& a : answers<T>) {
    T& x = out.*a.member;
    drop_derivative(x);  // at a corner of the law; steps find their way without
    const double value = value_of(x);
    if (value >= 0 && value <= std::numeric_limits<double>::max()) continue;
    if (!is_trial(flow))
      throw LawError(fmt::format(
          "the law \"{}\" gives {} = {} {} at a depth of {:.6g} m and a speed of {:.6g} m/s; it must be "
          "finite and "
          "not negative",
          law.name(), a.name, value, a.unit, value_of(flow.immersed->depth), value_of(flow.speed)));
    if (!std::isfinite(value)) x = T(0);
  }
}

// ---- functions on plain numbers ---------------------------------------------------------------------------------

template <class T>
std::array<T*, 14> numbers_of(Immersed<T>& im, Flow<T>& flow) {
  return {&im.arm.x,   &im.arm.z,   &im.length,        &im.depth,        &im.top,
          &im.at,      &im.side,    &im.volume,        &flow.area_speed, &flow.speed,
          &flow.cross, &flow.along, &flow.normal_rate, &flow.shear_rate};
}

// What a change of these numbers is compared with.
std::array<double, 14> sizes_of(const Flow<Dual<double>>& flow) {
  const double d = flow.part->width, v = std::max(value_of(flow.speed), 1e-3);
  return {d, d, d, d, d, d, d * d, d * d * d, d * d * v, v, v, v, v, v};
}

class FunctionLaw final : public ResistanceLaw {
 public:
  FunctionLaw(LawFunctionOf law, std::vector<double> values)
      : law_(std::move(law)),
        values_(std::move(values)) {}

  void evaluate(const Flow<double>& flow, Resistance<double>& out) const override {
    out = law_(flow, values_);
  }

  void evaluate(const Flow<Dual<double>>& dual, Resistance<Dual<double>>& out) const override {
    Immersed<Dual<double>> dual_im = *dual.immersed;
    Flow<Dual<double>> dual_flow = dual;
    Immersed<double> im;
    im.whole = dual_im.whole;
    Flow<double> flow{&im,          dual.part,     dual.inverse_width, 0, 0, dual.mass,
                      dual.gravity, dual.plunging, dual.withdrawing};
    const auto from = numbers_of(dual_im, dual_flow);
    const auto to = numbers_of(im, flow);
    const auto place = [&](double step) {
      for (std::size_t i = 0; i < from.size(); ++i) *to[i] = from[i]->v + step * from[i]->d;
      return law_(flow, values_);
    };
    // The step of least error: the cube root of the rounding of a double, in sizes of what changes fastest.
    constexpr double least = 6e-6;
    const auto sizes = sizes_of(dual);
    double fastest = 0;
    for (std::size_t i = 0; i < from.size(); ++i)
      fastest = std::max(fastest, std::abs(from[i]->d) / std::max(std::abs(from[i]->v), sizes[i]));
    const Resistance<double> here = place(0);
    const double step = fastest > 0 ? least / fastest : 0;
    const Resistance<double> before = step > 0 ? place(-step) : here, after = step > 0 ? place(step) : here;
    for (std::size_t k = 0; k < answers<double>.size(); ++k) {
      const auto member = answers<double>[k].member;
      const double rate = step > 0 ? (after.*member - before.*member) / (2 * step) : 0.0;
      out.*answers<Dual<double>>[k].member = {here.*member, rate};
    }
  }

  double coefficient(std::size_t index) const override { return values_.at(index); }

  std::shared_ptr<const ResistanceLaw> with_coefficient(std::size_t index, double value) const override {
    auto copy = std::make_shared<FunctionLaw>(*this);
    copy->values_.at(index) = value;
    return copy;
  }

 private:
  LawFunctionOf law_;
  std::vector<double> values_;
};

}  // namespace

OwnLaw::OwnLaw(std::string name, std::string about, std::vector<CoefficientText> coefficients,
               std::shared_ptr<const ResistanceLaw> law)
    : card_(make_card(std::move(name), std::move(about), std::move(coefficients))),
      law_(std::move(law)) {
  if (!law_) throw std::invalid_argument(fmt::format("the law \"{}\" is empty", card_->name));
}

const std::string& OwnLaw::name() const { return card_->name; }

void OwnLaw::set_coefficient(std::string_view key, double value) {
  std::string known;
  for (std::size_t i = 0; i < card_->coefficients.size(); ++i) {
    if (card_->coefficients[i].key == key) return set_coefficient(i, value);
    known += (known.empty() ? "" : ", ") + card_->coefficients[i].key;
  }
  throw std::invalid_argument(
      fmt::format("the law \"{}\" has no coefficient \"{}\" (it has: {})", name(), key, known));
}

void OwnLaw::evaluate(const Flow<double>& flow, Resistance<double>& out) const {
  law_->evaluate(flow, out);
  check(*this, flow, out);
}

void OwnLaw::evaluate(const Flow<Dual<double>>& flow, Resistance<Dual<double>>& out) const {
  law_->evaluate(flow, out);
  check(*this, flow, out);
}

void OwnLaw::evaluate(const Flow<Dual<double>, Dual<double>>& flow, Resistance<Dual<double>>& out) const {
  const PartOf<Dual<double>>& p = *flow.part;
  for (const Dual<double>& x :
       {p.s0, p.s1, p.n, p.width, p.breadth, p.section, flow.inverse_width, flow.mass, flow.gravity})
    if (x.d != 0)
      throw LawError(
          fmt::format("the law \"{}\" has no derivative by the size, mass or gravity it sees", name()));
  const Part part{p.kind, p.s0.v, p.s1.v, p.n.v, p.width.v, p.breadth.v, p.section.v, p.straight, p.cubic};
  evaluate(Flow<Dual<double>>{flow.immersed, &part, flow.inverse_width.v, flow.area_speed, flow.speed,
                              flow.mass.v, flow.gravity.v, flow.plunging, flow.withdrawing, flow.cross,
                              flow.along, flow.normal_rate, flow.shear_rate},
           out);
}

OwnLaw make_law(std::string name, LawFunction law, std::string about) {
  if (!law) throw std::invalid_argument(fmt::format("the law \"{}\" is empty", name));
  const auto with_none = [law = std::move(law)](const Flow<double>& flow, std::span<const double>) {
    return law(flow);
  };
  return make_law(std::move(name), with_none, {}, std::move(about));
}

OwnLaw make_law(std::string name, LawFunctionOf law, std::vector<ValueCoefficient> coefficients,
                std::string about) {
  if (!law) throw std::invalid_argument(fmt::format("the law \"{}\" is empty", name));
  std::vector<CoefficientText> texts;
  std::vector<double> values;
  for (ValueCoefficient& c : coefficients) {
    texts.push_back({std::move(c.key), std::move(c.unit), std::move(c.about), c.positive});
    values.push_back(c.value);
  }
  return {std::move(name), std::move(about), std::move(texts),
          std::make_shared<FunctionLaw>(std::move(law), std::move(values))};
}

}  // namespace thud
