// thud._core: the library as Python sees it. What is pleasant to use is made of it in the package around it.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sstream>

#include "interrupt.hpp"
#include "laws.hpp"
#include "own_parts.hpp"
#include "studies.hpp"
#include "thud/thud.hpp"

namespace py = pybind11;

namespace thud::python {

namespace {

// ---- arrays ----------------------------------------------------------------------------------------------------

// A read-only view; `owner` lives as long as it does.
template <class T>
py::array view(std::span<const T> data, std::vector<py::ssize_t> shape, const py::object& owner) {
  py::array_t<T> out(std::move(shape), data.data(), owner);
  py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return out;
}

// While a result reads itself off, observables in Python may want the interpreter, and others the result.
using FreeInterpreter = py::gil_scoped_release;

py::array column_of(const py::object& self, const std::string& name) {
  const auto& result = self.cast<const Result&>();
  std::span<const double> data;
  {
    const FreeInterpreter free;
    data = result.column(name);
  }
  return view(data, {static_cast<py::ssize_t>(data.size())}, self);
}

std::vector<py::ssize_t> shape_of(const Sweep& sweep) {
  std::vector<py::ssize_t> shape;
  for (const Axis& a : sweep.axes()) shape.push_back(static_cast<py::ssize_t>(a.values.size()));
  return shape;
}

// ---- errors ----------------------------------------------------------------------------------------------------

void raise(const py::object& type, const InputError& e) {
  const py::object error = type(e.what());
  const Place place = e.place();
  error.attr("message") = e.message();
  error.attr("file") = place.file;
  error.attr("line") = place.line > 0 ? py::object(py::int_(place.line)) : py::none();
  error.attr("column") = place.line > 0 ? py::object(py::int_(place.column)) : py::none();
  PyErr_SetObject(type.ptr(), error.ptr());
}

void add_errors(py::module_& m) {
  // Kept for ever: the interpreter may be gone before the translator is.
  static py::handle input_error;
  input_error = PyErr_NewExceptionWithDoc(
      "thud.InputError",
      "Something is wrong with what was given, and can be mended.\n\n"
      "file, line and column say where (line and column are None outside files), message says what.",
      PyExc_ValueError, nullptr);
  m.attr("InputError") = input_error;
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const InputError& e) {
      raise(py::reinterpret_borrow<py::object>(input_error), e);
    }
  });
}

// ---- plain data ------------------------------------------------------------------------------------------------

std::string show(double x) {
  std::ostringstream out;
  out.precision(6);
  out << x;
  return out.str();
}

std::string repr_of(const Knob& k) {
  if (!k.choices.empty())
    return "<Knob " + k.name + " = \"" + k.text + "\", one of " + one_of(k.choices) + ">";
  const auto shown = [&](double x) { return show(k.unit.empty() ? x : in_unit(x, k.unit)); };
  std::string out = "<Knob " + k.name + " = " + shown(k.value) + (k.unit.empty() ? "" : " " + k.unit);
  if (k.range) out += ", " + shown(k.range->first) + " to " + shown(k.range->second);
  return out + ">";
}

std::string repr_of(const EventInfo& e) {
  std::string out = "<Event " + show(e.time) + " s: " + e.kind;
  if (!e.subject.empty()) out += " of " + e.subject;
  const auto quoted = [](const std::string& text) { return text.empty() ? "" : '"' + text + '"'; };
  if (!e.before.empty() || !e.after.empty())
    out += ", " + quoted(e.before) + (e.before.empty() ? "" : " -> ") + quoted(e.after);
  return out + ">";
}

std::string repr_of(const ImpactInfo& i) {
  std::string out = "<Impact " + show(i.time) + " s:";
  for (const std::string& c : i.contacts) out += " " + c;
  return out + ", " + i.name + ", loses " + show(i.energy_before + i.supplied - i.energy_after) + " J>";
}

std::string repr_of(const EnergyInfo& e) {
  std::string out = "<Energy " + show(e.initial) + " J -> " + show(e.final) + " J";
  for (const auto& [channel, lost] : e.lost)
    if (lost > 0) out += ", " + channel + " " + show(lost);
  return out + ", residual " + show(e.residual) + ">";
}

py::object number_or_none(const std::optional<double>& x) {
  return x ? py::object(py::float_(*x)) : py::object(py::none());
}

