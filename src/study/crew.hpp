#pragma once

#include <optional>

#include "study/journal.hpp"
#include "study/workers.hpp"
#include "thud/study/machines.hpp"

namespace thud {

/// The other processes of a sweep, as process 0 sees them.
class Crew {
 public:
  /// `machines` may be null: a crew of nobody.
  Crew(Machines* machines, const SweepIdentity& identity);

  /// Threads that are ready, and chunks that are out.
  int threads() const;
  int outstanding() const;
  bool is_empty() const { return !machines_; }

  /// Sends everybody enough to do.
  void feed(RunQueue& queue);
  /// Tells everybody to stop computing and send what is done.
  void cancel();
  /// A chunk that has arrived, encoded. Throws InputError when a process cannot take part.
  std::optional<std::string> take();
  /// True when a process was told to stop by somebody else.
  bool was_interrupted() const { return interrupted_; }

 private:
  struct Member {
    int threads = 0;
    int outstanding = 0;
  };

  Machines* machines_;
  std::uint64_t identity_ = 0;
  std::vector<Member> members_;  // one per process
  bool interrupted_ = false;
};

}  // namespace thud
