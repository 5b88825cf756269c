#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "thud/base/format.hpp"
#include "thud/scenario/family.hpp"
#include "thud/study/sobol.hpp"
#include "thud/study/study.hpp"

namespace thud {

/// A study file with its section [sensitivity].
///
///   [sensitivity]
///   samples    = 4096     # base samples N; N(knobs + 2) runs; a power of two is best
///   confidence = 0.95     # of the intervals
///   bootstrap  = 1000     # resamplings for the intervals
///   seed       = 1
struct SensitivityStudy {
  Study study{};
  std::int64_t samples = 4096;
  double confidence = 0.95;
  int bootstrap = 1000;
  std::uint64_t seed = 1;

  std::int64_t runs_per_sample() const { return static_cast<std::int64_t>(study.vary.size()) + 2; }
  std::int64_t runs() const { return samples * runs_per_sample(); }
};

/// Reads it by library name or by path; `set` comes on top of the file's [set]. Throws InputError.
[[nodiscard]] SensitivityStudy load_sensitivity(const std::string& name_or_path,
                                                const KnobSettings& set = {});

/// The most samples, a power of two, that take at most so many runs. Throws InputError when these are too few.
[[nodiscard]] std::int64_t samples_for_runs(const SensitivityStudy& study, std::int64_t most_runs);

/// The value of a varied knob below which it lies with probability u: of a uniform or normal distribution, of the
/// interval of a grid, of equally likely values of a list (and of a grid of whole numbers).
[[nodiscard]] double quantile_of(const VariedKnob& knob, double u);

struct SensitivityOptions {
  int jobs = 0;  ///< threads; 0: as many as there are processors
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(std::int64_t runs_done, std::int64_t runs)> progress{};
};

/// Which knob matters for which output.
struct Sensitivity {
  SensitivityStudy study{};
  std::vector<FamilyOutput> outputs{};
  SobolIndices indices{};  ///< one entry per output
  std::string failure{};   ///< why one of the failed runs failed

  double failed_share() const {
    return indices.runs > 0 ? static_cast<double>(indices.failed) / static_cast<double>(indices.runs) : 0;
  }
  /// There are indices, or would be if the output varied.
  bool has_results() const;
};

/// Runs the study. A run that does not reach what its scenario asks for counts as failed.
[[nodiscard]] Sensitivity find_sensitivity(const SensitivityStudy& study,
                                           const SensitivityOptions& options = {});

/// A share of failed runs above which they are warned about: those left out may be those that matter.
inline constexpr double failed_share_warning = 0.01;

/// What stands out of the indices of one output, in words.
[[nodiscard]] std::string stands_out(const Sensitivity& sensitivity, std::size_t output);

/// For the terminal: a table for each output. One JSON document. A bar chart.
[[nodiscard]] std::string to_text(const Sensitivity& sensitivity, const TextStyle& style);
[[nodiscard]] std::string to_json(const Sensitivity& sensitivity);
[[nodiscard]] std::string to_svg(const Sensitivity& sensitivity);

}  // namespace thud
