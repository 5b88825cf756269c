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
        laws(other.laws),
        built(other.shared()) {}

  doc::Document document;
  KnobSettings settings;
  BedLaws laws;

  /// The scenario with the knobs as they are; built when it is first needed.
  std::shared_ptr<const Scenario> scenario() const;
  void forget() { built.reset(); }

 private:
  std::shared_ptr<const Scenario> shared() const {
    const std::lock_guard lock(mutex);
    return built;
  }

  mutable std::mutex mutex;
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
