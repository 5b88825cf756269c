#pragma once
// Fits to synthetic measurements, for tests and for the campaign: studies with scenarios of their own, whose truth is known.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "temp_folder.hpp"
#include "thud/study/fit.hpp"
#include "thud/study/synth.hpp"

namespace thud::test {

/// A study, with a scenario beside it where one is given.
class FitCase {
 public:
  explicit FitCase(const std::string& study_text, const std::string& scenario_text = "") : folder_("fit") {
    const std::filesystem::path path = folder_.path() / "study.toml";
    std::ofstream(path) << study_text;
    if (!scenario_text.empty()) std::ofstream(folder_.path() / "scenario.toml") << scenario_text;
    study = load_fit_study(path.string());
    sources = find_synth_sources(path.string(), {});
  }

  std::vector<FitData> measure(SynthOptions options) const {
    std::vector<FitData> out;
    for (std::size_t f = 0; f < sources.size(); ++f) {
      const std::string csv = make_synthetic_csv(load_scenario(sources[f].scenario, sources[f].set), options);
      options.seed += 1000003;
      out.push_back({sources[f].file,
                     read_measurement(csv, sources[f].file, study.observables, study.files[f].rules),
                     local_of(f)});
    }
    return out;
  }

  std::vector<double> local_of(std::size_t f) const {
    std::vector<double> out;
    for (const LocalKnob& k : study.initial) {
      out.push_back(k.fit.start);
      for (const auto& [name, value] : study.files[f].values)
        if (name == k.fit.knob.name) out.back() = value;
    }
    return out;
  }

  FitStudy study;
  std::vector<SynthSource> sources;

 private:
  TempFolder folder_;
};

/// Whether a knob's 95 % interval, or its reach from a bound, holds a value.
inline bool holds(const FitEstimate& e, double truth) {
  if (e.interval) return e.interval->first <= truth && truth <= e.interval->second;
  if (!e.limit) return false;
  return std::min(e.value, *e.limit) <= truth && truth <= std::max(e.value, *e.limit);
}

// ---- the three experiments -------------------------------------------------------------------------------------

inline const std::string sand_knobs = R"(
eta_d  = { value = 6.5, range = [0, 100], about = "drag coefficient" }
eta_h  = { value = 8, range = [0, 100], about = "horizontal static resistance" }
eta_v  = { value = 22, range = [0, 500], about = "vertical static resistance, plunging" }
lambda = { value = 1.1, range = [0.1, 3], about = "its exponent of the depth" }
)";

inline void replace_once(std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no \"" + from + "\" in the scenario");
  text.replace(at, from.size(), to);
}

/// A scenario of the library with the coefficients of its sand as knobs, and with markers.
inline std::string capture_scenario(const std::string& name, const std::string& points) {
  std::string text = load_scenario(name).text;
  replace_once(text, "\n[define]", sand_knobs + "\n[define]");
  if (const auto at = text.find("eta_v   ="); at != std::string::npos)
    text.erase(at, text.find('\n', at) + 1 - at);
  replace_once(text, "area    =",
               "eta_d = \"=eta_d\"\neta_h = \"=eta_h\"\neta_v = \"=eta_v\"\nlambda = \"=lambda\"\narea    =");
  replace_once(text, "\n[initial]", "\n[points]\n" + points + "\n[initial]");
  return text;
}

struct Experiment {
  std::string name, scenario, study;  // without a scenario: of the library
};

inline std::string fit_section(const std::string& more = "") {
  return "[fit]\nnoise = \"0.1 mm\"\n" + more + R"(
[fit.knobs]
eta_d  = { start = 5, range = [1, 20] }
eta_h  = { start = 6, range = [1, 40] }
eta_v  = { start = 15, range = [1, 100] }
lambda = { start = 1.3, range = [0.3, 2.5] }
)";
}
inline const std::vector<double> sand_truth = {6.5, 8, 22, 1.1};

inline Experiment free_link(const std::string& more = "") {
  return {"free link", "",
          "scenario = \"free_link_capture\"\nset = { duration = \"40 ms\" }\n" + fit_section(more) + R"(
[data]
"a.csv" = { angle = "32 deg", speed = 1.87 }
"b.csv" = { angle = "55 deg", speed = 2.43 }
)"};
}

/// `angles` from the vertical; at the small ones of Lee 2009, Table 4.4, the data hardly tell the exponent.
inline Experiment compound_pendulum(const std::string& more = "") {
  return {"compound pendulum",
          capture_scenario("compound_pendulum",
                           "\"pendulum.marker1\" = { body = \"pendulum\", s = \"=0.5*L\" }\n"
                           "\"pendulum.marker2\" = { body = \"pendulum\", s = \"=0.8*L\" }\n"),
          "scenario = \"scenario.toml\"\n" + fit_section(more) + R"(
[data]
"a.csv" = { angle = "22 deg", rate = -1.75 }
"b.csv" = { angle = "22 deg", rate = -2.25 }
"c.csv" = { angle = "30 deg", rate = -2.5 }
"d.csv" = { angle = "30 deg", rate = -3 }
)"};
}

inline Experiment double_pendulum(const std::string& more = "") {
  return {"double pendulum",
          capture_scenario("double_pendulum",
                           "\"link1.marker\" = { body = \"link1\", s = \"=0.8*L1\" }\n"
                           "\"link2.marker\" = { body = \"link2\", s = \"=0.3*L2\" }\n"),
          "scenario = \"scenario.toml\"\n" + fit_section(more) + R"(
[data]
"a.csv" = { angle1 = "30 deg", angle2 = "75 deg", rate1 = -1, rate2 = -1 }
"b.csv" = { angle1 = "75 deg", angle2 = "30 deg", rate1 = -1, rate2 = -1 }
)"};
}

}  // namespace thud::test
