#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace thud {

/// A function of inputs that vary independently of each other, each uniformly over 0 < u < 1; other distributions are
/// functions of u. Writes one value per output, NaN for what has none at this place; false: no output has.
/// Called from several threads at once.
using SobolModel = std::function<bool(std::span<const double> u, std::span<double> out)>;

struct SobolOptions {
  double confidence = 0.95;  ///< of the intervals
  int bootstrap = 1000;      ///< resamplings for the intervals
  std::uint64_t seed = 1;    ///< of the shift of the base samples and of the bootstrap
  int jobs = 0;              ///< threads; 0: as many as there are processors
  const std::atomic<bool>* cancel = nullptr;
  /// Called after each sample (knobs + 2 runs), from any thread.
  std::function<void(std::int64_t runs_done, std::int64_t runs)> progress{};
};

/// An estimate with its bootstrap interval; all NaN where the output does not vary.
struct SobolIndex {
  double value = 0, low = 0, high = 0;
};

/// How one output depends on the knobs.
struct SobolOutput {
  bool varies = false;    ///< else there are no indices
  std::int64_t used = 0;  ///< samples that have a value in all their runs
  double mean = 0;
  double variance = 0;
  std::vector<SobolIndex> first{};  ///< S_i: the share of the variance that is due to the knob alone
  std::vector<SobolIndex> total{};  ///< T_i: with all its interactions
  SobolIndex first_sum{};           ///< Σ S_i; 1 without interactions
};

struct SobolIndices {
  std::vector<SobolOutput> outputs{};
  std::int64_t samples = 0;  ///< done; less than asked for when cancelled
  std::int64_t runs = 0;     ///< done
  std::int64_t failed = 0;   ///< runs without a value of some output
  bool cancelled = false;
};

/// Sobol indices of first order and total effect (Saltelli et al. 2010, Table 2 (b) and (f)):
///
///   S_i = V[E(y | x_i)]/V ≈ 1/(N V) Σ_j b_j (c_ij − a_j)          (Saltelli 2010)
///   T_i = 1 − V[E(y | x_~i)]/V ≈ 1/(2 N V) Σ_j (a_j − c_ij)²       (Jansen 1999)
///
///   a_j, b_j  y − mean at sample j of two independent sets A and B      V  variance of all a_j and b_j
///   c_ij      y − mean at sample j of A with knob i taken from B        N  samples
///
/// A and B are the two halves of a Sobol sequence in 2·knobs dimensions under a random digital shift; N(knobs + 2) runs.
/// A sample with a run that failed is left out for all knobs of the output. The intervals are percentiles over
/// resamplings of the samples with replacement: they take the samples for independent, and so are on the wide side.
/// The result does not depend on the number of threads.
[[nodiscard]] SobolIndices sobol_indices(int knobs, int outputs, std::int64_t samples,
                                         const SobolModel& model, const SobolOptions& options = {});

/// Fewest samples for which there are indices.
inline constexpr std::int64_t fewest_samples = 16;

}  // namespace thud
