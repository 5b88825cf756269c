#include <fmt/format.h>

#include <string_view>

#include "command_tree.hpp"

namespace thud::cli {

namespace {

// Positional arguments that may be names of the library.
bool takes_library_names(const CommandInfo& c) {
  for (const OptionInfo& o : c.options)
    if (o.positional && (o.value == "FILE" || o.value == "STUDY" || o.value == "SOURCE"))
      return c.name != "import";
  return false;
}

std::string flags_of(const CommandInfo& c) {
  std::string out;
  for (const OptionInfo& o : c.options)
    for (const std::string& flag : o.flags) out += (out.empty() ? "" : " ") + flag;
  return out;
}

std::string value_flags_of(const CommandInfo& c) {
  std::string out;
  for (const OptionInfo& o : c.options)
    if (!o.value.empty())
      for (const std::string& flag : o.flags) out += (out.empty() ? "" : "|") + flag;
  return out;
}

// In single quotes of a shell.
std::string shell_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

// In _arguments brackets and colons mean something.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

const char* zsh_action(const OptionInfo& o) {
  const bool folder = o.value == "DIR";
  const bool file = o.value.starts_with("FILE");
  return folder ? "_files -/" : file ? "_files" : " ";
}

}  // namespace

std::string make_bash_completion(const CommandTree& tree) {
  std::string commands, cases;
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const CommandInfo& c = tree[i];
    commands += (commands.empty() ? "" : " ") + c.name;
    const std::string values = value_flags_of(c);
    cases += fmt::format("    {})\n      options={}\n", c.name, shell_text(flags_of(c)));
    if (!values.empty()) cases += fmt::format("      case $before in {}) takes_value=1 ;; esac\n", values);
    if (takes_library_names(c)) cases += "      names=$(\"${COMP_WORDS[0]}\" list --names 2>/dev/null)\n";
    cases += "      ;;\n";
  }
  return fmt::format(R"sh(# bash completion of thud {}; read it with:  source <(thud completion bash)
_thud() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local options= names= takes_value=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W {} -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [ -n "$takes_value" ]; then
    COMPREPLY=($(compgen -f -- "$word"))
  elif [ "${{word:0:1}}" = - ]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _thud thud
)sh",
                     THUD_VERSION, shell_text(commands + " " + flags_of(tree.front())), cases);
}

std::string make_zsh_completion(const CommandTree& tree) {
  std::string commands, cases;
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const CommandInfo& c = tree[i];
    commands += "    " + shell_text(zsh_text(c.name) + ":" + c.about) + "\n";
    cases += fmt::format("    {})\n      _arguments -s \\\n", c.name);
    for (const OptionInfo& o : c.options)
      for (const std::string& flag : o.flags) {
        std::string spec = fmt::format("{}{}[{}]", o.repeats ? "*" : "", flag, zsh_text(o.about));
        if (!o.value.empty()) spec += fmt::format(":{}:{}", zsh_text(o.value), zsh_action(o));
        cases += "        " + shell_text(spec) + " \\\n";
      }
    cases += takes_library_names(c) ? "        '*:name or file:_thud_names'\n" : "        '*:file:_files'\n";
    cases += "      ;;\n";
  }
  return fmt::format(R"sh(#compdef thud
# zsh completion of thud {}; put it as _thud into a folder of $fpath
_thud_names() {{
  local -a names
  names=(${{(f)"$(thud list --names 2>/dev/null)"}})
  _alternative 'names:name of the library:compadd -a names' 'files:file:_files'
}}
_thud() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = "_thud" ]; then _thud "$@"; else compdef _thud thud; fi
)sh",
                     THUD_VERSION, commands, cases);
}

std::string make_fish_completion(const CommandTree& tree) {
  std::string out = fmt::format(
      "# fish completion of thud {}; read it with:  thud completion fish | source\n", THUD_VERSION);
  for (std::size_t i = 1; i < tree.size(); ++i) {
    const CommandInfo& c = tree[i];
    out += fmt::format("complete -c thud -n __fish_use_subcommand -f -a {} -d {}\n", c.name,
                       shell_text(c.about));
    const std::string seen = shell_text("__fish_seen_subcommand_from " + c.name);
    if (takes_library_names(c)) out += fmt::format("complete -c thud -n {} -a '(thud list --names)'\n", seen);
    for (const OptionInfo& o : c.options) {
      if (o.positional) continue;
      out += fmt::format("complete -c thud -n {}", seen);
      for (const std::string& flag : o.flags)
        out += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
      if (!o.value.empty()) out += " -r";
      out += " -d " + shell_text(o.about) + "\n";
    }
  }
  return out;
}

}  // namespace thud::cli
