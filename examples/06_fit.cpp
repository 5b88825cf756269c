// Coefficients of sand from measured trajectories. The measurements are made here, with 0.1 mm of noise, so that the truth
// is known: eta_d = 6.5, eta_h = 8, eta_v = 22, lambda = 1.1.
//
// Sample output:
//
//   9 files, 928 values, all knobs determined
//   eta_d     6.536 ± 0.018
//   eta_h     8.007 ± 0.018
//   eta_v    21.882 ± 0.118
//   lambda    1.105 ± 0.005
// Sample end

#include <cstdio>

#include "thud/study/fit.hpp"
#include "thud/study/synth.hpp"

int main() {
  const thud::FitStudy study = thud::load_fit_study("fit_free_link");
  std::vector<thud::FitData> data;
  std::uint64_t seed = 1;
  for (const thud::SynthSource& source : thud::find_synth_sources("fit_free_link", {})) {
    thud::SynthOptions options;
    options.seed = seed++;
    thud::FitData one;
    one.name = source.file;
    one.measurement =
        thud::read_measurement(thud::make_synthetic_csv(source, options), source.file, study.observables);
    for (const thud::FitFile& file : study.files)
      if (file.name == source.file)
        for (const thud::LocalKnob& local : study.initial)
          for (const auto& [name, value] : file.values)
            if (name == local.fit.knob.name) one.local.push_back(value);
    data.push_back(std::move(one));
  }

  const thud::FitResult result = thud::fit(study, data);
  std::printf("%zu files, %ld values, %s\n", data.size(), result.values,
              result.is_sound() ? "all knobs determined" : result.message.c_str());
  for (const thud::FitEstimate& e : result.estimates)
    if (e.file.empty()) std::printf("%-6s %8.3f ± %.3f\n", e.knob.name.c_str(), e.value, e.error.value_or(0));
}
