#include "lanes/kernel.hpp"

namespace thud::lanes {

namespace sse2 {
extern const Kernel kernel;
}
namespace avx {
extern const Kernel kernel;
}
namespace avx512 {
extern const Kernel kernel;
}

std::vector<const Kernel*> usable_kernels() {
  std::vector<const Kernel*> out = {&sse2::kernel};
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx")) out.push_back(&avx::kernel);
  if (__builtin_cpu_supports("avx512f")) out.push_back(&avx512::kernel);
  return out;
}

const Kernel& best_kernel() {
  static const Kernel& best = *usable_kernels().back();
  return best;
}

const Kernel* find_kernel(const std::string& name) {
  for (const Kernel* k : usable_kernels())
    if (name == k->name) return k;
  return nullptr;
}

}  // namespace thud::lanes
