#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thud/base/error.hpp"
#include "thud/contact/impact.hpp"
#include "thud/scenario/snapshot.hpp"
#include "thud/scenario/values.hpp"

/// \file
/// The library at a glance: load a scenario, turn its knobs, run it or sweep over it.
///
///   thud::Model model = thud::load("free_link");
///   model.set("angle", "40 deg").set("speed", 1.7);
///   const thud::Result result = model.run();
///   result["t_z"];                       // a named result
///   result.column("link.tip.depth");     // a trajectory
///
/// Bad input throws InputError; whether a run reached what was asked is a property of its result.
namespace thud {

class OwnLaw;
class Result;
class SandProbe;
class Sweep;

/// Something that can be read off a run: an observable, or an output of a sweep.
struct ColumnInfo {
  std::string name, unit, about;
};

/// What to do beyond the scenario's own settings.
struct RunOptions {
  bool until_rest = false;             ///< ignore the scenario's stop and go on to final rest
  std::optional<double> time_limit{};  ///< [s]
  std::optional<double> tolerance{};   ///< relative accuracy of a step, from 1e-14 to 0.01
  /// "auto", "dop853", "dopri5", "rk4", "euler", "radau5", "newmark", "generalised-alpha" or "exact"; empty: the scenario's
  std::string method{};
  std::optional<double> step{};    ///< of rk4, euler, newmark and generalised-alpha [s]
  std::optional<double> sample{};  ///< time between rows of the trajectory [s]; none: 500 to 1250 rows
  bool every_step = false;         ///< one row per step of the solver instead
  const std::atomic<bool>* cancel = nullptr;  ///< set it from elsewhere, and the run ends soon
};

/// Values that a knob takes in a sweep: SI, or the index of a choice.
struct Axis {
  std::string knob;
  std::vector<double> values;
};

struct GridOptions {
  RunOptions run{};  ///< without sampling
  int jobs = 0;      ///< threads; 0: one per processor. The results do not depend on it.
  std::function<void(std::int64_t done, std::int64_t total)> progress{};  ///< from the calling thread
};

/// A scenario with its knobs. Copies are independent of each other, and may be used in threads of their own.
class Model {
 public:
  ~Model();
  Model(const Model& other);
  Model& operator=(const Model& other);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  std::string name() const;  ///< "free_link"
  std::string file() const;  ///< where it was read from
  std::string text() const;  ///< the text of the file
  std::string title() const;
  std::string about() const;

  /// The knobs, with the values they have now.
  std::vector<Knob> knobs() const;
  std::vector<ColumnInfo> observables() const;
  /// The named results; `about` is their rule.
  std::vector<ColumnInfo> results() const;
  /// What has been set so far.
  const KnobSettings& settings() const;

  /// Sets a knob from a text such as "40 deg" or from a number in SI. Throws InputError at once for an unknown knob, with
  /// a suggestion, and for a value that it does not take; the model is then as before.
  Model& set(const std::string& knob, const std::string& value);
  Model& set(const std::string& knob, const char* value) { return set(knob, std::string(value)); }
  Model& set(const std::string& knob, double value);
  /// Several knobs, all or none.
  Model& set(const KnobSettings& values);

  /// The names of the beds of sand.
  std::vector<std::string> beds() const;
  /// Puts a law of one's own (thud/granular/own_law.hpp) in the place of a bed's. Coefficients in the file belong to the
  /// file's law and have no effect any more. Throws InputError for an unknown bed, with a suggestion.
  Model& use_law(const std::string& bed, const OwnLaw& law);

  /// The names of the contacts, such as "ball@floor".
  std::vector<std::string> contacts() const;
  /// Lets the restitution of a contact follow from the speed of approach. A value outside of 0 to 1 ends a run with its
  /// reason. Throws InputError for an unknown contact, with a suggestion, and for a compliant one, which has no impacts.
  Model& use_restitution(const std::string& contact, RestitutionFunction e);
  /// The same for the whole impulse of a contact that strikes alone; where several strike at once, their restitution
  /// counts. It must not pull, must stop the approach and must not gain energy.
  Model& use_impact(const std::string& contact, ImpulseLaw law);

  /// Adds an observable of one's own: a column of results, an output of sweeps, a name for rules of results. Throws
  /// InputError for a name that is taken or cannot be written in a rule; the model is then as before.
  Model& add_observable(const std::string& name, const std::string& unit, SnapshotFunction function,
                        const std::string& about = "own observable");
  /// Lets a function be a controller: that of a [[controller]] with a `rate` and `outputs`, in the place of its states. It is
  /// called at each tick and fills the outputs; `memory` numbers are its own during a run. Throws InputError for an
  /// unknown controller, with a suggestion.
  Model& control(const std::string& controller, SnapshotController function, int memory = 0);
  /// Adds a result as [results] would: add_result("peak", "max link.angle"). Throws InputError for what is wrong with it.
  Model& add_result(const std::string& name, const std::string& rule);

  /// The force of a bed on one of the bodies, for an integrator of one's own (thud/dynamics/sand_probe.hpp). Names may be
  /// empty where there is but one. Throws InputError for unknown names and for elastic bodies.
  [[nodiscard]] SandProbe make_sand_probe(const std::string& body = "", const std::string& bed = "") const;

