#include "study/fit_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/dense.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// ---- clocks and axes that are not fitted --------------------------------------------------------------------------

namespace {

// "488 +- 30": the error to one digit, the value as far as the error lets it be known, neither with an exponent.
std::string with_error(double value, double error) {
  if (!(error > 0) || !std::isfinite(error)) return fmt::format("{:.3g}", value);
  const double digit = portable::pow(10, std::floor(portable::log10(error)));
  const int decimals = std::max(0, -static_cast<int>(std::floor(portable::log10(error))));
  return fmt::format("{:.{}f} +- {:.{}f}", value, decimals, std::round(error / digit) * digit, decimals);
}

constexpr std::size_t all_files = SIZE_MAX;

/// One thing that could be off in one file, or in all of them.
struct Suspect {
  std::size_t file;
  FitParameter::Kind kind;
  FitAxis axis;
  VectorXd slope;  // of the weighted residuals

  std::string key() const {
    if (kind == FitParameter::Kind::start) return "start";
    if (kind == FitParameter::Kind::clock) return "clock";
    return fmt::format("{}.{}", kind == FitParameter::Kind::offset ? "offset" : "scale",
                       fit_axis_names[std::size_t(axis)]);
  }
  std::string in_words(double by, double error) const {
    if (kind == FitParameter::Kind::clock)
      return fmt::format("the clock goes {} % too {} (is the frame rate right?)",
                         with_error(100 * std::abs(by), 100 * error), by > 0 ? "fast" : "slow");
    if (kind == FitParameter::Kind::scale)
      return fmt::format("its {} axis is {}{} % off in scale", fit_axis_names[std::size_t(axis)],
                         by < 0 ? "-" : "+", with_error(100 * std::abs(by), 100 * error));
    const char* unit = kind == FitParameter::Kind::start ? "s" : axis == FitAxis::angle ? "rad" : "m";
    const ShownUnit shown = suit_unit(std::abs(by), unit);
    const std::string size =
        fmt::format("{} {}", with_error(std::abs(by) * shown.factor, error * shown.factor), shown.unit);
    if (kind == FitParameter::Kind::start)
      return fmt::format("its run starts {} {} than stated", size, by > 0 ? "later" : "earlier");
    return fmt::format("its {} axis is shifted by {}{}", fit_axis_names[std::size_t(axis)], by < 0 ? "-" : "",
                       size);
  }
};

std::vector<Suspect> find_suspects(const FitPlace& place, const std::vector<FitData>& data) {
  using Kind = FitParameter::Kind;
  std::vector<Suspect> out;
  VectorXd starts;
  if (!place.model.differentiate_starts(place.parameters, starts)) return out;
  // By one unit of what is suspected: of a clock, the later the more.
  const auto slope_at = [&](Kind kind, Index i) {
    const FitModel::Source& at = place.model.sources()[std::size_t(i)];
    if (kind == Kind::start) return starts[i];
    if (kind == Kind::clock) return starts[i] * data[at.file].measurement.time[at.row];
    return kind == Kind::offset ? 1 : place.values[i];
  };
  const auto add = [&](std::size_t file, Kind kind, FitAxis axis) {
    for (const FitParameter& p : place.model.parameters())
      if (p.kind == kind && p.axis == axis && (file == all_files || p.concerns(file)))
        return;  // it is fitted
    Suspect s{file, kind, axis, VectorXd::Zero(place.values.size())};
    const bool has_axis = kind == Kind::offset || kind == Kind::scale;
    bool is_seen = false;
    for (Index i = 0; i < s.slope.size(); ++i) {
      const FitModel::Source& at = place.model.sources()[std::size_t(i)];
      if ((file != all_files && at.file != file) || !place.weights.used[std::size_t(i)]) continue;
      if (has_axis && axis_of(place.model.column(at).what) != axis) continue;
      s.slope[i] = slope_at(kind, i) / place.weights.deviation[i];
      is_seen = true;
    }
    if (is_seen) out.push_back(std::move(s));
  };
  if (data.size() > 1) add(all_files, Kind::clock, FitAxis::none);  // one camera saw them all
  for (std::size_t f = 0; f < data.size(); ++f) {
    add(f, Kind::start, FitAxis::none);
    add(f, Kind::clock, FitAxis::none);
    for (FitAxis axis : {FitAxis::x, FitAxis::z, FitAxis::angle}) {
      add(f, Kind::offset, axis);
      add(f, Kind::scale, axis);
    }
  }
  return out;
}

/// What one more parameter would do to the fit, to first order.
struct Doubt {
  double by = 0, error = HUGE_VAL;  // the parameter itself
  VectorXd change;                  // of the knobs
  double significance() const { return std::abs(by) / error; }
};

class DoubtMaker {
 public:
  DoubtMaker(const FitPlace& place, const FitResult& result)
      : residuals_(place.weights.residuals(place.values, place.model.measured())),
        degrees_(static_cast<double>(std::max(result.degrees - 1, 1L))) {
    jacobian_.setZero(place.slopes.rows(), place.slopes.cols());
    for (Index i = 0; i < jacobian_.rows(); ++i)
      if (place.weights.used[std::size_t(i)])
        jacobian_.row(i) = place.slopes.row(i) / place.weights.deviation[i];
    for (Index k = 0; k < jacobian_.cols(); ++k)
      if (result.estimates[std::size_t(k)].status != FitEstimate::Status::determined)
        jacobian_.col(k).setZero();
    length_ = jacobian_.colwise().norm().transpose();
    for (Index k = 0; k < jacobian_.cols(); ++k)
      if (length_[k] > 0) jacobian_.col(k) /= length_[k];
  }

