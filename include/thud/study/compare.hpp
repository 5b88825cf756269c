#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thud/study/fit.hpp"

namespace thud {

// Several laws fitted to the same captures, and ranked by criteria that count parameters.
//
//   const Comparison c = compare_fits({{load_fit_study("poncelet.toml"), ...}, ...});

/// A law: a study whose scenario has it, with the captures as that study reads them.
struct RivalFit {
  FitStudy study;
  std::vector<FitData> data;
};

/// How a law foretells a file that it was not fitted to.
struct LeftOutFile {
  std::string file;
  std::optional<double>
      rms{};              ///< of its residuals, in standard deviations; none when the fit without it failed
  std::string message{};  ///< why there is none
};

struct LawScore {
  std::string name, file;  ///< of the study
  FitResult fit;
  long parameters = 0;  ///< fitted ones, those of files included
  double rms = 0;       ///< of the residuals, in standard deviations
  double aic = 0;       ///< Akaike's criterion, with its correction for few values
  double bic = 0;       ///< the Bayesian criterion
  double weight = 0;    ///< exp(−ΔAIC/2) as a share of all
  std::vector<LeftOutFile> left_out;
  std::optional<double> left_out_rms;  ///< over all files

  bool is_settled() const { return fit.converged; }
};

struct Comparison {
  std::vector<LawScore> laws;  ///< the best first, by AIC; those that did not settle last
  long values = 0;             ///< that all of them are held against
  bool is_noise_stated = false;
  std::vector<std::string> notes, warnings;
};

/// Throws InputError when the studies do not speak of the same measurements, noise and loss.
[[nodiscard]] Comparison compare_fits(const std::vector<RivalFit>& rivals, const FitOptions& options = {});

[[nodiscard]] std::string to_text(const Comparison& comparison, const TextStyle& style);
[[nodiscard]] std::string to_json(const Comparison& comparison);
/// The residuals of every law, fitted and foretold, as bars.
[[nodiscard]] std::string make_comparison_picture(const Comparison& comparison);

}  // namespace thud
