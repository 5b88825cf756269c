#include "help.hpp"

#include <fmt/format.h>

#include <cctype>

#include "thud/base/format.hpp"

namespace thud::cli {

namespace {

constexpr std::size_t column = 26, width = 80;

// "  --time T      seconds of ..." with the description wrapped into its own column.
std::string entry(const std::string& left, const std::string& about) {
  std::string text = wrap(about, column, width);
  if (text.empty()) text = "\n";
  if (left.size() + 3 <= column)
    return pad_right("  " + left, column) + text.substr(std::min(column, text.size() - 1));
  return "  " + left + "\n" + text;
}

std::string left_of(const CLI::Option* option) {
  std::string left = option->get_positional() ? option->get_name(true) : option->get_name(false, true);
  for (auto at = left.find(','); at != std::string::npos; at = left.find(',', at + 2))
    left.insert(at + 1, " ");
  if (!option->get_positional() && option->get_type_size() > 0) left += " " + option->get_type_name();
  return left;
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string uncapitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string usage(const CLI::App* app) {
  if (!app->get_parent()) return "Usage: thud COMMAND [options]\n";
  std::string out = "Usage: thud " + app->get_name();
  for (const CLI::Option* option : app->get_options())
    if (option->get_positional())
      out += option->get_required()
               ? " " + option->get_name(true)
               : " [" + option->get_name(true) + "]" + (option->get_items_expected_max() > 1 ? "..." : "");
  return out + " [options]\n";
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  std::string out = wrap(capitalised(app->get_description()), 0, width) + "\n" + usage(app);
  const auto commands = app->get_subcommands([](const CLI::App*) { return true; });
  if (!commands.empty()) out += "\nCommands:\n";
  for (const CLI::App* command : commands)
    out += entry(command->get_name(), uncapitalised(command->get_description()));
  std::string arguments, options, standard;
  for (const CLI::Option* option : app->get_options()) {
    const bool is_standard = option == app->get_help_ptr() || option == app->get_version_ptr();
    std::string& list = option->get_positional() ? arguments : is_standard ? standard : options;
    if (!option->get_group().empty()) list += entry(left_of(option), option->get_description());
  }
  out += "\n" + arguments + (arguments.empty() ? "" : "\n") + "Options:\n" + options + standard;
  if (!app->get_footer().empty()) out += "\n" + app->get_footer() + "\n";
  return out;
}

}  // namespace thud::cli
