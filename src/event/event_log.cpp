// What differs between two modes, as events.

#include "event/event_log.hpp"

namespace thud {

namespace {

// Of one element; what it calls to tell its events.
template <class E>
struct Log {
  double time;
  const E& element;
  int index;
  const Scene& scene;
  const typename E::Mode& before;
  const typename E::Mode& after;
  std::vector<Event>& out;

  void push(EventKind kind, std::int8_t from = 0, std::int8_t to = 0) {
    out.push_back({time, kind, switch_of<E>(index), from, to});
  }
  void push_switch(int sub, std::int8_t from, std::int8_t to) {
    if (from == to) return;
    EventKind kind = EventKind::reverse;
    if (to == slip::stuck)
      kind = EventKind::stick;
    else if (!slip::is_slipping(to))
      kind = EventKind::carry;
    else if (!slip::is_slipping(from))
      kind = EventKind::release;
    out.push_back({time, kind, switch_of<E>(index, sub), from, to});
  }
  void push_switches() {
    typename E::Mode a = before, b = after;
    for (int sub = 0; sub < static_cast<int>(E::switches.size()); ++sub)
      if (element.is_active(sub, scene, after))
        push_switch(sub, element.state(sub, a), element.state(sub, b));
  }
};

}  // namespace

void log_changes(const System& system, double time, const Mode& before, const Mode& after,
                 std::vector<Event>& out) {
  const Scene scene = system.scene();
  system.each([&]<class E>(const E& e, int k) {
    const auto &a = before.of<E>()[k], &b = after.of<E>()[k];
    Log<E> log{time, e, k, scene, a, b, out};
    if constexpr (requires { e.log(a, b, log); }) e.log(a, b, log);
  });
}

}  // namespace thud
