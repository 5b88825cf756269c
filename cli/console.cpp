#include "console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace thud::cli {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

// Ends the program by the signal, without leaving what it was writing.
void leave(int signal) {
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

void on_signal(int signal) {
  if (interrupted.exchange(true)) leave(signal);
}

bool has_utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string text = value;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

}  // namespace

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  const int error = errno;
  const std::string message = "cannot write the output: " + std::generic_category().message(error);
  if (error == EPIPE) throw ClosedPipe(message);
  throw OutputError(message);
}

void complain(std::string_view message) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "thud: {}\n", without_controls(message));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) != 0; }

TextStyle style_of_output(bool ascii) {
  TextStyle style;
  const char* terminal = std::getenv("TERM");
  const bool dumb = !terminal || !*terminal || std::string_view(terminal) == "dumb";
  style.unicode = !ascii && has_utf8_locale();
  style.colour = is_terminal(stdout) && !is_set("NO_COLOR") && !dumb;
  return style;
}

KnobSettings read_settings(const std::vector<std::string>& given) {
  KnobSettings out;
  for (const std::string& text : given) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError({"--set " + text, 0, 0}, "expected NAME=VALUE, such as --set \"angle=40 deg\"");
    std::string name = text.substr(0, equals);
    while (name.ends_with(' ')) name.pop_back();
    out.emplace_back(std::move(name), text.substr(equals + 1));
  }
  return out;
}

void write_scenario(const std::string& file, const std::string& text, bool overwrite,
                    const std::string& command) {
  if (file == "-") {
    print(text);
    return;
  }
  const Place place{file, 0, 0};
  std::error_code ec;
  if (std::filesystem::is_directory(file, ec))
    throw InputError(place, "is a folder; give the name of a file");
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ec))
    throw InputError(place, fmt::format("there is no folder \"{}\"", folder.string()));
  if (std::filesystem::is_regular_file(file, ec) && !overwrite)
    throw InputError(place, "exists already; --force overwrites it, -o FILE writes another");
  write_file(file, text);
  // A name without a slash or the ending would be looked for in the library first.
  const std::string path =
      file.ends_with(".toml") || file.find('/') != std::string::npos ? file : "./" + file;
  print(fmt::format("Wrote {}. Run it with: thud {} {}\n", file, command, path));
}

void check_report_file(const std::string& file) {
  if (file.empty()) return;
  namespace fs = std::filesystem;
  std::error_code ec;
  const Place place{"--report " + file, 0, 0};
  if (fs::is_directory(file, ec)) throw InputError(place, "is a folder; give the name of a file");
  const fs::path folder = fs::path(file).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ec))
    throw InputError(place, fmt::format("there is no folder \"{}\"", folder.string()));
}

std::unique_ptr<AtomicFile> open_picture(const std::string& file, const std::vector<std::string>& inputs) {
  if (file.empty()) return nullptr;
  const Place place{"--svg " + file, 0, 0};
  for (const std::string& input : inputs) {
    std::error_code ec;
    if (std::filesystem::equivalent(file, input, ec))
      throw InputError(place, fmt::format("is the same file as {}, which would be replaced", input));
  }
  try {
    return std::make_unique<AtomicFile>(file);
  } catch (const OutputError& e) {
    throw InputError(place, e.what());
  }
}

void clean_up_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    // Who started us in the background may have had them ignored.
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_DFL) std::signal(signal, leave);
  }
}

Interrupt::Interrupt() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &old_int_);
  ::sigaction(SIGTERM, &action, &old_term_);
}

Interrupt::~Interrupt() {
  ::sigaction(SIGINT, &old_int_, nullptr);
  ::sigaction(SIGTERM, &old_term_, nullptr);
}

const std::atomic<bool>* Interrupt::flag() { return &interrupted; }

}  // namespace thud::cli
