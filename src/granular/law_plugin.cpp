#include "thud/granular/law_plugin.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "thud/base/error.hpp"

namespace thud {

OwnLaw load_law(const std::string& path) {
  const Place place{path};
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) throw InputError(place, "there is no such file");
  // With a slash, lest it be sought among the libraries of the system.
  const std::string file = std::filesystem::absolute(path).string();
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw InputError(place, std::string("cannot be loaded: ") + ::dlerror());
  const auto layout = reinterpret_cast<std::uint64_t (*)()>(::dlsym(library, "thud_law_plugin_layout"));
  const auto make = reinterpret_cast<void (*)(LawParts&)>(::dlsym(library, "thud_law_plugin_make"));
  if (!layout || !make)
    throw InputError(place,
                     "holds no law: THUD_LAW_PLUGIN(...) of thud/granular/law_plugin.hpp puts one there");
  if (layout() != law_plugin_layout)
    throw InputError(place, "was compiled with the headers of another version of thud; compile it again");
  LawParts parts;
  make(parts);
  try {
    return {parts.name, parts.about, parts.coefficients, parts.law};
  } catch (const std::invalid_argument& e) {
    throw InputError(place, e.what());
  }
}

}  // namespace thud