  /// Runs it. Throws InputError when the scenario cannot be built from its knobs.
  [[nodiscard]] Result run(const RunOptions& options = {}) const;

  /// Values of an axis from texts, "40 deg", or the names of choices.
  [[nodiscard]] Axis axis(const std::string& knob, const std::vector<std::string>& values) const;
  /// Runs all combinations of the values. `outputs`: results, observables (at the end of the run), "end.time",
  /// "end.reason", "energy.residual"; none: all results. The numbers are those of `thud sweep`.
  [[nodiscard]] Sweep sweep(const std::vector<Axis>& axes, std::vector<std::string> outputs = {},
                            const GridOptions& options = {}) const;

 private:
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);
  friend Model load(const std::string& name_or_path);
  friend Model parse(const std::string& text, const std::string& file);
  std::unique_ptr<Impl> impl_;
};

/// A scenario of the library ("free_link") or a file.
[[nodiscard]] Model load(const std::string& name_or_path);
/// The same from text; `file` is for messages.
[[nodiscard]] Model parse(const std::string& text, const std::string& file = "text");

/// Something that happened in a run, in words.
struct EventInfo {
  double time = 0;
  std::string kind;           ///< "enter", "stick", "impact", …
  std::string subject;        ///< what it happened to
  std::string before, after;  ///< the state of that
};

/// One impact. Impulses and velocities come in pairs, tangential and normal, one pair per contact.
struct ImpactInfo {
  double time = 0;
  std::vector<std::string> contacts;
  std::string law;   ///< "newton", "poisson", "stronge" or "correlation"
  std::string name;  ///< the case: "slip", "reversal in compression", …
  std::vector<double> impulse, velocity_before, velocity_after;
  double energy_before = 0, energy_after = 0;  ///< kinetic [J]
  double supplied = 0;  ///< by prescribed motions, which go on while they are struck [J]
  std::string note;     ///< what a user should know of it
  /// By the joint that carries it on each body, x and z [N s]: {"rod1.joint.impulse", {…}}.
  std::vector<std::pair<std::string, std::array<double, 2>>> joint_impulse;
};

/// Where the energy went [J].
struct EnergyInfo {
  double initial = 0, final = 0;
  double supplied = 0;                               ///< work of torques
  std::vector<std::pair<std::string, double>> lost;  ///< "drag", "static vertical", …
  double settled = 0;   ///< kinetic energy removed when the motion was declared at rest
  double residual = 0;  ///< what the account misses, relative to the largest energy exchanged
};

/// What came of a run. Copies share their data.
class Result {
 public:
  std::string name() const;   ///< of the scenario
  std::string title() const;  ///< of the scenario
  std::vector<Knob> knobs() const;

  bool reached() const;        ///< what the scenario asks for, or rest where that was asked
  std::string reason() const;  ///< why the run ended, in words
  std::string stop() const;    ///< the same for machines: "condition", "results", "rest", "time limit", …
  double end_time() const;     ///< [s]
  std::vector<std::string> notes() const;

  /// The value of a named result [SI], NaN when its instant was never reached. Throws InputError for unknown names.
  double operator[](std::string_view result) const;
  const std::vector<ResultValue>& results() const;

  const std::vector<EventInfo>& events() const;
  const std::vector<ImpactInfo>& impacts() const;  ///< the first 10 000
  const EnergyInfo& energy() const;

  /// The columns of the trajectory: "time", then all observables.
  const std::vector<ColumnInfo>& columns() const;
  std::size_t row_count() const;
  /// True when rows are missing at the end because there was no room for them.
  bool is_truncated() const;
  std::span<const double> time() const;
  /// Contiguous; lives as long as any copy of the result. Throws InputError for unknown names, with a suggestion.
  std::span<const double> column(std::string_view name) const;
  /// Observables that the scenario itself would plot.
  std::vector<std::string> plotted() const;

  std::string summary() const;  ///< text for people, as `thud run` prints it
  std::string json() const;     ///< everything but the trajectory
  std::string csv() const;      ///< the trajectory
  std::string html() const;     ///< a page that needs nothing else, with the animation

 private:
  struct Impl;
  explicit Result(std::shared_ptr<const Impl> impl);
  friend class Model;
  std::shared_ptr<const Impl> impl_;
};

/// What came of a sweep, as arrays over the grid of its axes, the last axis fastest. Copies share their data.
class Sweep {
 public:
  const std::vector<Axis>& axes() const;
  /// The knobs of the axes.
  const std::vector<Knob>& knobs() const;
  const std::vector<ColumnInfo>& outputs() const;
  std::size_t size() const;

  /// One value per run [SI]; NaN where it was not reached. Throws InputError for unknown names.
  std::span<const double> column(std::string_view output) const;
  /// How each run went: 0 reached, 1 rest, 2 time limit, 3 bottom, 4 failed, each before what was asked; 5 not computed.
  std::span<const std::uint8_t> status() const;
  /// Why a run did not reach what was asked; empty when it did.
  std::string message(std::size_t run) const;

  bool cancelled() const;
  double seconds() const;
  int workers() const;

 private:
  struct Impl;
  explicit Sweep(std::shared_ptr<const Impl> impl);
  friend class Model;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace thud
