#pragma once

#include <mutex>

#include "scenario/build.hpp"
#include "thud/model.hpp"
#include "thud/scenario/run.hpp"

namespace thud {

struct Model::Impl {
  explicit Impl(doc::Document d) : document(std::move(d)) {}
  Impl(const Impl& other)
      : document(other.document),
        settings(other.settings),
        own(other.own),
        mutex(other.mutex),
        built(other.built) {}

  doc::Document document;
  KnobSettings settings;
  OwnParts own;
  /// Copies share what was read of the document, and so this.
  std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>();

  /// The scenario with the knobs as they are; built when it is first needed.
  std::shared_ptr<const Scenario> scenario() const;
  doc::Parameters parameters(const KnobSettings& set) const {
    const std::lock_guard lock(*mutex);
    return doc::read_parameters(document, set);
  }
  void forget() { built.reset(); }
  /// Changes what is the user's own, where the scenario can be built with it; else it stays as it was, and this throws.
  template <class F>
  void change(F&& f) {
    const OwnParts before = own;
    try {
      f(own);
      forget();
      (void)scenario();
    } catch (...) {
      own = before;
      forget();
      throw;
    }
  }

 private:
  mutable std::shared_ptr<const Scenario> built;
};

/// The options as a request, checked. `place` of errors is the option's name with its value.
[[nodiscard]] RunRequest make_request(const RunOptions& options, const Scenario& scenario);

/// Calls f, and takes the "--set " of the command line off the place of what it throws.
template <class F>
decltype(auto) without_command_line(F&& f) {
  try {
    return f();
  } catch (const InputError& e) {
    Place place = e.place();
    constexpr std::string_view option = "--set ";
    if (!place.file.starts_with(option)) throw;
    place.file.erase(0, option.size());
    throw InputError(place, e.message());
  }
}

}  // namespace thud
