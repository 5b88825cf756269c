#include "lanes/team.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thud::lanes {

void Team::add(Solver& solver, int tag) {
  std::unique_ptr<Rider> rider;
  if (spare_.empty()) {
    rider = std::make_unique<Rider>();
  } else {
    rider = std::move(spare_.back());
    spare_.pop_back();
  }
  rider->mount(solver, tag);
  riders_.push_back(std::move(rider));
}

void Team::forget(const System& system) {
  tracer_.forget();
  std::erase_if(known_, [&](const auto& k) { return k->system == &system; });
}

const Fitting* Team::fitting_of(Rider& rider) {
  for (const auto& k : known_)
    if (k->system == &rider.system() && k->mode == rider.mode())
      return rider.is_misfit() ? record(rider, *k) : k->fittings.front().get();
  known_.push_back(std::make_unique<Known>(Known{&rider.system(), rider.mode(), {}}));
  return record(rider, *known_.back());
}

// Records the mode a moment after the state at hand, where what begins at zero has left it.
const Fitting* Team::record(Rider& rider, Known& known) {
  std::vector<double> ahead(rider.state(), rider.state() + rider.system().state_size());
  for (std::size_t i = 0; i < ahead.size(); ++i) ahead[i] += 1e-6 * rider.time_scale() * rider.slope()[i];
  Recording r = tracer_.record(rider.system(), rider.mode(), rider.time(), ahead.data(), rider.scales(),
                               rider.conditions());
  Fitting made;
  if (r.is_usable) made = shapes_.fit(std::move(r));
  for (std::size_t k = 0; k < known.fittings.size(); ++k)
    if (known.fittings[k]->shape == made.shape) {
      std::swap(known.fittings[0], known.fittings[k]);
      return known.fittings[0].get();
    }
  known.fittings.insert(known.fittings.begin(), std::make_unique<Fitting>(std::move(made)));
  return known.fittings.front().get();
}

// To the next step that it makes in lanes; false when it is done.
bool Team::make_ready(Rider& rider) {
  while (!rider.is_done()) {
    if (rider.may_ride() && rider.is_unfitted()) rider.fit(fitting_of(rider));
    if (rider.rides()) {
      if (rider.propose()) return true;
      continue;
    }
    rider.go_alone();
    ++counts_.own_steps;
  }
  return false;
}

void Team::go_on(const std::function<void(int)>& done) {
  bool any = false;
  while (!any && !riders_.empty()) {
    // Everybody to the next step.
    for (std::size_t i = 0; i < riders_.size();) {
      Rider& r = *riders_[i];
      if (r.is_misfit()) r.fit_again(fitting_of(r));
      if (r.is_waiting() || r.is_locating() || make_ready(r)) {
        if (!r.is_locating()) r.wait();
        ++i;
        continue;
      }
      any = true;
      done(r.tag());
      spare_.push_back(std::move(riders_[i]));
      riders_[i] = std::move(riders_.back());
      riders_.pop_back();
    }
    if (any) return;
    // The largest group goes first; others wait until they are more.
    Shape* best = nullptr;
    bool locates = false;
    std::ptrdiff_t most = 0;
    const auto is_of = [](const Rider& r, const Shape* shape, bool locating) {
      return r.fitting().shape == shape && r.is_locating() == locating;
    };
    for (const auto& r : riders_) {
      if (most >= width) break;
      if (best && is_of(*r, best, locates)) continue;
      const auto count = std::count_if(riders_.begin(), riders_.end(), [&](const auto& other) {
        return is_of(*other, r->fitting().shape, r->is_locating());
      });
      if (count > most) best = r->fitting().shape, locates = r->is_locating(), most = count;
    }
    ready_.clear();
    for (const auto& r : riders_)
      if (is_of(*r, best, locates) && ready_.size() < width) ready_.push_back(r.get());
    if (locates)
      locate_together(*best, ready_);
    else
      step_together(*best, ready_);
  }
}

// ---- one step of up to `width` runs -------------------------------------------------------------------------------------

// States, slopes and constants of the members into the rows; lanes without a member follow the last.
void Team::load(Shape& shape, const std::vector<Rider*>& members) {
  const Program& p = shape.program;
  const int count = static_cast<int>(members.size());
  b_.make_room(p, 2 * members[0]->system().dof_count());
  probed_.resize(width);
  double* rows = shape.rows.data();
  for (int l = 0; l < width; ++l) {
    Rider& r = *members[std::min(l, count - 1)];
    b_.t[l] = r.time();
    b_.h[l] = r.proposed();
    const double *y = r.state(), *slope = r.slope();
    for (int i = 0; i < b_.total; ++i) {
      b_.y[i * width + l] = rows[i * width + l] = y[i];
      b_.k[i * width + l] = slope[i];
    }
    const std::vector<double>& constants = r.fitting().constants;
    for (int c = 0; c < p.lane_constants; ++c)
      rows[(p.first_constant() + c) * width + l] = constants[p.varying[c]];
    rows[p.time_row() * width + l] = b_.t[l];
    rows[p.fits_row * width + l] = 1;
    probed_[l].clear();
  }
  b_.kernel.carry_out(p.once, rows);
}

void Team::step_together(Shape& shape, const std::vector<Rider*>& members) {
  const Program& p = shape.program;
  const int count = static_cast<int>(members.size());
  load(shape, members);
  b_.run_stages(shape, true, [&](int) { look(shape, members); });
  const double* rows = shape.rows.data();
  std::copy(rows, rows + b_.y.size(), b_.next.begin());

  double error[width];
  find_errors(members, error);
  counts_.lane_steps += count;
  for (int l = 0; l < count; ++l) {
    Rider::Step step;
    step.error = error[l];
    step.fits = rows[p.fits_row * width + l] == 1;
    step.next = b_.next.data() + l;
    step.stages = b_.k.data() + l;
    step.rows = rows + l;
    step.probed = &probed_[l];
    members[l]->take(step);
  }
}

// Remembers which guards are violated at an inner stage.
void Team::look(Shape& shape, const std::vector<Rider*>& members) {
  const Program& p = shape.program;
  const double* rows = shape.rows.data();
  for (int l = 0; l < static_cast<int>(members.size()); ++l) {
    const std::vector<double>& tolerance = members[l]->tolerances();
    for (std::size_t g = 0; g < p.guards.size(); ++g) {
      if (rows[p.probe_guards[g] * width + l] >= -tolerance[g]) continue;
      if (probed_[l].empty()) probed_[l].assign(p.guards.size(), 0);
      probed_[l][g] = 1;
    }
  }
}

// As Dop853Method::error.
void Team::find_errors(const std::vector<Rider*>& members, double* out) {
  const int n = b_.moving;
  b_.find_errors();
  for (int l = 0; l < static_cast<int>(members.size()); ++l) {
    const double* scale = members[l]->error_scale();
    double sum5 = 0, sum3 = 0;
    for (int i = 0; i < n; ++i) {
      const double a = b_.e5[i * width + l] * scale[i], b = b_.e3[i * width + l] * scale[i];
      sum5 += a * a;
      sum3 += b * b;
    }
    const double denominator = (sum5 + 0.01 * sum3) * n;
    out[l] = !std::isfinite(denominator) ? std::numeric_limits<double>::infinity()
           : denominator == 0            ? 0.0
                                         : std::abs(b_.h[l]) * sum5 / std::sqrt(denominator);
  }
}

}  // namespace thud::lanes
