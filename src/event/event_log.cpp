// What differs between two modes, as events.

#include "event/event_log.hpp"

namespace thud {

namespace {

struct Log {
  double time;
  std::vector<Event>& out;

  void push(EventKind kind, int index, SwitchKind which = SwitchKind::normal, std::int8_t from = 0,
            std::int8_t to = 0) {
    out.push_back({time, kind, which, index, from, to});
  }

  void push_switch(int index, SwitchKind which, std::int8_t from, std::int8_t to) {
    if (from == to) return;
    EventKind kind = EventKind::reverse;
    if (to == slip::stuck)
      kind = EventKind::stick;
    else if (!slip::is_slipping(to))
      kind = EventKind::carry;
    else if (!slip::is_slipping(from))
      kind = EventKind::release;
    push(kind, index, which, from, to);
  }
};

}  // namespace

void log_changes(const System& system, double time, const Mode& before, const Mode& after,
                 std::vector<Event>& out) {
  Log log{time, out};
  for (int k = 0; k < static_cast<int>(after.piece.size()); ++k) {
    const PieceMode &a = before.piece[k], &b = after.piece[k];
    if (a == b) continue;
    const Part& part = system.pieces()[k].part;
    const bool was = is_immersed(part, a.immersion.regime), is = is_immersed(part, b.immersion.regime);
    const bool was_whole = is_whole(part, a.immersion.regime), is_whole_ = is_whole(part, b.immersion.regime);
    const auto from = static_cast<std::int8_t>(a.immersion.regime),
               to = static_cast<std::int8_t>(b.immersion.regime);
    if (!was && is) log.push(EventKind::enter, k, SwitchKind::normal, from, to);
    if (was && !is) log.push(EventKind::leave, k, SwitchKind::normal, from, to);
    if (!was_whole && is_whole_ && part.kind != PartKind::particle)
      log.push(EventKind::submerge, k, SwitchKind::normal, from, to);
    if (was_whole && !is_whole_ && part.kind != PartKind::particle)
      log.push(EventKind::emerge, k, SwitchKind::normal, from, to);
    if (!was || !is) continue;
    if (a.immersion.deepest != b.immersion.deepest)
      log.push(EventKind::deepest, k, SwitchKind::normal, a.immersion.deepest, b.immersion.deepest);
    if (a.cross != b.cross)
      log.push(EventKind::flow, k, SwitchKind::normal, a.cross, b.cross);
    else if (a.along != b.along)
      log.push(EventKind::flow, k, SwitchKind::normal, a.along, b.along);
    log.push_switch(k, SwitchKind::normal, a.normal, b.normal);
    log.push_switch(k, SwitchKind::shear, a.shear, b.shear);
    if (system.has_spin(k, after)) log.push_switch(k, SwitchKind::spin, a.spin, b.spin);
  }
  for (int i = 0; i < static_cast<int>(after.joint.size()); ++i)
    if (before.clamped[i] != after.clamped[i])
      log.push(after.clamped[i] ? EventKind::clamp : EventKind::unclamp, i, SwitchKind::joint,
               before.joint[i], after.joint[i]);
    else
      log.push_switch(i, SwitchKind::joint, before.joint[i], after.joint[i]);
  for (int k = 0; k < static_cast<int>(after.contact.size()); ++k) {
    const ContactMode &a = before.contact[k], &b = after.contact[k];
    const bool was = a.touch != Touch::open, is = b.touch != Touch::open;
    if (!was && is) log.push(EventKind::touch, k, SwitchKind::contact_normal);
    if (was && !is) log.push(EventKind::lift, k, SwitchKind::contact_normal);
    if (was && is && system.contacts()[k].law.friction > 0)
      log.push_switch(k, SwitchKind::contact_shear, a.slip, b.slip);
  }
}

}  // namespace thud
