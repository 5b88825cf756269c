#include "scenario/own_parts.hpp"

#include <fmt/format.h>

#include <map>

namespace thud {

/// The observables of a scenario by their names.
class ObservableIndex {
 public:
  explicit ObservableIndex(const Scenario& s) : scenario_(s.name) {
    for (const NamedObservable& o : s.observables) entries_.emplace(o.name, o.observable);
  }

  const Observable& find(std::string_view name) const {
    if (const auto found = entries_.find(name); found != entries_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [other, observable] : entries_) known.push_back(other);
    throw InputError({}, fmt::format("scenario \"{}\" has no observable \"{}\"{}", scenario_, name,
                                     did_you_mean(name, known)));
  }

 private:
  std::string scenario_;
  std::map<std::string, Observable, std::less<>> entries_;
};

double Snapshot::time() const { return instant_.time(); }
double Snapshot::operator[](std::string_view observable) const {
  return instant_.observe(index_.find(observable));
}
std::span<const double> Snapshot::q() const { return instant_.q(); }
std::span<const double> Snapshot::v() const { return instant_.v(); }

namespace doc {

namespace {

void set_impact(const OwnImpact& own, const Scenario& s) {
  const std::vector<ContactForce>& contacts = s.system->contacts();
  std::vector<std::string> known;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    known.push_back(contacts[k].name);
    if (known.back() != own.contact) continue;
    ContactLaw law = contacts[k].law;
    if (law.compliant)
      throw InputError({}, fmt::format("contact \"{}\" is compliant: it knows no impacts", own.contact));
    if (own.restitution) law.restitution_at = own.restitution;
    if (own.impulse) law.impulse = own.impulse;
    s.system->set_contact_law(static_cast<int>(k), std::move(law));
    return;
  }
  throw InputError({}, fmt::format("scenario \"{}\" has no contact \"{}\"{}{}", s.name, own.contact,
                                   did_you_mean(own.contact, known),
                                   known.empty() ? "" : " (contacts: " + one_of(known) + ")"));
}

}  // namespace

ControlFunction make_control(const OwnController& own, const Scenario& s) {
  const auto index = std::make_shared<const ObservableIndex>(s);
  return [index, f = own.function](const Instant& now, std::span<double> outputs, std::span<double> memory) {
    f(Snapshot(now, *index), outputs, memory);
  };
}

void add_own_parts(const OwnParts& own, Scenario& s) {
  for (const OwnImpact& impact : own.impacts) set_impact(impact, s);
  for (const OwnObservable& o : own.observables) {
    const auto index = std::make_shared<const ObservableIndex>(s);
    const auto observe = [index, f = o.function](const Instant& now) { return f(Snapshot(now, *index)); };
    add_observable(s, {o.name, make_observable(observe), o.unit, o.about});
  }
  for (const auto& [name, rule] : own.results) add_result(s, name, rule);
}

}  // namespace doc

}  // namespace thud
