// thud manual and thud completion: made of the command line itself.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "command_tree.hpp"
#include "commands.hpp"
#include "console.hpp"

namespace thud::cli {

namespace {

OptionInfo describe(const CLI::Option* o) {
  OptionInfo out;
  for (const std::string& s : o->get_snames()) out.flags.push_back("-" + s);
  for (const std::string& l : o->get_lnames()) out.flags.push_back("--" + l);
  out.positional = o->get_positional();
  if (out.positional)
    out.value = o->get_name(true), out.flags.clear();
  else if (o->get_type_size() > 0)
    out.value = o->get_type_name();
  out.about = o->get_description();
  out.required = o->get_required();
  out.repeats = o->get_items_expected_max() > 1;
  return out;
}

CommandInfo describe(const CLI::App& app) {
  CommandInfo out{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* o : app.get_options())
    if (!o->get_group().empty()) out.options.push_back(describe(o));
  return out;
}

CommandTree tree_of(const CLI::App& app) {
  CommandTree tree{describe(app)};
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; }))
    tree.push_back(describe(*c));
  return tree;
}

const CommandInfo& find_page(const CommandTree& tree, const std::string& name) {
  std::vector<std::string> known;
  for (const CommandInfo& c : tree) {
    if (c.name == (name.empty() ? tree.front().name : name)) return c;
    known.push_back(c.name);
  }
  throw InputError({}, fmt::format("there is no command \"{}\"{}; the commands are {}", name,
                                   did_you_mean(name, known), one_of(known)));
}

void write_pages(const CommandTree& tree, const std::string& folder) {
  make_folder(folder);
  for (const CommandInfo& page : tree)
    write_file(std::filesystem::path(folder) / manual_name(page), make_manual(tree, page));
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_manual_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("manual", "print a manual page, for man");
  struct Arguments {
    std::string command, out;
  };
  const auto a = std::make_shared<Arguments>();
  c->add_option("COMMAND", a->command, "whose page; without it that of the program");
  c->add_option("--out", a->out, "write the pages of all commands there instead")->type_name("DIR");
  c->footer(
      "Examples:\n"
      "  thud manual run | man -l -\n"
      "  thud manual --out ~/.local/share/man/man1");
  c->callback([a, &app, &exit_code] {
    const CommandTree tree = tree_of(app);
    const CommandInfo& page = find_page(tree, a->command);
    if (a->out.empty())
      print(make_manual(tree, page));
    else
      write_pages(tree, a->out);
    exit_code = 0;
  });
}

void add_completion_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("completion", "print a script with which a shell completes commands");
  const auto shell = std::make_shared<std::string>();
  c->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  c->footer(
      "Examples:\n"
      "  source <(thud completion bash)\n"
      "  thud completion zsh > ~/.zfunc/_thud\n"
      "  thud completion fish > ~/.config/fish/completions/thud.fish");
  c->callback([shell, &app, &exit_code] {
    const std::vector<std::string> known = {"bash", "zsh", "fish"};
    const CommandTree tree = tree_of(app);
    if (*shell == "bash")
      print(make_bash_completion(tree));
    else if (*shell == "zsh")
      print(make_zsh_completion(tree));
    else if (*shell == "fish")
      print(make_fish_completion(tree));
    else
      throw thud::InputError({}, fmt::format("there is no completion for \"{}\"{}; the shells are {}", *shell,
                                             thud::did_you_mean(*shell, known), thud::one_of(known)));
    exit_code = 0;
  });
}
