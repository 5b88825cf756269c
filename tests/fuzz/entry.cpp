// A target as libFuzzer calls it.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  thud::fuzz::THUD_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
