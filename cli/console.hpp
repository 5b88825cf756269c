#pragma once

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "thud/base/format.hpp"
#include "thud/scenario/scenario.hpp"
#include "thud/store/file.hpp"

namespace thud::cli {

/// Nobody reads our output any more, as in `thud list | head -1`.
class ClosedPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

/// Writes to standard output at once. Throws OutputError.
void print(std::string_view text);

/// "thud: message" on standard error.
void complain(std::string_view message);

bool is_terminal(std::FILE* stream);

/// Unicode in a UTF-8 locale, colour on a terminal unless NO_COLOR is set.
TextStyle style_of_output(bool ascii = false);

/// "angle=40 deg" into name and value. Throws InputError.
KnobSettings read_settings(const std::vector<std::string>& given);

/// Writes a scenario or study that was made for somebody, and tells the command that runs it; "-" is standard output. Throws InputError when
/// it is a folder, or exists and is not to be overwritten.
void write_scenario(const std::string& file, const std::string& text, bool overwrite,
                    const std::string& command = "run");

/// Throws InputError, before any work is done, when a report could not be written there.
void check_report_file(const std::string& file);

/// The file of --svg, opened before the work: a name that cannot be written to should not cost it. None for no name.
/// Throws InputError, also when it is one of the inputs.
std::unique_ptr<AtomicFile> open_picture(const std::string& file, const std::vector<std::string>& inputs);

/// Signals that end the program leave no temporary files.
void clean_up_on_signals();

/// While it lives, Ctrl-C and SIGTERM set a flag; a second one ends the program.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static const std::atomic<bool>* flag();

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

}  // namespace thud::cli
