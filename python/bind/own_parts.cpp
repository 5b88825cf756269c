#include "own_parts.hpp"

#include <pybind11/stl.h>

#include "function.hpp"
#include "thud/dynamics/sand_probe.hpp"
#include "thud/model.hpp"

namespace py = pybind11;

namespace thud::python {

namespace {

using Pair = std::pair<double, double>;
using Held = std::shared_ptr<PythonFunction>;

// An instant that Python may keep for longer than it lasts.
struct PythonInstant {
  const Snapshot* now;

  const Snapshot& get() const {
    if (!now) throw std::runtime_error("an instant is over when the function that got it has returned");
    return *now;
  }
};

double observe(PythonFunction& function, const Snapshot& now) {
  return function.call([&](const py::object& f) -> double {
    const py::object instant = py::cast(PythonInstant{&now});
    struct Ends {
      PythonInstant& it;
      ~Ends() { it.now = nullptr; }
    } const ends{instant.cast<PythonInstant&>()};
    return py::float_(f(instant));
  });
}

// A strike at a single contact, as an impact law in Python sees it: a copy.
struct PythonStrike {
  Pair velocity;
  std::pair<Pair, Pair> matrix;
  double friction, restitution;

  explicit PythonStrike(const ImpactProblem& p)
      : velocity(p.velocity[0], p.velocity[1]),
        matrix({p.matrix[0], p.matrix[1]}, {p.matrix[2], p.matrix[3]}),
        friction(p.friction[0]),
        restitution(p.restitution[0]) {}
};

Held hold(py::object function, const std::string& what) {
  if (!PyCallable_Check(function.ptr()))
    throw py::type_error(what + ": a function is wanted, not "
                         + std::string(py::str(py::type::of(function).attr("__name__"))));
  return std::make_shared<PythonFunction>(std::move(function), what);
}

Held add_observable(Model& model, const std::string& name, const std::string& unit, py::object function,
                    const std::string& about) {
  const Held held = hold(std::move(function), "the observable \"" + name + "\"");
  model.add_observable(
      name, unit, [held](const Snapshot& now) { return observe(*held, now); }, about);
  return held;
}

// f(instant, memory) gives the outputs: a number where there is one, else as many as there are. `memory` is a list.
void tick(PythonFunction& function, const Snapshot& now, std::span<double> outputs,
          std::span<double> memory) {
  function.call([&](const py::object& f) -> double {
    const py::object instant = py::cast(PythonInstant{&now});
    struct Ends {
      PythonInstant& it;
      ~Ends() { it.now = nullptr; }
    } const ends{instant.cast<PythonInstant&>()};
    py::list kept;
    for (double x : memory) kept.append(x);
    const py::object given = memory.empty() ? f(instant) : f(instant, kept);
    if (memory.size() != py::len(kept)) throw py::value_error("the memory of a controller keeps its length");
    for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = py::float_(kept[k]);
    if (outputs.size() == 1 && !py::isinstance<py::sequence>(given)) {
      outputs[0] = py::float_(given);
      return 0;
    }
    if (!py::isinstance<py::sequence>(given) || py::len(given) != outputs.size())
      throw py::type_error("a controller with " + std::to_string(outputs.size()) + " outputs gave "
                           + std::string(py::repr(given)));
    for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k] = py::float_(given[py::int_(k)]);
    return 0;
  });
}

Held control(Model& model, const std::string& name, py::object function, int memory) {
  const Held held = hold(std::move(function), "the controller \"" + name + "\"");
  model.control(
      name,
      [held](const Snapshot& now, std::span<double> outputs, std::span<double> kept) {
        tick(*held, now, outputs, kept);
      },
      memory);
  return held;
}

Held use_restitution(Model& model, const std::string& contact, py::object function) {
  const Held held = hold(std::move(function), "the restitution of \"" + contact + "\"");
  model.use_restitution(contact, [held](double speed) {
    return held->call([speed](const py::object& f) -> double { return py::float_(f(speed)); });
  });
  return held;
}

Held use_impact(Model& model, const std::string& contact, py::object function) {
  const Held held = hold(std::move(function), "the impact law of \"" + contact + "\"");
  model.use_impact(contact, [held](const ImpactProblem& p) {
    return held->call([&p](const py::object& f) {
      const py::object given = f(PythonStrike(p));
      if (!py::isinstance<py::sequence>(given) || py::len(given) != 2)
        throw py::type_error("an impact law gives two impulses, (tangent, normal), not "
                             + std::string(py::repr(given)));
      return ContactImpulse{py::float_(given[py::int_(0)]), py::float_(given[py::int_(1)])};
    });
  });
  return held;
}

void add_functions(py::module_& m) {
  py::class_<PythonFunction, Held>(m, "Function", "A function in Python that a model calls.")
      .def("check", &PythonFunction::check, "Raises what it raised during a run.");
  py::class_<PythonInstant>(m, "Instant", "An instant of a run, for observables of one's own.")
      .def_property_readonly(
          "time", [](const PythonInstant& i) { return i.get().time(); }, "When it is [s].")
      .def_property_readonly(
          "q",
          [](const PythonInstant& i) { return std::vector<double>(i.get().q().begin(), i.get().q().end()); },
          "Coordinates.")
      .def_property_readonly(
          "v",
          [](const PythonInstant& i) { return std::vector<double>(i.get().v().begin(), i.get().v().end()); },
          "Velocities.")
      .def(
          "__getitem__", [](const PythonInstant& i, const std::string& name) { return i.get()[name]; },
          py::arg("observable"), "The value of an observable in SI units.");
  py::class_<PythonStrike>(
      m, "Strike", "A strike at one contact, for impact laws of one's own. Tangent first, then normal.")
      .def_readonly("velocity", &PythonStrike::velocity,
                    "Relative velocity before; the normal one is negative when it closes [m/s].")
      .def_readonly("matrix", &PythonStrike::matrix, "W: velocity changes by W p for an impulse p [1/kg].")
      .def_readonly("friction", &PythonStrike::friction, "Of the contact.")
      .def_readonly("restitution", &PythonStrike::restitution, "Of the contact.");
  m.def("add_observable", &add_observable, py::arg("model"), py::arg("name"), py::arg("unit"),
        py::arg("function"), py::arg("about"), "Adds an observable.");
  m.def("control", &control, py::arg("model"), py::arg("controller"), py::arg("function"), py::arg("memory"),
        "Lets a function be a controller.");
  m.def("use_restitution", &use_restitution, py::arg("model"), py::arg("contact"), py::arg("function"),
        "Lets a restitution follow from the speed of approach.");
  m.def("use_impact", &use_impact, py::arg("model"), py::arg("contact"), py::arg("function"),
        "Puts an impact law in the place of a contact's.");
}

void add_probe(py::module_& m) {
  using Answer = SandProbe::Answer;
  py::class_<Answer>(m, "SandForce", "What sand does to a body.")
      .def_property_readonly(
          "force", [](const Answer& a) { return Pair(a.force.x, a.force.z); }, "(x, z) [N].")
      .def_readonly("moment", &Answer::moment, "About the mass centre [N m].")
      .def_readonly("depth", &Answer::depth, "Of the deepest immersed point [m].")
      .def_readonly("immersed", &Answer::immersed, "Whether anything is immersed.");
  py::class_<SandProbe>(m, "SandProbe",
                        "The force of sand on one rigid body whose motion somebody else integrates.\n\n"
                        "Model.make_sand_probe() makes it. Static resistance has its full size against the "
                        "motion; that the body is held once it stops is up to the integrator.")
      .def_property_readonly(
          "mass", [](const SandProbe& p) { return p.body().mass; }, "Of the body [kg].")
      .def_property_readonly(
          "inertia", [](const SandProbe& p) { return p.body().inertia; }, "About the mass centre [kg m2].")
      .def_property_readonly(
          "gravity", [](const SandProbe& p) { return Pair(p.gravity().x, p.gravity().z); }, "(x, z) [m/s2].")
      .def(
          "at",
          [](SandProbe& p, Pair origin, double angle, Pair velocity, double rate) {
            return p.at({origin.first, origin.second}, angle, {velocity.first, velocity.second}, rate);
          },
          py::arg("origin"), py::arg("angle"), py::arg("velocity"), py::arg("rate"),
          "The force for a place (x, z) of the body's origin, its angle from the downward vertical, and "
          "their "
          "rates.");
  m.def(
      "sand_probe",
      [](const Model& model, const std::string& body, const std::string& bed) {
        return model.make_sand_probe(body, bed);
      },
      py::arg("model"), py::arg("body"), py::arg("bed"), "The force of a bed on a body.");
}

}  // namespace

void add_own_parts(py::module_& m) {
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const PythonError& e) {
      e.restore();
    }
  });
  add_functions(m);
  add_probe(m);
}

}  // namespace thud::python
