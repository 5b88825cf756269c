#pragma once

#include <cmath>
#include <vector>

#include "thud/event/solver.hpp"

namespace thud {

/// What rigid contacts do to a state at an instant: impacts, the end of infinitely many of them, and the small
/// corrections that keep closed contacts closed.
class Collider {
 public:
  explicit Collider(const System& system);

  bool has_rigid_contacts() const { return rigid_; }

  /// Resolves the impacts of all rigid contacts that touch and approach, each group of coupled contacts as one impact,
  /// and records them. `work` must hold an evaluation of y, and is left with the frames of the new velocities. True
  /// when there was an impact.
  bool strike(double t, double* y, const Mode& mode, const Scales& scales, Work<double>& work, Outcome& out);

  /// An impact without collision: friction presses a sliding contact together faster than any force could, and stops it
  /// at once (Painlevé). Recorded as an impact, unless the bodies only creep: what is wedged stands still. False when no
  /// impulses do it. `pulls`: of each contact the accelerations along tangent and normal that no contact force resists.
  bool jam(double t, int contact, const std::vector<double>& pulls, double* y, const Scales& scales,
           Work<double>& work, Outcome& out);

  /// Takes away the slips of the contacts about `contact` that only creep. False when there are none.
  bool hold_creep(int contact, double* y, const Scales& scales, Work<double>& work);

  /// At the start of a run.
  void forget();

  /// Contacts that have just opened but will strike again so soon that the bounces are at their end: their normal
  /// velocities are taken away. Returns when the series of bounces of each would have ended.
  struct Closing {
    int contact;
    double end;
  };
  std::vector<Closing> close_short_bounces(double t, double* y, const Mode& mode, const Scales& scales,
                                           Work<double>& work);

  /// Takes away what the integration has let closed contacts drift. `work` must hold an evaluation of y in `mode`. True
  /// when y has changed.
  bool keep_closed(double* y, const Mode& mode, const Scales& scales, const Work<double>& work);

  /// Moves contacts that touch and have passed each other by a rounding error apart. True when y has changed.
  bool separate(double* y, const Scales& scales, Work<double>& work);

  /// How long the shortest flight of a contact that has just opened will last: its next impact should not be stepped
  /// over. Infinite when there is none to speak of. `work` must hold an evaluation of y.
  double next_flight(const double* y, const Mode& mode, const Scales& scales, Work<double>& work);

  /// A rigid contact that is deep inside, −1: none.
  int find_overlap(const Work<double>& work, const Scales& scales) const;

 private:
  struct Row {
    int contact;
    std::vector<double> row, applied;
    std::vector<double> reaction;  // impulses of the constraints per unit
  };
  void find_touching(const Work<double>& work, const Scales& scales);
  void fill_rows(const std::vector<int>& contacts, bool tangents, const Work<double>& work);
  double coupling(std::size_t a, std::size_t b) const;
  void refuse_driven(const Work<double>& work, const Scales& scales) const;
  void add_row(int contact, int sub, const Work<double>& work);
  std::vector<std::vector<int>> find_groups() const;
  void strike_group(double t, const std::vector<int>& group, double* y, Work<double>& work,
                    const Scales& scales, Outcome& out);
  ImpactRecord make_record(double t, const std::vector<int>& group, const Work<double>& work,
                           const Scales& scales) const;
  void give(const std::vector<int>& group, const std::vector<double>& impulse, double* v);
  void take_effect(const std::vector<int>& group, double* y, Work<double>& work, Outcome& out,
                   ImpactRecord record);
  static bool stop_slip(ImpactRecord& record, const std::vector<double>& pulls, double small);
  struct Attempt {
    double faster;   // slips that go on, in units of the slowest
    double rougher;  // friction, in units of that in the file
  };
  static void end_approaches(const ImpactProblem& problem, std::vector<double>& impulse);
  static bool stop_slips(ImpactRecord& record, const std::vector<double>& pulls, double small,
                         const Attempt& attempt);
  void end_slips(const std::vector<int>& contacts, double speed, const Work<double>& work,
                 std::vector<double>& target);
  double ratio_of_flights(int contact, double t, double flight, double restitution) const;
  void place(const double* y, Work<double>& work) const;
  struct Booked {
    double kinetic = 0, supplied = 0;  // energy after it; what prescribed motions gave [J]
  };
  Booked book(double* y, Work<double>& work) const;
  double unit(int contact, const Scales& scales) const;
  double lowest_bounce(int contact, const Scales& scales, const Work<double>& work) const;
  void shift(double* x, const std::vector<double>& target);
  void push(double* x, const Row& row, double impulse);
  double work_of_constraints(const double* v, const Work<double>& work) const;

  const System& system_;
  bool rigid_ = false;
  std::vector<int> touching_;
  std::vector<Row> rows_;
  std::vector<double> acceleration_;
  struct Strikes {
    double last = NAN, before = NAN;  // [s]
  };
  std::vector<Strikes> strikes_;  // of each contact: when it struck last
  std::vector<double> held_;      // impulses of the constraints since the account was last kept
};

}  // namespace thud
