#pragma once

#include <memory>
#include <string>

#include "thud/report/frames.hpp"
#include "thud/scenario/run.hpp"

namespace thud {

/// A run to be watched without a browser: what the stage of a report shows, as pictures of one size.
class Film {
 public:
  /// `frames` are finished.
  Film(const Scenario& scenario, const RunResult& run, const FrameRecorder& frames);
  ~Film();
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  double duration() const;  ///< of the run [s]
  /// Seconds of the run in a second of the film: a round number at which it lasts some five seconds.
  double speed() const;
  /// The picture at an instant, as SVG.
  [[nodiscard]] std::string frame(double t) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

/// The film as an animated GIF, whose last picture stays for a second. Throws RasterMissing.
[[nodiscard]] std::string make_gif(const Film& film);

}  // namespace thud