  // How the knobs go astray for one unit of what is suspected.
  VectorXd astray(const Suspect& s) const {
    VectorXd out = least_squares(jacobian_, s.slope, 1e-4);
    for (Index k = 0; k < out.size(); ++k) out[k] = length_[k] > 0 ? out[k] / length_[k] : 0;
    return out;
  }

  Doubt make(const Suspect& s) const {
    Doubt out;
    const VectorXd follow = least_squares(jacobian_, s.slope, 1e-4);  // what the knobs make of it
    const VectorXd rest = s.slope - jacobian_ * follow;
    const double length = rest.squaredNorm();
    if (length < 1e-8 * s.slope.squaredNorm()) return out;  // the knobs hide it altogether
    out.by = -rest.dot(residuals_) / length;
    const double s2 = (residuals_.squaredNorm() - out.by * out.by * length) / degrees_;
    out.error = std::sqrt(std::max(s2, 0.0) / length);
    out.change = -out.by * astray(s);
    return out;
  }

 private:
  MatrixXd jacobian_;
  VectorXd residuals_, length_;
  double degrees_;
};

/// The knob of all files that a change moves furthest, in its standard errors.
struct Moved {
  const FitEstimate* knob = nullptr;
  double change = 0, in_errors = 0;
};

Moved find_moved(const VectorXd& change, const FitResult& result) {
  Moved out;
  for (std::size_t k = 0; k < result.estimates.size(); ++k) {
    const FitEstimate& e = result.estimates[k];
    if (!e.file.empty() || !e.error || !(*e.error > 0)) continue;
    const double in_errors = std::abs(change[Index(k)]) / *e.error;
    if (in_errors > out.in_errors) out = {&e, change[Index(k)], in_errors};
  }
  return out;
}

// Where speeds are fitted, they follow a wrong frame rate, and no residual tells of it.
void note_clock(const Suspect& s, const DoubtMaker& maker, FitResult& result) {
  constexpr double off = 0.01;
  if (maker.make(s).error < off / 10) return;  // the data would tell
  const Moved moved = find_moved(off * maker.astray(s), result);
  if (moved.in_errors > 1)
    result.notes.push_back(
        fmt::format("a frame rate 1 % off would move {} by {:.2g} %, {:.2g} standard errors, and the "
                    "residuals would hardly tell; "
                    "[fit.nuisance] clock = {{ within = ... }} allows for it",
                    moved.knob->name(), std::abs(100 * moved.change / moved.knob->value), moved.in_errors));
}

}  // namespace

