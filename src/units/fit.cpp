// Compiled as one: see "Build and test" in CONTRIBUTING.md.
#include "study/fit.cpp"
#include "study/fit_model.cpp"
#include "study/fit_noise.cpp"
#include "study/fit_parameters.cpp"
#include "study/fit_residuals.cpp"
#include "study/fit_statistics.cpp"
#include "study/sampler.cpp"
#include "study/synth.cpp"