void add_data(py::module_& m) {
  py::class_<Knob>(m, "Knob",
                   "A knob of a scenario. Numbers are in SI units; `unit` is the one it is shown in.")
      .def_readonly("name", &Knob::name, "Its name.")
      .def_property_readonly(
          "value",
          [](const Knob& k) { return k.choices.empty() ? py::object(py::float_(k.value)) : py::str(k.text); },
          "The value it has, in SI units; of a textual knob the choice.")
      .def_property_readonly(
          "default",
          [](const Knob& k) {
            return k.choices.empty() ? py::object(py::float_(k.default_value)) : py::str(k.default_text);
          },
          "The value that the scenario gives it.")
      .def_readonly("unit", &Knob::unit, "The unit it is shown in, such as \"deg\".")
      .def_readonly("range", &Knob::range, "(least, largest) in SI units, or None.")
      .def_readonly("about", &Knob::about, "What it means.")
      .def_readonly("integer", &Knob::integer, "Whether it takes whole numbers only.")
      .def_readonly("choices", &Knob::choices, "The texts that a textual knob takes.")
      .def("__repr__", py::overload_cast<const Knob&>(&repr_of));
  py::class_<ColumnInfo>(m, "Column", "Something that can be read off a run.")
      .def_readonly("name", &ColumnInfo::name, "Its name.")
      .def_readonly("unit", &ColumnInfo::unit, "Its SI unit.")
      .def_readonly("about", &ColumnInfo::about, "What it means.")
      .def("__repr__", [](const ColumnInfo& c) {
        return "<Column " + c.name + (c.unit.empty() ? "" : " [" + c.unit + "]") + ": " + c.about + ">";
      });
  py::class_<EventInfo>(m, "Event", "Something that happened in a run.")
      .def_readonly("time", &EventInfo::time, "When [s].")
      .def_readonly("kind", &EventInfo::kind, "What: \"enter\", \"stick\", \"impact\", ...")
      .def_readonly("subject", &EventInfo::subject, "What it happened to.")
      .def_readonly("before", &EventInfo::before, "The state of that before.")
      .def_readonly("after", &EventInfo::after, "The state of that after.")
      .def("__repr__", py::overload_cast<const EventInfo&>(&repr_of));
  py::class_<ImpactInfo>(
      m, "Impact",
      "One impact. Impulses and velocities come in pairs, tangential and normal, one pair per contact.")
      .def_readonly("time", &ImpactInfo::time, "When [s].")
      .def_readonly("contacts", &ImpactInfo::contacts, "The contacts that took part.")
      .def_readonly("law", &ImpactInfo::law, "\"newton\", \"poisson\", \"stronge\" or \"correlation\".")
      .def_readonly("case", &ImpactInfo::name, "How it went: \"slip\", \"reversal in compression\", ...")
      .def_readonly("impulse", &ImpactInfo::impulse, "Impulses [N s].")
      .def_readonly("velocity_before", &ImpactInfo::velocity_before, "Relative velocities before [m/s].")
      .def_readonly("velocity_after", &ImpactInfo::velocity_after, "Relative velocities after [m/s].")
      .def_readonly("energy_before", &ImpactInfo::energy_before, "Kinetic energy before [J].")
      .def_readonly("energy_after", &ImpactInfo::energy_after, "Kinetic energy after [J].")
      .def_readonly("supplied", &ImpactInfo::supplied, "Work of prescribed motions in the impact [J].")
      .def_readonly("note", &ImpactInfo::note, "What one should know of it; mostly empty.")
      .def_property_readonly(
          "joint_impulse",
          [](const ImpactInfo& i) {
            py::dict out;
            for (const auto& [name, p] : i.joint_impulse) out[py::str(name)] = py::make_tuple(p[0], p[1]);
            return out;
          },
          "Impulses on bodies by the joints that carry them, (x, z) [N s] by name.")
      .def("__repr__", py::overload_cast<const ImpactInfo&>(&repr_of));
  py::class_<EnergyInfo>(m, "Energy", "Where the energy of a run went [J].")
      .def_readonly("initial", &EnergyInfo::initial, "At the start.")
      .def_readonly("final", &EnergyInfo::final, "At the end.")
      .def_readonly("supplied", &EnergyInfo::supplied, "Work of torques.")
      .def_property_readonly(
          "lost",
          [](const EnergyInfo& e) {
            py::dict out;
            for (const auto& [channel, lost] : e.lost) out[py::str(channel)] = lost;
            return out;
          },
          "What was lost, by channel.")
      .def_readonly("settled", &EnergyInfo::settled,
                    "Kinetic energy removed when the motion was declared at rest.")
      .def_readonly("residual", &EnergyInfo::residual, "What the account misses, over the energy exchanged.")
      .def("__repr__", py::overload_cast<const EnergyInfo&>(&repr_of));
}

// ---- models, results, sweeps -----------------------------------------------------------------------------------

RunOptions options_of(bool until_rest, std::optional<double> time_limit, std::optional<double> tolerance,
                      const std::string& method, std::optional<double> step) {
  RunOptions o;
  o.until_rest = until_rest;
  o.time_limit = time_limit;
  o.tolerance = tolerance;
  o.method = method;
  o.step = step;
  return o;
}

