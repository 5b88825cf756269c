#include "thud/dynamics/element_power.hpp"

namespace thud {

double element_power(const System& system, SwitchRef element, double t, const double* y, const Mode& mode,
                     const Work<double>& work) {
  const Tree& tree = system.tree();
  const Frames<double>& f = work.frames;
  const Scene scene = system.scene();
  Wrenches<double> alone;
  alone.resize(work.wrenches.force.size(), work.wrenches.elastic.size());
  alone.clear();
  std::vector<char> held(static_cast<std::size_t>(tree.body_count()));
  std::array<double, channel_count> channels{};
  Load<double> load{scene, t, y, f, alone, channels.data(), held.data()};
  load.control = mode.of<Controller>().data();
  double power = 0;
  ElementTypes::at(element.type, [&]<class E>() {
    const E& e = system.of<E>()[element.index];
    auto there = work.of<E>()[element.index];  // with the forces that hold
    auto here = there;
    const auto& m = mode.of<E>()[element.index];
    e.template apply<false>(load, m, here);
    if constexpr (E::switches.size() > 0)
      for (int sub = 0; sub < static_cast<int>(E::switches.size()); ++sub)
        if (e.is_active(sub, scene, m))
          power += (e.force(sub, there) - e.force(sub, here)) * e.rate(sub, here);
    if constexpr (Constraining<E> && E::channels.size() > 0)
      for (std::size_t c = 0; c < system.constraints().size(); ++c)
        if (const SwitchRef& own = system.constraints()[c];
            own.type == element.type && own.index == element.index)
          e.take_reaction(own.sub, work.constrained.force[c], scene, f, here, &power);
  });
  for (int i = 0; i < tree.body_count(); ++i)
    power += dot(alone.force[i], f.origin_rate[i]) + alone.moment[i] * f.rate[i];
  for (std::size_t k = 0; k < alone.elastic.size(); ++k) power += alone.elastic[k] * f.eta_rate[k];
  return power;
}

std::vector<NamedElement> list_elements(const System& system) {
  std::vector<NamedElement> out;
  const Scene scene = system.scene();
  system.each([&]<class E>(const E& e, int k) {
    std::string name;
    if constexpr (E::channels.size() == 0 && !requires { E::store; }) return;  // it exerts no force
    if constexpr (requires { e.subject(); }) name = e.subject();
    if constexpr (std::is_same_v<E, SandPiece>)
      name = scene.tree.body(e.body).name + ".sand";
    else if constexpr (requires { e.body; } && E::channels.size() > 0)
      if (name.empty()) name = scene.tree.body(e.body).name + "." + E::channels[0].name;
    if (!name.empty()) out.push_back({std::move(name), switch_of<E>(k)});
  });
  return out;
}

}  // namespace thud
