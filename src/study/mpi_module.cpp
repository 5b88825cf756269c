// The module thud_mpi.so: sweeps over several machines. Loaded only under mpirun.
#include <mpi.h>

#include "thud/study/machines.hpp"

namespace {

class MpiMachines final : public thud::Machines {
 public:
  MpiMachines() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiMachines() override { leave(false); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, std::string_view message) override {
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_CHAR, to, 0, MPI_COMM_WORLD);
  }

  bool receive(int& from, std::string& message) override {
    int there = 0, length = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (!there) return false;
    MPI_Get_count(&status, MPI_CHAR, &length);
    from = status.MPI_SOURCE;
    message.resize(static_cast<std::size_t>(length));
    MPI_Recv(message.data(), length, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  }

  void leave(bool end_others) override {
    if (left_) return;
    left_ = true;
    if (end_others)
      MPI_Abort(MPI_COMM_WORLD, 1);
    else
      MPI_Finalize();
  }

 private:
  int rank_ = 0, size_ = 1;
  bool left_ = false;
};

}  // namespace

extern "C" thud::Machines* thud_join_machines() { return new MpiMachines; }
