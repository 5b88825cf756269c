#include "thud/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/model_impl.hpp"
#include "study/knobs.hpp"
#include "thud/dynamics/sand_probe.hpp"
#include "thud/scenario/request.hpp"

namespace thud {

std::shared_ptr<const Scenario> Model::Impl::scenario() const {
  const std::lock_guard lock(*mutex);
  if (!built)
    built = without_command_line(
        [&] { return std::make_shared<const Scenario>(doc::build_scenario(document, settings, own)); });
  return built;
}

RunRequest make_request(const RunOptions& o, const Scenario& scenario) {
  RunRequest r;
  const auto place = [](const char* name, double x) { return fmt::format("{}={}", name, x); };
  r.until_rest = o.until_rest;
  if (o.time_limit) r.time_limit = checked_duration(*o.time_limit, place("time_limit", *o.time_limit));
  if (o.tolerance) r.tolerance = checked_tolerance(*o.tolerance, place("tolerance", *o.tolerance));
  if (!o.method.empty()) r.method = read_method(o.method, "method=" + o.method);
  if (o.step) {
    r.step = checked_duration(*o.step, place("step", *o.step));
    check_step(r, scenario, place("step", *o.step),
               "choose method rk4, euler, newmark or generalised-alpha too");
  }
  r.cancel = o.cancel;
  return r;
}

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::Model(const Model& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Model& Model::operator=(const Model& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}

// What is wrong with a scenario as its file has it is told here, not at the first run.
Model load(const std::string& name_or_path) {
  Model model(std::make_unique<Model::Impl>(doc::find_document(name_or_path)));
  (void)model.impl_->scenario();
  return model;
}

Model parse(const std::string& text, const std::string& file) {
  Model model(std::make_unique<Model::Impl>(doc::Document::parse(text, file).with_parts({})));
  (void)model.impl_->scenario();
  return model;
}

std::string Model::name() const { return impl_->scenario()->name; }
std::string Model::file() const { return impl_->document.file(); }
std::string Model::text() const { return impl_->document.text(); }
std::string Model::title() const { return impl_->scenario()->title; }
std::string Model::about() const { return impl_->scenario()->about; }
const KnobSettings& Model::settings() const { return impl_->settings; }

std::vector<Knob> Model::knobs() const {
  std::vector<Knob> out;
  for (const doc::Parameter& p : impl_->parameters(impl_->settings).list) out.push_back(doc::make_knob(p));
  return out;
}

std::vector<ColumnInfo> Model::observables() const {
  std::vector<ColumnInfo> out;
  for (const NamedObservable& o : impl_->scenario()->observables) out.push_back({o.name, o.unit, o.about});
  return out;
}

std::vector<ColumnInfo> Model::results() const {
  std::vector<ColumnInfo> out;
  for (const ResultSpec& r : impl_->scenario()->results) out.push_back({r.name, r.unit, r.rule});
  return out;
}

std::vector<std::string> Model::beds() const {
  std::vector<std::string> out;
  for (const Bed& b : impl_->scenario()->system->beds()) out.push_back(b.name);
  return out;
}

Model& Model::use_law(const std::string& bed, const OwnLaw& law) {
  const std::vector<std::string> known = beds();
  if (std::find(known.begin(), known.end(), bed) == known.end())
    throw InputError(
        {}, fmt::format("scenario \"{}\" has no bed \"{}\"{}{}", name(), bed, did_you_mean(bed, known),
                        known.empty() ? "" : " (beds: " + one_of(known) + ")"));
  impl_->change([&](OwnParts& own) {
    std::erase_if(own.laws, [&](const auto& other) { return other.first == bed; });
    own.laws.emplace_back(bed, law);
  });
  return *this;
}

std::vector<std::string> Model::contacts() const {
  std::vector<std::string> out;
  for (const Contact& c : impl_->scenario()->system->contacts()) out.push_back(c.name);
  return out;
}

namespace {

template <class Function>
void check_function(const Function& function, const std::string& of_what) {
  if (!function) throw InputError({of_what}, "the function is empty");
}

}  // namespace

Model& Model::use_restitution(const std::string& contact, RestitutionFunction e) {
  check_function(e, contact);
  impl_->change([&](OwnParts& own) {
    std::erase_if(own.impacts,
                  [&](const auto& other) { return other.contact == contact && other.restitution; });
    own.impacts.push_back({.contact = contact, .restitution = std::move(e)});
  });
  return *this;
}

Model& Model::use_impact(const std::string& contact, ImpulseLaw law) {
  check_function(law, contact);
  impl_->change([&](OwnParts& own) {
    std::erase_if(own.impacts, [&](const auto& other) { return other.contact == contact && other.impulse; });
    own.impacts.push_back({.contact = contact, .impulse = std::move(law)});
  });
  return *this;
}

Model& Model::add_observable(const std::string& name, const std::string& unit, SnapshotFunction function,
                             const std::string& about) {
  check_function(function, name);
  impl_->change([&](OwnParts& own) { own.observables.push_back({name, unit, about, std::move(function)}); });
  return *this;
}

Model& Model::control(const std::string& controller, SnapshotController function, int memory) {
  check_function(function, controller);
  if (memory < 0) throw std::invalid_argument("a controller cannot remember fewer than no numbers");
  impl_->change([&](OwnParts& own) {
    std::erase_if(own.controllers, [&](const OwnController& c) { return c.name == controller; });
    own.controllers.push_back({controller, std::move(function), memory});
  });
  return *this;
}

Model& Model::add_result(const std::string& name, const std::string& rule) {
  impl_->change([&](OwnParts& own) { own.results.emplace_back(name, rule); });
  return *this;
}

SandProbe Model::make_sand_probe(const std::string& body, const std::string& bed) const {
  const System& system = *impl_->scenario()->system;
  std::vector<std::string> bodies;
  for (const Body& b : system.tree().bodies()) bodies.push_back(b.name);
  const std::vector<std::string> known = beds();
  const auto find = [this](const char* what, const std::vector<std::string>& names,
                           const std::string& wanted) {
    if (wanted.empty() && names.size() == 1) return 0;
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end())
      throw InputError({}, fmt::format("scenario \"{}\" has no {} \"{}\"{}{}", name(), what, wanted,
                                       did_you_mean(wanted, names),
                                       names.empty() ? "" : fmt::format(" (it has {})", one_of(names))));
    return static_cast<int>(found - names.begin());
  };
  const int b = find("body", bodies, body), s = find("bed", known, bed);
  std::vector<Part> parts;
  for (const SandPiece& p : system.pieces())
    if (p.body == b && p.bed == s) parts.push_back(p.part);
  if (parts.empty())
    throw InputError({}, fmt::format("body \"{}\" does not feel bed \"{}\"", bodies[b], known[s]));
  if (system.tree().body(b).beam)
    throw InputError(
        {}, fmt::format("body \"{}\" is elastic: the force on it is known for rigid bodies only", bodies[b]));
  return SandProbe(system.beds()[s], system.tree().body(b), parts, system.gravity());
}

Model& Model::set(const KnobSettings& values) {
  KnobSettings next = merge_settings(impl_->settings, values);
  without_command_line([&] { (void)impl_->parameters(next); });
  impl_->settings = std::move(next);
  impl_->forget();
  return *this;
}

Model& Model::set(const std::string& knob, const std::string& value) {
  return set(KnobSettings{{knob, value}});
}

Model& Model::set(const std::string& knob, double value) { return set(knob, fmt::format("{:.17g}", value)); }

}  // namespace thud
