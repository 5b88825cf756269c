#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace thud {

/// The processes that a launcher such as mpirun started for one sweep. They exchange messages; process 0 leads.
class Machines {
 public:
  virtual ~Machines() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(int to, std::string_view message) = 0;
  /// Takes a message that has arrived; false when there is none.
  virtual bool receive(int& from, std::string& message) = 0;
  /// Ends the part of this process. All processes must come here, unless the others are to be ended too.
  virtual void leave(bool end_others) = 0;
};

/// Whether a launcher started this process as one of several.
[[nodiscard]] bool has_launcher();

/// The processes of this sweep; none when this one is alone. MPI is loaded here and only then.
/// Throws InputError when there is a launcher but this program was built without MPI.
[[nodiscard]] std::unique_ptr<Machines> join_machines();

}  // namespace thud
