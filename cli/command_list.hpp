#pragma once
// Which commands a program has: all_commands.cpp for thud, first_commands.cpp for what `make first` builds.

#include <string>

namespace CLI {
class App;
}

void add_commands(CLI::App& app, int& exit_code);

/// Why there is no such command, where it is one of the whole program; empty otherwise.
std::string why_absent(const std::string& command);
