#pragma once

#include <string>
#include <vector>

#include "scenario/reader.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// One line of [initial]: an observable and the value it starts with.
struct InitialEntry {
  std::string key, name;
  Observable what;
  double value = 0;
  Table table;  ///< for messages, and with the symbols of its value
};

[[nodiscard]] std::vector<InitialEntry> read_initial_entries(const Table& root, const Scenario& scenario,
                                                             const char* table = "initial");

/// What closing loops needs besides: what they are near to, and the file for messages.
struct LoopContext {
  std::vector<InitialEntry> guess;
  const Table* root = nullptr;
};

/// Finds coordinates and velocities that meet the entries; memory is kept from one time to the next.
class InitialSolver {
 public:
  /// Uses the system and the observables of the scenario.
  explicit InitialSolver(const Scenario& scenario, LoopContext context = {});
  ~InitialSolver();
  InitialSolver(InitialSolver&&) noexcept;

  /// Throws InputError when they contradict one another.
  void solve(const std::vector<InitialEntry>& entries, std::vector<double>& q, std::vector<double>& v);
  /// What a user should know of the last solution.
  const std::vector<std::string>& notes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads [initial] into the initial state of the scenario.
void read_initial(const Table& root, Scenario& scenario);

}  // namespace thud::doc
