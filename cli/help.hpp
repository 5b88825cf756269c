#pragma once

#include <CLI/CLI.hpp>

namespace thud::cli {

/// Help that fits 80 columns: usage, commands or options, examples.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace thud::cli
