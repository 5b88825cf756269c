#include "laws.hpp"

#include <pybind11/stl.h>

#include <array>
#include <memory>

#include "function.hpp"
#include "thud/granular/law_plugin.hpp"
#include "thud/granular/laws.hpp"
#include "thud/model.hpp"
#include "thud/scenario/register_law.hpp"

namespace py = pybind11;

namespace thud::python {

namespace {

// What a law in Python sees: a copy, which it may keep.
struct PythonFlow {
  double depth, top, length, volume, width, speed, area_speed, cross, along, normal_rate, shear_rate, mass,
      gravity;
  bool whole;

  explicit PythonFlow(const Flow<double>& f)
      : depth(f.immersed->depth),
        top(f.immersed->top),
        length(f.immersed->length),
        volume(f.immersed->volume),
        width(f.part->width),
        speed(f.speed),
        area_speed(f.area_speed),
        cross(f.cross),
        along(f.along),
        normal_rate(f.normal_rate),
        shear_rate(f.shear_rate),
        mass(f.mass),
        gravity(f.gravity),
        whole(f.immersed->whole) {}
};

struct Answer {
  const char* name;
  double Resistance<double>::*member;
};
constexpr std::array<Answer, 6> answers = {{{"drag", &Resistance<double>::drag},
                                            {"plunge", &Resistance<double>::plunge},
                                            {"withdraw", &Resistance<double>::withdraw},
                                            {"shear", &Resistance<double>::shear},
                                            {"spin_linear", &Resistance<double>::spin_linear},
                                            {"spin_square", &Resistance<double>::spin_square}}};

Resistance<double> resistance_of(const py::dict& given) {
  Resistance<double> out;
  for (const auto& [key, value] : given) {
    const std::string name = py::str(key);
    std::vector<std::string> known;
    double Resistance<double>::*member = nullptr;
    for (const Answer& a : answers) {
      known.emplace_back(a.name);
      if (name == a.name) member = a.member;
    }
    if (!member)
      throw py::key_error("a law gives " + one_of(known) + ", not \"" + name + "\""
                          + did_you_mean(name, known));
    out.*member = py::float_(py::reinterpret_borrow<py::object>(value));
  }
  return out;
}

Resistance<double> evaluate(PythonFunction& function, const Flow<double>& flow) {
  return function.call([&flow](const py::object& f) {
    const py::object out = f(PythonFlow(flow));
    if (py::isinstance<py::dict>(out)) return resistance_of(out);
    if (py::isinstance<Resistance<double>>(out)) return out.cast<Resistance<double>>();
    throw py::type_error("a law gives a thud.Resistance or a dict, not "
                         + std::string(py::str(py::type::of(out).attr("__name__"))));
  });
}

// As Python holds a law.
struct HeldLaw {
  OwnLaw law;
  std::shared_ptr<PythonFunction> function;  // of a law in Python
};

HeldLaw make_python_law(const std::string& name, py::object function, const std::string& about) {
  const auto held = std::make_shared<PythonFunction>(std::move(function), "the law");
  return {
      make_law(name, LawFunction([held](const Flow<double>& flow) { return evaluate(*held, flow); }), about),
      held};
}

}  // namespace

void add_laws(py::module_& m) {
  py::class_<PythonFlow> flow(m, "Flow", "What a resistance law may use: an immersed part and how it moves.");
  flow.def_readonly("depth", &PythonFlow::depth, "Of the deepest point, along the bed's normal [m].")
      .def_readonly("top", &PythonFlow::top, "Depth of the shallowest immersed point [m].")
      .def_readonly("length", &PythonFlow::length, "Immersed length [m].")
      .def_readonly("volume", &PythonFlow::volume, "Immersed volume [m3].")
      .def_readonly("width", &PythonFlow::width, "Diameter of the part [m].")
      .def_readonly("speed", &PythonFlow::speed, "Of the immersed centroid, |v_E| [m/s].")
      .def_readonly("area_speed", &PythonFlow::area_speed, "Frontal area times speed [m3/s].")
      .def_readonly("cross", &PythonFlow::cross, "Velocity across the axis [m/s].")
      .def_readonly("along", &PythonFlow::along, "Velocity along the axis [m/s].")
      .def_readonly("normal_rate", &PythonFlow::normal_rate, "Velocity into the bed [m/s].")
      .def_readonly("shear_rate", &PythonFlow::shear_rate, "Velocity along the surface [m/s].")
      .def_readonly("mass", &PythonFlow::mass, "Of the body [kg].")
      .def_readonly("gravity", &PythonFlow::gravity, "Magnitude of gravity [m/s2].")
      .def_readonly("whole", &PythonFlow::whole, "Whether the part is immersed as a whole.");
  using R = Resistance<double>;
  py::class_<R>(m, "Resistance", "What a resistance law gives; all of it at least 0.")
      .def(py::init(
               [](double drag, double plunge, double withdraw, double shear, double spin_linear,
                  double spin_square) { return R{drag, plunge, withdraw, shear, spin_linear, spin_square}; }),
           py::arg("drag") = 0., py::arg("plunge") = 0., py::arg("withdraw") = 0., py::arg("shear") = 0.,
           py::arg("spin_linear") = 0., py::arg("spin_square") = 0.)
      .def_readwrite("drag", &R::drag, "Force over velocity, against v_E [N s/m].")
      .def_readwrite("plunge", &R::plunge, "Bound of the static force against going deeper [N].")
      .def_readwrite("withdraw", &R::withdraw, "Bound of the static force against coming out [N].")
      .def_readwrite("shear", &R::shear, "Bound of the static force along the surface [N].")
      .def_readwrite("spin_linear", &R::spin_linear, "Moment over rate, on a wholly immersed part [N m s].")
      .def_readwrite("spin_square", &R::spin_square, "Moment over the square of the rate [N m s2].");
  py::class_<HeldLaw>(m, "Law", "A resistance law of one's own.")
      .def_property_readonly(
          "name", [](const HeldLaw& l) { return l.law.name(); }, "Its name.")
      .def_property_readonly(
          "about", [](const HeldLaw& l) { return l.law.card().about; }, "Its formula in words.")
      .def_property_readonly(
          "coefficients",
          [](const HeldLaw& l) {
            py::dict out;
            const auto& list = l.law.card().coefficients;
            for (std::size_t k = 0; k < list.size(); ++k) out[py::str(list[k].key)] = l.law.coefficient(k);
            return out;
          },
          "Its coefficients in SI units.")
      .def(
          "set", [](HeldLaw& l, const std::string& key, double value) { l.law.set_coefficient(key, value); },
          py::arg("key"), py::arg("value"), "Sets a coefficient.")
      .def(
          "check",
          [](const HeldLaw& l) {
            if (l.function) l.function->check();
          },
          "Raises what a law in Python raised during a run.")
      .def("__repr__", [](const HeldLaw& l) {
        return "<Law " + l.law.name() + (l.function ? " in Python" : "") + ": " + l.law.card().about + ">";
      });
  m.def("python_law", &make_python_law, py::arg("name"), py::arg("function"), py::arg("about"),
        "A law from a callable.");
  m.def(
      "load_law",
      [](const std::string& path) {
        return HeldLaw{load_law(path), nullptr};
      },
      py::arg("path"), "The law in a shared library.");
  m.def(
      "register_law", [](const HeldLaw& l) { register_law(l.law); }, py::arg("law"),
      "Lets scenario files name the law.");
  m.def(
      "use_law", [](Model& model, const std::string& bed, const HeldLaw& l) { model.use_law(bed, l.law); },
      py::arg("model"), py::arg("bed"), py::arg("law"), "Puts a law in the place of a bed's.");
}

}  // namespace thud::python
