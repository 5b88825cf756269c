// thud serve: the playground in the browser.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "serve/library.hpp"
#include "serve/server.hpp"
#include "thud/report/live.hpp"
#include "thud/store/file.hpp"

namespace thud::cli {

namespace {

// Links stay good from one day to the next. THUD on the keys of a telephone.
constexpr int default_port = 8483;

struct Arguments {
  serve::ServerOptions options;
  bool open = false;
  std::string write;
};

// The address is ours: digits and dots, nothing a shell could take otherwise.
void open_browser(const std::string& address) {
  const std::string command = "xdg-open " + address + " >/dev/null 2>&1 &";
  if (std::system(command.c_str()) != 0) complain("no browser could be opened");
}

int serve_pages(const Arguments& a) {
  const Interrupt interrupt;
  serve::ServerOptions options = a.options;
  options.or_next_port = options.port == 0;
  if (options.or_next_port) options.port = default_port;
  serve::Server server(options);
  if (server.port() != options.port)
    complain(fmt::format("port {} is taken, so this is {}", options.port, server.port()));
  print(fmt::format("thud is at {}\nCtrl-C stops it.\n", server.address()));
  if (a.open) open_browser(server.address());
  server.run(Interrupt::flag());
  print("\nStopped.\n");
  return 0;
}

// The whole playground as a file that needs no server.
int write_pages(const Arguments& a) {
  const std::string place = "--write " + a.write;
  const std::string engine = read_engine(place);
  std::string scenarios;
  const serve::Library library(a.options.files);
  for (const serve::ServedScenario& s : library.scenarios())
    scenarios += (scenarios.empty() ? "" : ",") + s.json();
  const std::filesystem::path file = std::filesystem::path(a.write) / "index.html";
  try {
    make_folder(a.write);
  } catch (const OutputError& e) {
    throw InputError({place, 0, 0}, e.what());
  }
  write_file(file, make_live_playground("[" + scenarios + "]", engine));
  print(fmt::format("Wrote {}: {} scenarios and the engine, for any web space or a browser alone\n",
                    file.string(), library.scenarios().size()));
  return 0;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_serve_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("serve", "open the playground: scenarios with sliders, in a browser");
  const auto a = std::make_shared<Arguments>();
  c->add_option("FILE", a->options.files,
                "scenario files to show beside those of the library, and anew whenever they are saved");
  c->add_option("--port", a->options.port, "port on 127.0.0.1 (default: 8483, or the next that is free)")
      ->type_name("N")
      ->check(CLI::Range(1, 65535).description(""));
  c->add_option("--limit", a->options.time_limit, "seconds that a run may take (default 20)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 3600.0).description(""));
  c->add_flag("--open", a->open, "also open it in the browser");
  c->add_option("--write", a->write,
                "serve nothing: write the playground into DIR as a page that needs no server")
      ->type_name("DIR");
  c->footer(
      "Only programs on this machine can reach it.\n"
      "\n"
      "Examples:\n"
      "  thud serve --open\n"
      "  thud serve mine.toml --port 8123\n"
      "  thud serve --write playground");
  c->callback([a, &exit_code] { exit_code = a->write.empty() ? serve_pages(*a) : write_pages(*a); });
}
