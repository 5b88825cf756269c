#pragma once
// The command line as data: what manual pages and completions are made of.

#include <string>
#include <vector>

namespace thud::cli {

struct OptionInfo {
  std::vector<std::string> flags;  ///< "-o", "--out"; none of a positional one
  std::string value;               ///< what it takes: "FILE"; empty for a flag. The name of a positional one.
  std::string about;
  bool positional = false, required = false, repeats = false;
};

struct CommandInfo {
  std::string name, about, footer;
  std::vector<OptionInfo> options;
};

/// The program and its commands, the program first.
using CommandTree = std::vector<CommandInfo>;

/// A manual page in roff, for `man`: of the program, or of one of its commands.
[[nodiscard]] std::string make_manual(const CommandTree& tree, const CommandInfo& page);
/// "thud.1", "thud-run.1".
[[nodiscard]] std::string manual_name(const CommandInfo& page);

/// A script that a shell reads to complete commands, options and names of the library.
[[nodiscard]] std::string make_bash_completion(const CommandTree& tree);
[[nodiscard]] std::string make_zsh_completion(const CommandTree& tree);
[[nodiscard]] std::string make_fish_completion(const CommandTree& tree);

}  // namespace thud::cli
