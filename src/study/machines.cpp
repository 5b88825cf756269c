#include "thud/study/machines.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "thud/base/error.hpp"

namespace thud {

namespace fs = std::filesystem;

namespace {

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : 0;
}

}  // namespace

bool has_launcher() {
  // Open MPI; MPICH, Intel MPI and srun --mpi=pmi2; srun --mpi=pmix.
  if (number_in("OMPI_COMM_WORLD_SIZE") > 1 || number_in("PMI_SIZE") > 1) return true;
  return std::getenv("PMIX_RANK") && number_in("SLURM_STEP_NUM_TASKS") > 1;
}

std::unique_ptr<Machines> join_machines() {
  if (!has_launcher()) return nullptr;
  // MPI lives in a module of its own, so that runs on one machine neither need nor load it.
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  const fs::path module = program.parent_path().parent_path() / "lib" / "thud" / "thud_mpi.so";
  void* handle = fs::exists(module, ec) ? ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL) : nullptr;
  using Join = Machines* (*)();
  const auto join = handle ? reinterpret_cast<Join>(::dlsym(handle, "thud_join_machines")) : nullptr;
  if (!join) {
    const char* error = handle || fs::exists(module, ec) ? ::dlerror() : nullptr;
    throw InputError(
        {}, error ? fmt::format("this is one of several processes, and MPI cannot be loaded: {}", error)
                  : "this is one of several processes, but thud was built without MPI (install "
                    "libopenmpi-dev and build it again)");
  }
  return std::unique_ptr<Machines>(join());
}

}  // namespace thud
