#include "studies.hpp"

#include <pybind11/stl.h>

#include "interrupt.hpp"
#include "thud/model.hpp"
#include "thud/report/html.hpp"
#include "thud/report/modes.hpp"
#include "thud/study/fit.hpp"
#include "thud/study/reproduce.hpp"
#include "thud/study/synth.hpp"

namespace py = pybind11;

namespace thud::python {

namespace {

struct Documents {
  std::string json, text, html;
};

py::tuple as_tuple(const Documents& d) { return py::make_tuple(d.json, d.text, d.html); }

py::tuple run_fit(const std::string& name, const std::vector<std::string>& files, const KnobSettings& set,
                  int jobs) {
  return as_tuple(interruptible([&](std::atomic<bool>& cancel) {
    const FitStudy study = load_fit_study(name, set);
    FitOptions options;
    options.jobs = jobs;
    options.cancel = &cancel;
    const FitResult result = fit(study, load_fit_data(study, files), options);
    return Documents{to_json(result), to_text(result, {}), cancel ? "" : make_fit_report(study, result)};
  }));
}

py::tuple run_reproduce(const std::vector<std::string>& ids, int jobs) {
  return as_tuple(interruptible([&](std::atomic<bool>& cancel) {
    ReproduceOptions options;
    options.jobs = jobs;
    options.request.cancel = &cancel;
    const Reproduction result = reproduce(select_tables(load_reference(), ids), options);
    return Documents{to_json(result), to_text(result), cancel ? "" : make_reproduce_report(result)};
  }));
}

std::vector<std::pair<std::string, std::string>> make_measurements(const std::string& source,
                                                                   const KnobSettings& set,
                                                                   std::uint64_t seed) {
  return interruptible([&](std::atomic<bool>& cancel) {
    std::vector<std::pair<std::string, std::string>> out;
    SynthOptions options;
    options.seed = seed;
    for (SynthSource& s : find_synth_sources(source, set)) {
      s.request.cancel = &cancel;
      if (cancel) break;
      out.emplace_back(s.file_name(), make_synthetic_csv(s, options));
      ++options.seed;
    }
    return out;
  });
}

py::tuple find_modes(const Model& model, int count, bool at_equilibrium) {
  const Scenario s = parse_scenario(model.text(), model.file(), model.settings());
  std::vector<double> q = s.q;
  if (at_equilibrium) {
    const Equilibrium found = find_equilibrium(*s.system, q);
    if (!found.found) throw InputError({s.name}, found.reason);
    q = found.q;
  }
  const ModalAnalysis analysis = analyse_modes(*s.system, q, make_outline(s.system->tree(), s.parts));
  ModesReportOptions options;
  options.count = count;
  options.at_equilibrium = at_equilibrium;
  return as_tuple({make_modes_json(s, analysis, options), make_modes_text(s, analysis, {}, options),
                   make_modes_svg(s, analysis, options)});
}

}  // namespace

void add_studies(py::module_& m) {
  m.def("synth", &make_measurements, py::arg("source"), py::arg("set"), py::arg("seed"),
        "Synthetic measurements of a study or scenario: (name of the file, CSV).");
  m.def("fit", &run_fit, py::arg("study"), py::arg("data"), py::arg("set"), py::arg("jobs"),
        "Fits a study to measured files: (JSON, text, HTML).");
  m.def("reproduce", &run_reproduce, py::arg("ids"), py::arg("jobs"),
        "Runs published tables and compares: (JSON, text, HTML).");
  m.def("modes", &find_modes, py::arg("model"), py::arg("count"), py::arg("at_equilibrium"),
        "Natural modes about a pose: (JSON, text, SVG).");
  m.def(
      "reference_tables",
      [] {
        std::vector<std::pair<std::string, std::string>> out;
        for (const ReferenceTable& t : load_reference()) out.emplace_back(t.id, t.title);
        return out;
      },
      "The tables that can be reproduced, as (id, title).");
}

}  // namespace thud::python
