// thud devices: where many runs at once can be made.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "thud/lanes/device.hpp"
#include "thud/scenario/run.hpp"

namespace thud::cli {

namespace {

std::string tell_devices(const TextStyle& style) {
  const ComputeDevices all = list_devices();
  const std::vector<std::string> kernels = lane_kernels();
  std::string out = style.paint("bold", "cpu") + "  this processor, "
                  + (kernels.empty() ? std::string("run by run (built without SLEEF: libsleef-dev)")
                                     : fmt::format("in lanes ({})", fmt::join(kernels, ", ")))
                  + "\n";
  int number = 0;
  for (const ComputeDevice& d : all.devices) {
    out += fmt::format("{}    {}{}\n", style.paint("bold", fmt::format("{}", ++number)), d.name,
                       d.is_gpu ? "  (gpu)" : "");
    out += style.paint(
        "dim", fmt::format("     {}, driver {}, {} units, {:.3g} GB{}\n", d.platform, d.version, d.units,
                           d.memory / 1e9,
                           d.has_doubles ? "" : "; without numbers of double precision: of no use here"));
  }
  if (!all.missing.empty()) out += "No OpenCL devices: " + all.missing + "\n";
  if (!all.devices.empty()) out += "\nUse one with: thud sweep STUDY --device NUMBER, gpu or auto\n";
  return out;
}

std::string devices_json() {
  const ComputeDevices all = list_devices();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  int number = 0;
  for (const ComputeDevice& d : all.devices)
    list.push_back({{"number", ++number},
                    {"name", d.name},
                    {"platform", d.platform},
                    {"driver", d.version},
                    {"gpu", d.is_gpu},
                    {"double_precision", d.has_doubles},
                    {"units", d.units},
                    {"memory", d.memory}});
  const nlohmann::ordered_json j = {
      {"format", 1}, {"lanes", lane_kernels()}, {"devices", list}, {"missing", all.missing}};
  return j.dump(2) + "\n";
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_devices_command(CLI::App& app, int& exit_code) {
  CLI::App* c =
      app.add_subcommand("devices", "list where many runs at once can be made: lanes, graphics cards");
  const auto json = std::make_shared<bool>(false);
  const auto ascii = std::make_shared<bool>(false);
  c->add_flag("--json", *json, "print one JSON document and nothing else");
  c->add_flag("--ascii", *ascii, "plain characters only");
  c->callback([json, ascii, &exit_code] {
    print(*json ? devices_json() : tell_devices(style_of_output(*ascii)));
    exit_code = 0;
  });
}
