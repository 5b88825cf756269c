#include "thud/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/model_impl.hpp"
#include "study/knobs.hpp"
#include "thud/scenario/request.hpp"

namespace thud {

std::shared_ptr<const Scenario> Model::Impl::scenario() const {
  const std::lock_guard lock(mutex);
  if (!built)
    built = without_command_line(
        [&] { return std::make_shared<const Scenario>(doc::build_scenario(document, settings, laws)); });
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
    check_step(r, scenario, place("step", *o.step), "choose method rk4 or euler too");
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
  Model model(std::make_unique<Model::Impl>(doc::Document::parse(text, file)));
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
  for (const doc::Parameter& p : doc::read_parameters(impl_->document, impl_->settings).list)
    out.push_back(doc::make_knob(p));
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
  std::erase_if(impl_->laws, [&](const auto& other) { return other.first == bed; });
  impl_->laws.emplace_back(bed, law);
  impl_->forget();
  return *this;
}

Model& Model::set(const KnobSettings& values) {
  KnobSettings next = merge_settings(impl_->settings, values);
  without_command_line([&] { (void)doc::read_parameters(impl_->document, next); });
  impl_->settings = std::move(next);
  impl_->forget();
  return *this;
}

Model& Model::set(const std::string& knob, const std::string& value) {
  return set(KnobSettings{{knob, value}});
}

Model& Model::set(const std::string& knob, double value) { return set(knob, fmt::format("{:.17g}", value)); }

}  // namespace thud
