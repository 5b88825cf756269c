#pragma once

#include <string>
#include <vector>

#include "lanes/program.hpp"

namespace thud::lanes {

/// A term of a sum over stages: weight times the slopes of a stage.
struct Term {
  int stage;
  double weight;
};

/// What is done on whole rows, compiled for several sets of instructions. All of them give the same bytes: none fuses a
/// multiplication with an addition, and elementary functions are of one and the same algorithm.
struct Kernel {
  const char* name;
  void (*run)(const Instruction* code, const Instruction* end, double* rows);
  /// out = base + h Σ w_j k_j over n rows; base may be null. `stride`: rows from stage to stage.
  void (*combine)(const Term* terms, int count, int n, const double* k, int stride, const double* h,
                  const double* base, double* out);
  /// The error of steps of length h, from its two estimates and the scales of their rows; as Dop853Method::error.
  void (*errors)(int n, const double* e5, const double* e3, const double* const* scales, const double* h,
                 double* out);
  /// lane_growth of each.
  void (*grow)(const double* error, const double* last_log_error, double* log_error, double* growth);
  /// Leaves 1 in `all` where a row is above zero, and what is there times 0 elsewhere.
  void (*require_positive)(const double* row, double* all);

  void carry_out(const Code& code, double* rows) const { run(code.data(), code.data() + code.size(), rows); }
};

/// The best that this processor has; `name` chooses another by its name (for tests), null where there is none.
const Kernel& best_kernel();
const Kernel* find_kernel(const std::string& name);
std::vector<const Kernel*> usable_kernels();

}  // namespace thud::lanes