Result run_model(const Model& model, bool until_rest, std::optional<double> time_limit,
                 std::optional<double> tolerance, const std::string& method, std::optional<double> step,
                 std::optional<double> sample, bool every_step) {
  RunOptions o = options_of(until_rest, time_limit, tolerance, method, step);
  o.sample = sample;
  o.every_step = every_step;
  (void)model.name();            // builds it, where that has not been done
  const Model as_it_is = model;  // others may turn its knobs meanwhile
  return interruptible([&as_it_is, &o](std::atomic<bool>& cancel) {
    o.cancel = &cancel;
    return as_it_is.run(o);
  });
}

Sweep run_grid(const Model& model, const std::vector<std::pair<std::string, std::vector<double>>>& axes,
               const std::vector<std::string>& outputs, int jobs, const py::object& progress, bool until_rest,
               std::optional<double> time_limit, std::optional<double> tolerance, const std::string& method,
               std::optional<double> step) {
  GridOptions o;
  o.run = options_of(until_rest, time_limit, tolerance, method, step);
  o.jobs = jobs;
  std::vector<Axis> grid;
  for (const auto& [knob, values] : axes) grid.push_back({knob, values});
  if (!progress.is_none())
    o.progress = [&progress](std::int64_t done, std::int64_t total) {
      const py::gil_scoped_acquire acquire;
      progress(done, total);
    };
  (void)model.name();
  const Model as_it_is = model;
  return interruptible([&](std::atomic<bool>& cancel) {
    o.run.cancel = &cancel;
    return as_it_is.sweep(grid, outputs, o);
  });
}

void add_model(py::module_& m) {
  py::class_<Model>(m, "Model", "A scenario with its knobs.")
      .def_property_readonly("name", &Model::name, "Its name.")
      .def_property_readonly("file", &Model::file, "Where it was read from.")
      .def_property_readonly("text", &Model::text, "The text of its file.")
      .def_property_readonly("title", &Model::title, "Its title.")
      .def_property_readonly("about", &Model::about, "What it is.")
      .def_property_readonly("knobs", &Model::knobs, "Its knobs, as they are now.")
      .def_property_readonly("observables", &Model::observables, "What can be read off its runs at any time.")
      .def_property_readonly("results", &Model::results, "Its named results.")
      .def_property_readonly("beds", &Model::beds, "The names of its beds of sand.")
      .def_property_readonly("contacts", &Model::contacts, "The names of its contacts.")
      .def(
          "add_result",
          [](Model& self, const std::string& name, const std::string& rule) { self.add_result(name, rule); },
          py::arg("name"), py::arg("rule"), "Adds a named result.")
      .def_property_readonly("settings", &Model::settings, "The knobs that were set, as texts.")
      .def(
          "set", [](Model& self, const KnobSettings& values) { self.set(values); }, py::arg("values"),
          "Sets knobs, all or none.")
      .def(
          "copy", [](const Model& self) { return Model(self); }, "A copy of its own.")
      .def(
          "axis",
          [](const Model& self, const std::string& knob, const std::vector<std::string>& values) {
            return self.axis(knob, values).values;
          },
          py::arg("knob"), py::arg("values"), "Values of a knob in SI units from texts.")
      .def("run", &run_model, py::arg("until_rest"), py::arg("time_limit"), py::arg("tolerance"),
           py::arg("method"), py::arg("step"), py::arg("sample"), py::arg("every_step"), "Runs it.")
      .def("sweep", &run_grid, py::arg("axes"), py::arg("outputs"), py::arg("jobs"), py::arg("progress"),
           py::arg("until_rest"), py::arg("time_limit"), py::arg("tolerance"), py::arg("method"),
           py::arg("step"), "Runs all combinations of the values of some knobs.");
  m.def("load", &load, py::arg("name_or_path"), "A scenario of the library, or a file.");
  m.def("parse", &parse, py::arg("text"), py::arg("file"), "A scenario from text.");
  m.def(
      "import_model",
      [](const std::string& path, const std::string& base, std::optional<double> floor) {
        return import_model(path, {base, floor}).text;
      },
      py::arg("path"), py::arg("base"), py::arg("floor"), "The scenario that a URDF or MJCF model makes.");
}