// What moves a knob of all files by more than its standard error is a failure.
void check_views(const FitPlace& place, const std::vector<FitData>& data, FitResult& result) {
  constexpr double sure = 5;  // standard errors: chance in a million fits
  const DoubtMaker maker(place, result);
  struct Found {
    Suspect suspect;
    Doubt doubt;
  };
  std::optional<Found> worst;
  int others = 0;
  for (Suspect& s : find_suspects(place, data)) {
    if (s.file == all_files || data.size() == 1)
      if (s.kind == FitParameter::Kind::clock) note_clock(s, maker, result);
    Doubt d = maker.make(s);
    constexpr double likely_clock = 0.25;  // no camera is further off: something else is
    if (s.kind == FitParameter::Kind::clock && std::abs(d.by) > likely_clock) continue;
    if (!(d.significance() > sure)) continue;
    others += worst ? 1 : 0;
    if (!worst || d.significance() > worst->doubt.significance()) worst = Found{std::move(s), std::move(d)};
  }
  if (!worst) return;
  const auto [moved, change, most] = find_moved(worst->doubt.change, result);
  const std::size_t file = worst->suspect.file;
  std::string text =
      fmt::format("{}: the residuals say that {}", file == all_files ? "all files" : data[file].name,
                  worst->suspect.in_words(worst->doubt.by, worst->doubt.error));
  if (moved)
    text += fmt::format(
        "; that alone would move {} by {:+.3g}, {:.2g} standard errors", moved->name(),
        in_unit(moved->value + change, moved->knob.unit) - in_unit(moved->value, moved->knob.unit), most);
  text += fmt::format(". [fit.nuisance] {} = \"free\" fits it", worst->suspect.key());
  if (others > 0)
    text +=
        fmt::format(" ({} other sign{} of the kind may have the same cause)", others, others == 1 ? "" : "s");
  (most > 1 ? result.failures : result.warnings).push_back(text);
}

// ---- signs -----------------------------------------------------------------------------------------------------

namespace {

// Of one column: how the measured values go with those of the model, offsets aside; 0 to ±1.
struct Agreement {
  double product = 0, measured = 0, model = 0;
  double correlation() const { return measured > 0 && model > 0 ? product / std::sqrt(measured * model) : 0; }
};

Agreement agreement(const FitModel& model, const VectorXd& values, const std::vector<char>& used,
                    std::size_t file, std::size_t column) {
  double n = 0, mean_y = 0, mean_f = 0;
  const auto each = [&](const auto& action) {
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i] && model.sources()[i].file == file && model.sources()[i].column == column)
        action(model.measured()[Index(i)], values[Index(i)]);
  };
  each([&](double y, double f) { ++n, mean_y += y, mean_f += f; });
  if (n < 3) return {};
  mean_y /= n, mean_f /= n;
  Agreement out;
  each([&](double y, double f) {
    out.product += (y - mean_y) * (f - mean_f);
    out.measured += std::pow(y - mean_y, 2);
    out.model += std::pow(f - mean_f, 2);
  });
  return out;
}

std::size_t column_count(const FitModel& model, std::size_t file) {
  std::size_t n = 0;
  for (const FitModel::Source& s : model.sources())
    if (s.file == file) n = std::max(n, s.column + 1);
  return n;
}

}  // namespace

double find_sign(const FitModel& model, const VectorXd& values, const std::vector<char>& used,
                 std::size_t file, FitAxis axis) {
  Agreement all;
  for (std::size_t i = 0, seen = SIZE_MAX; i < used.size(); ++i) {
    const FitModel::Source& s = model.sources()[i];
    if (s.file != file || s.column == seen || axis_of(model.column(s).what) != axis) continue;
    seen = s.column;
    const Agreement a = agreement(model, values, used, file, s.column);
    all.product += a.product, all.measured += a.measured, all.model += a.model;
  }
  const double c = all.correlation();
  return std::abs(c) < 0.5 ? 0 : c > 0 ? 1 : -1;
}

bool check_signs(const FitPlace& place, const std::vector<FitData>& data, FitResult& result) {
  const FitModel& model = place.model;
  std::vector<std::string> against;
  FitAxis axis = FitAxis::none;
  for (std::size_t f = 0; f < data.size(); ++f)
    for (std::size_t c = 0; c < column_count(model, f); ++c) {
      const NamedObservable& what = data[f].measurement.columns[c].what;
      if (axis_of(what) == FitAxis::none
          || agreement(model, place.values, place.weights.used, f, c).correlation() > -0.8)
        continue;
      against.push_back(fmt::format("{} of {}", what.name, data[f].name));
      axis = axis_of(what);
    }
  if (against.empty()) return false;
  const std::size_t more = against.size() - 1;
  result.failures.push_back(fmt::format(
      "{}{} runs against the model: is its {} axis turned round? thud counts z downwards; [fit.capture] "
      "axes, "
      "or [fit.nuisance] sign = \"find\", turns it",
      against.front(), more > 0 ? fmt::format(" (and {} other column{})", more, more == 1 ? "" : "s") : "",
      fit_axis_names[std::size_t(axis)]));
  return true;
}

}  // namespace thud
