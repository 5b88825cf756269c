#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lanes/batch.hpp"
#include "lanes/rider.hpp"

namespace thud::lanes {

/// Runs that go on together: those whose modes compute alike make their steps at once, in the lanes of one program. What is
/// no step (events, selections, impacts) each run does by itself, with the engine of single runs. One per thread.
///
/// What a run computes does not depend on which others it goes along with.
class Team {
 public:
  explicit Team(const Kernel& kernel = best_kernel()) : b_(kernel) {}

  /// A run that has begun. The solver must stay until it is done.
  void add(Solver& solver, int tag);
  /// Leaves all runs as they are.
  void clear() { riders_.clear(); }
  int size() const { return static_cast<int>(riders_.size()); }
  /// Goes on until at least one run is done; done(tag) is called for each.
  void go_on(const std::function<void(int)>& done);
  /// What was known of a system that has changed since.
  void forget(const System& system);

  struct Counts {
    long lane_steps = 0, own_steps = 0;  ///< made in lanes, and by runs themselves
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Known {
    const System* system;
    Mode mode;
    std::vector<std::unique_ptr<Fitting>>
        fittings;  ///< ways that comparisons go; the one that was met last comes first
  };
  const Fitting* fitting_of(Rider& rider);
  const Fitting* record(Rider& rider, Known& known);
  bool make_ready(Rider& rider);
  void step_together(Shape& shape, const std::vector<Rider*>& members);
  void load(Shape& shape, const std::vector<Rider*>& members);

  // locating
  struct Search;
  void locate_together(Shape& shape, const std::vector<Rider*>& members);
  void make_dense(Shape& shape);
  void read_dense(Shape& shape, const double* theta);
  static double accuracy_of(const Search& s, const Rider& rider);
  static void look_at(Search& s, const Rider& rider, double h);
  void begin_search(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches);
  void rise_from_zero(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches);
  void find_roots(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches);
  void step_to_roots(Shape& shape, const std::vector<Rider*>& members, const std::vector<Search>& searches);
  void correct(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches);
  void look(Shape& shape, const std::vector<Rider*>& members);
  void find_errors(const std::vector<Rider*>& members, double* out);

  Shapes shapes_;
  Tracer tracer_;
  std::vector<std::unique_ptr<Known>> known_;
  std::vector<std::unique_ptr<Rider>> riders_, spare_;
  std::vector<Rider*> ready_;
  Counts counts_;

  // One batch.
  Batch b_;
  Rows dense_, slope_, probe_;
  std::vector<std::vector<char>> probed_;
};

}  // namespace thud::lanes
