#include "studies.hpp"

#include <pybind11/stl.h>

#include "interrupt.hpp"
#include "thud/report/html.hpp"
#include "thud/study/fit.hpp"
#include "thud/study/reproduce.hpp"

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

}  // namespace

void add_studies(py::module_& m) {
  m.def("fit", &run_fit, py::arg("study"), py::arg("data"), py::arg("set"), py::arg("jobs"),
        "Fits a study to measured files: (JSON, text, HTML).");
  m.def("reproduce", &run_reproduce, py::arg("ids"), py::arg("jobs"),
        "Runs published tables and compares: (JSON, text, HTML).");
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