void add_result(py::module_& m) {
  py::class_<Result>(m, "Result", "What came of a run.")
      .def_property_readonly("name", &Result::name, "The scenario's name.")
      .def_property_readonly("title", &Result::title, "The scenario's title.")
      .def_property_readonly("knobs", &Result::knobs, "The knobs of the run.")
      .def_property_readonly("reached", &Result::reached, "Whether the run reached what was asked.")
      .def_property_readonly("reason", &Result::reason, "Why it ended, in words.")
      .def_property_readonly("stop", &Result::stop, "Why it ended, as a word.")
      .def_property_readonly("end_time", &Result::end_time, "When it ended [s].")
      .def_property_readonly("notes", &Result::notes, "What one should know of it.")
      .def_property_readonly(
          "results",
          [](const Result& r) {
            py::dict out;
            for (const ResultValue& v : r.results()) out[py::str(v.name)] = number_or_none(v.value);
            return out;
          },
          "The named results; None where an instant was never reached.")
      .def_property_readonly(
          "result_units",
          [](const Result& r) {
            py::dict out;
            for (const ResultValue& v : r.results()) out[py::str(v.name)] = v.unit;
            return out;
          },
          "The SI units of the named results.")
      .def_property_readonly("events", &Result::events, "What happened.")
      .def_property_readonly("impacts", &Result::impacts, "The first 10 000 impacts.")
      .def_property_readonly("energy", &Result::energy, "Where the energy went.")
      .def_property_readonly("columns", &Result::columns, "The columns of the trajectory.")
      .def_property_readonly("is_truncated", &Result::is_truncated, "Whether rows are missing at the end.")
      .def_property_readonly("plotted", &Result::plotted, "What the scenario itself would plot.")
      .def("column", &column_of, py::arg("name"), "A column as a read-only view.")
      .def("summary", &Result::summary, py::call_guard<FreeInterpreter>(), "Text for people.")
      .def("json", &Result::json, py::call_guard<FreeInterpreter>(),
           "Everything but the trajectory, as JSON.")
      .def("csv", &Result::csv, py::call_guard<FreeInterpreter>(), "The trajectory as CSV.")
      .def("html", &Result::html, py::call_guard<FreeInterpreter>(),
           "A page with the animation that needs nothing else.");
}

void add_sweep(py::module_& m) {
  py::class_<Sweep>(m, "Sweep", "What came of a sweep.")
      .def_property_readonly("knobs", &Sweep::knobs, "The knobs of the axes.")
      .def_property_readonly("outputs", &Sweep::outputs, "What was read off each run.")
      .def(
          "axis",
          [](const py::object& self, std::size_t k) {
            const std::vector<double>& values = self.cast<const Sweep&>().axes().at(k).values;
            return view<double>(values, {static_cast<py::ssize_t>(values.size())}, self);
          },
          py::arg("k"), "The values of an axis.")
      .def(
          "column",
          [](const py::object& self, const std::string& output) {
            const auto& sweep = self.cast<const Sweep&>();
            return view(sweep.column(output), shape_of(sweep), self);
          },
          py::arg("output"), "An output over the grid as a read-only view.")
      .def_property_readonly(
          "status",
          [](const py::object& self) {
            const auto& sweep = self.cast<const Sweep&>();
            return view(sweep.status(), shape_of(sweep), self);
          },
          "How each run went: 0 reached, 1 rest, 2 time limit, 3 bottom, 4 failed.")
      .def("message", &Sweep::message, py::arg("run"), "Why a run did not reach what was asked.")
      .def_property_readonly("seconds", &Sweep::seconds, "How long it took.")
      .def_property_readonly("workers", &Sweep::workers, "How many threads computed.");
}

}  // namespace

}  // namespace thud::python

PYBIND11_MODULE(_core, m) {
  using namespace thud;
  using namespace thud::python;
  m.doc() = "The compiled part of thud.";
  m.attr("__version__") = THUD_VERSION;
  add_errors(m);
  add_data(m);
  add_result(m);
  add_sweep(m);
  add_model(m);
  add_laws(m);
  add_own_parts(m);
  add_studies(m);
  m.def(
      "library",
      [] {
        std::vector<std::tuple<std::string, std::string, std::string>> out;
        for (const LibraryEntry& e : list_library()) out.emplace_back(e.name, e.title, e.about);
        return out;
      },
      "The scenarios that can be loaded by name, as (name, title, about).");
  m.def("set_data_folder", &set_data_folder, py::arg("folder"), "Says where scenarios/ and its like are.");
  m.def("data_folder", &data_folder, "The folder with scenarios/ and its like.");
  m.def("in_unit", &in_unit, py::arg("value"), py::arg("unit"), "A value in SI units expressed in another.");
  m.def("read_quantity", &read_quantity, py::arg("text"), py::arg("unit"), py::arg("option"),
        "A text such as \"2 ms\" as a value in SI units.");
  m.def("did_you_mean", &did_you_mean, py::arg("wrong"), py::arg("known"),
        "A suggestion that ends a message; empty when nothing is near.");
  m.def("si_unit_of", &si_unit_of, py::arg("unit"), "The SI unit of what a unit measures.");
}
