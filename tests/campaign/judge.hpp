#pragma once
// Runs the text of a scenario, and says what is wrong with the run.

#include <string>

namespace thud::campaign {

/// What a run can be blamed for, in the order of the table. What is worse stands first, but for `fine` and `refused`.
enum class Verdict : int {
  fine,
  refused,    ///< the reader does not take the file: the generator is wrong, or knobs that exclude each other
  crash,      ///< killed by a signal, or ended by itself
  hang,       ///< did not stop when it was told to
  slow,       ///< took longer than the limit
  internal,   ///< an error that is none of the input
  undecided,  ///< failed with a message
  painleve,   ///< ended where rigid bodies with friction have no answer
  residual,   ///< energy that is not accounted for
  overlap,    ///< a rigid contact inside
  gain,       ///< energy from nowhere
  count
};
const char* verdict_name(Verdict v);

struct Judgement {
  Verdict verdict = Verdict::fine;
  std::string message;   ///< in words; empty when it is fine
  double time = 0;       ///< simulated [s]
  double residual = 0;   ///< of the energy account
  std::string oracle{};  ///< of a decision that failed: what the enumeration of all modes says
};

/// In this process. SIGXCPU, where its handler is installed (see workers.hpp), ends the run early.
Judgement judge(const std::string& text);

/// The same without numbers: two failures of the same kind are the same failure.
std::string kind_of(const Judgement& j);

/// Set from outside to end the run at hand.
void interrupt_run();

}  // namespace thud::campaign
