#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "command_list.hpp"
#include "console.hpp"
#include "help.hpp"

namespace {

using namespace thud;
using namespace thud::cli;

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(c->get_name());
  return names;
}

void prepare(CLI::App& app, int& exit_code) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "show this help");
  app.set_version_flag("--version", "thud " THUD_VERSION, "show the version");
  app.require_subcommand(1);
  add_commands(app, exit_code);
  app.footer(
      "Examples:\n"
      "  thud list\n"
      "  thud run free_link\n"
      "  thud run free_link --set \"angle=40 deg\" --out results\n"
      "\n"
      "thud COMMAND --help tells more. Exit status: 0 done, 1 the computation did not\n"
      "reach what was asked, 2 bad input.");
}

// The command that was chosen, or the program itself.
const CLI::App& chosen(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

std::string explain_extra(const CLI::App& app, const std::string& extra) {
  const CLI::App& command = chosen(app);
  if (!extra.starts_with('-')) {
    if (&command == &app) {
      if (const std::string why = why_absent(extra); !why.empty()) return why;
      const std::vector<std::string> names = names_of_commands(app);
      return fmt::format("there is no command \"{}\"{}; the commands are {}", extra,
                         did_you_mean(extra, names), one_of(names));
    }
    return fmt::format("unexpected \"{}\"; a value with blanks needs quotes", extra);
  }
  const std::string name = extra.substr(0, extra.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* o : command.get_options())
    for (const std::string& l : o->get_lnames()) known.push_back("--" + l);
  return fmt::format("there is no option \"{}\"{}", name, did_you_mean(name, known));
}

int explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen(app);
  const std::string see =
      &command == &app ? "thud --help" : fmt::format("thud {} --help", command.get_name());
  const std::vector<std::string> extras = app.remaining(true);
  std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) || (&command == &app && !extras.empty()))
    message = explain_extra(app, extras.empty() ? "" : extras.front());
  else if (dynamic_cast<const CLI::RequiredError*>(&error))
    message = &command == &app ? "a command is missing" : command.get_name() + ": " + error.what();
  else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && message.ends_with(" missing"))
    message = message.substr(0, message.find(':')) + " needs a value";
  complain(fmt::format("{} ({} tells more)", message, see));
  return 2;
}

int run_program(int argc, char** argv) {
  int exit_code = 0;
  CLI::App app(
      "thud simulates planar linkages that strike sand, walls and each other, from the first touch to rest.",
      "thud");
  prepare(app, exit_code);
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(chosen(app).help());
    return 0;
  } catch (const CLI::CallForVersion&) {
    print("thud " THUD_VERSION "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is then a write error like any other
  clean_up_on_signals();
  try {
    return run_program(argc, argv);
  } catch (const InputError& e) {
    complain(e.what());
    return 2;
  } catch (const ClosedPipe&) {
    return 1;
  } catch (const OutputError& e) {
    complain(e.what());
  } catch (const std::bad_alloc&) {
    complain("not enough memory");
  } catch (const std::exception& e) {
    complain(std::string("internal error: ") + e.what());
  } catch (...) {
    complain("internal error");
  }
  return 1;
}
