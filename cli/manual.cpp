#include <fmt/format.h>

#include "command_tree.hpp"

namespace thud::cli {

namespace {

// Text of roff: no line may begin as a request does, and a minus is no hyphen.
std::string roff(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    at_start = c == '\n';
  }
  return out;
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::string without_stop(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string tag(const OptionInfo& o) {
  std::string out;
  for (const std::string& flag : o.flags) out += (out.empty() ? "\\fB" : ", \\fB") + roff(flag) + "\\fR";
  if (!o.value.empty()) out += (out.empty() ? "\\fI" : " \\fI") + roff(o.value) + "\\fR";
  return out;
}

std::string list_options(const CommandInfo& page, bool positional) {
  std::string out;
  for (const OptionInfo& o : page.options)
    if (o.positional == positional) out += ".TP\n" + tag(o) + "\n" + roff(sentence(o.about)) + "\n";
  return out;
}

std::string synopsis(const CommandInfo& page, bool is_program) {
  std::string out = is_program ? "\\fBthud\\fR \\fICOMMAND\\fR" : "\\fBthud " + roff(page.name) + "\\fR";
  for (const OptionInfo& o : page.options) {
    if (!o.positional) continue;
    const std::string name = "\\fI" + roff(o.value) + "\\fR" + (o.repeats ? "..." : "");
    out += o.required ? " " + name : " [" + name + "]";
  }
  return out + " [\\fIoptions\\fR]\n";
}

}  // namespace

std::string manual_name(const CommandInfo& page) {
  return (page.name == "thud" ? page.name : "thud-" + page.name) + ".1";
}

std::string make_manual(const CommandTree& tree, const CommandInfo& page) {
  const bool is_program = page.name == tree.front().name;
  const std::string name = is_program ? "thud" : "thud-" + page.name;
  std::string upper = name;
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::string out = fmt::format(".TH {} 1 \"\" \"thud {}\" \"User Commands\"\n", roff(upper), THUD_VERSION);
  out += ".SH NAME\n" + roff(name) + " \\- " + roff(without_stop(page.about)) + "\n";
  out += ".SH SYNOPSIS\n" + synopsis(page, is_program);
  out += ".SH DESCRIPTION\n" + roff(sentence(page.about)) + "\n";
  if (is_program) {
    out += ".SH COMMANDS\n";
    for (std::size_t i = 1; i < tree.size(); ++i)
      out += ".TP\n\\fB" + roff(tree[i].name) + "\\fR\n" + roff(sentence(tree[i].about)) + "\n";
  }
  const std::string arguments = list_options(page, true);
  if (!arguments.empty()) out += ".SH ARGUMENTS\n" + arguments;
  out += ".SH OPTIONS\n" + list_options(page, false);
  if (!page.footer.empty()) out += ".SH NOTES\n.nf\n" + roff(page.footer) + "\n.fi\n";
  out +=
      ".SH ENVIRONMENT\n.TP\n\\fBTHUD_DATA\\fR\nFolder with the libraries of scenarios and studies and the "
      "published tables.\n.TP\n\\fBNO_COLOR\\fR\nNo colours on the terminal.\n";
  out += ".SH SEE ALSO\n";
  std::string others;
  if (is_program)
    for (std::size_t i = 1; i < tree.size(); ++i)
      others += fmt::format("{}\\fBthud\\-{}\\fR(1)", others.empty() ? "" : ", ", roff(tree[i].name));
  else
    others = "\\fBthud\\fR(1)";
  return out + others + "\n";
}

}  // namespace thud::cli
