#include "thud/report/live.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "report/json_parts.hpp"
#include "thud/base/error.hpp"
#include "thud/report/html.hpp"
#include "thud/step/options.hpp"

namespace thud {

using namespace json_parts;

std::string read_engine(const std::string& place) {
  const std::filesystem::path file = std::filesystem::path(data_folder()) / "live" / "engine.txt";
  std::ifstream in(file, std::ios::binary);
  std::string version;
  if (!std::getline(in, version))
    throw InputError(
        {place, 0, 0},
        fmt::format("the engine for browsers has not been built: there is no {}; \"make live\" in the "
                    "sources of thud builds it, with emscripten",
                    file.string()));
  if (version != THUD_VERSION)
    throw InputError({place, 0, 0},
                     fmt::format("{} is of thud {}, and this is thud {}; \"make live\" builds it anew",
                                 file.string(), version, THUD_VERSION));
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string make_live_report(const Scenario& s, const RunResult& run, const FrameRecorder& frames,
                             const RunRequest& request, std::string_view engine) {
  Json asked = Json::object();
  if (request.until_rest) asked["until"] = "rest";
  if (request.time_limit) asked["time"] = *request.time_limit;
  if (request.tolerance) asked["tolerance"] = *request.tolerance;
  if (request.method) asked["method"] = method_names()[static_cast<std::size_t>(*request.method)];
  if (request.step) asked["step"] = *request.step;
  std::string data = make_run_document(s, run, frames);
  data.pop_back();
  return make_live_page(s.title, data + ",\"live\":" + asked.dump() + "}", engine);
}

std::string make_live_playground(std::string_view scenarios, std::string_view engine) {
  return make_live_page(
      "thud", fmt::format(R"({{"kind":"playground","thud":"{}","library":{}}})", THUD_VERSION, scenarios),
      engine);
}

}  // namespace thud
