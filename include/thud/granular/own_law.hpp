#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "thud/granular/resistance.hpp"
#include "thud/math/dual.hpp"

namespace thud {

struct LawCard;

/// A resistance law of the user's own, as the engine sees it: evaluated on plain numbers, and on dual numbers where
/// derivatives are wanted (method radau5, natural modes). `make_law` writes it from a struct or a function.
/// Sweeps call it from several threads at once.
class ResistanceLaw {
 public:
  virtual ~ResistanceLaw() = default;
  virtual void evaluate(const Flow<double>& flow, Resistance<double>& out) const = 0;
  virtual void evaluate(const Flow<Dual<double>>& flow, Resistance<Dual<double>>& out) const = 0;
  /// A coefficient, in the order in which they were given with the law.
  virtual double coefficient(std::size_t index) const = 0;
  /// The same law with another value of a coefficient.
  virtual std::shared_ptr<const ResistanceLaw> with_coefficient(std::size_t index, double value) const = 0;
};

/// What scenario files and reports know of a coefficient of an own law.
struct CoefficientText {
  std::string key;
  std::string unit;  ///< SI; "" for a plain number
  std::string about;
  bool positive = false;  ///< must be > 0, not only ≥ 0
};

/// A law of the user's own in a bed: `bed.law = make_law(…)`.
///
/// What it gives is checked: a number that is not finite, or a negative one, ends the run with a message (LawError).
/// Trial states of a step may stick out of the sand a little (a depth below zero). There is nothing to check there;
/// what is not finite counts as zero.
class OwnLaw {
 public:
  /// `about`: the formula in words, for lists and reports. Throws std::invalid_argument for a name or a key that is
  /// not made of letters, digits, _ and -, for a key that stands twice, and for a law that is not there.
  OwnLaw(std::string name, std::string about, std::vector<CoefficientText> coefficients,
         std::shared_ptr<const ResistanceLaw> law);

  const std::string& name() const;
  const LawCard& card() const { return *card_; }
  const ResistanceLaw& law() const { return *law_; }
  double coefficient(std::size_t index) const { return law_->coefficient(index); }
  void set_coefficient(std::size_t index, double value) { law_ = law_->with_coefficient(index, value); }
  /// By key. Throws std::invalid_argument when there is none.
  void set_coefficient(std::string_view key, double value);

  static constexpr bool needs_speed = true;

  void evaluate(const Flow<double>& flow, Resistance<double>& out) const;
  void evaluate(const Flow<Dual<double>>& flow, Resistance<Dual<double>>& out) const;
  /// Where a knob turns what it sees of part and body there is no derivative of it: throws LawError.
  void evaluate(const Flow<Dual<double>, Dual<double>>& flow, Resistance<Dual<double>>& out) const;
  /// For scalars that it does not know: nothing comes of it, and the scalar is told.
  template <class T>
  void evaluate(const Flow<T>& flow, Resistance<T>&) const {
    (void)value_of(flow.speed);
  }

 private:
  std::shared_ptr<const LawCard> card_;
  std::shared_ptr<const ResistanceLaw> law_;
};

/// A data member of a law that is one of its coefficients.
template <class L>
struct MemberCoefficient {
  std::string key;
  double L::*member;
  std::string unit;  ///< SI; "" for a plain number
  std::string about;
  bool positive = false;
};

/// A coefficient of a law that is a function, with the value it starts from.
struct ValueCoefficient {
  std::string key;
  double value = 0;
  std::string unit;  ///< SI; "" for a plain number
  std::string about;
  bool positive = false;
};

/// A law as a plain function; with coefficients, it gets them in the order in which they were given.
using LawFunction = std::function<Resistance<double>(const Flow<double>&)>;
using LawFunctionOf = std::function<Resistance<double>(const Flow<double>&, std::span<const double>)>;

/// A struct with `template <class T> void evaluate(const Flow<T>&, Resistance<T>&) const`, like the laws of thud.
template <class L>
concept LawStruct = requires(const L& law, const Flow<double>& flow, Resistance<double>& out,
                             const Flow<Dual<double>>& dual_flow, Resistance<Dual<double>>& dual_out) {
  law.evaluate(flow, out);
  law.evaluate(dual_flow, dual_out);
};

namespace detail {

template <LawStruct L>
class StructLaw final : public ResistanceLaw {
 public:
  StructLaw(L law, std::vector<double L::*> members) : law_(std::move(law)), members_(std::move(members)) {}

  void evaluate(const Flow<double>& flow, Resistance<double>& out) const override {
    law_.evaluate(flow, out);
  }
  void evaluate(const Flow<Dual<double>>& flow, Resistance<Dual<double>>& out) const override {
    law_.evaluate(flow, out);
  }
  double coefficient(std::size_t index) const override { return law_.*members_.at(index); }
  std::shared_ptr<const ResistanceLaw> with_coefficient(std::size_t index, double value) const override {
    auto copy = std::make_shared<StructLaw>(*this);
    copy->law_.*members_.at(index) = value;
    return copy;
  }

 private:
  L law_;
  std::vector<double L::*> members_;
};

}  // namespace detail

/// All that a law is made of.
struct LawParts {
  std::string name, about;
  std::vector<CoefficientText> coefficients;
  std::shared_ptr<const ResistanceLaw> law;
};

/// The parts of a law from a struct, as for make_law(), and without anything that is compiled into the library.
template <LawStruct L>
LawParts make_law_parts(std::string name, L law, std::vector<MemberCoefficient<L>> coefficients = {},
                        std::string about = "own law") {
  LawParts parts{std::move(name), std::move(about), {}, nullptr};
  std::vector<double L::*> members;
  for (MemberCoefficient<L>& c : coefficients) {
    parts.coefficients.push_back({std::move(c.key), std::move(c.unit), std::move(c.about), c.positive});
    members.push_back(c.member);
  }
  parts.law = std::make_shared<detail::StructLaw<L>>(std::move(law), std::move(members));
  return parts;
}

/// A law from a struct like those of thud, with the data members that are its coefficients:
///
///   struct Porous {
///     double k = 400, c = 2;
///     template <class T>
///     void evaluate(const Flow<T>& flow, Resistance<T>& out) const {
///       out.drag = c * flow.speed;
///       out.plunge = out.withdraw = out.shear = k * flow.immersed->depth;
///     }
///   };
///   bed.law = make_law("porous", Porous{}, {{"k", &Porous::k, "N/m", "resistance per depth"}});
template <LawStruct L>
OwnLaw make_law(std::string name, L law, std::vector<MemberCoefficient<L>> coefficients = {},
                std::string about = "own law") {
  LawParts parts = make_law_parts(std::move(name), std::move(law), std::move(coefficients), std::move(about));
  return {std::move(parts.name), std::move(parts.about), std::move(parts.coefficients), std::move(parts.law)};
}

/// A law from a function on plain numbers. Where derivatives are wanted they are taken by central differences: good to
/// some nine digits, which is enough for the steps of radau5, at three calls in the place of one.
OwnLaw make_law(std::string name, LawFunction law, std::string about = "own law");

/// The same with coefficients that scenario files can set.
OwnLaw make_law(std::string name, LawFunctionOf law, std::vector<ValueCoefficient> coefficients,
                std::string about = "own law");

}  // namespace thud
